#include "exact/hard_to_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "core/function.h"
#include "exact/in_threads.h"
#include "exact/ladder.h"
#include "exact/multiprecision.h"

// What chooses among the clones runs before the thread sanitizer is there, and calls it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define POSPROOF_FOR_EACH_ISA __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define POSPROOF_FOR_EACH_ISA
#endif
#define POSPROOF_INLINE inline __attribute__((always_inline))

namespace posproof::exact {

double to_boundary(const Multiprecision& multiprecision, const LadderEntry& entry, Format format, long bits) {
  const auto& numbers = multiprecision.with(bits);
  Real angle(bits), value(bits);
  mpfr_mul_si(angle.x, numbers.frequencies.at(entry.frequency).x, entry.t, MPFR_RNDN);
  (entry.cosine ? mpfr_cos : mpfr_sin)(value.x, angle.x, MPFR_RNDN);
  mpfr_mul(value.x, value.x, numbers.amplitude.x, MPFR_RNDN);
  if (value.is_zero()) return 0.5;
  const FormatShape of = shape(format);
  const long exponent = std::max<long>(mpfr_get_exp(value.x) - 1, of.smallest);
  mpfr_mul_2si(value.x, value.x, of.digits - 1 - exponent, MPFR_RNDN);  // in units in the last place
  mpfr_frac(value.x, value.x, MPFR_RNDN);
  mpfr_abs(value.x, value.x, MPFR_RNDN);
  mpfr_sub_d(value.x, value.x, 0.5, MPFR_RNDN);
  return std::abs(value.nearest());
}

namespace {

constexpr std::size_t lanes = 8;
using Doubles = double __attribute__((vector_size(8 * lanes)));
using Longs = std::int64_t __attribute__((vector_size(8 * lanes)));

constexpr std::array<Format, 4> formats = {Format::f64, Format::f32, Format::bf16, Format::f16};

// What counts as close, for each format, in its own units in the last place.
using Net = std::array<double, 4>;

// The candidates of one row, as lane * 4 + format.
struct Caught {
  std::array<std::uint32_t, 1024> which;
  std::size_t count = 0;
  void add(std::size_t lane, std::size_t format) {
    if (count == which.size())
      throw std::runtime_error("more than a thousand entries of a row are near a boundary");
    which[count++] = static_cast<std::uint32_t>(lane * 4 + format);
  }
};

// head + rest, within e, in units in the last place of the head as a double: the fraction bits of the head
// below the last place of the format, less half of it, are its distance, and whole numbers below 2^52.
template <Format format>
POSPROOF_INLINE void near(const Longs& fraction, const Doubles& rest, const Doubles& e, double within,
                          Longs& is_near) {
  constexpr int below = 53 - shape(format).digits;
  const Longs last = fraction & ((std::int64_t{1} << below) - 1);
  const double middle = 0x1p52 + std::ldexp(1.0, below - 1);
  const Doubles off = (Doubles)(last | 0x4330000000000000) - middle;  // 2^52 and more, exactly
  const Doubles distance = off + rest;
  const Doubles size = (Doubles)((Longs)distance & INT64_MAX);
  is_near = (Longs)(size - e < std::ldexp(within, below));
}

// Which entries of a row may be within the net: one array of heads and rests, and the bounds of their errors.
POSPROOF_FOR_EACH_ISA void scan(const double* heads, const double* rests, const double* errors,
                                std::size_t width, const Net& net, Caught& caught) {
  for (std::size_t lane = 0; lane < width; lane += lanes) {
    Doubles head, rest, e;
    std::memcpy(&head, heads + lane, sizeof head);
    std::memcpy(&rest, rests + lane, sizeof rest);
    std::memcpy(&e, errors + lane, sizeof e);
    const Longs bits = (Longs)head, sign = bits & INT64_MIN, size = bits & INT64_MAX;
    const Longs exponent = size & 0x7ff0000000000000, fraction = size & 0x000fffffffffffff;
    // 1 over the head's last place; of a head that is 0, no number, which is not near to anything.
    const Doubles per_place = (Doubles)(0x7fe0000000000000 - exponent) * 0x1p52;
    const Doubles r = (Doubles)((Longs)rest ^ sign) * per_place, off = e * per_place;

    const Doubles r_size = (Doubles)((Longs)r & INT64_MAX);
    // Below a power of two a head's places are half as long: looked at by MPFR.
    const Longs f64 = (Longs)(0.5 - r_size - off < net[0]) | ((Longs)(fraction == 0) & (Longs)(size != 0));
    Longs f32, bf16, normal;
    near<Format::f32>(fraction, r, off, net[1], f32);
    near<Format::bf16>(fraction, r, off, net[2], bf16);
    near<Format::f16>(fraction, r, off, net[3], normal);
    // Below 2^-14 the places of f16 are 2^-24: what is left of the nearest whole number of them is exact.
    const Doubles places = (Doubles)size * 0x1p24;
    const Doubles left = places - ((places + 0x1p52) - 0x1p52);
    const Doubles left_size = (Doubles)((Longs)(left + (Doubles)((Longs)rest ^ sign) * 0x1p24) & INT64_MAX);
    const Longs subnormal = (Longs)(0.5 - left_size - e * 0x1p24 < net[3]);
    const Longs is_subnormal = (Longs)((Doubles)size < 0x1p-14);
    const Longs f16 = (is_subnormal & subnormal) | (~is_subnormal & normal);

    const Longs all = f64 | f32 | bf16 | f16;
    std::int64_t any = 0;
    for (std::size_t i = 0; i < lanes; ++i) any |= all[i];
    if (any == 0) continue;
    for (std::size_t i = 0; i < lanes; ++i) {
      if (f64[i] != 0) caught.add(lane + i, 0);
      if (f32[i] != 0) caught.add(lane + i, 1);
      if (bf16[i] != 0) caught.add(lane + i, 2);
      if (f16[i] != 0) caught.add(lane + i, 3);
    }
  }
}

struct Candidate {
  LadderEntry entry;
  std::size_t format;
  bool operator<(const Candidate& other) const {
    return std::tie(format, entry) < std::tie(other.format, other.entry);
  }
};

// The blocks of 64 rows that no other thread has taken.
class Scanning {
 public:
  Scanning(const Ladder& ladder, std::span<const Position> limits, std::size_t count)
      : phasors_(*ladder.phasors()), limits_(limits.begin(), limits.end()) {
    for (const Position limit : limits_) {
      // Distances spread evenly over 0 to 0.5.
      const double entries = 2 * static_cast<double>(ladder.size()) * static_cast<double>(limit);
      const double within = std::min(0.5, 16 * static_cast<double>(count) / entries);
      nets_.push_back({within, within, within, within});
    }
  }

  std::vector<Candidate> candidates(unsigned threads, const Function<void(Position)>& progress) {
    in_threads(threads, std::size_t{rows_per_block} * threads, [&](std::size_t, std::size_t) {
      try {
        run(progress);
      } catch (...) {
        next_ = limits_.back();
        throw;
      }
    });
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  static constexpr Position share = 1 << 14;

  void run(const Function<void(Position)>& progress) {
    Giants giants(phasors_);
    const PhasorRows room(1, phasors_.lanes());
    std::vector<Candidate> found;
    const auto caught = std::make_unique<Caught>();
    for (Position first; (first = next_.fetch_add(share)) < limits_.back();) {
      const Position end = std::min(limits_.back(), first + share);
      for (Position t = first; t < end; t += rows_per_block) {
        const auto rows = static_cast<std::size_t>(std::min<Position>(end - t, rows_per_block));
        const Block& block = giants.block(t, rows);
        for (std::size_t r = 0; r < rows; ++r)
          row(block, t + static_cast<Position>(r), r, room[0], *caught, found);
      }
      const std::scoped_lock locked(lock_);
      done_ += end - first;
      if (progress) progress(done_);
    }
    const std::scoped_lock locked(lock_);
    found_.insert(found_.end(), found.begin(), found.end());
  }

  void row(const Block& block, Position t, std::size_t r, const Phasor& room, Caught& caught,
           std::vector<Candidate>& found) const {
    if (t == 0) return;
    const auto limit = std::upper_bound(limits_.begin(), limits_.end(), t) - limits_.begin();
    const Net& net = nets_[static_cast<std::size_t>(limit)];
    phasors_.kernel().multiply(*block.giant, block.babies[r], room, phasors_.lanes());
    for (const bool cosine : {false, true}) {
      caught.count = 0;
      scan(cosine ? room.cosine : room.sine, cosine ? room.cosine_rest : room.sine_rest,
           cosine ? block.errors->fine_cosine : block.errors->fine_sine, phasors_.lanes(), net, caught);
      for (std::size_t n = 0; n < caught.count; ++n)
        if (const std::size_t lane = caught.which[n] / 4; lane < phasors_.size())
          found.push_back({{t, lane, cosine}, caught.which[n] % 4});
    }
  }

  const PhasorTables& phasors_;
  std::vector<Position> limits_;
  std::vector<Net> nets_;
  std::atomic<Position> next_ = 0;
  std::mutex lock_;
  std::vector<Candidate> found_;
  Position done_ = 0;
};

}  // namespace

std::vector<Closest> hardest_to_round(const Ladder& ladder, std::span<const Position> limits,
                                      std::size_t count, unsigned threads,
                                      const Function<void(Position done)>& progress) {
  if (ladder.phasors() == nullptr)
    throw std::invalid_argument("the frequencies of this ladder have no place in double-double");
  const auto candidates = Scanning(ladder, limits, count).candidates(threads, progress);
  std::vector<Closest> out;
  for (std::size_t f = 0; f < formats.size(); ++f) {
    std::vector<Close> measured;
    for (const Candidate& one : candidates)
      if (one.format == f)
        measured.push_back({one.entry, to_boundary(ladder.multiprecision(), one.entry, formats[f])});
    std::sort(measured.begin(), measured.end(), [](const Close& a, const Close& b) {
      return std::tie(a.distance, a.entry) < std::tie(b.distance, b.entry);
    });
    Closest closest{formats[f], {}};
    for (std::size_t n = 0; n < limits.size(); ++n) {
      auto& nearest = closest.of_limit.emplace_back();
      const double entries = 2 * static_cast<double>(ladder.size()) * static_cast<double>(limits[n]);
      const double net = std::min(0.5, 16 * static_cast<double>(count) / entries);
      // Within half of the net, so that no rounding in the comparison with its edge matters.
      for (const Close& one : measured)
        if (nearest.size() < count && one.entry.t < limits[n] && one.distance < net / 2)
          nearest.push_back(one);
      if (nearest.size() < count)
        throw std::runtime_error(fmt::format("{} below {}: {} entries are near a boundary, {} were sought",
                                             name(formats[f]), limits[n], nearest.size(), count));
    }
    out.push_back(std::move(closest));
  }
  return out;
}

}  // namespace posproof::exact
