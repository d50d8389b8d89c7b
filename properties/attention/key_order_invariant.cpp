#include "catalogue/properties/attention/key_order_invariant.h"
#include "../bias/entries.h"
#include "attention/reference_attention.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_key_order_invariant {
namespace {

Residual check(const Attention& attention, Precision p, Draw& draw) {
  const auto queries = static_cast<std::size_t>(draw.integer("queries", 1, 4));
  const auto keys = static_cast<std::size_t>(draw.integer("keys", 2, 5));
  const auto order = draw.permutation("permutation", keys);
  const Tensor q = draw.content("q", {queries, attention.dim});
  const Tensor k = draw.content("k", {keys, attention.dim});
  const Tensor v = tokens::rolled(k, 1, attention.value_dim);

  const Tensor moved_k = attention::reordered(k, order), moved_v = attention::reordered(v, order);
  const Tensor there = tokens::attend_across(attention, q, moved_k, moved_v);
  const Tensor here = tokens::attend_across(attention, q, k, v);
  // Each answer is within its own error of the exact one; the sum over the keys runs in another order.
  const double bound =
      tokens::error_across(attention, q, k, v, p) + tokens::error_across(attention, q, moved_k, moved_v, p);
  return difference(there.data, here.data, bound, attention::is_identity(order) ? 0 : no_ceiling);
}

// A bias that prefers the first key, whatever the query.
Encoding first_key_preferred(double by) {
  return biases::bias_of(1, [by](std::size_t, Position, Position j) -> double { return j == 0 ? by : 0; });
}

Encoding prefers_the_first_key() {
  return first_key_preferred(1e-6);
}
// It moves an answer by up to 64 units of f32, where each of two may be off by 12 and a few.
Encoding hardly_prefers_the_first_key() {
  return first_key_preferred(0x1p-17);
}

const std::vector<tokens::Wrong> wrong = {{&tokens::still_table, -17, -1},
                                          {&tokens::still_rotary, -16, -1},
                                          {&tokens::still_bias, -18, -3},
                                          {&tokens::still_contextual, -18, -3},
                                          {&tokens::still_attention, -19, -4}};

}  // namespace

const Property entry{
    .statement = "Reordered pairs of keys and values give the same answers.",
    .formula = "f(Q, P K, P V) = f(Q, K, V)",
    .source = "Lee et al. 2019, Set Transformer, section 3.1; the sum over the keys is symmetric",
    .checks = {CheckOf<Attention>(&check)},
    .must_reject = tokens::joined(
        {{"a bias of 1e-6 on the first key", &prefers_the_first_key},
         {"a bias of 2^-17 on the first key, in f32", &hardly_prefers_the_first_key, all_f32}},
        tokens::wrong_by(wrong, tokens::the_last), tokens::wrong_by(wrong, tokens::the_first, -1)),
};

}  // namespace posproof::properties_attention_key_order_invariant
