#include "exact/similarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "exact/bounds.h"
#include "exact/double_double.h"
#include "exact/ladder.h"

// How far the fast path may be from the exact value: u = 2^-53, to first order in u, constants rounded up, as
// in bounds.h. There are n frequencies; A is the amplitude, P the power of two at or above A (1 + 2^-50). For
// k = t0 + j the cosines are those of a giant, G = A e^{i t0 w}, and a baby, B = e^{i j w}: A cos(k w) = Gc
// Bc
// - Gs Bs. Both are double-doubles, and that product of them is off by at most `giant` A: bounds.h, (2).
//
// (1) In halves. The babies are split into multiples of 2^-s and a rest of at most 2^-s / 2, the giants into
//     multiples of q = P 2^-s and a rest of at most q / 2, both by adding and subtracting. Gc1 Bc1 - Gs1 Bs1
//     is a multiple of q 2^-s, and no partial sum of n of them is above 2 n P: with 2 s <= 52 - log2 n these
//     are 2^53 multiples, and the sum is exact. What is left, Gc1 Bc2 + Gc2 Bc - (Gs1 Bs2 + Gs2 Bs), is off
//     for each frequency, in units of u q,
//       by 1 for each of: Bc2 and Bs2 rounded; Gc2 and Gs2 rounded; Bc and Bs put together from two halves,
//       by 1/2 for each of its four products, by 1 for each sum in brackets, by 2 for their difference: 9,
//     and adding it to what m - 1 frequencies left, at most 2 m q together, rounds at 2 m: n (n + 1) in all.
//     Together u q n (n + 10).
// (2) In double-double. A product is off by 24 u^2 A: bounds.h, (1). Adding it to the m - 1 before is exact
// in
//     the heads, with what they lose, and rounds rests: at most u A (m + 1) for the new one and u A m (m +
//     3) / 2 for their sum, so that u^2 A (m + 2)^2 is more than what is lost. Together u^2 A n (24 + (n +
//     2)^2).
// (3) Either sum, at most n P, is times A. As double-doubles that is off by at most 8 u^2 n P A; adding the
//     bound to the rest or taking it away rounds at u times the rest, which is below 3 u n P A.
namespace posproof::exact {
namespace {

// Rows that are summed side by side: as many as every compiler keeps in one register.
constexpr std::size_t chunk = 2;
using Doubles = double __attribute__((vector_size(8 * chunk)));

// Of one frequency and one chunk of rows.
struct Halves {
  Doubles cosine, cosine_rest, sine, sine_rest;
};

struct Split {
  double high, low;
};

Split split(double head, double rest, double shift) {
  const double high = (head + shift) - shift;
  return {high, (head - high) + rest};
}

// The value of the format that everything within `error` of x rounds to, if there is one. As certain_in
// (double_double.h), but the rest may be larger than half a unit of the head: the ends, rounded to double,
// are less than one double away from what they stand for.
std::optional<double> certain_of_sum(Format format, DoubleDouble x, double error) {
  double low = x.head + (x.rest - error), high = x.head + (x.rest + error);
  if (format != Format::f64) {
    low = nearest(format, std::nextafter(low, -HUGE_VAL));
    high = nearest(format, std::nextafter(high, HUGE_VAL));
  }
  if (low != high) return std::nullopt;
  return low;
}

DoubleDouble sum(double a, double b) {
  const double s = a + b, back = s - a;
  return {s, (a - (s - back)) + (b - back)};
}

}  // namespace

struct Similarity::Fast {
  const PhasorTables& phasors;
  std::size_t n;
  double power = 1;                // P
  double shift, baby_shift;        // adding and subtracting them halves giants and babies
  double split_error, fine_error;  // (1) and (2), of the sum times the amplitude
  std::vector<Halves> babies;      // [chunk of rows][frequency]

  explicit Fast(const PhasorTables& from) : phasors(from), n(from.size()) {
    const double amplitude = std::abs(phasors.amplitude()), terms = static_cast<double>(n);
    while (power < amplitude * (1 + 0x1p-50)) power *= 2;
    while (power / 2 >= amplitude * (1 + 0x1p-50)) power /= 2;
    int s = 26;
    while (std::ldexp(1, 2 * s) * terms > 0x1p52) --s;
    const double q = std::ldexp(power, -s);
    baby_shift = std::ldexp(0x1.8p52, -s);
    shift = baby_shift * power;

    constexpr double u = bounds::u;
    const double product = 12 * u * u * terms * power * amplitude;  // (3)
    const double phasors_error = bounds::giant * terms * amplitude;
    split_error = (u * q * terms * (terms + 10) + phasors_error) * amplitude + product;
    fine_error =
        (u * u * amplitude * terms * (24 + (terms + 2) * (terms + 2)) + phasors_error) * amplitude + product;

    babies.resize(rows_per_block / chunk * n);
    for (std::size_t row = 0; row < rows_per_block; ++row)
      for (std::size_t i = 0; i < n; ++i) {
        const Phasor& baby = phasors.table(0)[row];
        Halves& to = babies[row / chunk * n + i];
        const Split c = split(baby.cosine[i], baby.cosine_rest[i], baby_shift);
        const Split w = split(baby.sine[i], baby.sine_rest[i], baby_shift);
        to.cosine[row % chunk] = c.high, to.cosine_rest[row % chunk] = c.low;
        to.sine[row % chunk] = w.high, to.sine_rest[row % chunk] = w.low;
      }
  }

  using Sums = std::array<DoubleDouble, rows_per_block>;

  // The sums of all rows of a block, in halves: (1).
  void in_halves(const Phasor& giant, Sums& sums) const {
    std::vector<std::array<double, 4>> giants(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Split c = split(giant.cosine[i], giant.cosine_rest[i], shift);
      const Split s = split(giant.sine[i], giant.sine_rest[i], shift);
      giants[i] = {c.high, c.low, s.high, s.low};
    }
    for (std::size_t first = 0; first < rows_per_block; first += chunk) {
      Doubles high{}, low{};
      const Halves* baby = &babies[first / chunk * n];
      for (std::size_t i = 0; i < n; ++i, ++baby) {
        const auto& [c1, c2, s1, s2] = giants[i];
        const auto& [cosine, cosine_rest, sine, sine_rest] = *baby;
        high += c1 * cosine - s1 * sine;
        low += (c1 * cosine_rest + c2 * (cosine + cosine_rest)) - (s1 * sine_rest + s2 * (sine + sine_rest));
      }
      std::array<double, chunk> heads, rests;
      std::memcpy(heads.data(), &high, sizeof high);
      std::memcpy(rests.data(), &low, sizeof low);
      for (std::size_t j = 0; j < chunk; ++j) sums[first + j] = sum(heads[j], rests[j]);
    }
  }

  // The sum of one row in double-double: (2).
  DoubleDouble in_double_double(const Block& block, std::size_t row) const {
    const Phasor &giant = *block.giant, &baby = block.babies[row];
    DoubleDouble all{0, 0};
    for (std::size_t i = 0; i < n; ++i) {
      const DoubleDouble one =
          sum_of_products({giant.cosine[i], giant.cosine_rest[i]}, {baby.cosine[i], baby.cosine_rest[i]},
                          {-giant.sine[i], -giant.sine_rest[i]}, {baby.sine[i], baby.sine_rest[i]});
      const DoubleDouble heads = sum(all.head, one.head);
      all = {heads.head, all.rest + (one.rest + heads.rest)};
    }
    return sum(all.head, all.rest);
  }

  // Times the amplitude: (3).
  DoubleDouble scaled(DoubleDouble x) const {
    const DoubleDouble p = product(x.head, phasors.amplitude());
    return {p.head, p.rest + (x.head * phasors.amplitude_rest() + x.rest * phasors.amplitude())};
  }
};

Similarity::Similarity(const Ladder& ladder) : ladder_(std::make_unique<const Ladder>(ladder)) {
  if (const PhasorTables* phasors = ladder_->phasors()) fast_ = std::make_unique<const Fast>(*phasors);
}

Similarity::~Similarity() = default;

void Similarity::fill(Format format, Position first, std::span<double> out) const {
  const auto most = static_cast<std::size_t>(farthest);
  if (out.size() > 2 * most + 1 || first < -farthest || first > farthest ||
      (!out.empty() && first + static_cast<Position>(out.size() - 1) > farthest))
    throw Refusal(fmt::format("similarities of {} offsets from {} on; allowed: offsets from -2^40 to 2^40",
                              out.size(), first));
  if (ladder_->size() == 0) return std::fill(out.begin(), out.end(), 0.0);
  const Multiprecision& multiprecision = ladder_->multiprecision();
  if (fast_ == nullptr) {
    for (std::size_t at = 0; at < out.size(); ++at)
      out[at] = multiprecision.kernel(first + static_cast<Position>(at), 1, format);
    return;
  }

  Giants giants(fast_->phasors);
  Fast::Sums sums{};
  std::size_t rows = 0;
  for (std::size_t done = 0; done < out.size(); done += rows) {
    const Position k = first + static_cast<Position>(done);
    const auto into = static_cast<std::size_t>(((k % 64) + 64) % 64);
    rows = std::min(rows_per_block - into, out.size() - done);
    const Block& block = giants.block(k, rows);
    fast_->in_halves(*block.giant, sums);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t row = block.begin + r;
      auto value = certain_of_sum(format, fast_->scaled(sums[row]), fast_->split_error);
      if (!value)
        value = certain_of_sum(format, fast_->scaled(fast_->in_double_double(block, row)), fast_->fine_error);
      out[done + r] = value ? *value : multiprecision.kernel(k + static_cast<Position>(r), 1, format);
    }
  }
}

}  // namespace posproof::exact
