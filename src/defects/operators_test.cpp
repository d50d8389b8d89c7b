#include "defects/operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalogue/defects/rope.h"
#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::operators_test {
namespace {

using At = std::vector<Position>;

Call call_at(const At& positions) {
  return {.positions = {.whole = positions}};
}

// The row of each position is the position.
Encoding positions_themselves() {
  Table table{.dim = 1};
  table.positions.lo = -8;
  table.rows = [](const Positions& positions, Position) {
    Tensor rows({positions.size(), 1});
    for (std::size_t r = 0; r < positions.size(); ++r) rows.data[r] = static_cast<double>(positions[r]);
    return rows;
  };
  return table;
}

TEST(Operators, a_chunk_behind_the_first_begins_at_1_or_later) {
  EXPECT_FALSE(operators::starts_past_zero(call_at({0, 1})));
  EXPECT_TRUE(operators::starts_past_zero(call_at({1, 2})));
  EXPECT_FALSE(operators::starts_past_zero(call_at({})));
}

TEST(Operators, queries_and_keys_stand_elsewhere_alike) {
  Bias bias{.heads = 1};
  bias.bias = [](const Positions& queries, const Positions& keys) {
    return Tensor({1, 1, 1}, {static_cast<double>(10 * queries[0] + keys[0])});
  };
  const Call call{.positions = {.whole = {1}}, .keys = {.whole = {3}}};
  EXPECT_EQ(answer(operators::positions_doubled(bias), call).data.front(), 10 * 2 + 6);
}

TEST(Operators, positions_below_0_wrap_to_the_end) {
  EXPECT_EQ(answer(operators::positions_wrapped(positions_themselves(), 4), call_at({-5, -1, 0, 3, 4})).data,
            (std::vector<double>{3, 3, 0, 3, 0}));
}

TEST(Operators, of_a_block_that_is_not_full_all_tokens_rotate) {
  const auto family = std::ranges::find(defects::rope.defects, "rest_of_16_tokens_left_alone", &Defect::name);
  ASSERT_NE(family, defects::rope.defects.end());
  const Parameters words = with(encoding_named("rope"), Case::parse("dim=2"));
  const Encoding wrong = family->make(words), right = encoding_named("rope").make(words);
  for (const std::size_t tokens : {5, 16, 17}) {
    Call call = call_at({});
    for (std::size_t t = 0; t < tokens; ++t) call.positions.whole.push_back(static_cast<Position>(t));
    call.contents = {Tensor({1, 1, tokens, 2}, std::vector<double>(2 * tokens, 1.0))};
    EXPECT_EQ(answer(wrong, call) == answer(right, call), tokens <= 16) << tokens;
  }
}

// Of that shape, [batch, heads, tokens, 2], contents of ones, each row's tokens at positions from 7 on.
Call ones(const Shape& shape) {
  Call call{.batch = shape[0]};
  for (std::size_t row = 0; row < shape[0]; ++row)
    for (std::size_t t = 0; t < shape[2]; ++t) call.positions.whole.push_back(static_cast<Position>(7 + t));
  call.contents = {Tensor(shape, std::vector<double>(count(shape), 1.0))};
  return call;
}

Tensor given(std::string_view name, const Shape& shape) {
  const auto defect = std::ranges::find(defects::rope.defects, name, &Defect::name);
  const std::string words = "dim=2 heads=" + std::to_string(shape[1]);
  return answer(defect->make(with(encoding_named("rope"), Case::parse(words))), ones(shape));
}

bool is_right(std::string_view name, const Shape& shape) {
  const std::string words = "dim=2 heads=" + std::to_string(shape[1]);
  const Encoding right = encoding_named("rope").make(with(encoding_named("rope"), Case::parse(words)));
  return given(name, shape) == answer(right, ones(shape));
}

// The rows that come back as they were, counted over batch, heads and tokens.
std::vector<std::size_t> left_alone(std::string_view name, const Shape& shape) {
  const Tensor rows = given(name, shape);
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < rows.rows(); ++r)
    if (std::ranges::all_of(rows.row(r), [](double value) { return value == 1; })) out.push_back(r);
  return out;
}

TEST(Operators, of_every_batch_row_the_last_head_or_the_rest_of_a_block_is_left_alone) {
  using Rows = std::vector<std::size_t>;
  EXPECT_EQ(left_alone("last_head_left_alone", {2, 3, 1, 2}), (Rows{2, 5}));
  EXPECT_EQ(left_alone("rest_of_16_tokens_left_alone", {2, 1, 18, 2}), (Rows{16, 17, 34, 35}));
}

TEST(Operators, of_single_tokens_alone_a_head_is_rotated_at_its_number_more) {
  EXPECT_FALSE(is_right("position_plus_head", {1, 2, 1, 2}));
  EXPECT_TRUE(is_right("position_plus_head", {1, 2, 2, 2}));
}

TEST(Operators, of_calls_that_fill_packs_of_16_tokens_are_exchanged) {
  for (const std::size_t tokens : {15, 16, 17, 32, 48})
    EXPECT_EQ(is_right("packs_of_16_shuffled", {1, 1, tokens, 2}), tokens % 16 != 0) << tokens;
}

TEST(Operators, no_head_is_the_last_of_several_where_there_is_one) {
  const auto family = std::ranges::find(defects::rope.defects, "last_head_left_alone", &Defect::name);
  ASSERT_NE(family, defects::rope.defects.end());
  EXPECT_THROW(family->make(with(encoding_named("rope"), Case::parse("dim=2 heads=1"))), Refusal);
  EXPECT_NO_THROW(family->make(with(encoding_named("rope"), Case::parse("dim=2 heads=2"))));
}

}  // namespace
}  // namespace posproof::operators_test
