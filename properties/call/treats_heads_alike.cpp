#include "catalogue/properties/call/treats_heads_alike.h"
#include "calls.h"
#include "negative_examples.h"

namespace posproof::properties_call_treats_heads_alike {
namespace {

using namespace calls;
using namespace rotations;

// The heads moved on by `by`, the last ones to the front.
Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  const std::size_t heads = shape_of_answer(encoding, sequence(encoding, {0})).at(1);
  if (heads == 1) throw Inapplicable{"it has one head"};
  Call call = drawn_batch(encoding, draw);
  const auto by = static_cast<std::size_t>(draw.integer("by", 1, static_cast<std::int64_t>(heads) - 1));
  call.role = drawn_role(draw);

  std::vector<std::size_t> rolled(heads);
  for (std::size_t h = 0; h < heads; ++h) rolled[h] = (h + by) % heads;
  const Call moved = take(encoding, call, Axis::head, rolled);
  const Tensor expected = take(signature(encoding).gives, answer(encoding, call), Axis::head, rolled);
  // The same rotation twice, by other instructions perhaps.
  Bound twice = bound(encoding, moved, expected, p);
  twice *= 2;
  return compare(encoding, moved, answer(encoding, moved), expected, twice).worst;
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

const Property entry{
    .statement = "Every head is rotated alike: heads that change places change places in the answer.",
    .formula = "f(x_h+1 ..; t) = f(x; t)_h+1 ..",
    .source = "Su et al. 2021, RoFormer, section 3.2.2: one R for all heads; elixir-nx/emlx#121",
    .checks = {CallCheck{[](const Encoding& encoding) { return signature(encoding).has(Axis::batch); },
                         &check}},
    .must_reject =
        joined({{"a slow rotation that adds the number of the head to the position", &position_plus_head},
                {"a rotation of the first head only", &first_head_only},
                larger({"a rotation whose last head", &right_rotary,
                        [](const AnswerEntry& at) { return at.in_last_head(); }},
                       -6, bf16),
                larger({"a rotation of keys whose last entry", &right_rotary,
                        [](const AnswerEntry& at) { return at.is_last() && at.role == Role::key; }},
                       48, all_f32)},
               wrong_corners(&right_rotary, {48, 6})),
    .needs = Needs::live_subject,
};

}  // namespace posproof::properties_call_treats_heads_alike
