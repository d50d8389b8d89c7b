#include "catalogue/encodings/cope.h"
#include "catalogue/oracle/cope.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/attention/weighs_keys_alike_from_every_later_query.h"
#include "core/declare.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_cope {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim"), rows = p.width("length");
  const Real scale = p.is("gate", "scaled") ? 1 / root(dim) : 1;
  const std::size_t behind = p.is("counting", "inclusive") ? 0 : 1;
  const Tensor table = trained(rows, dim, p.whole("table_seed"));

  Attention cope = attention(dim, [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const auto logit = [=, &q, &k, &mask](std::size_t i, std::size_t j) {
      Real position = 0;
      for (std::size_t l = j + behind; l < k.rows(); ++l)
        if (mask.at(i, l) != 0) position += 1 / (1 + std::exp(-scale * dot(q.row(i), k.row(l))));
      position = std::min(position, static_cast<Real>(rows - 1));
      const auto below = static_cast<std::size_t>(position), above = std::min(below + 1, rows - 1);
      // The vector between the two rows, and its product with the query.
      const Real share = position - static_cast<Real>(below);
      Real embedded = 0;
      for (std::size_t c = 0; c < dim; ++c)
        embedded += q.at(i, c) * ((1 - share) * table.at(below, c) + share * table.at(above, c));
      return dot(q.row(i), k.row(j)) / root(dim) + embedded;
    };
    return Pairwise{logit, [&v](std::size_t, std::size_t j, std::size_t c) { return Real{v.at(j, c)}; }};
  });
  cope.only_logits = true;
  cope.causal = true;
  cope.errors = BoundOf<Attention>(&oracle::cope, p);
  return cope;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "positions are counted by gates that query and key open together",
    .formula =
        "s_ij = q_i.k_j / sqrt(dim) + q_i.e[p_ij], p_ij = sum over j <= l <= i that i sees of g_il, "
        "g_il = 1 / (1 + e^(-q_i.k_l / sqrt(dim))), e linear between whole p",
    .source =
        "Golovneva et al. 2024, Contextual Position Encoding: Learning to Count What's Important, "
        "and its listing",
    .parameters = {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
                    whole("length", {1, 1 << 16}, 64, {2, 4},
                          "rows of the table; larger positions get the last one", "rows"),
                    convention("gate", {"scaled", "plain"},
                               "scaled: the gate opens by q.k / sqrt(dim), as in the paper's listing; "
                               "plain: by q.k, as in its formula"),
                    convention(
                        "counting", {"inclusive", "exclusive"},
                        "whether the key's own gate is counted: the query's position is its own gate, or 0"),
                    whole("table_seed", type::any_whole, 1, {1, 2}, "seed of e [length, dim]")}},
    .reference = &make,
    .exact = &oracle::cope,
    .facts = {{&facts::acts_on_logits_alone}},
    .claims =
        {
            holds(attention::weighs_keys_alike_from_every_later_query),
            fails(
                attention::breaks_the_symmetry, "dim=1 length=2 n=3 permutation=[1,0,2]", 0.000488,
                "with two rows, both keys of these tokens are at or past the last one: their order has no effect"),
            fails(
                attention::has_the_symmetry_of_its_mask,
                "dim=4 length=4 n=3 mask=last_sees_all permutation=[1,0,2] x=[0,1,0*6,1,0,0,0]", 0.0747,
                "exchanging two keys exchanges which of them counts the gate of the other for the last query"),
            fails(
                attention::permutation_equivariant,
                "dim=2 length=4 n=3 permutation=[1,0,2] mask=last_sees_all x=[0,1,0,0,1,0]", 0.197,
                "exchanging two keys exchanges which of them counts the gate of the other for the last query"),
            holds(attention::query_order_equivariant),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.486,
                  "the first token is seen by both, the second by itself"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=1 keys=2 permutation=[1,0] q=[1,0] k=[1,0*3]", 0.124,
                  "moving a key changes the gates that are summed for it"),
        },
};

}  // namespace posproof::encodings_cope
