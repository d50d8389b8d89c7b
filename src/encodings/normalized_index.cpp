#include <fmt/format.h>

#include "catalogue/encodings/normalized_index.h"
#include "catalogue/oracle/normalized_index.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "catalogue/properties/table/distance_depends_on_offset.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_bf16.h"
#include "catalogue/properties/table/distinguishes_neighbours_in_f16.h"
#include "catalogue/properties/table/does_not_depend_on_length.h"
#include "catalogue/properties/table/dot_product_depends_on_offset.h"
#include "catalogue/properties/table/has_a_step_that_does_not_depend_on_length.h"
#include "catalogue/properties/table/has_bounded_entries.h"
#include "catalogue/properties/table/has_constant_norm.h"
#include "catalogue/properties/table/has_different_dot_products_near_and_far.h"
#include "catalogue/properties/table/has_one_shift_for_all_lengths.h"
#include "catalogue/properties/table/is_defined_for_one_token.h"
#include "catalogue/properties/table/is_prefix_stable.h"
#include "catalogue/properties/table/keeps_similarity_across_lengths.h"
#include "catalogue/properties/table/shifts_base_by_a_rotation.h"
#include "catalogue/properties/table/translates_by_a_rotation.h"
#include "core/declare.h"
#include "core/error.h"
#include "encodings/facts.h"

namespace posproof::encodings_normalized_index {
namespace {

long double share(const std::string& range, Position position, Position length) {
  const auto t = static_cast<long double>(position), n = static_cast<long double>(length);
  if (range == "per_length") return t / n;
  if (range == "shifted") return (t + 1) / n;
  if (length == 1)
    throw Refusal(fmt::format("`range={}` of a sequence of 1 token divides by 0; allowed: 2 or more", range));
  return range == "zero_one" ? t / (n - 1) : (2 * t - (n - 1)) / (n - 1);
}

Encoding make(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const std::string range = p.word("range");

  Table table{.dim = dim};
  if (range == "centred")
    table.error = [](double entry, const Precision& precision) {
      return difference_error(precision, entry, 2);
    };
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

const EncodingSpec entry{
    .summary = "the position as a share of the sequence's length L, in every channel",
    .formula = "p_t[c] = t/(L-1)",
    .source = "founding document A, questions 21 and 22: the code that depends on the length",
    .parameters = {{whole("dim", type::any_width, 1, {1, 2, 3, 8}, "width of a row", "channels"),
                    {"range",
                     type::Word{{"zero_one", "per_length", "shifted", "centred"}},
                     "zero_one",
                     {"per_length", "shifted", "zero_one", "centred"},
                     "zero_one t/(L-1), per_length t/L, shifted (t+1)/L, centred 2t/(L-1)-1",
                     "",
                     true}}},
    .reference = &make,
    .exact = &oracle::normalized_index,
    .facts = {{&facts::is_added_to_the_tokens},
              {&facts::distinguishes_positions, {}, {&score::depends_on_order}},
              {&facts::has_rows_0_and_1_first}},
    .witnesses =
        {
            fails(score::depends_on_offset, "q=[0] k=[0] i=1 j=0 t=1", 0.5, "0 x 1 = 0 and 1/2 x 1 = 1/2"),
            fails(score::decays_with_distance, "q=[-2] i=1 far=1 near=0", 1,
                  "(-2 + 1)(-2 + 0) > (-2 + 1)(-2 + 1)"),
            fails(
                attention::has_the_symmetry_of_its_mask, "dim=2 n=2 mask=none permutation=[1,0] x=[0*4]",
                0.304,
                "two equal tokens without a mask: the one at 0 averages evenly, the other favours the row of 1"),
        },
    .claims =
        {
            holds(table::distance_depends_on_offset),
            holds(table::has_bounded_entries),
            holds(table::is_defined_for_one_token, {.all = {{"range", {"per_length", "shifted"}}}}),
            fails(table::has_constant_norm, "s=0 t=1", 1, "the first token has 0 and the last one 1"),
            fails(table::translates_by_a_rotation, "k=1 s=0 t=1", 0.707,
                  "no rotation maps the rows 0 and 1/2 to 1/2 and 1: their norms differ"),
            fails(table::shifts_base_by_a_rotation, "n=2 c=1", 0.707,
                  "no rotation maps the rows 0 and 1/2 to 1/2 and 1: their norms differ"),
            fails(table::dot_product_depends_on_offset, "k=1 s=0 t=1", 0.5, "0 x 1/2 = 0 and 1/2 x 1 = 1/2"),
            fails(table::does_not_depend_on_length, "t=1 n=2 far=3", 0.5,
                  "the second token has 1 in a sequence of two and 1/2 in a sequence of three"),
            fails(table::is_prefix_stable, "n=2", 0.5, "a third token moves the second from 1 to 1/2"),
            fails(table::has_a_step_that_does_not_depend_on_length, "t=0 n=2 far=3", 0.5,
                  "the step is 1/(L-1)"),
            fails(table::has_one_shift_for_all_lengths, "k=1 t=0 u=0 n=2 far=3", 0.5,
                  "a shift by 1 adds 1/(L-1), which differs for every L"),
            fails(table::keeps_similarity_across_lengths, "s=1 t=2 n=3 far=101", 0.5,
                  "the product is 1/2 x 1 in a sequence of 3 and 1/100 x 2/100 in a sequence of 101"),
            fails(table::has_different_dot_products_near_and_far, "k=50 t=1 n=3 u=50 far=101", 1,
                  "tokens 1 and 2 of 3 have the product 1/2 x 1, and so have tokens 50 and 100 of 101"),
            fails(table::is_defined_for_one_token, "range=zero_one", 1,
                  "0/0: the only token is the first and the last"),
            fails(
                table::distinguishes_neighbours_in_bf16, "t=193 n=259", 1,
                "from 259 tokens on, some step 1/(L-1) is rounded away: bf16 has a spacing of 1/256 below 1"),
            fails(table::distinguishes_neighbours_in_f16, "t=1709 n=2052", 1,
                  "of 2052 tokens, some step 1/(L-1) is rounded away: f16 has a spacing of 1/2048 below 1"),
            fails(
                score::depends_on_order, "i=65536", 0.000153,
                "in the shortest sequence that holds query and key, keys up to three places away differ by at most 6/65536 in their logits; the threshold is 2^-12"),
        },
};

}  // namespace posproof::encodings_normalized_index
