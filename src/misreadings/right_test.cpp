#include "misreadings/right.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/axial_rope.h"

namespace posproof::right_test {
namespace {

// A term of a misread formula may be several times as large as that of the right one.
TEST(MisreadRight, rotations_are_allowed_four_times_as_much) {
  const Parameters words = with(encodings::axial_rope, Case::parse("dim=8 coordinates=cells grid=[50,10]"));
  const auto right = encodings::axial_rope.make<Rotary>(words),
             misread = misread::right<Rotary>(encodings::axial_rope, words);
  const std::vector<double> x(8, 1.0), at = {3, 4};
  std::vector<double> own(8), allowed(8);
  right.error(x, at, Role::query, all_f32, own);
  misread.error(x, at, Role::query, all_f32, allowed);
  for (std::size_t c = 0; c < 8; ++c) {
    EXPECT_GT(own[c], 0);
    EXPECT_EQ(allowed[c], 4 * own[c]);
  }
}

// The query's own key has the bias 0, which nothing rounds; misread it may have another, which is rounded.
TEST(MisreadRight, biases_are_rounded_where_the_right_one_is_0) {
  const Parameters words = with(encodings::alibi, Case::parse("form=asymmetric"));
  const auto right = encodings::alibi.make<Bias>(words),
             misread = misread::right<Bias>(encodings::alibi, words);
  const std::array<double, 1> at = {3};
  EXPECT_EQ(misread.error(0, at, at, 0, all_f32), 0);
  EXPECT_GE(misread.error(0, at, at, 0.5, all_f32),
            4 * right.error(0, at, at, 0.5, all_f32) + 0.5 * unit_f32);
}

}  // namespace
}  // namespace posproof::right_test
