#include "identities/sides.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "catalogue/encodings/rope.h"
#include "core/spoiled.h"
#include "core/term.h"

namespace posproof::identities {
namespace {

Side side(const Encoding& declared, const Call& call, Tensor value, const Precision& precision) {
  Tensor error = bound(declared, call, value, precision).error;
  // The exact side is rounded to double once; a bound that an encoding brings itself may count no rounding.
  for (std::size_t n = 0; n < error.data.size(); ++n)
    error.data[n] += term(Term::ours, unit_f64 * std::abs(value.data[n]));
  return {std::move(value), std::move(error)};
}

}  // namespace

const std::initializer_list<std::string_view> of_a_ladder = {
    "dim",         "heads",    "base",       "layout",        "rotary_dim",
    "rotary_part", "exponent", "kept_pairs", "output_layout", "direction"};

Side left_side(const Sides& sides, const Call& call) {
  return side(sides.left, call, answer(sides.subject, call), sides.precision);
}

Side right_side(const Sides& sides, const Call& call) {
  return side(sides.right, call, answer(sides.right, call), all_f64);
}

Residual compared(const Sides& sides, const Call& call, const Side& there, const Side& here) {
  Bound allowed = bound(sides.left, call, here.value, sides.precision);
  for (std::size_t n = 0; n < allowed.error.data.size(); ++n)
    allowed.error.data[n] = there.error.data[n] + here.error.data[n];
  return compare(sides.left, call, there.value, here.value, allowed).worst;
}

Residual same_answers_up_to(const Sides& sides, Draw& draw, Position last) {
  Domain both = positions_of(sides.subject);
  const Domain& right = positions_of(sides.right);
  both.lo = std::max(both.lo, right.lo);
  both.hi = std::min({both.hi, right.hi, last});
  both.real = both.real && right.real;
  const Call call = draw_call(sides.left, both, draw);
  return compared(sides, call, left_side(sides, call), right_side(sides, call));
}

Residual same_answers(const Sides& sides, Draw& draw) {
  return same_answers_up_to(sides, draw, positions_of(sides.subject).hi);
}

Parameters taken(const Arguments& left, std::initializer_list<std::string_view> names,
                 std::string_view words) {
  Parameters out;
  for (const std::string_view name : names) out.set(name, *left.parameters().find(name));
  const Case more = Case::parse(words);
  for (const auto& [name, value] : more.fields()) out.set(name, value);
  return out;
}

Rotations rotations_of(const Arguments& rope) {
  const Rotary plain = encodings::rope.make<Rotary>(taken(rope, of_a_ladder));
  Rotations out{std::numeric_limits<double>::infinity(), 0};
  for (const Pair& pair : plain.pairs) {
    const double r = rope.real("original_length") * std::abs(pair.frequency) / (2 * std::numbers::pi);
    out = {std::min(out.least, r), std::max(out.most, r)};
  }
  return out;
}

Encoding last_entry_off(const Encoding& right_one) {
  return last_entry_larger(right_one, 0x1p-19);
}

}  // namespace posproof::identities
