#include <algorithm>
#include <new>
#include <span>
#include <vector>

#include "core/failure.h"
#include "diagnosis/call_fits.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

class Finding {
 public:
  Finding(const Model& model, const Subject& subject, const Encoding& declared)
      : model_(model),
        subject_(subject),
        declared_(declared),
        domain_(overlap(positions_of(subject.encoding), positions_of(declared))) {}

  // Along one axis, where the others are 0, of queries and, where these are right, of keys. None where all
  // that were asked are right, or already the first is wrong.
  std::optional<Position> first_wrong(std::size_t axis) const {
    if (const auto of_queries = first_wrong(axis, Role::query)) return of_queries;
    return signature(declared_).role ? first_wrong(axis, Role::key) : std::nullopt;
  }

 private:
  std::optional<Position> first_wrong(std::size_t axis, Role role) const {
    const Domain along = domain_.axes > 1 ? domain_.on(axis) : domain_;
    std::vector<Position> at = {along.lo};
    for (Position step = 1; along.lo + step <= along.hi; step *= 2) {
      at.push_back(along.lo + step);
      if (step >= 8 && along.lo + step + step / 2 <= along.hi) at.push_back(along.lo + step + step / 2);
    }
    at.push_back(along.hi);
    std::optional<Position> first;
    while (true) {
      const auto right = are_right(at, axis, role);
      const auto wrong = std::ranges::find(right, false);
      if (wrong == right.end() || wrong == right.begin()) return std::nullopt;
      const auto n = static_cast<std::size_t>(wrong - right.begin());
      const Position below = at[n - 1];
      first = at[n];
      if (*first - below <= 1) return first;
      at = between(below, *first);
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
  std::vector<bool> are_right(std::vector<Position> at, std::size_t axis, Role role) const {
    if (subject_.takes_positions != "offset") return are_right_in_order(at, axis, role);
    std::ranges::reverse(at);
    const std::vector<bool> right = are_right_in_order(at, axis, role);
    return {right.rbegin(), right.rend()};
  }

  std::vector<bool> are_right_in_order(const std::vector<Position>& at, std::size_t axis, Role role) const {
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
    const Tensor given = answer(subject_.encoding, call), expected = answer(model_.encoding, call);
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

}  // namespace

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
