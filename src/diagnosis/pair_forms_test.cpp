#include "diagnosis/pair_forms.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace posproof::pair_forms_test {
namespace {

using Two = std::pair<Position, Position>;

// Of the second of two queries and the first of three keys, and of the first query and the second key.
TEST(PairForms, are_these_positions) {
  const std::vector<Position> queries = {260, 600}, keys = {3, 300, 700};
  const AskedPair past{600, 3, 1, 0, queries, keys}, ahead{260, 300, 0, 1, queries, keys};
  const std::map<std::string, std::pair<Two, Two>> all = {
      {"the two directions are swapped: query and key are exchanged", {{3, 600}, {300, 260}}},
      {"both directions have the bias of the distance", {{600, 3}, {260, 220}}},
      {"both directions have the bias of a key after the query", {{600, 1197}, {260, 300}}},
      {"distances count one more", {{600, 2}, {260, 301}}},
      {"distances count one more, 0 as it is", {{600, 2}, {260, 301}}},
      {"distances count one less, 0 as it is", {{600, 4}, {260, 299}}},
      {"keys stand one position behind", {{600, 2}, {260, 299}}},
      {"keys stand one position ahead", {{600, 4}, {260, 301}}},
      {"distances are halved, rounded down", {{600, 302}, {260, 280}}},
      {"distances are doubled", {{600, -594}, {260, 340}}},
      {"distances are cut to 8 bits, with a sign: 128 counts as -128", {{600, 515}, {260, 300}}},
      {"distances are cut to 16 bits, with a sign: 32768 counts as -32768", {{600, 3}, {260, 300}}},
      {"distances are squared", {{600, 600 - 597 * 597}, {260, 260 + 40 * 40}}},
      {"distances are rounded to bf16: from 257 on neighbours coincide", {{600, 4}, {260, 300}}},
      {"positions are rounded to bf16", {{600, 3}, {260, 300}}},
      {"the bias is that of the distance from the last key of the call", {{700, 3}, {700, 300}}},
      {"the bias is that of the last query of the call, in every row", {{600, 3}, {600, 300}}},
      {"the bias is that of the first query of the call, in every row", {{260, 3}, {260, 300}}},
      {"rows and columns are numbered from 0, whatever the positions", {{1, 0}, {0, 1}}},
      {"queries are numbered so that the last stands at the last key, whatever their positions",
       {{2, 0}, {1, 1}}},
      // Of pairs 3 and 1 of (260, 3), (600, 3), (260, 300), (600, 300), ..
      {"pairs of positions are laid out key by key and read query by query: reshaped, not transposed",
       {{600, 300}, {600, 3}}},
      {"the bias is that of the query's position, the same in the whole row", {{600, 0}, {260, 0}}},
  };
  std::map<std::string, std::pair<Two, Two>> found;
  for (const PairForm& one : pair_forms("bias")) found[one.words] = {one.to(past), one.to(ahead)};
  EXPECT_EQ(found, all);
}

TEST(PairForms, cut_distances_as_integers_do) {
  EXPECT_EQ(in_8_bits(127), 127);
  EXPECT_EQ(in_8_bits(128), -128);
  EXPECT_EQ(in_8_bits(-129), 127);
  EXPECT_EQ(in_16_bits(32767), 32767);
  EXPECT_EQ(in_16_bits(32768), -32768);
}

}  // namespace
}  // namespace posproof::pair_forms_test
