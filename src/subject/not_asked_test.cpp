#include "subject/not_asked.h"

#include <gtest/gtest.h>

namespace posproof::not_asked_test {
namespace {

using Lines = std::vector<std::string>;

TEST(NotAsked, a_token_with_a_position_of_its_own_can_be_asked_everything) {
  EXPECT_EQ(not_asked(Rotary{}, "each"), Lines{});
  EXPECT_EQ(not_asked(Table{}, "each"), Lines{});
}

TEST(NotAsked, of_a_rotation_batch_rows_have_the_same_positions) {
  EXPECT_EQ(not_asked(Rotary{}, "shared"),
            Lines{"positions different by batch row in one call: not asked, the subject "
                  "takes one row of positions for the batch"});
  EXPECT_EQ(not_asked(Rotary{}, "ascending"),
            Lines{"positions out of order, repeated or different by batch row in one "
                  "call: not asked, the subject takes ascending positions"});
  EXPECT_EQ(
      not_asked(Rotary{}, "offset"),
      Lines{
          "positions out of order, repeated, with gaps or different by batch row in one call: not asked, the "
          "subject takes an offset"});
  EXPECT_EQ(
      not_asked(Rotary{}, "sequence"),
      Lines{
          "positions out of order, repeated, with gaps, from another one than 0 on or different by batch row in "
          "one call: not asked, the subject takes whole sequences from 0 on"});
  EXPECT_EQ(
      not_asked(Rotary{}, "mask"),
      Lines{
          "positions out of order, repeated, with gaps, from another one than 0 on or different by batch row in "
          "one call: not asked, the subject takes a mask of whole sequences behind padding"});
}

TEST(NotAsked, other_kinds_have_no_batch) {
  const Lines offset = {
      "positions out of order, repeated or with gaps in one call: not asked, the subject takes an offset"};
  const Lines sequence = {
      "positions out of order, repeated, with gaps or from another one than 0 on in one call: not asked, the subject "
      "takes whole sequences from 0 on"};
  for (const Encoding& kind : std::vector<Encoding>{Table{}, Bias{}, Contextual{}}) {
    EXPECT_EQ(not_asked(kind, "shared"), Lines{});
    EXPECT_EQ(not_asked(kind, "ascending"),
              Lines{"positions out of order or repeated in one call: not asked, the "
                    "subject takes ascending positions"});
    EXPECT_EQ(not_asked(kind, "offset"), offset);
    EXPECT_EQ(not_asked(kind, "sequence").front(), sequence.front());
  }
}

TEST(NotAsked, logits_of_whole_sequences_have_as_many_queries_as_keys) {
  EXPECT_EQ(not_asked(Table{}, "sequence").size(), 1u);
  EXPECT_EQ(not_asked(Bias{}, "sequence").size(), 1u);
  EXPECT_EQ(
      not_asked(Contextual{}, "sequence").at(1),
      "other numbers of queries than of keys in one call: not asked, the subject takes whole sequences");
  Contextual grid;
  grid.positions.axes = 2;  // keys may be pooled
  EXPECT_EQ(not_asked(grid, "sequence").size(), 1u);
}

TEST(NotAsked, of_the_whole_operator_positions_are_row_numbers) {
  EXPECT_EQ(not_asked(Attention{}, "sequence"), Lines{});
}

}  // namespace
}  // namespace posproof::not_asked_test
