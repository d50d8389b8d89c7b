#include "search/shrink.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/call.h"
#include "core/function.h"
#include "search/budget_clock.h"
#include "search/rapidcheck.h"

namespace posproof {
namespace {

using Clock = BudgetClock;
using List = std::vector<double>;
using Cases = rc::Seq<Case>;
using Lists = rc::Seq<List>;

const List& list(const Case::Field& field) {
  return std::get<List>(field.value);
}

template <class Asked>
bool choices(const Drawn& drawn, std::size_t field) {
  return field < drawn.choices.size() && std::holds_alternative<Asked>(drawn.choices[field]);
}

bool is_whole(const Drawn& drawn, std::size_t field) {
  return choices<choice::Integer>(drawn, field) || choices<choice::PositionIn>(drawn, field);
}

// How far a number is from the simplest answer, with sign.
double distance(const Drawn& drawn, std::size_t field) {
  return std::get<double>(drawn.values.fields()[field].value) -
         std::get<double>(simplest(drawn.choices[field]));
}

Case with(const Case& from, std::size_t field, Value value) {
  Case edited = from;
  edited.set(from.fields()[field].name, std::move(value));
  return edited;
}

Case shifted(const Case& from, std::size_t field, double by) {
  return with(from, field, std::get<double>(from.fields()[field].value) + by);
}

Cases replacing(const Case& from, std::size_t field, Lists lists) {
  return rc::seq::map(std::move(lists), [=](List values) { return with(from, field, std::move(values)); });
}

// The options that come before the one that was drawn.
Cases simpler_options(const Drawn& drawn, std::size_t field) {
  const auto& values = std::get<choice::OneOf>(drawn.choices[field]).values;
  const std::string now = text(drawn.values.fields()[field].value);
  const auto at = std::find_if(values.begin(), values.end(), [&](const Value& v) { return text(v) == now; });
  return rc::seq::map(rc::seq::fromContainer(std::vector<Value>(values.begin(), at)),
                      [=, from = drawn.values](Value value) { return with(from, field, std::move(value)); });
}

// The sizes that come before: a defect at multiples of 16 ends at 16. Of one that is not among those that are
// asked for the smaller ones, and of a small integer those below it.
std::vector<std::int64_t> smaller(const Drawn& drawn, std::size_t field) {
  const auto now = static_cast<std::int64_t>(std::get<double>(drawn.values.fields()[field].value));
  if (const auto* size = std::get_if<choice::Size>(&drawn.choices[field])) {
    std::vector<std::int64_t> all = size->all();
    const auto own = std::ranges::find(all, now);
    if (own == all.end())
      std::erase_if(all, [now](std::int64_t one) { return one > now; });
    else
      all.erase(own, all.end());
    return all;
  }
  std::vector<std::int64_t> out;
  const auto* integer = std::get_if<choice::Integer>(&drawn.choices[field]);
  for (std::int64_t n = integer ? integer->lo : now; n < now && now - n <= 8; ++n) out.push_back(n);
  return out;
}

Cases simpler_sizes(const Drawn& drawn, std::size_t field) {
  if (!choices<choice::Size>(drawn, field)) return {};
  return rc::seq::map(
      rc::seq::fromContainer(smaller(drawn, field)),
      [=, from = drawn.values](std::int64_t size) { return with(from, field, static_cast<double>(size)); });
}

// The tokens of a long call whose first one stands there: they follow it, or go in equal steps to the end of
// the domain, of which the first one left room for the others.
std::vector<Position> later_tokens(Position first, Position tokens, const choice::PositionIn& of_first) {
  const Domain within{of_first.lo, of_first.hi + tokens - 1};
  std::vector<Position> out;
  for (const auto kind : {Arrangement::Kind::consecutive, Arrangement::Kind::spread}) {
    const auto all = Arrangement{kind}.positions(static_cast<std::size_t>(tokens), first, within);
    out.insert(out.end(), all.begin() + 1, all.end());
  }
  return out;
}

// Fewer tokens, of which another one is now the first: the position of a later one in the place of one before
// it, or any of the many that are arranged behind a position.
Cases fewer_tokens(const Drawn& drawn, std::size_t field) {
  if (!choices<choice::Size>(drawn, field) && !choices<choice::Integer>(drawn, field)) return {};
  std::vector<Case> cases;
  const std::vector<std::int64_t> sizes = smaller(drawn, field);
  const auto position = [&](std::size_t f) { return choices<choice::PositionIn>(drawn, f); };
  const auto whole = [&](std::size_t f) {
    return static_cast<std::int64_t>(std::get<double>(drawn.values.fields()[f].value));
  };
  const std::size_t fields = drawn.choices.size();
  for (const std::int64_t size : sizes) {
    const Case fewer = with(drawn.values, field, static_cast<double>(size));
    for (std::size_t a = 0; a < fields; ++a)
      for (std::size_t b = a + 1; position(a) && b < fields; ++b)
        if (position(b)) cases.push_back(with(fewer, a, drawn.values.fields()[b].value));
  }
  if (!choices<choice::Size>(drawn, field) || sizes.empty()) return rc::seq::fromContainer(std::move(cases));
  const Case fewest = with(drawn.values, field, static_cast<double>(sizes.front()));
  for (std::size_t a = 0; whole(field) > 1 && a < fields; ++a)
    if (const auto* asked = std::get_if<choice::PositionIn>(&drawn.choices[a]))
      for (const Position t : later_tokens(whole(a), whole(field), *asked))
        cases.push_back(with(fewest, a, static_cast<double>(t)));
  return rc::seq::fromContainer(std::move(cases));
}

// Neighbours of the number and of its simplest answer, for what a binary search jumps over.
Cases neighbours(const Drawn& drawn, std::size_t field) {
  const double away = distance(drawn, field), sign = away < 0 ? 1 : -1;
  std::vector<double> steps;
  for (double step = 0; step <= 8; ++step) steps.push_back(-away - sign * step);
  for (double step = 1; step <= 8; ++step) steps.push_back(sign * step);
  if (away < 0) steps.push_back(-2 * away);  // the same distance on the positive side
  return rc::seq::map(rc::seq::fromContainer(std::move(steps)),
                      [=, from = drawn.values](double step) { return shifted(from, field, step); });
}

// The simplest orders that are none, then parts put in order, then single entries put where they belong.
Cases simpler_orders(const Drawn& drawn, std::size_t field) {
  const List now = list(drawn.values.fields()[field]);
  const std::size_t size = now.size();
  std::vector<List> orders = {identity(size)};
  for (std::size_t i = 0; i + 1 < std::min<std::size_t>(size, 3); ++i) {
    orders.push_back(identity(size));
    std::swap(orders.back()[i], orders.back()[i + 1]);
  }
  for (std::size_t width = size / 2; width >= 2; width /= 2)
    for (std::size_t from = 0; from < size; from += width) {
      orders.push_back(now);
      const auto begin = orders.back().begin();
      std::sort(begin + static_cast<std::ptrdiff_t>(from),
                begin + static_cast<std::ptrdiff_t>(std::min(size, from + width)));
    }
  for (std::size_t i = 0; i < size; ++i) {
    if (now[i] == static_cast<double>(i)) continue;
    orders.push_back(now);
    std::iter_swap(orders.back().begin() + static_cast<std::ptrdiff_t>(i),
                   std::find(orders.back().begin(), orders.back().end(), static_cast<double>(i)));
  }
  for (std::size_t i = 0; i + 1 < size; ++i) {
    if (now[i] < now[i + 1]) continue;
    orders.push_back(now);
    std::swap(orders.back()[i], orders.back()[i + 1]);
  }
  return replacing(drawn.values, field, rc::seq::fromContainer(std::move(orders)));
}

// The list with zeros in one block; none where there is nothing else in it.
std::optional<Case> zero_block(const Drawn& drawn, std::size_t field, std::size_t from, std::size_t width) {
  List values = list(drawn.values.fields()[field]);
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), from + width));
  if (std::all_of(begin, end, is_zero)) return std::nullopt;
  std::fill(begin, end, 0.0);
  return with(drawn.values, field, std::move(values));
}

// Changes of all entries that are not 0 at once.
Cases whole_lists(const Drawn& drawn, std::size_t field) {
  const List now = list(drawn.values.fields()[field]);
  double largest = 0;
  for (const double x : now) largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
  const double scale = largest > 0 ? std::exp2(-std::floor(std::log2(largest))) : 1;
  const auto each = [&](auto change) {
    List values = now;
    for (double& x : values)
      if (!is_zero(x)) x = change(x);
    return values;
  };
  return replacing(drawn.values, field,
                   rc::seq::fromContainer(std::vector<List>{
                       each([](double) { return 1.0; }),
                       each([](double x) { return std::copysign(1.0, x); }),
                       each([&](double x) { return x * scale; }),
                       each([](double x) { return std::trunc(x); }),
                       each([](double x) { return std::abs(x); }),
                   }));
}

double rounded_to_bits(double x, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, bits)), exponent - bits);
}

// Simpler numbers, the simplest first.
std::vector<double> simpler_entries(double x) {
  std::vector<double> values = {0, 1, -1, 2, 3, 0.5, 1.5, 0.25, 0.75, -2, -0.5};
  if (std::isfinite(x)) {
    for (const double y : {std::trunc(x), std::floor(x), std::ceil(x), std::abs(x), x - std::trunc(x), x / 2,
                           x - 1, x - 2, x - 1.0 / 64})
      values.push_back(y);
    for (int bits = 1; bits <= 8; ++bits) {
      values.push_back(rounded_to_bits(x, bits));
      values.push_back(std::abs(rounded_to_bits(x, bits)));
    }
  }
  const auto now = complexity(x);
  std::erase_if(values, [&](double y) { return !(complexity(y) < now); });
  std::stable_sort(values.begin(), values.end(),
                   [](double a, double b) { return complexity(a) < complexity(b); });
  return values;
}

Cases simpler_entry(const Drawn& drawn, std::size_t field, std::size_t at) {
  const List now = list(drawn.values.fields()[field]);
  const auto replaced = [now, at](double x) {
    List values = now;
    values[at] = x;
    return values;
  };
  return replacing(drawn.values, field,
                   rc::seq::map(rc::seq::fromContainer(simpler_entries(now[at])), replaced));
}

// Column `at` of all contents of this length (or of this one alone) changed in the same way: what a product
// of two contents needs to stay as it is.
Case with_columns(const Drawn& drawn, std::size_t field, bool all, const Function<void(List&)>& change) {
  const std::size_t size = list(drawn.values.fields()[field]).size();
  Case edited = drawn.values;
  for (std::size_t f = 0; f < drawn.choices.size(); ++f) {
    if (!choices<choice::Values>(drawn, f) || !(all || f == field)) continue;
    List values = list(drawn.values.fields()[f]);
    if (values.size() != size) continue;
    change(values);
    edited = with(edited, f, std::move(values));
  }
  return edited;
}

// Without signs, and nearer to the front.
Cases simpler_columns(const Drawn& drawn, std::size_t field, std::size_t at) {
  std::vector<Case> cases;
  for (const bool all : {true, false}) {
    for (const std::size_t to : {std::size_t{0}, std::size_t{1}, at % 2, at / 2, at - 1})
      if (to < at)
        cases.push_back(
            with_columns(drawn, field, all, [&](List& values) { std::swap(values[at], values[to]); }));
    cases.push_back(
        with_columns(drawn, field, all, [&](List& values) { values[at] = std::abs(values[at]); }));
  }
  return rc::seq::fromContainer(std::move(cases));
}

class Shrinker {
 public:
  Shrinker(const Trial& trial, CaseResult found, std::uint64_t runs, Clock::time_point deadline)
      : trial_(trial), best_(std::move(found)), rank_(rank(now())), left_(runs), deadline_(deadline) {}

  void shrink() {
    do {
      while (all_fields()) {
      }
    } while (all_neighbours());
  }

  CaseResult best_so_far() && { return std::move(best_); }
  std::uint64_t runs() const { return runs_; }

 private:
  const Drawn& now() const { return best_.drawn; }
  bool over() const { return left_ == 0 || Clock::now() >= deadline_; }

  bool improve(const Case& edited) {
    if (over()) return false;
    // Repair can only make sense of an edit that is simpler by the questions as they stand.
    if (edited.fields().size() == now().choices.size() && !(repaired_rank(edited) < rank_)) return false;
    if (!tried_.insert(edited.text()).second) return false;
    --left_;
    ++runs_;
    CaseResult attempt = run_repaired(trial_, edited);
    if (!attempt.fails_like(best_)) return false;
    auto rank_of_attempt = rank(attempt.drawn);
    if (!(rank_of_attempt < rank_)) return false;
    best_ = std::move(attempt);
    rank_ = std::move(rank_of_attempt);
    return true;
  }

  std::vector<std::uint64_t> repaired_rank(const Case& edited) const {
    std::vector<Case::Field> fields = edited.fields();
    for (std::size_t f = 0; f < fields.size(); ++f)
      fields[f].value = repaired(&fields[f].value, now().choices[f]);
    return rank({Case(std::move(fields)), now().choices});
  }

  // Takes the first edit that improves, then the first of those of the new case, until there is none.
  bool along(const Function<Cases()>& edits) {
    bool any = false;
    for (bool again = true; again && !over();) {
      again = false;
      Cases cases = edits();
      for (auto next = cases.next(); next && !again && !over(); next = cases.next()) again = improve(*next);
      any = any || again;
    }
    return any;
  }

  // The largest number of steps, up to `most`, that improves, taking it that fewer do where more do.
  bool as_far_as_it_goes(double most, const Function<Case(double steps)>& edit) {
    if (!(most >= 1)) return false;
    if (improve(edit(most))) return true;
    double good = 0, bad = most;
    while (bad - good > 1 && !over()) {
      const double middle = std::floor(good + (bad - good) / 2);
      (improve(edit(middle)) ? good : bad) = middle;
    }
    return good > 0;
  }

  bool lower(std::size_t field) {
    bool any = false;
    // By two as well: what fails at odd numbers alone has no other way down.
    for (const double stride : {1.0, 2.0}) {
      const Case from = now().values;
      const double away = distance(now(), field), by = away < 0 ? stride : -stride;
      any = as_far_as_it_goes(std::floor(std::abs(away) / stride),
                              [&](double s) { return shifted(from, field, by * s); }) ||
            any;
    }
    for (const double step : {1.0, 2.0})
      while (is_whole(now(), field) && std::abs(distance(now(), field)) >= step &&
             improve(shifted(now().values, field, distance(now(), field) < 0 ? step : -step)))
        any = true;
    return any;
  }

  // Two numbers lowered with their difference kept, or the second raised by what the first is lowered.
  bool lower_pair(std::size_t a, std::size_t b) {
    bool any = false;
    for (const double sign : {-1.0, 1.0}) {
      if (!is_whole(now(), a) || !is_whole(now(), b) || distance(now(), a) <= 0) return any;
      const double most = distance(now(), a);
      const Case from = now().values;
      any |= as_far_as_it_goes(most, [&](double s) { return shifted(shifted(from, a, -s), b, sign * s); });
    }
    return any;
  }

  // All positions lowered together, or raised where they are below 0; repair stops each at its end, which may
  // depend on another.
  bool move_places(double sign) {
    const Drawn from = now();
    double most = 0;
    for (std::size_t f = 0; f < from.choices.size(); ++f)
      if (choices<choice::PositionIn>(from, f)) most = std::max(most, sign * distance(from, f));
    return as_far_as_it_goes(most, [&](double s) {
      Case edited = from.values;
      for (std::size_t f = 0; f < from.choices.size(); ++f)
        if (choices<choice::PositionIn>(from, f)) edited = shifted(edited, f, -sign * s);
      return edited;
    });
  }

  bool simpler_content(std::size_t field) {
    bool any = false;
    const auto is_content = [&] { return choices<choice::Values>(now(), field); };
    const auto size = [&] { return is_content() ? list(now().values.fields()[field]).size() : 0; };
    for (std::size_t width = size(); width >= 1 && is_content(); width /= 2) any |= each_block(field, width);
    any |= along([&] { return is_content() ? whole_lists(now(), field) : Cases(); });
    for (std::size_t at = 0; at < size(); ++at) {
      const auto at_entry = [&](auto edits) {
        return along([&, edits] {
          const bool there = at < size() && !is_zero(list(now().values.fields()[field])[at]);
          return there ? edits(now(), field, at) : Cases();
        });
      };
      any |= at_entry(simpler_columns);
      any |= at_entry(simpler_entry);
    }
    return any;
  }

  // One sweep: after a block went, the sweep goes on behind it.
  bool each_block(std::size_t field, std::size_t width) {
    bool any = false;
    for (std::size_t from = 0; choices<choice::Values>(now(), field) && !over(); from += width) {
      if (from >= list(now().values.fields()[field]).size()) break;
      const auto edit = zero_block(now(), field, from, width);
      any |= edit && improve(*edit);
    }
    return any;
  }

  template <class Each>
  bool for_fields(Each each) {
    bool any = false;
    for (std::size_t f = 0; f < now().choices.size() && !over(); ++f) any |= each(f);
    return any;
  }

  // Structure before data.
  bool all_fields() {
    bool any = improve(Case{});
    any |= for_fields([&](std::size_t f) {
      return along([&] { return choices<choice::OneOf>(now(), f) ? simpler_options(now(), f) : Cases(); });
    });
    any |= for_fields([&](std::size_t f) { return along([&] { return simpler_sizes(now(), f); }); });
    any |= for_fields([&](std::size_t f) { return choices<choice::Integer>(now(), f) && lower(f); });
    any |= for_fields([&](std::size_t f) { return along([&] { return fewer_tokens(now(), f); }); });
    any |= for_fields([&](std::size_t f) {
      return along(
          [&] { return choices<choice::Permutation>(now(), f) ? simpler_orders(now(), f) : Cases(); });
    });
    any |= move_places(1);
    any |= move_places(-1);
    any |= for_fields([&](std::size_t f) { return choices<choice::PositionIn>(now(), f) && lower(f); });
    any |= for_fields(
        [&](std::size_t a) { return for_fields([&](std::size_t b) { return a != b && lower_pair(a, b); }); });
    any |= for_fields([&](std::size_t f) { return choices<choice::Values>(now(), f) && simpler_content(f); });
    return any;
  }

  bool all_neighbours() {
    return for_fields([&](std::size_t f) {
      return along([&] { return is_whole(now(), f) ? neighbours(now(), f) : Cases(); });
    });
  }

  const Trial& trial_;
  CaseResult best_;
  std::vector<std::uint64_t> rank_;
  std::uint64_t left_, runs_ = 0;
  Clock::time_point deadline_;
  std::unordered_set<std::string> tried_;  // a trial is a function of its case: none is run twice
};

}  // namespace

Shrunk shrink(const Trial& trial, CaseResult found, std::uint64_t runs, Clock::time_point deadline) {
  Shrinker shrinker(trial, std::move(found), runs, deadline);
  shrinker.shrink();
  const std::uint64_t used = shrinker.runs();
  return {std::move(shrinker).best_so_far(), used};
}

}  // namespace posproof
