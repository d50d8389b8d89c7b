#include "catalogue/identities/sinusoidal_translation_is_rope_transposed.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "identities/sides.h"

namespace posproof::identities_sinusoidal_translation_is_rope_transposed {
namespace {

using namespace identities;

std::optional<Parameters> right_of(const Arguments& left) {
  return taken(left, {"dim", "base"}, "layout=interleaved direction=backward");
}

// The row with the sine and the cosine of a pair next to each other.
std::vector<std::size_t> side_by_side(const Table& table) {
  std::vector<std::size_t> order;
  for (const Pair& pair : table.pairs) order.insert(order.end(), {pair.first, pair.second});
  return order;
}

Residual check(const Sides& sides, Draw& draw) {
  const Domain& within = positions_of(sides.subject);
  const Position t = draw.position("t", within, within.lo, within.hi);
  const Position k = draw.position("k", within, 0, within.hi - t);
  const Call both{.positions = {.whole = {t, t + k}}, .length = t + k + 1};
  const Side rows = left_side(sides, both);
  const auto order = side_by_side(as<Table>(sides.left));
  const Tensor value = columns_in_order(rows.value, order), error = columns_in_order(rows.error, order);
  const Call turn{.positions = {.whole = {k}},
                  .contents = {Tensor({1, 1, 1, order.size()}, {value.row(0).begin(), value.row(0).end()})}};
  const Side turned = right_side(sides, turn);
  std::vector<double> allowed;
  for (std::size_t c = 0; c < order.size(); ++c)
    // What the row of t is off by is rotated with it: |cos| of one and |sin| of the other, at most both.
    allowed.push_back(error.at(1, c) + turned.error.data[c] + error.at(0, c) + error.at(0, c ^ 1));
  return difference(value.row(1), turned.value.data, allowed, 2);
}

}  // namespace

const Identity entry{
    .statement =
        "The matrix that carries the sinusoidal row of t to that of t + k is the rotation of RoPE by k, transposed.",
    .formula = "p_(t+k) = R(k)^T p_t on the pairs (sin, cos)",
    .source = "Vaswani et al. 2017, section 3.5",
    .left = &encodings::sinusoidal,
    .right = &encodings::rope,
    .where = {{{"dim", {2.0, 4.0, 6.0, 64.0}},
               {"divisor", {"half"}},
               {"odd", {"refuse"}},
               {"offset", {0.0, 1.0}},
               {"amplitude", {1.0}},
               {"scale", {1.0}},
               {"direction", {"forward"}},
               {"padding_row", {-1.0}}}},
    .right_of = &right_of,
    .check = &check,
    .must_reject = {{"the last entry of the later row is 2^-19 larger", "dim=2", &last_entry_off}},
};

}  // namespace posproof::identities_sinusoidal_translation_is_rope_transposed
