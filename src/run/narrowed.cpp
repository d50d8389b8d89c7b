#include "run/narrowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/call.h"

namespace posproof {
namespace {

// The largest magnitude at a position: of a table, or of a bias at that distance and at that key.
double largest_at(const Encoding& truth, Position t) {
  double most = 0;
  const auto grow = [&](Call call, Position query, Position key) {
    call.positions.whole = {query};
    if (!call.keys.whole.empty()) call.keys.whole = {key};
    for (const double value : answer(truth, call).data) most = std::max(most, std::abs(value));
  };
  const Call one = sequence(truth, {t});
  grow(one, t, t);
  if (signature(truth).has(Axis::key)) {
    grow(one, t, 0);
    if (!is_causal(truth)) grow(one, 0, t);
  }
  return most;
}

}  // namespace

Encoding narrowed(const Encoding& encoding, Position lo, Position hi) {
  if (!signature(encoding).positions) return encoding;
  Domain domain = positions_of(encoding);
  if (std::max(domain.lo, lo) > std::min(domain.hi, hi))
    throw std::invalid_argument(fmt::format("positions {}:{} were asked for, {} {}:{}", lo, hi,
                                            domain.ends ? "the subject has" : "there are", domain.lo,
                                            domain.hi));
  domain.ends = domain.ends && hi >= domain.hi && lo <= domain.lo;
  domain.lo = std::max(domain.lo, lo);
  domain.hi = std::min(domain.hi, hi);
  for (Position& last : domain.last_on_axis) last = std::min(last, domain.hi);
  std::erase_if(domain.hard, [&](Position t) { return t < domain.lo || t > domain.hi; });
  return with_positions(encoding, domain);
}

std::string not_covered(const std::pair<Position, Position>& asked, const Domain& compared) {
  if (asked.first >= compared.lo && asked.second <= compared.hi) return {};
  return fmt::format("positions {} to {} were asked for: those beyond {} to {} were not compared",
                     asked.first, asked.second, compared.lo, compared.hi);
}

void keep_within_f16(const Encoding& truth, const Precision& precision, Encoding& subject) {
  constexpr double largest = 65504;
  // What depends on contents is as large as they are.
  if (precision.result != unit_f16 || !signature(truth).takes.empty()) return;
  Domain domain = positions_of(subject);
  if (domain.axes != 1 || domain.lo != 0 || domain.hi < 0 || largest_at(truth, domain.hi) < largest) return;
  Position fits = 0, too_far = domain.hi;
  while (too_far - fits > 1) {
    const Position middle = fits + (too_far - fits) / 2;
    (largest_at(truth, middle) < largest ? fits : too_far) = middle;
  }
  domain.hi = fits, domain.ends = false;
  std::erase_if(domain.hard, [fits](Position t) { return t > fits; });
  subject = with_positions(std::move(subject), domain);
}

Domain overlap(const Domain& a, const Domain& b) {
  Domain both(std::max(a.lo, b.lo), std::min(a.hi, b.hi), b.hard);
  both.axes = b.axes;
  for (std::size_t axis = 0; b.axes > 1 && axis < b.axes; ++axis)
    both.last_on_axis.push_back(std::min(a.last(axis), b.last(axis)));
  both.real = b.real;
  std::erase_if(both.hard, [&](Position t) { return t < both.lo || t > both.hi; });
  return both;
}

}  // namespace posproof
