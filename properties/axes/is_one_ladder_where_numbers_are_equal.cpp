#include "catalogue/properties/axes/is_one_ladder_where_numbers_are_equal.h"
#include "grid.h"

namespace posproof::properties_axes_is_one_ladder_where_numbers_are_equal {
namespace {

using namespace grid;
using namespace corners;

// In the order of the channels.
std::vector<Pair> in_order(std::vector<Pair> pairs) {
  std::ranges::sort(pairs, {}, &Pair::first);
  return pairs;
}

// The last number that every axis has.
Position nearest_end(const Domain& domain) {
  Position last = domain.hi;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) last = std::min(last, domain.last(axis));
  return last;
}

// The first two pairs say what the ratio is. It and its power are rounded: n + 2 units of the angle.
Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  const auto& rotary = as<Rotary>(encoding);
  const Domain& domain = positions_of(encoding);
  const std::vector<Pair> pairs = in_order(rotary.pairs);
  if (pairs.size() < 3) throw Inapplicable{"it has fewer than three pairs"};
  const long double first = pairs[0].frequency, ratio = pairs[1].frequency / first;
  const std::vector<double> x = draw.content("x", rotary.dim);
  const Position t = draw.position("t", domain, domain.lo, nearest_end(domain));
  if (t == 0) throw Discard{};
  const Answered at =
      answered(encoding, call_at(encoding, {Numbers(domain.axes, t)}, drawn_role(draw), {x}), p);

  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < at.values.rows(); ++r)
    for (std::size_t n = 0; n < pairs.size(); ++n) {
      const auto& [a, b, frequency, index, error, axis] = pairs[n];
      const long double angle =
          static_cast<long double>(t) * first * std::pow(ratio, static_cast<long double>(n));
      const auto z = std::complex<long double>(x[a], x[b]) * std::polar(1.0L, angle);
      const double norm = std::hypot(x[a], x[b]);
      const double ours = term(
          Term::ours,
          unit_f64 * norm * (1 + static_cast<double>((static_cast<long double>(n) + 2) * std::abs(angle))));
      worst = worse(worst, difference(at.values.at(r, a), static_cast<double>(z.real()),
                                      at.error.at(r, a) + ours, 2 * norm));
      worst = worse(worst, difference(at.values.at(r, b), static_cast<double>(z.imag()),
                                      at.error.at(r, b) + ours, 2 * norm));
    }
  return worst;
}

NegativeExample quicker_last_pair(double by, const Precision& p) {
  return {fmt::format("a rotation whose last frequency is 1 + 2^{} times as large, in {}", std::ilogb(by),
                      p == in_bf16 ? "bf16" : p.word()),
          [by] {
            return rotation(
                [by](const Pair& pair, std::span<const Position> place) {
                  return right_angle(pair, place) * (pair.index == 3 ? 1 + by : 1);
                },
                pairs_in_turn(), 2);
          },
          p};
}
Encoding restarted() {
  return rotation();
}

}  // namespace

const Property entry{
    .statement =
        "Where all numbers of a position are the same, the pairs rotate by one geometric ladder of "
        "frequencies, as those of RoPE do.",
    .formula = "R(t, .., t) = RoPE(c t), c the first frequency",
    .source = "Wang et al. 2024, Qwen2-VL, section 2.1: for text, M-RoPE is 1-D RoPE",
    .checks = {CallCheck{&is_rotation, &check}},
    .must_reject =
        joined({{"a rotation whose frequencies begin anew on the second axis", &restarted, all_f32},
                quicker_last_pair(0x1p-12, all_f32),
                off("rotated keys", &right_rotation_in_turn, 0x1p-18, &of_key),
                off("rotated queries", &right_rotation_in_turn, -0x1p-18, &of_query)},
               last_and_first(&right_rotation_in_turn, 0x1p-18, 0x1p-5)),
};

}  // namespace posproof::properties_axes_is_one_ladder_where_numbers_are_equal
