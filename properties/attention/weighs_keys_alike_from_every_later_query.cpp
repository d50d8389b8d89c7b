#include <algorithm>

#include "../corners.h"
#include "attention/mask.h"
#include "catalogue/properties/attention/weighs_keys_alike_from_every_later_query.h"
#include "core/call.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_weighs_keys_alike_from_every_later_query {
namespace {

// Tokens of any content; two of them, the last and another, have the same query and are shown two keys before
// both. Their answers are the same where what lies between a key and a query is a difference of sums over
// tokens: it is then the same for both keys, but for a sum that does not depend on the query.
Residual check(const Encoding& encoding, Precision p, Draw& draw) {
  const auto& attention = as<Attention>(encoding);
  const auto n = static_cast<std::size_t>(draw.integer("n", 4, 8));
  const auto i = static_cast<std::size_t>(draw.integer("i", 2, static_cast<std::int64_t>(n) - 2));
  const auto near = static_cast<std::size_t>(draw.integer("near", 1, static_cast<std::int64_t>(i) - 1));
  const auto far = static_cast<std::size_t>(draw.integer("far", 0, static_cast<std::int64_t>(near) - 1));
  const Tensor k = draw.content("k", {n, attention.dim});
  const auto query = draw.content("q", attention.dim);
  const Tensor v = tokens::rolled(k, 1, attention.value_dim);

  Tensor q = k;
  Mask mask = mask::causal(n);
  for (const std::size_t row : {i, n - 1}) {
    std::ranges::copy(query, q.row(row).begin());
    for (std::size_t j = 0; j < n; ++j) mask.at(row, j) = j == near || j == far ? 1 : 0;
  }
  const Tensor y = attention.attend(q, k, v, mask);
  const double bound = 2 * largest_error(attention, q, k, v, mask, p);
  double range = 0;  // where logits alone know of positions, an answer is between the two values
  for (std::size_t c = 0; c < v.width(); ++c) range = std::max(range, std::abs(v.at(near, c) - v.at(far, c)));
  return difference(y.row(n - 1), y.row(i), bound, attention.only_logits ? range : no_ceiling);
}

bool gives_the_whole_operator(const Encoding& encoding) {
  return !signature(encoding).positions;
}

bool of_last_token(const AnswerEntry& at) {
  return at.of_last_token();
}

}  // namespace

const Property entry{
    .statement =
        "Two later queries of the same content that see the same two keys, and no other, give the same answer.",
    .formula =
        "y_i = y_n where q_i = q_n and both see the keys a, b alone: of d(i, j) = c_i - c_j, d(i, a) - d(i, b) = d(n, a) - d(n, b)",
    .source = "Lin et al. 2025, Forgetting Transformer: the bias is a difference of two cumulative sums",
    .checks = {CallCheck{&gives_the_whole_operator, &check}},
    .must_reject = {corners::off("answers of the last token", &tokens::still_attention, 0x1p-19,
                                 &of_last_token),
                    corners::off("answers of the last token", &tokens::still_attention, -0x1p-4,
                                 &of_last_token, corners::in_bf16),
                    corners::off("the last entries of all answers", &tokens::still_attention, -0x1p-19,
                                 &corners::is_last)},
};

}  // namespace posproof::properties_attention_weighs_keys_alike_from_every_later_query
