#include "diagnosis/remembered.h"

#include <gtest/gtest.h>

#include "core/call.h"
#include "core/failure.h"

namespace posproof::remembered_test {
namespace {

// Of rotations, answers 1, 2, 3, ..: the number of times that it was asked.
Encoding counting(int& asked) {
  Rotary out{.dim = 2};
  out.rotate = [&asked](const Tensor& x, const Positions&, Role) {
    Tensor y(x.shape);
    y.data.assign(y.data.size(), ++asked);
    return y;
  };
  return out;
}

TEST(Remembered, is_asked_once_for_a_call) {
  int asked = 0;
  const Encoding remembered = remembering(counting(asked));
  const Call first{.positions = {{3}}, .contents = {Tensor({1, 1, 1, 2}, {1, 2})}};
  EXPECT_EQ(answer(remembered, first).data, (std::vector<double>{1, 1}));
  EXPECT_EQ(answer(remembered, first).data, (std::vector<double>{1, 1}));
  EXPECT_EQ(asked, 1);
}

// A call that differs in one thing is another one.
TEST(Remembered, tells_calls_apart) {
  int asked = 0;
  const Encoding remembered = remembering(counting(asked));
  const Call first{.positions = {{3}}, .contents = {Tensor({1, 1, 1, 2}, {1, 2})}};
  Call position = first, real = first, other_real = first, content = first, role = first, rows = first;
  position.positions.whole = {4};
  real.positions = {{}, {3.0}};
  other_real.positions = {{}, {3.5}};
  content.contents[0].data[1] = 2.5;
  role.role = Role::key;
  rows = {.batch = 2, .positions = {{3, 3}}, .contents = {Tensor({2, 1, 1, 2}, {1, 2, 1, 2})}};
  int number = 0;
  for (const Call& call : {first, position, real, other_real, content, role, rows})
    EXPECT_EQ(answer(remembered, call).data.front(), ++number);
  EXPECT_EQ(answer(remembered, rows).data.front(), number);

  const auto of_keys = [](Position query, Position key, double scale) {
    Bias bias{.heads = 1};
    bias.bias = [scale](const Positions& i, const Positions& j) {
      return Tensor({1, 1, 1}, {scale * static_cast<double>(i[0] - 10 * j[0])});
    };
    return std::pair(remembering(bias), Call{.positions = {{query}}, .keys = {{key}}});
  };
  const auto [bias, one] = of_keys(1, 2, 1);
  EXPECT_EQ(answer(bias, one).data.front(), -19);
  EXPECT_EQ(answer(bias, of_keys(2, 1, 1).second).data.front(), -8);

  // The same numbers, of which another one is the first key's.
  Bias shaped{.heads = 1};
  shaped.bias = [](const Positions& i, const Positions& j) { return Tensor({1, i.size(), j.size()}); };
  const Encoding shapes = remembering(shaped);
  EXPECT_EQ(answer(shapes, {.positions = {{1, 2}}, .keys = {{3}}}).shape, (Shape{1, 2, 1}));
  EXPECT_EQ(answer(shapes, {.positions = {{1}}, .keys = {{2, 3}}}).shape, (Shape{1, 1, 2}));

  Table table{.dim = 1};
  table.rows = [](const Positions& at, Position length) {
    return Tensor({at.size(), 1}, std::vector<double>(at.size(), static_cast<double>(length)));
  };
  const Encoding lengths = remembering(table);
  EXPECT_EQ(answer(lengths, {.positions = {{0}}, .length = 5}).data.front(), 5);
  EXPECT_EQ(answer(lengths, {.positions = {{0}}, .length = 6}).data.front(), 6);

  Attention attention{.dim = 1, .value_dim = 1};
  attention.attend = [](const Tensor&, const Tensor&, const Tensor& v, const Mask& mask) {
    return Tensor({1, 1}, {v.data[0] + mask.data[1]});
  };
  const Encoding masked = remembering(attention);
  const Tensor two({2, 1}, {1, 1});
  EXPECT_EQ(
      answer(masked, {.contents = {Tensor({1, 1}, {1}), two, two}, .mask = Mask({1, 2}, {1, 0})}).data[0], 1);
  EXPECT_EQ(
      answer(masked, {.contents = {Tensor({1, 1}, {1}), two, two}, .mask = Mask({1, 2}, {1, 1})}).data[0], 2);
}

// A call of one position and two channels takes 168 bytes with its answer of 16: three numbers 32, positions
// 24, keys 16, the token's shape 40 and its numbers 24, and no mask 16, of each with how many there are.
TEST(Remembered, forgets_all_where_that_is_more_than_it_may_keep) {
  const auto least_bytes_for = [](Position calls) {
    for (std::size_t bytes = 0;; ++bytes) {
      int asked = 0;
      const Encoding remembered = remembering(counting(asked), bytes);
      const auto ask = [&](Position t) {
        answer(remembered, {.positions = {{t}}, .contents = {Tensor({1, 1, 1, 2}, {1, 2})}});
      };
      for (Position t = 0; t < calls; ++t) ask(t);
      for (Position t = 0; t < calls; ++t) ask(t);
      if (asked == calls) return bytes;
    }
  };
  EXPECT_EQ(least_bytes_for(2), 2 * 168u);
  EXPECT_EQ(least_bytes_for(5), 5 * 168u);
}

TEST(Remembered, keeps_as_much_behind_what_it_forgot) {
  int asked = 0;
  const Encoding remembered = remembering(counting(asked), 2 * 168);
  for (const Position t : {0, 1, 2, 3, 2, 3})
    answer(remembered, {.positions = {{t}}, .contents = {Tensor({1, 1, 1, 2}, {1, 2})}});
  EXPECT_EQ(asked, 4) << "2 takes the place of 0 and 1, and 3 stands beside it";
}

TEST(Remembered, refuses_what_is_refused) {
  Table table{.dim = 1};
  int asked = 0;
  table.rows = [&asked](const Positions& at, Position) -> Tensor {
    if (++asked < 3) throw Refusal("no");
    return Tensor({at.size(), 1});
  };
  const Encoding remembered = remembering(table);
  const Call call{.positions = {{0}}, .length = 1};
  EXPECT_THROW(answer(remembered, call), Refusal);
  EXPECT_THROW(answer(remembered, call), Refusal);
  EXPECT_EQ(answer(remembered, call).data, std::vector<double>{0});
}

}  // namespace
}  // namespace posproof::remembered_test
