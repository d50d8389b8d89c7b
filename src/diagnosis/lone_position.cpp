#include "diagnosis/lone_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include "core/call.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/one_token.h"
#include "run/narrowed.h"

namespace posproof {
namespace {

constexpr std::size_t several = 3;

// Of all wrong rows, which are several: their position, and their roles.
struct WrongPosition {
  Position at;
  std::set<Role> roles;
};

std::optional<WrongPosition> position_of_wrong(const Explained& alone,
                                               const std::vector<Answered>& answered) {
  std::optional<WrongPosition> out;
  std::size_t wrong = 0;
  for (std::size_t n = 0; n < alone.rows.size(); ++n) {
    if (alone.right[n]) continue;
    const RowInCall row = seen(alone.rows[n], answered);
    if (out && out->at != row.at) return std::nullopt;
    if (!out) out = {row.at, {}};
    out->roles.insert(row.call.role);
    ++wrong;
  }
  return wrong >= several ? out : std::nullopt;
}

// The one that it counts as; none where several may be meant.
std::optional<Position> counts_as(Position at, const OneToken& one, const Domain& domain) {
  const Tensor given = one.given(at);
  if (one.is_that_of(given, at)) return std::nullopt;
  std::vector<Position> others = likely_others(at, domain.lo, domain.hi);
  others.insert(others.begin(), {0, -1, -at});
  std::set<Position> found;
  for (const Position other : others) {
    if (other == at) continue;
    try {
      if (one.is_that_of(given, other)) found.insert(other);
    } catch (const Refusal&) {  // not defined there
    }
  }
  return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

// Beside another deviation a position would have the rotation of one that has another itself.
bool is_declared(const Model& model, const Encoding& declared, Position at) {
  Call call = sequence(declared, {at - 1, at});
  for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
  return answer(model.encoding, call).data == answer(declared, call).data;
}

}  // namespace

std::vector<Position> likely_others(Position one, Position lo, Position hi) {
  std::set<Position> out = {lo, hi, 0, 1};
  for (Position by = 1; by <= hi - lo; by *= 2) out.insert({one - by, one + by});
  for (const Position by : {3, 5, 6, 7, 100, 1000}) out.insert({one - by, one + by});
  for (Position times = 2; times <= 9; ++times) {
    for (const Position shift : {-1, 0, 1}) out.insert((one + shift) * times - shift);
    out.insert(one / times);
  }
  out.erase(one);
  std::vector<Position> within;
  for (const Position t : out)
    if (lo <= t && t <= hi) within.push_back(t);
  return within;
}

std::optional<LonePosition> lone_position(const Explained& alone, const Model& model, const Subject& subject,
                                          const Encoding& declared, const std::vector<Answered>& answered) {
  const Signature& is = signature(declared);
  if (!is.positions || is.mask || is.has(Axis::key) || positions_of(declared).axes > 1) return std::nullopt;
  const Domain domain = overlap(positions_of(subject.encoding), positions_of(declared));
  if (domain.real) return std::nullopt;
  const auto wrong = position_of_wrong(alone, answered);
  // The first and the last are where a range ends, of which more is said.
  if (!wrong || wrong->at <= domain.lo || wrong->at >= domain.hi) return std::nullopt;
  LonePosition out{{fmt::format("at position {} alone", wrong->at),
                    [at = wrong->at](const RowInCall& s) { return s.at == at; }},
                   {}};
  try {
    if (!is_declared(model, declared, wrong->at)) return std::nullopt;
    std::set<Position> others;
    for (const Role role : {Role::query, Role::key}) {
      if (role == Role::key && !is.role) continue;
      const OneToken one(model, subject, declared, role);
      for (const Position t : likely_others(wrong->at, domain.lo, domain.hi))
        if (!one.is_right(t)) return std::nullopt;
      if (!wrong->roles.contains(role)) continue;
      if (const auto other = counts_as(wrong->at, one, domain)) others.insert(*other);
    }
    if (others.size() == 1)
      out.effects.push_back(effect_on_positions(
          fmt::format("position {} has the {} of position {}", wrong->at, is.role ? "rotation" : "row",
                      *others.begin()),
          [at = wrong->at, other = *others.begin()](const TokenOf& t) { return t.at == at ? other : t.at; }));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // it declined, or died
    return std::nullopt;
  }
  return out;
}

}  // namespace posproof
