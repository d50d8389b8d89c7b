#include "diagnosis/as_called.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::as_called_test {
namespace {

// Three rows, of which the first and the last have the same positions: a run of two, and one.
TEST(AsCalled, splits_rows_alike_into_runs_of_positions) {
  const Encoding rope = encoding_named("rope").oracle(Case::parse("dim=2"));
  Call call;
  call.batch = 3;
  call.role = Role::key;
  call.positions.whole = {4, 5, 9, 1, 2, 3, 4, 5, 9};
  Tensor x({3, 1, 3, 2});
  for (std::size_t e = 0; e < x.data.size(); ++e) x.data[e] = static_cast<double>(e);
  call.contents = {x};
  Tensor y = x;
  for (double& entry : y.data) entry += 100;
  const auto calls = as_called("offset", rope, {{{}, call, y}});
  ASSERT_TRUE(calls);
  ASSERT_EQ(calls->size(), 3u);
  const struct {
    std::size_t batch;
    std::vector<Position> at;
    std::vector<double> content;
  } expected[] = {{2, {4, 5, 4, 5}, {0, 1, 2, 3, 12, 13, 14, 15}},
                  {2, {9, 9}, {4, 5, 16, 17}},
                  {1, {1, 2, 3}, {6, 7, 8, 9, 10, 11}}};
  for (std::size_t n = 0; n < calls->size(); ++n) {
    const Answered& one = (*calls)[n];
    EXPECT_EQ(one.call.batch, expected[n].batch) << n;
    EXPECT_EQ(one.call.role, Role::key) << n;
    EXPECT_EQ(one.call.positions.whole, expected[n].at) << n;
    EXPECT_EQ(one.call.contents.front().data, expected[n].content) << n;
    for (std::size_t e = 0; e < one.answer.data.size(); ++e)
      EXPECT_EQ(one.answer.data[e], expected[n].content[e] + 100) << n;
  }
}

TEST(AsCalled, splits_rows_of_a_table) {
  const Encoding table = encoding_named("sinusoidal").oracle(Case::parse("dim=2"));
  Call call;
  call.positions.whole = {7, 3, 4};
  const auto calls = as_called("offset", table, {{{}, call, Tensor({3, 2}, {1, 2, 3, 4, 5, 6})}});
  ASSERT_TRUE(calls);
  ASSERT_EQ(calls->size(), 2u);
  EXPECT_EQ(calls->back().call.positions.whole, (std::vector<Position>{3, 4}));
  EXPECT_EQ(calls->back().answer.data, (std::vector<double>{3, 4, 5, 6}));
}

TEST(AsCalled, is_nothing_where_positions_are_taken_otherwise_or_calls_are_as_they_were) {
  const Encoding table = encoding_named("sinusoidal").oracle(Case::parse("dim=2"));
  Call call;
  call.positions.whole = {7, 3};
  const std::vector<Answered> split = {{{}, call, Tensor({2, 2})}};
  EXPECT_FALSE(as_called("each", table, split));
  EXPECT_FALSE(as_called("sequence", table, split));
  call.positions.whole = {3, 4};
  EXPECT_FALSE(as_called("offset", table, {{{}, call, Tensor({2, 2})}}));
}

}  // namespace
}  // namespace posproof::as_called_test
