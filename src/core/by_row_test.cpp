#include "core/by_row.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "core/rotation.h"

namespace posproof::by_row_test {
namespace {

// Adds the number of tokens of the call to every channel.
Rotary counting() {
  Rotary out{.dim = 4};
  out.rotate = [](const Tensor& x, const Positions& positions, Role) {
    check_rotation(x, positions, 1, 4);
    Tensor y = x;
    for (double& channel : y.data) channel += static_cast<double>(positions.size());
    return y;
  };
  return out;
}

TEST(ByRow, asks_each_row_of_a_batch_alone) {
  const std::vector<Position> four = {0, 1, 2, 3};
  const Tensor x({2, 1, 2, 4});
  const auto channels = [&](const Rotary& rotary) { return rotary.rotate(x, four, Role::query).data; };
  EXPECT_EQ(channels(counting()), std::vector<double>(16, 4.0));
  EXPECT_EQ(channels(by_row(counting())), std::vector<double>(16, 2.0));
}

TEST(ByRow, has_the_rotation_of_the_last_position_of_each_row) {
  Rotary of_the_last = counting();
  of_the_last.in_call = [](Position last) {
    return std::make_shared<const Rotary>(Rotary{.dim = 4, .amplitude = static_cast<double>(last)});
  };
  const std::vector<Position> at = {3, 1, 7, 9};
  const auto amplitudes = [&](const Rotary& rotary) {
    return std::vector{in_row(rotary, at, 2, 0)->amplitude, in_row(rotary, at, 2, 1)->amplitude};
  };
  EXPECT_EQ(amplitudes(of_the_last), (std::vector<double>{9, 9}));
  EXPECT_EQ(amplitudes(by_row(of_the_last)), (std::vector<double>{3, 9}));
}

// What has a row too many or too few is refused as the rotation refuses it, and not cut into rows.
TEST(ByRow, refuses_what_is_no_call_of_a_rotation) {
  const std::vector<Position> two = {0, 1};
  for (const Shape& shape : {Shape{2, 1, 1, 4, 1}, Shape{8}, Shape{2, 4}})
    EXPECT_THROW(by_row(counting()).rotate(Tensor(shape), two, Role::query), std::invalid_argument)
        << text(shape);
}

}  // namespace
}  // namespace posproof::by_row_test
