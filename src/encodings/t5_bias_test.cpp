#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "catalogue/encodings/t5_bias.h"
#include "encodings/made.h"

namespace posproof::t5_bias_test {
namespace {

// The bucket of key - query = offset: head 0 of the table `index`.
double bucket(std::string_view parameters, Position offset) {
  const std::array<Position, 1> query = {1000}, key = {1000 + offset};
  return made<Bias>(encodings::t5_bias, parameters).bias(query, key).data.at(0);
}

// The distances into the past at which a new bucket begins, from the first shared one.
std::vector<Position> edges(std::string_view parameters, Position exact) {
  std::vector<Position> out;
  for (Position n = exact; n < 300; ++n)
    if (bucket(parameters, -n) != bucket(parameters, 1 - n)) out.push_back(n);
  return out;
}

TEST(T5Bias, has_the_buckets_of_both_directions) {
  const std::pair<Position, double> golden[] = {{-200, 15}, {-12, 9}, {-8, 8},  {-1, 1},  {0, 0},
                                                {1, 17},    {8, 24},  {12, 25}, {90, 30}, {91, 31}};
  for (const auto& [offset, number] : golden) EXPECT_EQ(bucket("heads=1", offset), number) << offset;
}

TEST(T5Bias, begins_its_buckets_at_the_exact_edges) {
  EXPECT_EQ(edges("heads=1", 8), (std::vector<Position>{8, 12, 16, 23, 32, 46, 64, 91}));
  EXPECT_EQ(edges("heads=1 direction=unidirectional", 16),
            (std::vector<Position>{16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113}));
  EXPECT_EQ(edges("heads=1 buckets=10 max_distance=20", 2), (std::vector<Position>{2, 5, 10}));
}

TEST(T5Bias, puts_all_of_the_future_into_bucket_0_of_one_direction) {
  for (const Position offset : {0, 1, 8, 200})
    EXPECT_EQ(bucket("heads=1 direction=unidirectional", offset), 0);
  EXPECT_EQ(bucket("heads=1 direction=unidirectional", -3), 3);
}

TEST(T5Bias, is_mirrored_where_the_offset_is_query_minus_key) {
  for (const Position offset : {-200, -8, -1, 0, 1, 12, 91})
    EXPECT_EQ(bucket("heads=1 relative=query_minus_key", offset), bucket("heads=1", -offset)) << offset;
  EXPECT_NE(bucket("heads=1 relative=query_minus_key", 1), bucket("heads=1", 1));
}

TEST(T5Bias, gives_each_head_its_column) {
  const std::array<Position, 1> query = {3};
  const std::array<Position, 2> key = {0, 4};
  const Tensor index = made<Bias>(encodings::t5_bias, "heads=3").bias(query, key);
  EXPECT_EQ(index.shape, (Shape{3, 1, 2}));
  EXPECT_EQ(index.data, (std::vector<double>{3, 17, 35, 49, 67, 81}));
  // Row 17, column 3 of 8 columns: entry 139 of the seed's table.
  const Tensor seeded = made<Bias>(encodings::t5_bias, "heads=8 table=seeded").bias(query, key);
  EXPECT_DOUBLE_EQ(seeded.at(3, 1), -0.7679348133908165);
}

// Queries and keys of two sequences, as in cross attention, have positions of their own.
TEST(T5Bias, multiplies_every_entry_with_its_scale_and_takes_any_two_positions) {
  const std::array<Position, 2> queries = {40, 2};
  const std::array<Position, 3> keys = {0, 40, 300};
  for (const bool exact : {false, true})
    for (const std::string table : {"index", "seeded"}) {
      const auto entries = [&](const std::string& words) {
        const Parameters all = with(encodings::t5_bias, Case::parse("heads=2 table=" + table + words));
        return as<Bias>(exact ? encodings::t5_bias.oracle(all) : encodings::t5_bias.make(all))
            .bias(queries, keys);
      };
      const Tensor plain = entries(""), scaled = entries(" scale=3");
      if (table == "index") {
        EXPECT_EQ(plain.data, (std::vector<double>{12, 0, 31, 2, 28, 31, 44, 32, 63, 34, 60, 63}));
      }
      for (std::size_t n = 0; n < plain.data.size(); ++n) EXPECT_EQ(scaled.data[n], 3 * plain.data[n]);
    }
}

TEST(T5Bias, declares_its_buckets) {
  const auto bias = made<Bias>(encodings::t5_bias, "direction=unidirectional");
  ASSERT_TRUE(bias.buckets.has_value());
  EXPECT_EQ(bias.buckets->count, 32u);
  EXPECT_EQ(bias.buckets->max_distance, 128u);
  EXPECT_FALSE(bias.buckets->bidirectional);
  EXPECT_TRUE(bias.causal);
  EXPECT_FALSE(made<Bias>(encodings::t5_bias, "").causal);
  EXPECT_EQ(std::count(bias.positions.hard.begin(), bias.positions.hard.end(), Position{113}), 1);
}

TEST(T5Bias, refuses_what_makes_no_sense) {
  const auto& spec = encodings::t5_bias;
  EXPECT_EQ(refused(spec, "heads=0"), "`heads=0`; allowed: whole numbers from 1 to 16384");
  EXPECT_EQ(refused(spec, "buckets=1"), "`buckets=1`; allowed: whole numbers from 2 to 1024");
  EXPECT_EQ(refused(spec, "buckets=2"), "`buckets=2 direction=bidirectional`; allowed: even numbers from 4");
  EXPECT_EQ(refused(spec, "buckets=33"),
            "`buckets=33 direction=bidirectional`; allowed: even numbers from 4");
  EXPECT_EQ(refused(spec, "max_distance=8"),
            "`max_distance=8 buckets=32 direction=bidirectional`; allowed: distances beyond those that "
            "have a bucket each, half of a direction's");
  EXPECT_EQ(refused(spec, "direction=decoder"),
            "`direction=decoder`; allowed: bidirectional, unidirectional");
  EXPECT_EQ(
      refused(spec, "relative=key"),
      "`relative=key`; allowed: key_minus_query, query_minus_key; near it: key_minus_query, query_minus_key");
  EXPECT_EQ(refused(spec, "table=random"), "`table=random`; allowed: index, seeded");
  EXPECT_EQ(refused(spec, "table_seed=0.5"),
            "`table_seed=0.5`; allowed: whole numbers from -9007199254740992 to 9007199254740992");
}

}  // namespace
}  // namespace posproof::t5_bias_test
