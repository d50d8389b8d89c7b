#include "../rotary/tokens.h"
#include "catalogue/properties.h"

namespace posproof {
namespace {

using namespace rotations;

// The heads moved on by `by`, the last ones to the front.
Tensor rolled(const Tensor& x, std::size_t by) {
  const std::size_t heads = x.shape[1], n = x.shape[2];
  Tensor out = x;
  for (std::size_t r = 0; r < x.rows(); ++r) {
    const std::size_t batch = r / (heads * n), head = r / n % heads;
    const auto from = x.row((batch * heads + (head + by) % heads) * n + r % n);
    std::copy(from.begin(), from.end(), out.row(r).begin());
  }
  return out;
}

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  if (rotary.heads == 1) throw Inapplicable{"it has one head"};
  const Tokens token = tokens(rotary, draw);
  const auto by =
      static_cast<std::size_t>(draw.integer("by", 1, static_cast<std::int64_t>(rotary.heads) - 1));
  const Role role = drawn_role(draw);

  const Tokens moved{rolled(token.x, by), token.positions};
  const Tensor expected = rolled(rotated(rotary, token.x, token.positions, role), by);
  // The same rotation twice, by other instructions perhaps.
  return compare(rotary, p, moved, rotated(rotary, moved.x, moved.positions, role), expected,
                 [&](const Pair& pair, std::size_t place) {
                   return 2 * rotation_error(p, static_cast<double>(moved.positions[place]), pair);
                 });
}

Encoding position_plus_head() {
  return multiplied_by(4, 2, {{0, 1, 1e-3, 0}, {2, 3, 1e-6, 1}}, [](const Pair& pair, const Rotated& token) {
    return rotation(pair, token.t + static_cast<Position>(token.head));
  });
}

Encoding first_head_only() {
  return multiplied_by(4, 3, neighbours(), [](const Pair& pair, const Rotated& token) {
    return token.head == 0 ? rotation(pair, token.t) : 1;
  });
}

}  // namespace

const Property properties::call::treats_heads_alike{
    .statement = "Every head is rotated alike: heads that change places change places in the answer.",
    .formula = "f(x_h+1 ..; t) = f(x; t)_h+1 ..",
    .source = "Su et al. 2021, RoFormer, section 3.2.2: one R for all heads; elixir-nx/emlx#121",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject = {{"a slow rotation that adds the number of the head to the position", &position_plus_head},
                    {"a rotation of the first head only", &first_head_only}},
    .needs = Needs::live_subject,
};

}  // namespace posproof
