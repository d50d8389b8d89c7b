#include "defects/operators.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Operators, no_head_is_the_last_of_several_where_there_is_one) {
  const auto family = std::ranges::find(defects::rope.defects, "last_head_left_alone", &Defect::name);
  ASSERT_NE(family, defects::rope.defects.end());
  EXPECT_THROW(family->make(with(encoding_named("rope"), Case::parse("dim=2 heads=1"))), Refusal);
  EXPECT_NO_THROW(family->make(with(encoding_named("rope"), Case::parse("dim=2 heads=2"))));
}

}  // namespace
}  // namespace posproof::operators_test
