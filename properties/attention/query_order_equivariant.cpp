#include "catalogue/properties/attention/query_order_equivariant.h"
#include "../bias/entries.h"
#include "attention/reference_attention.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_query_order_equivariant {
namespace {

Residual check(const Attention& attention, Precision p, Draw& draw) {
  const auto queries = static_cast<std::size_t>(draw.integer("queries", 2, 5));
  const auto keys = static_cast<std::size_t>(draw.integer("keys", 1, 5));
  const auto order = draw.permutation("permutation", queries);
  const Tensor q = draw.content("q", {queries, attention.dim});
  const Tensor k = draw.content("k", {keys, attention.dim});
  const Tensor v = tokens::rolled(k, 1, attention.value_dim);

  const Tensor moved = attention::reordered(q, order);
  const Tensor there = tokens::attend_across(attention, moved, k, v);
  const Tensor here = attention::reordered(tokens::attend_across(attention, q, k, v), order);
  // Each answer is within its own error of the exact one.
  const double bound =
      tokens::error_across(attention, q, k, v, p) + tokens::error_across(attention, moved, k, v, p);
  return difference(there.data, here.data, bound, attention::is_identity(order) ? 0 : no_ceiling);
}

// A bias between queries and keys of the same row number.
Encoding own_row_preferred(double by) {
  return biases::bias_of(1, [by](std::size_t, Position i, Position j) -> double { return i == j ? by : 0; });
}

Encoding prefers_its_own_row() {
  return own_row_preferred(1e-6);
}
// It moves an answer by up to 64 units of f32, where each of two may be off by 12 and a few.
Encoding hardly_prefers_its_own_row() {
  return own_row_preferred(0x1p-17);
}

const std::vector<tokens::Wrong> wrong = {{&tokens::still_table, -15, 1},
                                          {&tokens::still_rotary, -16, -1},
                                          {&tokens::still_bias, -17, -2},
                                          {&tokens::still_contextual, -17, -2},
                                          {&tokens::still_attention, -19, -4}};

}  // namespace

const Property entry{
    .statement = "Reordered queries over the same keys and values give the reordered answers.",
    .formula = "f(P Q, K, V) = P f(Q, K, V)",
    .source = "Lee et al. 2019, Set Transformer, section 3.1; each row of the softmax is taken alone",
    .checks = {CheckOf<Attention>(&check)},
    .must_reject = tokens::joined(
        {{"a bias of 1e-6 between a query and a key of the same number", &prefers_its_own_row},
         {"a bias of 2^-17 between the two, in f32", &hardly_prefers_its_own_row, all_f32}},
        tokens::wrong_by(wrong, tokens::the_last), tokens::wrong_by(wrong, tokens::the_first, -1)),
};

}  // namespace posproof::properties_attention_query_order_equivariant
