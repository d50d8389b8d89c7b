#include "diagnosis/exchanged_positions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <new>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/call.h"
#include "core/error.h"
#include "core/function.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

constexpr Position most_positions = 8192;
constexpr std::size_t few = 4, most_sought = 1024;

using Elsewhere = Function<Position(Position t)>;
using Others = std::map<Position, Position>;  // of those that are wrong, the position that stands for each

// A token that shows the cosine and the sine of each pair; a table has none.
Call asked_at(const Encoding& encoding, std::vector<Position> at, Role role) {
  Call call = sequence(encoding, std::move(at));
  call.role = role;
  for (Tensor& content : call.contents)
    for (std::size_t r = 0; r < content.rows(); ++r)
      for (const Pair& pair : pairs_of(encoding)) content.at(r, pair.first) = 1;
  return call;
}

// The declared encoding, whose table may have rows before the first that it uses.
Encoding from_its_first_row(const Encoding& declared, const EncodingSpec& spec, const Parameters& parameters,
                            Position& rows_before) {
  rows_before = 0;
  const auto* table = std::get_if<Table>(&declared);
  const Value* offset = parameters.find("offset");
  if (table == nullptr || offset == nullptr || parameters.real("offset") <= 0) return declared;
  rows_before = static_cast<Position>(parameters.real("offset"));
  Parameters other = parameters;
  other.set("offset", 0.0);
  return spec.oracle(other);
}

// What the declared encoding gives at other positions than its own.
Encoding at_other(const Encoding& declared, const Encoding& whole, Position rows_before, const Elsewhere& of,
                  std::optional<Role> only) {
  return answered_by(declared, [=](const Call& call) {
    if (only && call.role != *only) return answer(declared, call);
    Call there = call;
    for (Position& t : there.positions.whole) t = of(t) + rows_before;
    there.length += rows_before;
    return answer(whole, there);
  });
}

class Exchanged {
 public:
  Exchanged(const Encoding& subject, const Encoding& declared, const Encoding& whole, Position rows_before,
            Role role, const Precision& precision) {
    const Domain domain = overlap(positions_of(subject), positions_of(declared));
    lo_ = domain.lo;
    last_ = std::min(domain.hi, lo_ + most_positions - 1);
    asks_all_ = last_ == domain.hi;
    std::vector<Position> at(static_cast<std::size_t>(last_ - lo_ + 1));
    std::iota(at.begin(), at.end(), lo_);
    const Call call = asked_at(declared, at, role);
    is_ = answer(subject, call);
    ought_ = answer(declared, call);
    if (is_.shape != ought_.shape) return;
    error_ = model_of(declared, precision).error(call, ought_, std::max(std::abs(lo_), std::abs(last_)));
    before_ = std::min(rows_before, lo_ + rows_before);
    if (before_ > 0) {
      std::vector<Position> rows(static_cast<std::size_t>(before_));
      std::iota(rows.begin(), rows.end(), Position{0});
      const Call before = asked_at(whole, rows, role);
      rows_ = answer(whole, before);
      of_rows_ = model_of(whole, precision).error(before, rows_, before_);
    }
  }

  // Which other position stands for each that is wrong; none where one of them has none.
  std::optional<Others> found() const {
    if (is_.shape != ought_.shape) return std::nullopt;
    Others out;
    std::size_t sought = 0;
    std::set<Position> steps;  // of those before
    std::optional<Position>
        step;  // of the one before: from a position to the other, or to where it is counted back
    bool back = false;
    for (Position t = lo_; t <= last_; ++t) {
      if (is_row_of(t, t)) continue;
      const auto guess = [&](Position other) { return is_row_of(t, other); };
      std::optional<Position> other;
      if (step && guess(back ? *step - t : t + *step)) other = back ? *step - t : t + *step;
      for (auto one = steps.begin(); !other && !back && one != steps.end(); ++one)
        if (guess(t + *one)) other = t + *one, step = *one;
      if (!other && ++sought <= most_sought) {
        other = nearest(t);
        if (!other) return std::nullopt;
        // Counted back, where the one before is so, too.
        const auto before = out.find(t - 1);
        back = before != out.end() && before->second + before->first == *other + t;
        step = back ? *other + t : *other - t;
        if (!back) steps.insert(*step);
      }
      if (!other) return std::nullopt;
      out[t] = *other;
    }
    return out;
  }

  bool asks_all() const { return asks_all_; }
  Position first() const { return lo_; }
  Position last() const { return last_; }

 private:
  // Whether the answer at t is what was declared of the other position.
  bool is_row_of(Position t, Position other) const {
    if (other > last_ || other < lo_ - before_) return false;
    const bool is_before = other < lo_;
    const Tensor &from = is_before ? rows_ : ought_, &of_from = is_before ? of_rows_ : error_;
    const auto r = static_cast<std::size_t>(is_before ? other - (lo_ - before_) : other - lo_);
    const auto own = static_cast<std::size_t>(t - lo_);
    for (std::size_t c = 0; c < is_.width(); ++c)
      if (!(std::abs(is_.at(own, c) - from.at(r, c)) <= of_from.at(r, c))) return false;
    return true;
  }

  std::optional<Position> nearest(Position t) const {
    for (Position by = 1; t - by >= lo_ - before_ || t + by <= last_; ++by)
      for (const Position other : {t - by, t + by})
        if (is_row_of(t, other)) return other;
    return std::nullopt;
  }

  bool asks_all_ = false;
  Position lo_ = 0, last_ = -1, before_ = 0;
  Tensor is_, ought_, error_, rows_, of_rows_;  // and the errors of the rows before
};

struct Rule {
  std::string words;
  Elsewhere of;
};

// Of positions that follow each other, the rule that all of them obey.
std::optional<Rule> rule(const Others& found, Position last, std::string_view row) {
  const Position from = found.begin()->first, to = found.rbegin()->first;
  const Position shift = found.begin()->second - from, sum = found.begin()->second + from;
  const bool run = static_cast<std::size_t>(to - from + 1) == found.size();
  const auto all = [&](const Elsewhere& is) {
    return std::ranges::all_of(found, [&](const auto& one) { return is(one.first) == one.second; });
  };
  const std::string where = to == last
                                ? (from <= 0 ? std::string() : fmt::format(", from position {} on", from))
                                : fmt::format(", from position {} to {}", from, to);
  const auto within = [=](const Elsewhere& is) {
    return [=](Position t) { return t >= from && (to == last || t <= to) ? is(t) : t; };
  };
  const Elsewhere shifted = [shift](Position t) { return t + shift; },
                  back = [sum](Position t) { return sum - t; };
  if (run && all(shifted))
    return Rule{fmt::format("each position has the {} of the one {} {} it{}", row, std::abs(shift),
                            shift > 0 ? "after" : "before", where),
                within(shifted)};
  // Where it is counted back the position in the middle is its own.
  const bool one_missing = static_cast<std::size_t>(to - from) == found.size() && sum % 2 == 0;
  if ((run || one_missing) && all(back))
    return Rule{
        fmt::format("{}s are counted back: position t has that of position {} - t{}", row, sum, where),
        within(back)};
  return std::nullopt;
}

// Of blocks that are all alike, as pages that lie in each other's place: which of a block's positions are
// shifted by how much. Four whole blocks show it, and a few runs of positions say it.
std::optional<Rule> rule_of_blocks(const Others& found, Position first, Position last, std::string_view row) {
  constexpr Position most = 512, shown = 4;
  const auto remainder = [](Position t, Position of) { return ((t % of) + of) % of; };
  const auto shift = [&](Position t) {
    const auto one = found.find(t);
    return one == found.end() ? Position{0} : one->second - t;
  };
  for (Position block = 2; block <= most && shown * block <= last - first + 1; ++block) {
    bool alike = true;
    for (Position t = first; t + block <= last && alike; ++t) alike = shift(t) == shift(t + block);
    if (!alike) continue;
    std::vector<Position> shifts;
    const Position whole = first + remainder(-first, block);  // a first multiple of it
    for (Position n = 0; n < block; ++n) shifts.push_back(shift(whole + n));
    std::vector<std::string> runs;
    for (Position from = 0, to = 0; from < block; from = to) {
      const Position by = shifts[static_cast<std::size_t>(from)];
      while (to < block && shifts[static_cast<std::size_t>(to)] == by) ++to;
      if (by == 0) continue;
      const std::string side = by > 0 ? "after" : "before";
      runs.push_back(to - from == 1
                         ? fmt::format("{} has the {} of the one {} {} it", from, row, std::abs(by), side)
                         : fmt::format("{} to {} have the {} of those {} {} them", from, to - 1, row,
                                       std::abs(by), side));
    }
    if (runs.empty() || runs.size() > few) return std::nullopt;
    return Rule{fmt::format("of every {} positions, {}", block, fmt::join(runs, ", ")),
                [=](Position t) { return t + shifts[static_cast<std::size_t>(remainder(t, block))]; }};
  }
  return std::nullopt;
}

// The first of so many.
Rule listed(const Others& others, std::string_view row) {
  std::string words;
  auto one = others.begin();
  for (std::size_t n = 0; n < few - 1; ++n, ++one)
    words += fmt::format("{}{} that of {}", n == 0 ? "" : ", ", one->first, one->second);
  return {fmt::format("{} positions have the {} of others: {}, ..", others.size(), row, words),
          [others](Position t) {
            const auto at = others.find(t);
            return at == others.end() ? t : at->second;
          }};
}

struct Found {
  Others others;
  std::optional<Role> only;  // of both, where it is the same
};

// Of a rotation that of queries, of keys, or of both where these are alike.
std::optional<Found> of_roles(const Others& queries, const std::optional<Others>& keys) {
  if (!keys || *keys == queries) return Found{queries, std::nullopt};
  if (queries.empty()) return Found{*keys, Role::key};
  return keys->empty() ? std::optional(Found{queries, Role::query}) : std::nullopt;
}

}  // namespace

std::optional<Deviation> exchanged_positions(const Encoding& subject, const Encoding& declared,
                                             const EncodingSpec& spec, const Parameters& parameters,
                                             const Precision& precision) {
  const bool rotary = signature(declared).role;
  const Domain& domain = positions_of(declared);
  if (!signature(declared).has(Axis::token) || domain.axes != 1 || domain.real) return std::nullopt;
  if (depends_on_the_call(declared)) return std::nullopt;
  try {
    Position rows_before = 0;
    const Encoding whole = from_its_first_row(declared, spec, parameters, rows_before);
    const Exchanged exchanged(subject, declared, whole, rows_before, Role::query, precision);
    const auto queries = exchanged.found();
    if (!queries) return std::nullopt;
    std::optional<Others> keys;
    if (rotary) {
      keys = Exchanged(subject, declared, whole, rows_before, Role::key, precision).found();
      if (!keys) return std::nullopt;
    }
    const auto found = of_roles(*queries, keys);
    if (!found || found->others.empty()) return std::nullopt;
    const std::string row = rotary ? "rotation" : "row", of_role = !found->only                ? ""
                                                                   : *found->only == Role::key ? "keys: "
                                                                                               : "queries: ";
    std::vector<std::string> said;
    Elsewhere of;
    if (found->others.size() <= few) {
      for (const auto& [t, other] : found->others)
        said.push_back(fmt::format("{}position {} has the {} of position {}", of_role, t, row, other));
      of = [all = found->others](Position t) {
        const auto one = all.find(t);
        return one == all.end() ? t : one->second;
      };
    } else {
      auto one = rule(found->others, exchanged.last(), row);
      if (!one) one = rule_of_blocks(found->others, exchanged.first(), exchanged.last(), row);
      // Where every position was asked for, they need no rule.
      if (!one && exchanged.asks_all()) one = listed(found->others, row);
      if (!one) return std::nullopt;
      said.push_back(of_role + one->words);
      of = std::move(one->of);
    }
    return Deviation{std::move(said), at_other(declared, whole, rows_before, of, found->only), true};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape
    return std::nullopt;
  }
}

}  // namespace posproof
