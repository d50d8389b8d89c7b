// What is measured of every defect by name, at its setting and at a usual one; and of what is near to a
// sentence.
#include "diagnosis/testing/wrong_encodings.h"

#include <gtest/gtest.h>

#include <limits>

namespace posproof::deviations_test {
namespace {

using namespace testing;

TEST(DeviationsOfDefects, of_rope_where_more_pairs_tell_them_apart) {
  expect_same(
      of_defects("rope", "dim=16 heads=3",
                 {"angles_in_bf16", "angle_products_in_bf16", "angles_all_in_bf16", "positions_in_f16",
                  "angles_in_tf32", "exponent_one_ahead", "exponent_over_pairs_minus_one", "first_head_only",
                  "last_head_left_alone", "position_is_the_head", "exponent_over_head_dim", "fast_trig"}),
      {{"angle_products_in_bf16", {"angles are rounded to bf16"}},
       {"angles_all_in_bf16", {"positions, frequencies and angles are rounded to bf16"}},
       {"angles_in_bf16", {"positions and angles are rounded to bf16"}},
       {"angles_in_tf32",
        {"frequencies are rounded to 11 bits, as in f16 or tf32",
         "positions are rounded to 11 bits, as in f16 or tf32: from 2049 on neighbours coincide"}},
       {"exponent_one_ahead", {"frequencies are base^(-(2i + 2)/16), not base^(-2i/16)"}},
       {"exponent_over_head_dim", {"channels 0 and 8 rotate together, not channels 0 and 1"}},
       {"exponent_over_pairs_minus_one",
        {"frequencies are base^(-2i/16) with base 37276, not 10000: 2i is divided by 14, not by 16"}},
       {"fast_trig", {"every pair rotates too fast by a relative 1e-07"}},
       {"first_head_only", {"heads 1 and 2 of 3: tokens stay as they are, as at position 0"}},
       {"last_head_left_alone", {"head 2 of 3: tokens stay as they are, as at position 0"}},
       {"position_is_the_head", {"the number of the head stands for every position"}},
       {"positions_in_f16",
        {"positions are rounded to f16: from 2049 on neighbours coincide, and past 65504 there are none"}}});
}

TEST(DeviationsOfDefects, of_tables_and_biases) {
  expect_same(of_defects("sinusoidal"),
              {{"base_1000_odd_cosine",
                {"cosines: the pair rotates by 0.0316228 radians a position, up to whole turns, not by 1"}},
               {"decode_restarts_at_zero", {"after the first call a single token counts as 0"}},
               {"integer_division_exponent", {"every pair rotates at one frequency, 1 a position"}},
               {"never_added", {"the answer is 0"}},
               {"odd_tail_unwritten", {"a row is added to every row, the same at all positions"}},
               {"odd_width_raises", {}},
               {"overwritten_by_init", {}},
               {"positions_ignored", {"tokens are numbered from 0 in each row, whatever their positions"}},
               {"row_of_the_batch_element", {"positions count as 0"}},
               {"scaled_down", {"every entry is multiplied by 1/sqrt(2), not by 1"}},
               {"single_row_added_to_all", {"positions count as the number of tokens in the row"}}});
  expect_same(
      of_defects("alibi"),
      {{"cached_matrix_too_small", {}},
       {"cached_rows_not_sliced",
        {"the first call with so many tokens decides on the positions of all later ones"}},
       {"distance_in_bf16", {"distances are rounded to bf16: from 257 on neighbours coincide"}},
       {"distance_in_f16",
        {"distances are rounded to f16: from 2049 on neighbours coincide, and past 65504 they are infinite"}},
       {"distant_keys_favoured", {"the bias has the wrong sign: distant keys are favoured"}},
       {"geometric_for_any_head_count", {"slopes are 2^(-8 h/3), h = 1 .. 3: one geometric sequence"}},
       {"padding_counted", {}},
       {"slopes_from_zero", {"slopes are 2^(-8 h/1) with h from 0: the first is 1"}},
       {"slopes_of_the_first_shard", {"the second half of the heads is the first again"}},
       {"slopes_of_the_next_power", {"slopes are the first 3 of 2^(-8 k/4), k = 1, 2, 3, .."}}});
  expect_same(of_defects("t5_bias"),
              {{"decoder_bidirectional", {"half of the buckets are those of later keys, as in an encoder"}},
               {"missing_cap", {}}});
  expect_same(of_defects("learned", "length=64"),
              {{"clamps_past_the_end", {}},
               {"decode_restarts_at_zero", {"after the first call a single token counts as 0"}},
               {"offset_missing", {"every entry is 2 too small"}},  // its table is the index
               {"offset_twice", {"positions are two ahead"}},
               {"padding_counted", {}},
               {"positions_accumulate", {"every call counts on where the one before ended"}},
               {"positions_averaged_in_f32",
                {"21 positions have the row of others: 3 that of 2, 6 that of 5, 7 that of 6, .."}},
               {"returns_zero_past_the_end", {}},
               {"single_token_without_a_row", {"in calls of one token: the answer is 0"}},
               {"table_without_room_for_its_offset", {}},
               {"wraps_past_the_end", {}}});
}

// ---- near misses: what is nearly one of these gets no sentence

TEST(Deviations, of_what_is_near_to_one_are_none) {
  const std::string dim = "dim=16 heads=2";
  expect_said(
      "rope",
      {{dim, [](const Parameters& p) { return encoding_named("rope").make(p); }, {}},
       {dim,
        spoiled("rope",
                [](const Call&, Tensor& out) {
                  for (std::size_t r = 0; r < out.rows(); ++r) out.at(r, 15) += 1e-3;
                }),
        {}},
       {dim, asked_for("rope", at([](Position t) { return t == 511 ? t : t + 1; })), {}},
       {dim, asked_for("rope", at([](Position t) { return t < 1000   ? t
                                                          : t < 2000 ? 999
                                                                     : 1000; })), {}},
       {dim,
        spoiled("rope",
                [](const Call&, Tensor& out) {
                  for (double& value : out.data) value = value * value;
                }),
        {}},
       {dim,
        spoiled("rope",
                [](const Call&, Tensor& out) {
                  for (double& value : out.data) value = std::numeric_limits<double>::quiet_NaN();
                }),
        {"the answer is no number"}},
       {dim,
        [](const Parameters& p) {
          return answered_by(encoding_named("rope").make(p),
                             [](const Call&) -> Tensor { throw std::runtime_error("no"); });
        },
        {}},
       {dim,
        [](const Parameters& p) {
          return answered_by(encoding_named("rope").make(p),
                             [](const Call&) -> Tensor { throw Refusal("no"); });
        },
        {}},
       // It answers as long as it is asked as agreement asks, and declines what a measurement asks.
       {dim,
        [](const Parameters& p) {
          const Encoding right = encoding_named("rope").make(p);
          return answered_by(right, [right](const Call& call) {
            if (call.batch == 1 && call.positions.whole.size() > 8) throw Refusal("too many");
            Tensor out = answer(right, call);
            for (double& value : out.data) value *= 1.01;
            return out;
          });
        },
        {"every entry is multiplied by 1.01, not by 1"}}});
}

}  // namespace
}  // namespace posproof::deviations_test
