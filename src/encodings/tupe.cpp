#include <array>

#include "catalogue/encodings/t5_bias.h"
#include "catalogue/encodings/tupe.h"
#include "catalogue/oracle/tupe.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/contextual/adds_content_and_position.h"
#include "catalogue/properties/contextual/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "core/declare.h"
#include "core/outside.h"
#include "core/spec.h"
#include "encodings/facts.h"
#include "encodings/inside_attention.h"

namespace posproof::encodings_tupe {
namespace {

using namespace inside;

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim"), length = p.width("length");
  const bool untied = p.is("cls", "untied");
  const std::int64_t seed = p.whole("table_seed");
  const Tensor queries = trained(length, dim, seed), keys = trained(length, dim, seed + 1);
  Tensor biases({33, 1});
  if (p.is("relative", "t5")) biases = trained(33, 1, seed + 2);
  const Position last = static_cast<Position>(length) - (untied ? 2 : 1);
  // Of the table `index` the bias is the bucket itself.
  const auto bucket = encodings::t5_bias.make<Bias>(Case::parse("heads=1 table=index")).bias;

  Contextual tupe = contextual(
      dim, 1, [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        refuse_outside(i, 0, last);
        refuse_outside(j, 0, last);
        const auto at = [&](std::size_t row, std::size_t column, std::size_t entry) {
          return (dot(q, k) + dot(queries.row(row), keys.row(column))) / root(2 * dim) + biases.data[entry];
        };
        if (untied && i == 0) return at(0, 0, 16);
        if (untied && j == 0) return at(1, 1, 32);
        const std::array<Position, 1> query = {i}, key = {j};
        const std::size_t first = untied ? 1 : 0;
        return at(static_cast<std::size_t>(i) + first, static_cast<std::size_t>(j) + first,
                  static_cast<std::size_t>(bucket(query, key).data[0]));
      });
  tupe.positions = {0, last};
  tupe.positions.ends = true;
  tupe.error = BoundOf<Contextual>(&oracle::tupe, p);
  return tupe;
}

using namespace properties;

}  // namespace

const EncodingSpec entry{
    .summary = "untied: the positions have projections of their own, and a logit of their own",
    .formula = "s(q,k; i,j) = (q.k + (p_i U_Q).(p_j U_K)) / sqrt(2 dim) + b_(j - i)",
    .source =
        "Ke, He, Liu 2021, Rethinking Positional Encoding in Language Pre-training; "
        "guolinke/TUPE",
    .parameters = {{whole("dim", type::any_width, 64, {1, 2, 4}, "width of a head", "channels"),
                    whole("length", {2, 1 << 16}, 64, {4, 17}, "rows of the tables", "rows"),
                    convention("cls", {"untied", "tied"},
                               "untied: rows 0 and 1 give theta1 and theta2, which stand for the positions "
                               "where the first token is the query or the key; other tokens have the rows "
                               "after; tied: token t has row t"),
                    convention(
                        "relative", {"none", "t5"},
                        "b: none (TUPE-A), or T5's 32 buckets up to distance 128 (TUPE-R); where cls is "
                        "untied, the first token's are entry 16 as a query and entry 32 as a key"),
                    whole("table_seed", type::any_whole, 1, {1, 2},
                          "seed of p U_Q [length, dim]; of p U_K and of the 33 biases, the next ones")}},
    .reference = &make,
    .exact = &oracle::tupe,
    .facts = {{&facts::acts_on_logits_alone}, {&facts::distinguishes_positions}, {&facts::ends}},
    .witnesses =
        {
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[1,0*3]",
                  0.159, "each pair of positions has its own logit"),
            fails(attention::permutation_equivariant, "dim=2 n=2 permutation=[1,0] mask=none x=[1,0*3]",
                  0.159, "each pair of positions has its own logit"),
            fails(attention::pooled_readout_invariant, "dim=2 n=2 permutation=[1,0] x=[1,0*3]", 0.159,
                  "each pair of positions has its own logit"),
            fails(attention::query_order_equivariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[1,0*3]", 0.159,
                  "the first query has one logit, theta_1, for all keys; the second has not"),
            fails(attention::key_order_invariant,
                  "dim=2 queries=2 keys=2 permutation=[1,0] q=[0*4] k=[1,0*3]", 0.319,
                  "moving a key changes its position"),
        },
    .claims =
        {
            fails(contextual::saturates, "dim=1 length=4 side=past q=[0] k=[0]", 1.03,
                  "every position has its own vector, to the end of the table"),
            holds(contextual::adds_content_and_position),
            fails(score::depends_on_offset, "dim=2 q=[0*2] k=[0*2] i=0 j=0 t=1", 0.175,
                  "the logit is of two positions, not of their offset: theta_1 at 0, p_1.p_1 at 1"),
            fails(score::decays_with_distance, "dim=2 q=[0*2] i=1 far=1 near=0", 0.66,
                  "trained vectors are not ordered by distance"),
        },
};

}  // namespace posproof::encodings_tupe
