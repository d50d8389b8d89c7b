#include "core/spoiled.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace posproof::spoiled_test {

namespace {

Rotary passing(std::size_t heads, std::size_t dim) {
  Rotary rotary{.dim = dim, .heads = heads};
  rotary.rotate = [](const Tensor& x, const Positions&, Role) { return x; };
  return rotary;
}

Call batch_of(Shape shape, std::vector<Position> positions) {
  return {.batch = shape[0], .positions = {.whole = std::move(positions)}, .contents = {Tensor(shape)}};
}

}  // namespace

TEST(Spoiled, sees_each_entry_once_and_where_it_is) {
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> seen;
  const Encoding one = spoiled(passing(2, 4), [&](const AnswerEntry& at, double exact) {
    EXPECT_EQ(at.batches, 2u);
    EXPECT_EQ(at.heads, 2u);
    EXPECT_EQ(at.tokens, 3u);
    EXPECT_EQ(at.channels, 4u);
    EXPECT_EQ(at.keys, 1u);
    seen.emplace_back(at.batch, at.head, at.token, at.channel);
    return exact;
  });
  answer(one, batch_of({2, 2, 3, 4}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(seen.size(), 48u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ((std::set(seen.begin(), seen.end()).size()), 48u);
}

TEST(Spoiled, changes_what_it_is_told_to_and_nothing_else) {
  const Encoding one = spoiled(passing(2, 2), [](const AnswerEntry& at, double exact) {
    return at.in_last_batch_row() && at.in_last_head() && at.of_last_token() && at.in_last_channel()
               ? exact + 1
               : exact;
  });
  const Tensor given = answer(one, batch_of({2, 2, 2, 2}, {0, 1, 2, 3}));
  std::vector<double> expected(16, 0.0);
  expected.back() = 1;
  EXPECT_EQ(given.data, expected);
}

TEST(Spoiled, knows_positions_of_tokens_in_every_batch_row_and_which_come_again) {
  const Encoding one = spoiled(passing(1, 1), [](const AnswerEntry& at, double) {
    return static_cast<double>(at.position) + (at.repeated ? 0.5 : 0);
  });
  EXPECT_EQ(answer(one, batch_of({2, 1, 3, 1}, {7, 8, 7, 7, -9, -9})).data,
            (std::vector<double>{7, 8, 7.5, 7, -9, -8.5}));
}

TEST(Spoiled, knows_queries_and_keys_of_a_bias) {
  Bias bias{.heads = 2};
  bias.bias = [](const Positions& queries, const Positions& keys) {
    return Tensor({2, queries.size(), keys.size()});
  };
  const Encoding one = spoiled(bias, [](const AnswerEntry& at, double) {
    return 1000 * static_cast<double>(at.head) + 10 * static_cast<double>(at.position) +
           static_cast<double>(at.key_position) + (at.of_last_key() ? 0.5 : 0);
  });
  const Tensor given = answer(one, {.positions = {.whole = {4, 5}}, .keys = {.whole = {1, 2}}});
  EXPECT_EQ(given.data, (std::vector<double>{41, 42.5, 51, 52.5, 1041, 1042.5, 1051, 1052.5}));
}

TEST(Spoiled, counts_its_calls_over_copies_and_passes_the_role_on) {
  const Encoding one = spoiled(passing(1, 1), [](const AnswerEntry& at, double) {
    return static_cast<double>(at.calls) + (at.role == Role::key ? 0.5 : 0);
  });
  const Encoding copy = one;
  Call call = batch_of({1, 1, 1, 1}, {0});
  EXPECT_EQ(answer(one, call).data[0], 0);
  call.role = Role::key;
  EXPECT_EQ(answer(copy, call).data[0], 1.5);
  EXPECT_EQ(answer(one, call).data[0], 2.5);
}

TEST(Spoiled, counts_rows_where_a_call_names_no_positions) {
  Attention attention{.dim = 1, .value_dim = 1};
  attention.attend = [](const Tensor& q, const Tensor&, const Tensor&, const Mask&) {
    return Tensor({q.rows(), 1});
  };
  const Encoding one = spoiled(attention, [](const AnswerEntry& at, double) {
    return static_cast<double>(at.position) + 10 * static_cast<double>(at.tokens);
  });
  EXPECT_EQ(answer(one, {.contents = {Tensor({2, 1}), Tensor({3, 1}), Tensor({3, 1})}}).data,
            (std::vector<double>{20, 21}));
}

TEST(Spoiled, corners_are_the_first_and_the_last_of_every_axis_at_once) {
  Call call = batch_of({2, 2, 2, 2}, {0, 1, 2, 3});
  call.contents[0].data.assign(16, 4.0);
  std::vector<double> expected(16, 4.0);
  expected.back() = 5;
  EXPECT_EQ(answer(last_entry_larger(passing(2, 2), 0.25), call).data, expected);
  expected.back() = 4, expected.front() = 3;
  EXPECT_EQ(answer(first_entry_larger(passing(2, 2), -0.25), call).data, expected);
}

}  // namespace posproof::spoiled_test
