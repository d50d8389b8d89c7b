#include "diagnosis/exchanged_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

constexpr Position most_positions = 8192;
constexpr std::size_t few = 4, most_sought = 64;

using Elsewhere = std::function<Position(Position t)>;

// A token that shows the cosine and the sine of each pair; a table has none.
Call asked_at(const Encoding& encoding, std::vector<Position> at) {
  Call call = sequence(encoding, std::move(at));
  if (const auto* rotary = std::get_if<Rotary>(&encoding))
    for (std::size_t r = 0; r < call.contents[0].rows(); ++r)
      for (const Pair& pair : rotary->pairs) call.contents[0].at(r, pair.first) = 1;
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
Encoding at_other(const Encoding& declared, const Encoding& whole, Position rows_before,
                  const Elsewhere& of) {
  return answered_by(declared, [=](const Call& call) {
    Call there = call;
    for (Position& t : there.positions.whole) t = of(t) + rows_before;
    there.length += rows_before;
    return answer(whole, there);
  });
}

class Exchanged {
 public:
  Exchanged(const Encoding& subject, const Encoding& declared, const Encoding& whole, Position rows_before,
            const Precision& precision) {
    const Domain domain = overlap(positions_of(subject), positions_of(declared));
    lo_ = domain.lo;
    last_ = std::min(domain.hi, lo_ + most_positions - 1);
    std::vector<Position> at(static_cast<std::size_t>(last_ - lo_ + 1));
    std::iota(at.begin(), at.end(), lo_);
    const Call call = asked_at(declared, at);
    is_ = answer(subject, call);
    ought_ = answer(declared, call);
    if (is_.shape != ought_.shape) return;
    error_ = model_of(declared, precision).error(call, ought_, std::max(std::abs(lo_), std::abs(last_)));
    before_ = std::min(rows_before, lo_ + rows_before);
    if (before_ > 0) {
      std::vector<Position> rows(static_cast<std::size_t>(before_));
      std::iota(rows.begin(), rows.end(), Position{0});
      const Call before = asked_at(whole, rows);
      rows_ = answer(whole, before);
      of_rows_ = model_of(whole, precision).error(before, rows_, before_);
    }
  }

  // Which other position stands for each that is wrong; none where one of them has none, or none is wrong.
  std::optional<std::map<Position, Position>> found() const {
    if (is_.shape != ought_.shape) return std::nullopt;
    std::map<Position, Position> out;
    std::size_t sought = 0;
    std::optional<Position>
        step;  // of the one before: from a position to the other, or to where it is counted back
    bool back = false;
    for (Position t = lo_; t <= last_; ++t) {
      if (is_row_of(t, t)) continue;
      const auto guess = [&](Position other) { return is_row_of(t, other); };
      std::optional<Position> other;
      if (step && guess(back ? *step - t : t + *step)) other = back ? *step - t : t + *step;
      if (!other && ++sought <= most_sought) {
        other = nearest(t);
        if (!other) return std::nullopt;
        // Counted back, where the one before is so, too.
        const auto before = out.find(t - 1);
        back = before != out.end() && before->second + before->first == *other + t;
        step = back ? *other + t : *other - t;
      }
      if (!other) return std::nullopt;
      out[t] = *other;
    }
    return out.empty() ? std::nullopt : std::optional(out);
  }

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

  Position lo_ = 0, last_ = -1, before_ = 0;
  Tensor is_, ought_, error_, rows_, of_rows_;  // and the errors of the rows before
};

// Of positions that follow each other, the rule that all of them obey.
std::optional<std::pair<std::string, Elsewhere>> rule(const std::map<Position, Position>& found,
                                                      Position last, std::string_view row) {
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
    return std::pair(fmt::format("each position has the {} of the one {} {} it{}", row, std::abs(shift),
                                 shift > 0 ? "after" : "before", where),
                     Elsewhere(within(shifted)));
  // Where it is counted back the position in the middle is its own.
  const bool one_missing = static_cast<std::size_t>(to - from) == found.size() && sum % 2 == 0;
  if ((run || one_missing) && all(back))
    return std::pair(
        fmt::format("{}s are counted back: position t has that of position {} - t{}", row, sum, where),
        Elsewhere(within(back)));
  return std::nullopt;
}

}  // namespace

std::optional<Deviation> exchanged_positions(const Encoding& subject, const Encoding& declared,
                                             const EncodingSpec& spec, const Parameters& parameters,
                                             const Precision& precision) {
  const bool rotary = std::holds_alternative<Rotary>(declared);
  const Domain& domain = positions_of(declared);
  if ((!rotary && !std::holds_alternative<Table>(declared)) || domain.axes != 1 || domain.real)
    return std::nullopt;
  if (depends_on_the_call(declared)) return std::nullopt;
  try {
    Position rows_before = 0;
    const Encoding whole = from_its_first_row(declared, spec, parameters, rows_before);
    const Exchanged exchanged(subject, declared, whole, rows_before, precision);
    const auto found = exchanged.found();
    if (!found) return std::nullopt;
    const std::string row = rotary ? "rotation" : "row";
    std::vector<std::string> said;
    Elsewhere of;
    if (found->size() <= few) {
      for (const auto& [t, other] : *found)
        said.push_back(fmt::format("position {} has the {} of position {}", t, row, other));
      of = [all = *found](Position t) {
        const auto one = all.find(t);
        return one == all.end() ? t : one->second;
      };
    } else if (auto one = rule(*found, exchanged.last(), row)) {
      said.push_back(std::move(one->first));
      of = std::move(one->second);
    } else {
      return std::nullopt;
    }
    return Deviation{std::move(said), at_other(declared, whole, rows_before, of), true};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // declined, died, another shape
    return std::nullopt;
  }
}

}  // namespace posproof
