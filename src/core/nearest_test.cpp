#include "core/nearest.h"

#include <gtest/gtest.h>

namespace posproof::nearest_test {
namespace {

using Names = std::vector<std::string>;

TEST(Nearest, prefixes_come_first_then_parts_then_few_letters) {
  struct Row {
    std::string word;
    Names names, near;
  };
  const Row rows[] = {
      {"ga", {"matrix", "gap", "gate", "gather", "garden"}, {"gap", "gate", "gather"}},
      {"gates", {"gap", "matrix", "gate"}, {"gate"}},
      {"GATE", {"gates", "gate"}, {"gate", "gates"}},
      {"half-split", {"interleaved", "half_split"}, {"half_split"}},
      {"Half_Splits", {"half_split"}, {"half_split"}},
      {"dmi", {"cases", "dim", "seed", "time"}, {"dim"}},  // swapped
      {"dm", {"dim"}, {"dim"}},                            // dropped
      {"diim", {"dim", "dimmer"}, {"dim"}},                // added, and three letters are too many
      {"sad", {"seed", "sed"}, {"sed"}},                   // one changed, and two are too many
      {"rope", {"nope", "tropes", "ropes"}, {"ropes", "tropes", "nope"}},
      {"ro", {"bro", "rope"}, {"rope", "bro"}},  // two letters are no part of a name
      {"b", {"a", "bb"}, {"bb"}},                // a word of one letter is unlike another
      {"depends_on_ofset", {"score/depends_on_offset"}, {"score/depends_on_offset"}},
      {"depends", {"x/y", "score/depends_on_offset"}, {"score/depends_on_offset"}},
      {"scores/depends_on_offset", {"score/depends_on_offset"}, {"score/depends_on_offset"}},
      {"pe", {"xxxpexxx"}, {}},
      {"has", {"xhasx", "table/has_y"}, {"table/has_y", "xhasx"}},
      {"rope", {"rope", "rope"}, {"rope"}},
      {"", {"rope", ""}, {""}},
      {"zzzz", {"rope", "alibi"}, {}},
  };
  for (const Row& row : rows) EXPECT_EQ(nearest(row.word, row.names), row.near) << row.word;
}

TEST(Nearest, of_those_alike_the_first_stay_first) {
  EXPECT_EQ(nearest("bx", {"ba", "bb", "bc", "bd"}), (Names{"ba", "bb", "bc"}));
  EXPECT_EQ(nearest("aaaa", {"aabb", "aaab", "abbb"}), (Names{"aaab", "aabb"}));
}

TEST(Nearest, is_said_where_there_is_one) {
  EXPECT_EQ(near_it("rop", {"rope", "none"}), "; near it: rope");
  EXPECT_EQ(near_it("no", {"rope", "none", "not"}), "; near it: not, none");
  EXPECT_EQ(near_it("zzzz", {"rope"}), "");
}

}  // namespace
}  // namespace posproof::nearest_test
