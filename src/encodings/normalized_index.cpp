#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "core/error.h"
#include "encodings/checked.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

long double share(const std::string& range, Position position, Position length) {
  const auto t = static_cast<long double>(position), n = static_cast<long double>(length);
  if (range == "per_length") return t / n;
  if (range == "shifted") return (t + 1) / n;
  if (length == 1)
    throw Refusal(
        fmt::format("`range={}` of a sequence of 1 token divides by 0: allowed are 2 or more", range));
  return range == "zero_one" ? t / (n - 1) : (2 * t - (n - 1)) / (n - 1);
}

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const std::string range =
      checked::one_of(parameters, "range", {"zero_one", "per_length", "shifted", "centred"});

  Table table{.dim = dim};
  if (range == "centred")
    table.error = [](double entry, const Precision& p) { return difference_error(p, entry, 2); };
  table.rows = [dim, range](std::span<const Position> positions, Position length) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      if (positions[r] < 0 || positions[r] >= length)
        throw Refusal(fmt::format("position {} is outside a sequence of {} tokens", positions[r], length));
      const double x = static_cast<double>(share(range, positions[r], length));
      for (double& entry : rows.row(r)) entry = x;
    }
    return rows;
  };
  return table;
}

using namespace properties;

}  // namespace

const EncodingSpec encodings::normalized_index{
    .summary = "the position as a share of the sequence's length L, in every channel",
    .formula = "p_t[c] = t/(L-1)",
    .source = "founding document A, questions 21 and 22: the code that depends on the length",
    .parameters = {{"dim", 1.0, {1.0, 2.0, 3.0, 8.0}, "width of a row, channels"},
                   {"range",
                    "zero_one",
                    {"per_length", "shifted", "zero_one", "centred"},
                    "zero_one t/(L-1), per_length t/L, shifted (t+1)/L, centred 2t/(L-1)-1",
                    true}},
    .make = &make,
    .oracle = &oracle::normalized_index,
    .claims =
        {
            holds(table::distance_depends_on_offset),
            holds(table::has_bounded_entries),
            holds(table::has_distinct_positions),
            holds(table::is_defined_for_one_token, {.all = {{"range", {"per_length", "shifted"}}}}),
            fails(table::has_constant_norm, "s=0 t=1", 1, "the first token has 0 and the last one 1"),
            fails(table::translates_by_a_rotation, "k=1 s=0 t=1", 0.707,
                  "no rotation carries (0, 1/2) to (1/2, 1)"),
            fails(table::shifts_base_by_a_rotation, "n=2 c=1", 0.707,
                  "no rotation carries (0, 1/2) to (1/2, 1)"),
            fails(table::dot_product_depends_on_offset, "k=1 s=0 t=1", 0.5, "0 x 1/2 = 0 and 1/2 x 1 = 1/2"),
            fails(table::does_not_depend_on_length, "t=1 n=2 far=3", 0.5,
                  "the second token is 1 of two and 1/2 of three"),
            fails(table::is_prefix_stable, "n=2", 0.5, "a third token moves the second from 1 to 1/2"),
            fails(table::has_a_step_that_does_not_depend_on_length, "t=0 n=2 far=3", 0.5,
                  "the step is 1/(L-1)"),
            fails(table::has_one_shift_for_all_lengths, "k=1 t=0 u=0 n=2 far=3", 0.5,
                  "a shift by 1 adds 1/(L-1), another number for every L"),
            fails(table::keeps_similarity_across_lengths, "s=1 t=2 n=3 far=101", 0.5,
                  "1/2 x 1 in three tokens, 1/100 x 2/100 in a hundred and one"),
            fails(table::distinguishes_neighbours_from_distant_tokens, "k=50 t=1 n=3 u=50 far=101", 1,
                  "tokens 1 and 2 of 3, tokens 50 and 100 of 101: 1/2 x 1 twice"),
            fails(table::is_defined_for_one_token, "range=zero_one", 1,
                  "0/0: the only token is the first and the last"),
            fails(table::distinguishes_neighbours_in_bf16, "t=193 n=259", 1,
                  "from 259 tokens on a step 1/(L-1) is lost below 1, where bf16 counts in 1/256"),
            fails(table::distinguishes_neighbours_in_f16, "t=1709 n=2052", 1,
                  "a step 1/(L-1) of 2052 tokens is lost below 1, where f16 counts in 1/2048"),
            fails(score::depends_on_offset, "q=[0] k=[0] i=1 j=0 t=1", 0.5, "0 x 1 = 0 and 1/2 x 1 = 1/2"),
            fails(score::decays_with_distance, "q=[-2] i=1 far=1 near=0", 1,
                  "(-2 + 1)(-2 + 0) > (-2 + 1)(-2 + 1)"),
            fails(score::depends_on_order, "i=65536", 0.000153,
                  "three steps of 1/65536 move a logit by 2 x 3/65536, short of 2^-12: neighbours of a long "
                  "sequence become one"),
            holds(attention::breaks_the_symmetry),
            holds(attention::is_causal),
            fails(attention::keeps_constant_sequences_constant, "dim=1 n=2 mask=causal x=[0]", 0.731,
                  "the code is added to the values: 0, then a mean of 0 and 1"),
            fails(attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                  0.304,
                  "no mask, equal tokens: the one at 0 takes a plain mean, the other leans to the row of 1"),
            fails(attention::permutation_equivariant, "dim=1 n=2 permutation=[1,0] mask=none x=[0,0]", 0.231,
                  "two equal tokens change places, but their answers differ: 1/2 and e/(1+e)"),
            fails(attention::pooled_readout_invariant, "dim=1 n=2 permutation=[1,0] x=[1,0]", 0.482,
                  "(1, 0) becomes (1, 1) and (0, 1) becomes (0, 2): the sums, token and code, differ"),
            fails(attention::query_order_equivariant,
                  "dim=1 queries=2 keys=2 permutation=[1,0] q=[0,0] k=[0,0]", 0.231,
                  "equal queries answer 1/2 at 0 and e/(1+e) at 1"),
            fails(attention::key_order_invariant, "dim=1 queries=1 keys=2 permutation=[1,0] q=[1] k=[1,0]",
                  0.762, "(1, 0) becomes (1, 1) and (0, 1) becomes (0, 2): the keys, token and code, differ"),
            holds(call::agrees_in_chunks),
            holds(call::is_stateless),
            holds(call::takes_positions_in_any_order),
        },
};

}  // namespace posproof
