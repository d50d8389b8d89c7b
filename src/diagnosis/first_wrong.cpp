#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>
#include <vector>

#include "core/failure.h"
#include "core/function.h"
#include "diagnosis/call_fits.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

// What a position counts as; none: itself.
using CountsAs = Function<Position(Position)>;

class Finding {
 public:
  Finding(const Model& model, const Subject& subject, const Encoding& declared)
      : model_(model),
        subject_(subject),
        declared_(declared),
        domain_(overlap(positions_of(subject.encoding), positions_of(declared))) {}

  // Below 0, of one number, where position t counts as another: the first that does not, which is negative.
  // None where all do that were asked, or 0 does not.
  std::optional<Position> last_wrong_below_0(const CountsAs& as) const {
    const auto of = [&](Role role) { return first_wrong_step(0, -1, -domain_.lo, 0, role, as); };
    std::optional<Position> step = of(Role::query);
    if (!step && signature(declared_).role) step = of(Role::key);
    return step ? std::optional(-*step) : std::nullopt;
  }

  std::optional<Position> first_wrong_above_0() const {
    const auto of = [&](Role role) { return first_wrong_step(0, 1, domain_.hi, 0, role, {}); };
    const auto of_queries = of(Role::query);
    return of_queries || !signature(declared_).role ? of_queries : of(Role::key);
  }

  // Along one axis, where the others are 0, of queries and, where these are right, of keys. None where all
  // that were asked are right, or already the first is wrong.
  std::optional<Position> first_wrong(std::size_t axis) const {
    if (const auto of_queries = first_wrong(axis, Role::query)) return of_queries;
    return signature(declared_).role ? first_wrong(axis, Role::key) : std::nullopt;
  }

 private:
  std::optional<Position> first_wrong(std::size_t axis, Role role) const {
    const Domain along = domain_.axes > 1 ? domain_.on(axis) : domain_;
    const auto step = first_wrong_step(along.lo, 1, along.hi - along.lo, axis, role, {});
    return step ? std::optional(along.lo + *step) : std::nullopt;
  }

  // Of the positions that lie so many steps behind the first one, or before it, up to `last` steps away;
  // where they count as others, that are right as these.
  std::optional<Position> first_wrong_step(Position from, Position direction, Position last, std::size_t axis,
                                           Role role, const CountsAs& as) const {
    std::vector<Position> steps = {0};
    for (Position step = 1; step <= last; step *= 2) {
      steps.push_back(step);
      if (step >= 8 && step + step / 2 <= last) steps.push_back(step + step / 2);
    }
    steps.push_back(last);
    while (true) {
      std::vector<Position> at;
      for (const Position step : steps) at.push_back(from + direction * step);
      const auto right = are_right(at, axis, role, as);
      const auto wrong = std::ranges::find(right, false);
      if (wrong == right.end() || wrong == right.begin()) return std::nullopt;
      const auto n = static_cast<std::size_t>(wrong - right.begin());
      const Position below = steps[n - 1], first = steps[n];
      if (first - below <= 1) return first;
      steps = between(below, first);
    }
  }

  static std::vector<Position> between(Position below, Position first) {
    constexpr Position parts = 48;
    std::vector<Position> out;
    for (Position part = 0; part <= parts; ++part) out.push_back(below + (first - below) * part / parts);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // Positions that follow each other are one call of a program that takes an offset, whose first decides:
  // these are asked from the last one on.
  std::vector<bool> are_right(std::vector<Position> at, std::size_t axis, Role role,
                              const CountsAs& as) const {
    if (subject_.takes_positions != "offset") return are_right_in_order(at, axis, role, as);
    std::ranges::reverse(at);
    const std::vector<bool> right = are_right_in_order(at, axis, role, as);
    return {right.rbegin(), right.rend()};
  }

  std::vector<bool> are_right_in_order(const std::vector<Position>& at, std::size_t axis, Role role,
                                       const CountsAs& as) const {
    Call call = sequence(declared_, at);
    call.role = role;
    if (domain_.real && domain_.axes == 1) {
      call.positions.real.assign(at.begin(), at.end());
      call.positions.whole.clear();
    }
    if (domain_.axes > 1) {
      std::ranges::fill(call.positions.whole, std::max<Position>(0, domain_.lo));
      for (std::size_t n = 0; n < at.size(); ++n) call.positions.whole[n * domain_.axes + axis] = at[n];
    }
    if (signature(declared_).has(Axis::key)) call.keys.whole.assign(domain_.axes, domain_.lo);
    for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
    if (signature(declared_).has(Axis::key) && !call.contents.empty()) throw Refusal("not asked");
    const Tensor given = answer(subject_.encoding, call);
    Call counted = call;
    if (as)
      for (Position& t : counted.positions.whole) t = as(t);
    const Tensor expected = answer(model_.encoding, counted);
    // Each with the error of its own position.
    const Axis along = signature(declared_).along();
    const Operand& gives = signature(declared_).gives;
    std::vector<bool> out;
    for (std::size_t token = 0; token < at.size(); ++token) {
      const std::size_t one[] = {token};
      const Call own = take(declared_, call, along, one);
      const auto rows = right_rows(model_, declared_, own, take(gives, given, along, one),
                                   take(gives, expected, along, one), farthest(own));
      out.push_back(std::ranges::find(rows, false) == rows.end());
    }
    return out;
  }

  const Model& model_;
  const Subject& subject_;
  const Encoding& declared_;
  Domain domain_;
};

// What is clamped on both sides, of all numbers: asked at whole ones of the first axis.
std::vector<Effect> limits_of_reals(const Model& model, const Subject& subject, const Encoding& declared,
                                    const Domain& domain) {
  if (domain.lo >= 0 || domain.hi < 1) return {};
  std::optional<Position> wrong;
  try {
    wrong = Finding(model, subject, declared).first_wrong_above_0();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // it declined, or died
  }
  if (!wrong) return {};
  const auto last = static_cast<double>(*wrong - 1);
  return {effect_on_calls(
      fmt::format("positions past {0} count as {0}, and those below -{0} as -{0}", *wrong - 1),
      [last](Call& call) {
        for (double& t : call.positions.real) t = std::clamp(t, -last, last);
        for (Position& t : call.positions.whole)
          t = std::clamp(t, static_cast<Position>(-last), static_cast<Position>(last));
      })};
}

Position itself(Position t) {
  return t;
}
Position without_sign(Position t) {
  return t < 0 ? -t : t;
}

}  // namespace

std::vector<Effect> effects_around_0(const Model& model, const Subject& subject, const Encoding& declared) {
  const Domain domain = overlap(positions_of(subject.encoding), positions_of(declared));
  if (domain.real) return limits_of_reals(model, subject, declared, domain);
  if (domain.axes != 1 || domain.lo >= 0 || domain.hi < 1) return {};
  const Finding finding(model, subject, declared);
  const auto found = [](const auto& find) -> std::optional<Position> {
    try {
      return find();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // it declined, or died
      return std::nullopt;
    }
  };
  std::vector<Effect> out;
  const auto add = [&out](std::string words, const CountsAs& other) {
    out.push_back(effect_on_positions(std::move(words), [other](const TokenOf& t) { return other(t.at); }));
  };
  if (const auto wrong = found([&] { return finding.first_wrong_above_0(); })) {
    const Position last = *wrong - 1;
    add(fmt::format("positions past {0} count as {0}, and those below -{0} as -{0}", last),
        [last](Position t) { return std::clamp(t, -last, last); });
    add(fmt::format("positions count as their absolute value, {} at most", last),
        [last](Position t) { return std::min(without_sign(t), last); });
  }
  if (const auto wrong = found([&] { return finding.last_wrong_below_0(&itself); }); wrong && *wrong < -1)
    add(fmt::format("positions below {0} count as {0}", *wrong + 1),
        [first = *wrong + 1](Position t) { return std::max(t, first); });
  if (const auto wrong = found([&] { return finding.last_wrong_below_0(&without_sign); });
      wrong && *wrong < -1)
    add(fmt::format("positions below 0 count as their absolute value, {} at most", -*wrong - 1),
        [most = -*wrong - 1](Position t) { return t < 0 ? std::min(-t, most) : t; });
  return out;
}

std::optional<Position> first_wrong_along(std::size_t axis, const Model& model, const Subject& subject,
                                          const Encoding& declared) {
  try {
    return Finding(model, subject, declared).first_wrong(axis);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // it declined, or died
    return std::nullopt;
  }
}

}  // namespace posproof
