#include "run/narrowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/call.h"
#include "core/hard.h"

namespace posproof {
namespace {

// The largest magnitude at the ends of these positions: of a table, or of a bias of one to the other.
double largest_in(const Encoding& truth, Position lo, Position hi) {
  double most = 0;
  const auto grow = [&](Call call, Position query, Position key) {
    call.positions.whole = {query};
    if (!call.keys.whole.empty()) call.keys.whole = {key};
    for (const double value : answer(truth, call).data) most = std::max(most, std::abs(value));
  };
  const bool of_keys = signature(truth).has(Axis::key);
  for (const Position t : {lo, hi}) grow(sequence(truth, {t}), t, t);
  if (of_keys) grow(sequence(truth, {hi}), hi, lo);
  if (of_keys && !is_causal(truth)) grow(sequence(truth, {hi}), lo, hi);
  return most;
}

// Whether values may be too large, or too small, for that format at positions that are asked for.
bool may_leave(const Encoding& truth, const Precision& precision) {
  // What depends on contents is as large as they are, but where a factor grows with the position (xPos).
  return is_stretched(truth) || (precision.result == unit_f16 && signature(truth).takes.empty());
}

// Whether they have a place in it there: contents are up to 16 (core/call_draw.cpp), so that a factor below
// 2^11 keeps sums of two below 65504 in f16, one below 2^120 below 2^128 in f32 and bf16. Factors above
// 2^-100 (f64: 2^-900) keep what the bound is relative to far above the spacing of subnormal numbers; f16's
// have a term of their own.
bool has_a_place(const Encoding& truth, const Precision& precision, Position lo, Position hi) {
  if (!is_stretched(truth)) return largest_in(truth, lo, hi) < 65504;
  const auto& rotary = as<Rotary>(truth);
  const bool narrow = precision.result == unit_f16, wide = precision.result == unit_f64;
  const double most = narrow ? 0x1p11
                      : wide ? 0x1p900
                             : 0x1p120,
               least = narrow ? 0
                       : wide ? 0x1p-900
                              : 0x1p-100;
  return std::ranges::all_of(rotary.pairs, [&](const Pair& pair) {
    return std::ranges::all_of(std::array{Role::query, Role::key}, [&](Role role) {
      return std::ranges::all_of(std::array{lo, hi}, [&](Position t) {
        const double factor = rotary.stretch(pair, static_cast<double>(t), role);
        return factor < most && factor > least;
      });
    });
  });
}

// Those of the positions that are at most so far from 0; where there are none, the nearest one.
std::pair<Position, Position> within(const Domain& domain, Position far) {
  const Position lo = std::clamp(-far, domain.lo, domain.hi);
  return {lo, std::clamp(far, lo, domain.hi)};
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

// The domain, as far as the other goes, too.
Domain reaching(Domain domain, const Domain& other) {
  domain.lo = std::min(domain.lo, other.lo);
  domain.hi = std::max(domain.hi, other.hi);
  return domain;
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

Encoding as_far_as(Encoding encoding, const Subject& subject) {
  const Domain declared = positions_of(encoding), own = positions_of(subject.encoding);
  if (own.lo > own.hi) return encoding;  // the whole operator names no positions
  // What is tested of a function of real numbers is a short stretch; a file may hold more.
  if (!subject.live && declared.real && !declared.ends && declared.axes == 1)
    return with_positions(std::move(encoding), reaching(declared, own));
  return widened(std::move(encoding), own.lo, own.hi);
}

void meet(const std::optional<std::pair<Position, Position>>& asked, Encoding& truth, Subject& subject) {
  const Domain declared = positions_of(truth), own = positions_of(subject.encoding);
  if (own.lo > own.hi) return;  // the whole operator names no positions
  truth = as_far_as(std::move(truth), subject);
  if (subject.live && asked) {
    truth = widened(std::move(truth), asked->first, asked->second);
    if (same_ends(own, declared))
      subject.encoding = with_positions(std::move(subject.encoding), positions_of(truth));
  }
  const Domain all = positions_of(truth);
  if (own.lo > all.hi || own.hi < all.lo)
    throw std::invalid_argument(fmt::format("{}: it {} positions {}:{}, there are {}:{}", subject.name,
                                            subject.live ? "has" : "holds", own.lo, own.hi, all.lo, all.hi));
  // Rows past the encoding's own end are nobody's, as those of padding.
  if (all.ends && all.axes == 1 && (own.lo < all.lo || own.hi > all.hi))
    subject.encoding = narrowed(subject.encoding, all.lo, all.hi);
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
  if (compared.lo > compared.hi)
    return fmt::format(
        "positions {} to {} were asked for: a whole operator is given none, its tokens stand at their row numbers",
        asked.first, asked.second);
  return fmt::format("positions {} to {} were asked for: those beyond {} to {} were not compared",
                     asked.first, asked.second, compared.lo, compared.hi);
}

void keep_within_format(const Encoding& truth, const Precision& precision, Encoding& subject) {
  Domain domain = positions_of(subject);
  if (!may_leave(truth, precision) || domain.axes != 1 || domain.lo > domain.hi) return;
  if (domain.real && domain.lo != 0) return;
  const auto has = [&](Position far) {
    const auto [lo, hi] = within(domain, far);
    return has_a_place(truth, precision, lo, hi);
  };
  Position fits = 0, too_far = std::max(std::abs(domain.lo), std::abs(domain.hi));
  if (!has(fits) || has(too_far)) return;
  while (too_far - fits > 1) {
    const Position middle = fits + (too_far - fits) / 2;
    (has(middle) ? fits : too_far) = middle;
  }
  std::tie(domain.lo, domain.hi) = within(domain, fits);
  domain.ends = false;
  std::erase_if(domain.hard, [&domain](Position t) { return t < domain.lo || t > domain.hi; });
  subject = with_positions(std::move(subject), domain);
}

Domain overlap(const Domain& a, const Domain& b) {
  Domain both(std::max(a.lo, b.lo), std::min(a.hi, b.hi), b.hard);
  both.axes = b.axes;
  for (std::size_t axis = 0; b.axes > 1 && axis < b.axes; ++axis)
    both.last_on_axis.push_back(std::min(a.last(axis), b.last(axis)));
  both.real = a.real && b.real;  // a file has whole positions
  both.class_token = b.class_token;
  std::erase_if(both.hard, [&](Position t) { return t < both.lo || t > both.hi; });
  return both;
}

}  // namespace posproof
