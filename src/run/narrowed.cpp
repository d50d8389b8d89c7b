#include "run/narrowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/call.h"
#include "core/hard.h"

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

constexpr Position farthest_position = Position{1} << 40;

// The pairs of an encoding whose every entry is of an angle linear in the position; null of any other.
const std::vector<Pair>* of_linear_angles(const Encoding& encoding) {
  const Domain& domain = positions_of(encoding);
  if (domain.axes != 1 || domain.real || domain.ends) return nullptr;
  if (const auto* table = std::get_if<Table>(&encoding))
    return table->pairs.empty() || table->row_error ? nullptr : &table->pairs;
  const auto* rotary = std::get_if<Rotary>(&encoding);
  const bool other = rotary == nullptr || rotary->in_call || rotary->stretch || rotary->error;
  return other || rotary->pairs.empty() ? nullptr : &rotary->pairs;
}

bool same_ends(const Domain& a, const Domain& b) {
  return a.lo == b.lo && a.hi == b.hi && a.ends == b.ends;
}

}  // namespace

Encoding widened(Encoding encoding, Position lo, Position hi) {
  const std::vector<Pair>* pairs = of_linear_angles(encoding);
  if (pairs == nullptr) return encoding;
  Domain domain = positions_of(encoding);
  const Position first = std::min(domain.lo, std::max(lo, -farthest_position)),
                 last = std::max(domain.hi, std::min(hi, farthest_position));
  if (first == domain.lo && last == domain.hi) return encoding;
  domain.lo = first, domain.hi = last;
  domain.hard = hard_positions(*pairs, first, last);
  return with_positions(std::move(encoding), std::move(domain));
}

void meet(const std::optional<std::pair<Position, Position>>& asked, Encoding& truth, Subject& subject) {
  const Domain declared = positions_of(truth), own = positions_of(subject.encoding);
  if (subject.live) {
    if (!asked) return;
    truth = widened(std::move(truth), asked->first, asked->second);
    if (same_ends(own, declared))
      subject.encoding = with_positions(std::move(subject.encoding), positions_of(truth));
    return;
  }
  truth = widened(std::move(truth), own.lo, own.hi);
  const Domain& all = positions_of(truth);
  if (own.lo > all.hi || own.hi < all.lo)
    throw std::invalid_argument(fmt::format("{}: it holds positions {}:{}, there are {}:{}", subject.name,
                                            own.lo, own.hi, all.lo, all.hi));
}

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
