#include "catalogue/oracle/complex_order.h"

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/hard.h"
#include "exact/frequencies.h"
#include "exact/numbers.h"
#include "exact/waves.h"

namespace posproof {

using namespace exact;

namespace {

// The exponents 2c/n, 2 floor(c/2)/n or c/n of n components.
std::vector<Exponent> exponents(const std::string& word, std::int64_t n) {
  std::vector<Exponent> out;
  for (std::int64_t c = 0; c < n; ++c) {
    if (word == "half_range") out.push_back({c, n});
    if (word == "full_range") out.push_back({2 * c, n});
    if (word == "paired") out.push_back({c - c % 2, n});
  }
  return out;
}

// What a drawn word has: modulus and phase in turns of each component.
struct Drawn {
  std::vector<double> modulus, turns;
};

Drawn drawn(const Arguments& p, std::size_t n) {
  Drawn out{std::vector<double>(n, 1), std::vector<double>(n, 0)};
  for (std::size_t c = 0; c < n; ++c) {
    if (p.is("modulus", "seeded")) out.modulus[c] = seeded(1, p.whole("word_seed"), c);
    if (p.is("phase", "seeded")) out.turns[c] = seeded_share(p.whole("word_seed"), n + c);
  }
  return out;
}

}  // namespace

Encoding oracle::complex_order(const Arguments& p) {
  const std::size_t dim = p.width("dim"), n = dim / 2;
  const bool interleaved = p.is("layout", "interleaved");
  const auto word = static_cast<double>(p.whole("word"));
  const auto frequencies = exact::exact(
      Frequencies{
          .ladder = Geometric{p.real("base"), exponents(p.word("exponent"), static_cast<std::int64_t>(n))},
          .backward = false,
          .multiple = word},
      wave_bits);
  const Drawn own = drawn(p, n);
  const auto real_column = [=](std::size_t c) { return interleaved ? 2 * c : c; };
  const auto imaginary_column = [=](std::size_t c) { return interleaved ? 2 * c + 1 : n + c; };

  // A power of the base, times a whole number: one rounding more, and the power's error counts |ln w| of the
  // power itself.
  const FrequencyError error{.condition = 1, .roundings = word > 1 ? 1 + 3 * std::log(word) : 0};
  std::vector<Pair> pairs;
  for (std::size_t c = 0; c < n; ++c)
    pairs.push_back({imaginary_column(c), real_column(c), frequencies[c].nearest(), c, error});

  Table table{.dim = dim};
  table.positions.hard = hard_positions(std::span<const Pair>{}, table.positions.lo, table.positions.hi);
  const bool has_own = !p.is("modulus", "one") || !p.is("phase", "zero");
  if (!has_own) {
    table.pairs = pairs;
    table.positions.hard = hard_positions(pairs, table.positions.lo, table.positions.hi);
  } else {
    // Each has the ladder's error. A phase is pi times a number, 2 roundings, and the sum of both angles is 1
    // more; a modulus is rounded, and so is its product.
    table.row_error = [pairs, own](std::span<const double> position, std::span<const double>,
                                   const Precision& precision, std::span<double> bound) {
      for (std::size_t c = 0; c < pairs.size(); ++c) {
        const double theta = 2 * std::numbers::pi * own.turns[c], r = std::abs(own.modulus[c]);
        double angle = angle_error(precision, position[0], pairs[c]);
        if (theta != 0) angle += (std::abs(position[0] * pairs[c].frequency) + 3 * theta) * precision.angle;
        const double entry = r * (std::min(2.0, angle) + entry_error(Table{}, precision));
        bound[pairs[c].first] = bound[pairs[c].second] =
            entry + (own.modulus[c] == 1 ? 0 : 2 * r * precision.result);
      }
    };
  }
  table.rows = [=](const Positions& positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      const double t = positions.at(r);
      for (std::size_t c = 0; c < n; ++c) {
        const WavePoint point = wave({&frequencies[c], 1}, AngleUnit::radians, {&t, 1}, own.turns[c],
                                     wave_number(own.modulus[c]));
        rows.at(r, real_column(c)) = point.cosine;
        rows.at(r, imaginary_column(c)) = point.sine;
      }
    }
    return rows;
  };
  return table;
}

}  // namespace posproof
