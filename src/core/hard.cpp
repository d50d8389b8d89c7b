#include "core/hard.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace posproof {
namespace {

constexpr long double quarter_turn = std::numbers::pi_v<long double> / 2;
constexpr std::size_t pairs_looked_at = 10;
// A long double has 64 bits; a continued fraction of one is that of the number itself while the square of its
// denominator stays below 2^62. (The frequency is a declared double: beyond 2^26 these are the closest
// positions of that double, no longer of the number that it was rounded from.)
constexpr long double largest_denominator = 0x1p31L;

class Collected {
 public:
  Collected(Position lo, Position hi) : lo_(lo), hi_(hi) {}

  void add(long double t) {
    // Comparing before converting: a conversion that overflows is undefined.
    if (t >= static_cast<long double>(lo_) && t <= static_cast<long double>(hi_))
      found_.push_back(static_cast<Position>(t));
  }
  void add_around(long double t) {
    for (const long double step : {-1.0L, 0.0L, 1.0L}) add(t + step);
  }
  // Where both signs of a position are in range.
  void add_both(long double t) {
    add(t);
    add(-t);
  }
  std::vector<Position> sorted() {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }
  long double lo() const { return static_cast<long double>(lo_); }
  long double hi() const { return static_cast<long double>(hi_); }

 private:
  Position lo_, hi_;
  std::vector<Position> found_;
};

// The denominators of the convergents of x: the best approximations there are, each t closer to t x = whole
// than any smaller one.
std::vector<long double> denominators(long double x, long double hi) {
  std::vector<long double> found;
  long double before = 0, now = 1;
  for (long double rest = x - std::floor(x); now <= std::min(hi, largest_denominator);) {
    found.push_back(now);
    if (rest < 0x1p-62L) break;
    rest = 1 / rest;
    const long double next = std::floor(rest) * now + before;
    rest -= std::floor(rest);
    before = now;
    now = next;
  }
  return found;
}

void add_near_quarter_turns(const Pair& pair, Collected& collected) {
  const long double w = std::abs(static_cast<long double>(pair.frequency));
  if (!(w > 0) || !std::isfinite(w)) return;
  const long double farthest = std::max(std::abs(collected.lo()), std::abs(collected.hi()));
  for (const long double q : denominators(w / quarter_turn, farthest)) {
    collected.add_both(q);
    // The first multiple in a range that begins later: nearly as close.
    collected.add(q * std::ceil(collected.lo() / q));
  }
  // The first four quarter turns of a slow pair, from both sides.
  for (int quarter = 1; quarter <= 4; ++quarter) {
    const long double t = static_cast<long double>(quarter) * quarter_turn / w;
    collected.add_both(std::floor(t));
    collected.add_both(std::ceil(t));
  }
}

void add_everywhere(Collected& collected) {
  collected.add(collected.lo());
  collected.add(collected.hi());
  for (int k = 0; k < 63; ++k)
    for (const long double step : {-1.0L, 0.0L, 1.0L}) collected.add_both(std::ldexp(1.0L, k) + step);
}

}  // namespace

std::vector<Position> hard_positions(std::span<const Pair> pairs, Position lo, Position hi) {
  Collected collected(lo, hi);
  add_everywhere(collected);
  const std::size_t looked_at = std::min(pairs.size(), pairs_looked_at);
  for (std::size_t n = 0; n < looked_at; ++n)
    add_near_quarter_turns(pairs[looked_at == 1 ? 0 : n * (pairs.size() - 1) / (looked_at - 1)], collected);
  return collected.sorted();
}

std::vector<Position> hard_positions(const Buckets& buckets, Position hi) {
  Collected collected(0, hi);
  add_everywhere(collected);
  const std::size_t half = buckets.bidirectional ? buckets.count / 2 : buckets.count;
  const std::size_t exact = half / 2;
  if (exact == 0 || buckets.max_distance <= exact) return collected.sorted();
  collected.add_around(static_cast<long double>(buckets.max_distance));
  const long double ratio = static_cast<long double>(buckets.max_distance) / static_cast<long double>(exact);
  const std::size_t logarithmic = half - exact;
  const std::size_t every = std::max<std::size_t>(1, logarithmic / 64);  // a few hundred positions, no more
  for (std::size_t k = 0; k < logarithmic; k += every) {
    // The nudge keeps an edge that is a whole number from coming out just below it, here or on another
    // machine.
    const long double edge =
        static_cast<long double>(exact) *
        std::pow(ratio, static_cast<long double>(k) / static_cast<long double>(logarithmic)) * (1 + 0x1p-40L);
    collected.add_around(std::floor(edge));
    collected.add(std::floor(edge) + 2);
  }
  return collected.sorted();
}

void add_switches(Domain& domain, double length, int multiples) {
  for (int k = 1; k <= multiples; ++k)
    for (const double aside : {-2.0, -1.0, 0.0}) {
      const double t = std::floor(k * length) + aside;
      // Comparing before converting: a conversion that overflows is undefined.
      if (t >= static_cast<double>(domain.lo) && t <= static_cast<double>(domain.hi))
        domain.hard.push_back(static_cast<Position>(t));
    }
  std::ranges::sort(domain.hard);
}

}  // namespace posproof
