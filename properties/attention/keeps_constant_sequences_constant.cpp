#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "attention/reference_attention.h"
#include "negative_examples.h"
#include "tokens.h"

namespace posproof::properties_attention_keeps_constant_sequences_constant {
namespace {

Residual check(const Attention& attention, Precision p, Draw& draw) {
  const auto n = static_cast<std::size_t>(draw.integer("n", 2, 8));
  const Mask mask = tokens::allowed(attention, tokens::drawn_mask(draw, n, attention));
  const auto token = draw.content("x", attention.dim);

  Tensor x({n, attention.dim});
  for (std::size_t r = 0; r < n; ++r) std::copy(token.begin(), token.end(), x.row(r).begin());
  const Tensor out = tokens::attend(attention, x, mask);
  Tensor first(out.shape);
  for (std::size_t r = 0; r < n; ++r) std::copy(out.row(0).begin(), out.row(0).end(), first.row(r).begin());
  // Weights that sum to 1 over equal values: every exact row is the same, and each row is within its error of
  // it.
  return difference(out.data, first.data, 2 * tokens::error(attention, x, mask, p));
}

// Codes of a millionth of the position, added to the token and so to the values.
Encoding slight_rows() {
  Table table{.dim = 2};
  table.rows = [](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), 2});
    for (std::size_t r = 0; r < positions.size(); ++r)
      rows.at(r, 0) = 1e-6 * static_cast<double>(positions[r]);
    return rows;
  };
  return table;
}

// Weights that sum to more than 1 in the second row: a normaliser taken once for all rows does that.
Encoding second_row_of(double sum) {
  const Bias nothing{.heads = 1, .bias = [](std::span<const Position> a, std::span<const Position> b) {
                       return Tensor({1, a.size(), b.size()});
                     }};
  Attention attention = attention::reference_attention(nothing);
  attention.attend = [sum, right = attention.attend](const Tensor& q, const Tensor& k, const Tensor& v,
                                                     const Mask& mask) {
    Tensor out = right(q, k, v, mask);
    for (double& entry : out.row(1)) entry *= sum;
    return out;
  };
  return attention;
}

Encoding unnormalised_row() {
  return second_row_of(1 + 0x1p-20);
}
// 32 units of f32, where two answers of two tokens may be off by 8 each.
Encoding hardly_unnormalised_row() {
  return second_row_of(1 + 0x1p-19);
}

const std::vector<tokens::Wrong> wrong = {{&tokens::still_table, -21, -5},
                                          {&tokens::still_attention, -19, -4}};

}  // namespace

const Property entry{
    .statement =
        "If all tokens are the same, all answers are the same, under every mask that leaves each query a key.",
    .formula = "f(1 x^T; M)_i = f(1 x^T; M)_0",
    .source =
        "the rows of a softmax sum to 1; Kazemnejad et al. 2023, The Impact of Positional Encoding on Length "
        "Generalization, for the causal mask",
    .checks = {CheckOf<Attention>(&check)},
    .must_reject = tokens::joined(
        {{"rows of 1e-6 of the position, added to the values", &slight_rows},
         {"weights of one row that sum to 1 + 2^-20", &unnormalised_row},
         {"weights of one row that sum to 1 + 2^-19, in f32", &hardly_unnormalised_row, all_f32}},
        tokens::wrong_by(wrong, tokens::the_last), tokens::wrong_by(wrong, tokens::the_first, -1)),
    // The rows of a softmax sum to 1 whatever its logits are.
    .never_fails_of = {"rotary", "bias", "contextual"},
};

}  // namespace posproof::properties_attention_keeps_constant_sequences_constant
