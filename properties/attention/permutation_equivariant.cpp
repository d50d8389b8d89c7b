#include "catalogue/properties/attention/permutation_equivariant.h"
#include "../bias/entries.h"
#include "attention/reference_attention.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_permutation_equivariant {
namespace {

Residual check(const Attention& attention, Precision p, Draw& draw) {
  const auto n = static_cast<std::size_t>(draw.integer("n", 2, 6));
  const auto order = draw.permutation("permutation", n);
  const Mask mask = tokens::allowed(attention, tokens::drawn_mask(draw, n, attention));
  const Tensor x = draw.content("x", {n, attention.dim});

  const Tensor moved = attention::reordered(x, order);
  const Mask moved_mask = attention::reordered(mask, order, order);
  // A mask that shows a key after its query is no question where that means nothing.
  if (tokens::allowed(attention, moved_mask) != moved_mask) throw Discard{};
  const Tensor there = tokens::attend(attention, moved, moved_mask);
  const Tensor here = attention::reordered(tokens::attend(attention, x, mask), order);
  // Both are answers to inputs whose exact answers are equal by the statement, each within its own error of
  // it.
  const double bound = tokens::error_of_both(attention, x, mask, moved, moved_mask, p);
  return difference(there.data, here.data, bound, attention::is_identity(order) ? 0 : no_ceiling);
}

Encoding key_before_preferred(double by) {
  return biases::bias_of(1,
                         [by](std::size_t, Position i, Position j) -> double { return i == j + 1 ? by : 0; });
}

Encoding prefers_the_key_before() {
  return key_before_preferred(1e-6);
}
// It moves an answer by up to 64 units of f32, where each of two may be off by 12 and a few.
Encoding hardly_prefers_the_key_before() {
  return key_before_preferred(0x1p-17);
}

// The operator without position, but its third row takes a millionth more of the value than its share.
Encoding third_row_is_louder() {
  Attention attention = attention::reference_attention(prefers_the_key_before());
  attention.attend = [](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Bias nothing{.heads = 1, .bias = [](std::span<const Position> a, std::span<const Position> b) {
                         return Tensor({1, a.size(), b.size()});
                       }};
    Tensor out = attention::reference_attention(nothing).attend(q, k, v, mask);
    if (out.rows() > 2)
      for (double& entry : out.row(2)) entry *= 1 + 1e-6;
    return out;
  };
  return attention;
}

const std::vector<tokens::Wrong> wrong = {{&tokens::still_table, -20, -4},
                                          {&tokens::still_rotary, -18, -2},
                                          {&tokens::still_bias, -17, -2},
                                          {&tokens::still_contextual, -17, -2},
                                          {&tokens::still_attention, -20, -4}};

}  // namespace

const Property entry{
    .statement =
        "Self-attention of reordered tokens, the mask reordered with them, gives the reordered answers.",
    .formula = "f(P X; P M P^T) = P f(X; M)",
    .source =
        "Lee et al. 2019, Set Transformer, section 3.1; Vaswani et al. 2017, section 3.5: without positions "
        "no "
        "use is made of the order",
    .checks = {CheckOf<Attention>(&check)},
    .must_reject = tokens::joined(
        {{"a bias of 1e-6 on the key before", &prefers_the_key_before},
         {"a bias of 2^-17 on the key before, in f32", &hardly_prefers_the_key_before, all_f32},
         {"an operator whose third row is louder by 1e-6", &third_row_is_louder}},
        tokens::wrong_by(wrong, tokens::the_last), tokens::wrong_by(wrong, tokens::the_first, -1)),
};

}  // namespace posproof::properties_attention_permutation_equivariant
