// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/transformer_xl.h"
#include <gtest/gtest.h>

#include <cmath>

#include "encodings/asked.h"

namespace posproof::transformer_xl_test {
namespace {

using namespace asked;

const Places places = {{0, 0}, {3, 1}, {1, 3}, {9, 2}, {2, 60}};

TEST(TransformerXl, has_the_golden_logits) {
  expect_logits(encodings::transformer_xl, "dim=4 form=bidirectional", places,
                {-1.8593660563983197, 0.62535548877253189, 0.50898865902030266, -1.418901083829419,
                 0.092865559541799003});
  expect_logits(
      encodings::transformer_xl, "dim=4 clamp_len=3", places,
      {-1.8593660563983197, 0.62535548877253189, 0.50898865902030266, 1.546667770765576, 1.5547401800753778});
}

// A memory before the segment moves queries and keys on together.
TEST(TransformerXl, gives_a_segment_behind_a_memory_the_logits_of_the_full_pass) {
  for (const Position memory : {1, 17, 4096})
    for (const auto& [i, j] : Places{{0, 0}, {3, 1}, {9, 2}})
      EXPECT_EQ(logit(encodings::transformer_xl, "dim=4", q4, k4, memory + i, memory + j),
                logit(encodings::transformer_xl, "dim=4", q4, k4, i, j));
}

TEST(TransformerXl, takes_larger_offsets_for_the_clamped_one) {
  const auto at = [](std::string_view words, Position i) {
    return logit(encodings::transformer_xl, words, q4, k4, i, 0);
  };
  EXPECT_EQ(at("dim=4 clamp_len=3", 3), at("dim=4 clamp_len=3", 4));
  EXPECT_EQ(at("dim=4 clamp_len=3", 3), at("dim=4", 3));
  EXPECT_NE(at("dim=4", 3), at("dim=4", 4));
}

TEST(TransformerXl, differs_by_its_layout_in_the_columns_of_the_projection_alone) {
  // Of two channels there is one order.
  EXPECT_EQ(logit(encodings::transformer_xl, "dim=2 layout=interleaved", {1, 2}, {3, 4}, 5, 2),
            logit(encodings::transformer_xl, "dim=2", {1, 2}, {3, 4}, 5, 2));
  EXPECT_NE(logit(encodings::transformer_xl, "dim=4 layout=interleaved", q4, k4, 5, 2),
            logit(encodings::transformer_xl, "dim=4", q4, k4, 5, 2));
}

TEST(TransformerXl, is_causal_where_it_says_so) {
  EXPECT_TRUE(encodings::transformer_xl.make<Contextual>({}).causal);
  EXPECT_FALSE(encodings::transformer_xl.make<Contextual>(Case::parse("form=bidirectional")).causal);
}

}  // namespace
}  // namespace posproof::transformer_xl_test
