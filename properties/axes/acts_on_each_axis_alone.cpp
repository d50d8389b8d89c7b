#include "catalogue/properties/axes/acts_on_each_axis_alone.h"
#include "grid.h"

namespace posproof::properties_axes_acts_on_each_axis_alone {
namespace {

using namespace grid;
using namespace corners;

// The place whose number on this axis is that of `b`, the others those of `a`.
Numbers mixed(Numbers a, const Numbers& b, std::size_t axis) {
  a[axis] = b[axis];
  return a;
}

std::size_t drawn_axis(const Domain& domain, Draw& draw) {
  return static_cast<std::size_t>(draw.integer("axis", 0, static_cast<std::int64_t>(domain.axes) - 1));
}

// Ours: two sums.
Residual check_table(const Encoding& encoding, Precision p, Draw& draw) {
  const Domain& domain = positions_of(encoding);
  const std::size_t axis = drawn_axis(domain, draw);
  const Numbers a = drawn_place(domain, "i", draw), b = drawn_place(domain, "j", draw);
  const Numbers ab = mixed(a, b, axis), ba = mixed(b, a, axis);
  if (a == ab || b == ab) throw Discard{};
  const Answered rows = answered(encoding, call_at(encoding, {a, b, ab, ba}), p);
  Residual worst{0, 0, 0};
  for (std::size_t c = 0; c < rows.values.width(); ++c) {
    const auto at = [c](const Tensor& of, std::size_t r) { return of.at(r, c); };
    const double here = at(rows.values, 0) + at(rows.values, 1),
                 there = at(rows.values, 2) + at(rows.values, 3);
    double error = term(Term::ours, unit_f64 * (std::abs(here) + std::abs(there)));
    for (std::size_t r = 0; r < 4; ++r) error += at(rows.error, r);
    worst = worse(worst, difference(there, here, error));
  }
  return worst;
}

// By its number on one axis, the others being 0, and then by the others.
Residual check_rotation(const Encoding& encoding, Precision p, Draw& draw) {
  const auto& rotary = as<Rotary>(encoding);
  const Domain& domain = positions_of(encoding);
  const std::size_t axis = drawn_axis(domain, draw);
  const std::vector<double> x = draw.content("x", rotary.dim);
  const Numbers whole = drawn_place(domain, "i", draw), zero(domain.axes, 0);
  const Numbers one = mixed(zero, whole, axis), others = mixed(whole, zero, axis);
  if (rotations::all_zero(one) || rotations::all_zero(others) || domain.lo > 0) throw Discard{};
  const Role role = drawn_role(draw);

  const Answered at_once = answered(encoding, call_at(encoding, {whole}, role, {x}), p);
  const Answered first = answered(encoding, call_at(encoding, {one}, role, {x}), p);
  Call again = call_at(encoding, {others}, role, {x});
  again.contents = {first.values};
  const Answered twice = answered(encoding, again, p);

  // The second rotation hands on what the first was off by, and rounds what it is given.
  Residual worst{0, 0, 0};
  std::vector<double> before(rotary.dim);
  for (std::size_t r = 0; r < twice.values.rows(); ++r) {
    for (std::size_t c = 0; c < before.size(); ++c)
      before[c] = first.error.at(r, c) + term(Term::result, p.input()) * std::abs(first.values.at(r, c));
    spread_over_pairs(rotary.pairs, before);
    for (std::size_t c = 0; c < before.size(); ++c)
      worst = worse(worst, difference(twice.values.at(r, c), at_once.values.at(r, c),
                                      before[c] + twice.error.at(r, c) + at_once.error.at(r, c)));
  }
  return worst;
}

}  // namespace

const Property entry{
    .statement =
        "Each number of a position acts alone: two rows add up to the same when they exchange one number, and "
        "a token rotated by one number and then by the others is rotated by its position.",
    .formula = "p(a,b) + p(c,d) = p(a,d) + p(c,b) and R(a,b) = R(0,b) R(a,0)",
    .source = "Carion et al. 2020, DETR, appendix A.4; Heo et al. 2024, eq. 10",
    .checks = {CallCheck{&is_table, &check_table}, CallCheck{&is_rotation, &check_rotation}},
    .must_reject =
        joined({product_in_angles(false, 0x1p-23, all_f32), product_in_angles(true, 0x1p-23, all_f32),
                product_in_angles(false, 0x1p-10, in_bf16), product_in_angles(true, 0x1p-10, in_bf16),
                off("rotated keys", &right_rotation, 0x1p-17, &of_key),
                off("rotated queries", &right_rotation, -0x1p-17, &of_query)},
               joined(last_and_first(&right_rotation_of_three, 0x1p-17, 0x1p-4),
                      last_and_first(&right_table_of_three, 0x1p-17, 0x1p-4))),
};

}  // namespace posproof::properties_axes_acts_on_each_axis_alone
