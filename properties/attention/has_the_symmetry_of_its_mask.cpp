#include <cmath>

#include "../bias/entries.h"
#include "attention/dot_product.h"
#include "attention/reference_attention.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "core/term.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_has_the_symmetry_of_its_mask {
namespace {

double largest_difference(const Tensor& a, const Tensor& b) {
  double most = 0;
  for (std::size_t e = 0; e < a.data.size(); ++e) {
    const double difference = std::abs(a.data[e] - b.data.at(e));
    if (std::isnan(difference)) return difference;
    most = std::max(most, difference);
  }
  return most;
}

// An order that does not keep the mask must change an answer for some tokens, and for these it does by at
// least 1/n: queries and keys are 0, so each query takes the mean of the values that it sees; token j's value
// is the j-th unit vector, so the answer of row i is 1/|S| on the set S of keys that it sees. Two different
// sets differ in a key that only one of them has, and there the answers differ by 1/|S| >= 1/n.
Residual breaks(const Attention& attention, Precision p, const Mask& mask, attention::Permutation order) {
  const std::size_t n = order.size();
  const Tensor zero({n, attention.dim});
  Tensor units({n, attention.value_dim});
  for (std::size_t j = 0; j < n; ++j) units.at(j, j) = 1;
  const Tensor moved = attention::reordered(units, order);
  const Tensor there = attention.attend(zero, zero, moved, mask);
  const Tensor here = attention::reordered(attention.attend(zero, zero, units, mask), order);
  const double least = least_effect(1 / static_cast<double>(n));
  const double bound = largest_error(attention, zero, zero, moved, mask, p) +
                       largest_error(attention, zero, zero, units, mask, p) + term(Term::ours, unit_f64);
  return excess(least, largest_difference(there, here), bound, least);
}

Residual check(const Attention& attention, Precision p, Draw& draw) {
  const auto n = static_cast<std::size_t>(
      draw.integer("n", 2, static_cast<std::int64_t>(std::min<std::size_t>(6, attention.value_dim))));
  const Mask mask = tokens::allowed(attention, tokens::drawn_mask(draw, n, attention));
  const auto order = draw.permutation("permutation", n);
  const Tensor x = draw.content("x", {n, attention.dim});
  if (!attention::is_symmetry(mask, order)) return breaks(attention, p, mask, order);

  const Tensor moved = attention::reordered(x, order);
  const Tensor there = tokens::attend(attention, moved, mask);
  const Tensor here = attention::reordered(tokens::attend(attention, x, mask), order);
  // Both are answers to inputs whose exact answers are equal by the statement, each within its own error of
  // it.
  const double bound = tokens::error_of_both(attention, x, mask, moved, mask, p);
  return difference(there.data, here.data, bound, attention::is_identity(order) ? 0 : no_ceiling);
}

// The operator without position that looks at its mask through `seen`.
Encoding through(Mask (*seen)(const Mask&)) {
  constexpr std::size_t dim = 8;
  const Bias nothing{.heads = 2, .bias = [](std::span<const Position> a, std::span<const Position> b) {
                       return Tensor({2, a.size(), b.size()});
                     }};
  Attention attention = attention::reference_attention(nothing);
  attention.dim = attention.value_dim = dim;
  attention.attend = [seen](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    return attention::scaled_dot_product(q, k, v, seen(mask));
  };
  return attention;
}

// The mask is not looked at.
Encoding ignores_its_mask() {
  return through([](const Mask& mask) { return mask::none(mask.rows(), mask.width()); });
}

// The last key is seen by every query, as if the mask had been made for one key less.
Encoding mask_one_key_short() {
  return through([](const Mask& mask) {
    Mask seen = mask;
    for (std::size_t i = 0; i < seen.rows(); ++i) seen.at(i, seen.width() - 1) = 1;
    return seen;
  });
}

// It moves an answer by up to 64 units of f32, where each of two may be off by 12 and a few.
Encoding prefers_the_key_before() {
  return biases::bias_of(
      1, [](std::size_t, Position i, Position j) -> double { return i == j + 1 ? 0x1p-17 : 0; });
}

const std::vector<tokens::Wrong> wrong = {{&tokens::still_table, -20, -4},
                                          {&tokens::still_rotary, -17, -2},
                                          {&tokens::still_bias, -17, -2},
                                          {&tokens::still_contextual, -17, -2},
                                          {&tokens::still_attention, -19, -4}};

}  // namespace

const Property entry{
    .statement =
        "Reordering the tokens reorders the answers of self-attention if and only if the order keeps the mask. One that does not changes an answer by at least 1/n where queries and keys are 0 and the value of token j is the j-th unit vector.",
    .formula =
        "f(P X; M) = P f(X; M) for all X  <=>  P M P^T = M; if not, max |f(0, 0, P I; M) - P f(0, 0, I; M)| >= 1/n",
    .source =
        "from f(P X; P M P^T) = P f(X; M); the mask of Vaswani et al. 2017, section 3.2.3, is kept by the "
        "identity alone",
    .checks = {CheckOf<Attention>(&check)},
    .must_reject = tokens::joined(
        {{"an operator that ignores its mask", &ignores_its_mask},
         {"a mask that is one key short", &mask_one_key_short},
         {"a bias of 2^-17 on the key before, in f32", &prefers_the_key_before, all_f32}},
        tokens::wrong_by(wrong, tokens::the_last), tokens::wrong_by(wrong, tokens::the_first, -1)),
};

}  // namespace posproof::properties_attention_has_the_symmetry_of_its_mask
