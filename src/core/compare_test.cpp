// Where an entry of an answer stands, and what is compared there: every kind of encoding, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/call.h"

namespace posproof::compare_test {
namespace {

using Axes = std::vector<std::pair<Axis, std::size_t>>;
using enum Axis;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Entries 0, 1, 2, .. of that shape; of another answer each is 1/2 more. Off by 1/4 is allowed.
Tensor counted(const Shape& shape, double more = 0) {
  Tensor out(shape);
  for (std::size_t n = 0; n < out.data.size(); ++n) out.data[n] = static_cast<double>(n) + more;
  return out;
}
Bound allowed(const Shape& shape) {
  Bound out{Tensor(shape), Tensor(shape)};
  out.error.data.assign(out.error.data.size(), 0.25);
  out.ceiling.data.assign(out.ceiling.data.size(), 8);
  return out;
}
std::optional<Place> at(const Encoding& encoding, const Call& call, const Shape& shape, std::size_t entry) {
  return place_of(encoding, call, counted(shape, 0.5), counted(shape), allowed(shape), entry);
}

TEST(Place, of_a_rotation_has_row_head_token_position_channel_and_pair) {
  const Rotary rotary{.dim = 4, .heads = 2, .pairs = {{0, 2, 1, 0}, {1, 3, 0.1, 5}}};
  const Call call{.batch = 2, .positions = {.whole = {10, 11, 12, 20, 21, 22}}};
  const Shape shape = {2, 2, 3, 4};
  // ((1 * 2 + 0) * 3 + 2) * 4 + 3
  const auto found = at(rotary, call, shape, 35);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->axes, (Axes{{batch, 1}, {head, 0}, {token, 2}, {channel, 3}}));
  EXPECT_EQ(found->position, (std::vector<double>{22}));
  EXPECT_EQ(found->key_position, (std::vector<double>{}));
  ASSERT_TRUE(found->pair);
  EXPECT_EQ(found->pair->index, 5u);
  EXPECT_TRUE(found->pair->second);
  EXPECT_EQ(found->expected, 35);
  EXPECT_EQ(found->got, 35.5);
  EXPECT_FALSE(found->relative_to_key);
  EXPECT_EQ(found->off.error, 0.5);
  EXPECT_EQ(found->off.bound, 0.25);
  EXPECT_EQ(found->off.ceiling, 8);
  EXPECT_EQ(found->answer, 0u);
  EXPECT_EQ(found->answers, 1u);

  // ((0 * 2 + 1) * 3 + 1) * 4 + 0
  const auto other = at(rotary, call, shape, 16);
  EXPECT_EQ(other.value().axes, (Axes{{batch, 0}, {head, 1}, {token, 1}, {channel, 0}}));
  EXPECT_EQ(other->position, (std::vector<double>{11}));
  EXPECT_EQ(other->pair.value().index, 0u);
  EXPECT_FALSE(other->pair->second);
  EXPECT_FALSE(at(rotary, call, shape, 48)) << "there are 48 entries";
}

// The pairs of the second axis count on from those of the first, whatever their own numbers are.
TEST(Place, of_a_rotation_by_two_numbers_counts_its_pairs_through) {
  Rotary rotary{.dim = 4, .heads = 1, .pairs = {{0, 2, 1, 0}, {1, 3, 1, 0}}};
  rotary.pairs.back().axis = 1;
  rotary.positions.axes = 2;
  const Call call{.batch = 1, .positions = {.whole = {3, 4}, .axes = 2}};
  const auto pair_at = [&](std::size_t channel) {
    return at(rotary, call, {1, 1, 1, 4}, channel).value().pair.value();
  };
  EXPECT_EQ(pair_at(2).index, 0u);
  EXPECT_EQ(pair_at(1).index, 1u);
  EXPECT_EQ(pair_at(3).index, 1u);
  EXPECT_TRUE(pair_at(3).second);
}

TEST(Place, of_a_table_is_a_row_and_a_channel_and_may_be_in_no_pair) {
  const Table table{.dim = 3, .pairs = {{0, 1, 1}}};
  const Call grid{.positions = {.whole = {1, 2, 3, 4}, .axes = 2}};
  const auto found = at(table, grid, {2, 3}, 5);
  EXPECT_EQ(found.value().axes, (Axes{{token, 1}, {channel, 2}}));
  EXPECT_EQ(found->position, (std::vector<double>{3, 4}));
  EXPECT_FALSE(found->pair);
  const Call real{.positions = {.real = {0.5, 1.5}}};
  EXPECT_EQ(at(table, real, {2, 3}, 3).value().position, (std::vector<double>{1.5}));
}

// Cosines before sines, as a pair of a table whose first column is the sine's.
TEST(Place, of_a_pair_is_the_first_that_lies_first) {
  const Table table{.dim = 2, .pairs = {{1, 0, 1}}};
  const Call call{.positions = {.whole = {7}}};
  for (const std::size_t column : {0, 1})
    EXPECT_EQ(at(table, call, {1, 2}, column).value().pair.value().second, column == 1);
}

TEST(Place, of_logits_has_head_query_and_key_with_both_positions) {
  const Bias bias{.heads = 2};
  const Call call{.positions = {.whole = {5, 6}}, .keys = {.whole = {1, 2, 3}}};
  const auto found = at(bias, call, {2, 2, 3}, 10);
  EXPECT_EQ(found.value().axes, (Axes{{head, 1}, {query, 1}, {key, 1}}));
  EXPECT_EQ(found->position, (std::vector<double>{6}));
  EXPECT_EQ(found->key_position, (std::vector<double>{2}));
  EXPECT_EQ(found->expected, 10);
}

TEST(Place, of_the_whole_operator_has_no_position) {
  const auto found = at(Attention{.dim = 2, .value_dim = 2}, {}, {3, 2}, 5);
  EXPECT_EQ(found.value().axes, (Axes{{query, 2}, {channel, 1}}));
  EXPECT_EQ(found->position, (std::vector<double>{}));
}

TEST(Place, where_rows_may_be_shifted_is_relative_to_the_querys_own_key) {
  const Bias bias{.heads = 1, .modulo_rows = true};
  const Call call{.positions = {.whole = {3, 9}}, .keys = {.whole = {1, 3, 5}}};
  const Shape shape = {1, 2, 3};
  Tensor there = counted(shape);
  there.data[2] = 8;  // 2 in the other
  const auto found = place_of(bias, call, there, counted(shape), allowed(shape), 2);
  EXPECT_EQ(found.value().relative_to_key, 1u);
  EXPECT_EQ(found->expected, 2 - 1);
  EXPECT_EQ(found->got, 8 - 1);
  EXPECT_EQ(found->off.error, 6);
  EXPECT_GE(found->off.bound, 0.5) << "both entries are rounded";
  EXPECT_LT(found->off.bound, 0.5 + 1e-12);
  EXPECT_EQ(place_of(bias, call, there, counted(shape), allowed(shape), 5).value().relative_to_key, 0u)
      << "without a key of its own, the first";
}

TEST(Place, that_nobody_compares_is_none) {
  const Bias causal{.heads = 1, .causal = true};
  const Call call{.positions = {.whole = {2}}, .keys = {.whole = {1, 2, 3}}};
  EXPECT_TRUE(at(causal, call, {1, 1, 3}, 1));
  EXPECT_FALSE(at(causal, call, {1, 1, 3}, 2)) << "a key after the query";
  const Bias shifted{.heads = 1, .causal = true, .modulo_rows = true};
  const Call unseen{.positions = {.whole = {0}}, .keys = {.whole = {1, 2, 3}}};
  EXPECT_FALSE(at(shifted, unseen, {1, 1, 3}, 0)) << "the query sees no key";
}

// The entry is the one that is no number, not the last of the answer.
TEST(Comparison, of_an_answer_that_is_no_number_says_where) {
  const Table table{.dim = 3};
  const Call call{.positions = {.whole = {1, 2}}};
  Tensor there = counted({2, 3});
  there.data[1] = nan;
  const Comparison found = compare(table, call, there, counted({2, 3}), allowed({2, 3}));
  EXPECT_TRUE(std::isnan(found.worst.error));
  EXPECT_EQ(found.at, 1u);
  there.data[4] = nan;
  EXPECT_EQ(compare(table, call, there, counted({2, 3}), allowed({2, 3})).at, 1u) << "the first of them";
  const Bias shifted{.heads = 1, .modulo_rows = true};
  const Call pair{.positions = {.whole = {1, 2}}, .keys = {.whole = {1, 2, 3}}};
  Tensor logits = counted({1, 2, 3});
  logits.data[5] = nan;
  EXPECT_EQ(compare(shifted, pair, logits, counted({1, 2, 3}), allowed({1, 2, 3})).at, 5u);
}

TEST(Axis, has_a_name) {
  std::string all;
  for (const Axis axis : {batch, head, query, key, token, channel}) all += std::string(name(axis)) + " ";
  EXPECT_EQ(all, "batch head query key token channel ");
}

}  // namespace
}  // namespace posproof::compare_test
