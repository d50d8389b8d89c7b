#include "catalogue/defects/transformer_xl.h"

#include "catalogue/encodings/transformer_xl.h"
#include "defects/operators.h"

namespace posproof::defects_transformer_xl {
namespace {

using namespace operators;

Contextual right(const Parameters& p) {
  return encodings::transformer_xl.make<Contextual>(p);
}

// The last row of the padded matrix is dropped, not the first: each key has the vector of the one before it.
Encoding shifted_by_one(const Parameters& p) {
  return asked_for(right(p), [](Call& call) {
    for (Position& t : call.keys.whole) --t;
  });
}

// The shift of a causal matrix, whose upper triangle holds what is left over: scores of the next query. With
// L keys and the distances L - 1 .. 0 in columns, entry (i, j) is number L + i L + j of the padded matrix,
// which has L + 1 columns, the first of zeros.
Encoding one_sided_shift(const Parameters& p) {
  refuse_unless(p.word("form") == "bidirectional", "later keys mean nothing");
  Contextual wrong = right(p);
  wrong.logits = [right = wrong.logits](const Tensor& q, const Tensor& k, const Positions& queries,
                                        const Positions& keys) {
    Tensor out = right(q, k, queries, keys);
    const std::size_t n = keys.size();
    if (queries.size() != n) return out;
    const Tensor no_key({n, k.width()});
    const Tensor of_position = right(q, no_key, queries, keys);
    // The score of a query for each distance from n - 1 down to 0.
    std::vector<Position> at(n, static_cast<Position>(n) - 1), back(n);
    for (std::size_t c = 0; c < n; ++c) back[c] = static_cast<Position>(c);
    const Tensor scores = right(q, no_key, at, back);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const std::size_t number = n + i * n + j, row = number / (n + 1), column = number % (n + 1);
        const double left_over = column == 0 ? 0 : scores.at(row, column - 1);
        out.at(i, j) += left_over - of_position.at(i, j);
      }
    return out;
  };
  return wrong;
}

}  // namespace

const DefectFamily entry{{
    {.name = "shifted_by_one",
     .wrong =
         "the relative shift drops the last row of the padded matrix in place of the first: distances are one too large",
     .sources = "kin of annotated_deep_learning_paper_implementations#185",
     .make = &shifted_by_one,
     .setting = "dim=2"},
    {.name = "one_sided_shift",
     .wrong =
         "the causal shift without the causal mask: the next key gets 0, later ones the scores of the next query",
     .sources =
         "ZhengkunTian/OpenTransformer#25, espnet/espnet#2684, espnet/espnet#2816, espnet/espnet#3068, "
         "wenet-e2e/wenet#1611, upskyy/Squeezeformer#1, ZhengkunTian/OpenTransformer#28",
     .recorded = {"conformer-causal-relshift"},
     .make = &one_sided_shift,
     .setting = "dim=2 form=bidirectional"},
}};

}  // namespace posproof::defects_transformer_xl
