#include "diagnosis/call_places.h"

#include <gtest/gtest.h>

namespace posproof::call_places_test {
namespace {

TEST(CallPlaces, are_said_with_the_effect_in_one_sentence) {
  EXPECT_EQ(words_in("", "every token has the largest position of its row"),
            "every token has the largest position of its row");
  EXPECT_EQ(words_in("in calls of one token a row", "every token has the largest position of the batch"),
            "in calls of one token a row: every token has the largest position of the batch");
  EXPECT_EQ(words_in("the last token of a row", "positions are one ahead"),
            "the last token of a row: positions are one ahead");
  EXPECT_EQ(words_in("the last token of a row", "every token has the position of the first of its row"),
            "the last token of a row has the position of the first of its row");
  EXPECT_EQ(words_in("keys, the first token of a row", "every token has the largest position of its row"),
            "keys: the first token of a row has the largest position of its row");
  EXPECT_EQ(
      words_in("every token after the first", "every token has the position of the one before it in its row"),
      "every token after the first has the position of the one before it in its row");
}

}  // namespace
}  // namespace posproof::call_places_test
