#include "run/words_alike.h"

#include <gtest/gtest.h>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/axial_rope.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"

namespace posproof::words_alike_test {
namespace {

using Words = std::vector<std::string>;

TEST(WordsAlike, are_the_rules_of_slopes_at_a_power_of_two_of_heads) {
  EXPECT_EQ(
      words_alike(encodings::alibi, Case::parse("heads=8")),
      (Words{"rule: `official` and `geometric` give the same values here; `heads=3` tells them apart",
             "rule: `official` and `log_linear` give the same values here; `heads=2` tells them apart"}));
  EXPECT_EQ(words_alike(encodings::alibi, Case::parse("heads=12")), Words{});
}

TEST(WordsAlike, are_the_exponents_of_a_rotation_of_all_channels) {
  EXPECT_EQ(
      words_alike(encodings::rope, Case::parse("dim=8 layout=interleaved")),
      Words{"exponent: `rotary_dim` and `dim` give the same values here; `rotary_dim=4` tells them apart"});
}

// Of several axes, where no table of exact entries says it at once.
TEST(WordsAlike, are_the_coordinates_of_a_grid_that_is_not_resized) {
  EXPECT_EQ(
      words_alike(encodings::axial_rope, standard(encodings::axial_rope)),
      Words{"coordinates: `whole` and `resized` give the same values here; `factor=2` tells them apart"});
}

TEST(WordsAlike, are_none_where_every_convention_shows) {
  EXPECT_EQ(words_alike(encodings::sinusoidal, Case::parse("dim=7 odd=truncate")), Words{});
}

TEST(WordsAlike, are_not_sought_where_rows_may_be_shifted) {
  EXPECT_EQ(words_alike(encodings::alibi, Case::parse("heads=12 rows=any")), Words{});
}

// Modulo a constant per row nothing is known of two words: that is no setting which tells them apart.
TEST(WordsAlike, are_told_apart_by_no_freedom_of_rows) {
  EXPECT_EQ(
      words_alike(encodings::alibi, Case::parse("heads=12 form=symmetric")),
      Words{
          "form: `symmetric` and `asymmetric` give the same values here; `future_factor=0.5` tells them apart"});
}

// Causal ones say nothing of the keys after the query, where the others differ from them.
TEST(WordsAlike, are_of_the_same_side_of_the_query) {
  for (const AlikeWord& one : alike_words(encodings::alibi, Case::parse("heads=12")))
    EXPECT_NE(one.parameter, "form") << one.other;
}

}  // namespace
}  // namespace posproof::words_alike_test
