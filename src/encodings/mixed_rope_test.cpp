#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "catalogue/encodings/axial_rope.h"
#include "catalogue/encodings/mixed_rope.h"
#include "core/call.h"
#include "core/error.h"
#include "core/testing/once_rounded.h"
#include "encodings/made.h"
#include "exact/numbers.h"

namespace posproof::mixed_rope_test {
namespace {

using Numbers = std::vector<Position>;

Encoding reference(const std::string& words) {
  return encodings::mixed_rope.make(Case::parse(words));
}
Encoding oracle(const std::string& words) {
  return encodings::mixed_rope.oracle(Case::parse(words));
}

// Golden numbers from 40-digit arithmetic: angles of 3 0.5 - 5 0.25 and 3 0.125 + 5 2.
TEST(MixedRope, rotates_by_a_sum_over_the_axes) {
  const std::string words = "dim=4 table=given frequencies=[0.5,0.125,-0.25,2]";
  const std::vector<double> golden = {0.226700543947076, 2.0911736348635523, 3.1541412243864575,
                                      -3.953099142299818},
                            neighbours = {0.4741045032015989, 2.1852288026758124, 1.5096711698899437,
                                          -4.76664378350251};
  EXPECT_EQ(rotated(oracle(words), {3, 5}), golden);
  EXPECT_EQ(rotated(oracle(words + " layout=interleaved"), {3, 5}), neighbours);
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_DOUBLE_EQ(rotated(reference(words), {3, 5})[c], golden[c]);
    EXPECT_DOUBLE_EQ(rotated(reference(words + " layout=interleaved"), {3, 5})[c], neighbours[c]);
  }
}

TEST(MixedRope, of_frequencies_on_one_axis_each_is_axial_rope) {
  const std::string words = "dim=8 layout=interleaved table=given frequencies=[1,0.01,0,0,0,0,1,0.01]";
  const auto axial = rotated(encodings::axial_rope.make(Case::parse("dim=8 layout=interleaved")), {33, 44});
  const auto mixed = rotated(reference(words), {33, 44});
  // Each is rounded once; and the given 0.01 is rounded to a double, which moves an angle of at most 0.44, of
  // a pair no longer than (7, 8).
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8}, place = {33, 44};
  const auto error = once_rounded(as<Rotary>(reference(words)), place, x, mixed);
  for (std::size_t c = 0; c < 8; ++c)
    EXPECT_NEAR(mixed[c], axial[c], 2 * error[c] + unit_f64 * 0.44 * std::hypot(7, 8)) << c;
}

TEST(MixedRope, has_frequencies_of_its_own_in_each_head_or_the_same_in_all) {
  const auto own =
      rotated(reference("dim=4 heads=2 shared=false table=given frequencies=[1,2,3,4,0,0,0,0]"), {1, 7});
  const auto first = rotated(reference("dim=4 table=given frequencies=[1,2,0,0]"), {1, 7});
  for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(own[c], first[c]);
  // Here 2 units of a sine or cosine, 1 of a product and 1 of the sum; and there 1.
  EXPECT_NEAR(own[4], 5 * std::cos(3.0) - 7 * std::sin(3.0), 5 * unit_f64 * (5 + 7));
  EXPECT_NEAR(own[5], 6 * std::cos(4.0) - 8 * std::sin(4.0), 5 * unit_f64 * (6 + 8));
  for (const std::string words :
       {"dim=8 heads=3", "dim=8 heads=3 shared=false axes=3",
        "dim=4 heads=3 shared=false table_seed=2 std=0.125",
        "dim=4 heads=2 shared=false table=given frequencies=[1,2,3,4,5,6,7,8] layout=interleaved"}) {
    const Numbers place = words.find("axes=3") == std::string::npos ? Numbers{1000, 7} : Numbers{1000, 7, 5};
    const auto here = rotated(reference(words), place), exact = rotated(oracle(words), place);
    const auto rotary = as<Rotary>(reference(words));
    for (std::size_t head = 0; head < rotary.heads; ++head) {
      const std::size_t first = head * rotary.dim;
      std::vector<double> x(rotary.dim);
      std::iota(x.begin(), x.end(), static_cast<double>(first + 1));
      const std::vector<double> at(place.begin(), place.end());
      const auto error = once_rounded(rotary, at, x, std::span(here).subspan(first, rotary.dim));
      for (std::size_t c = 0; c < rotary.dim; ++c)
        EXPECT_NEAR(here[first + c], exact[first + c], error[c] + unit_f64 * std::abs(exact[first + c]))
            << words << " " << first + c;
    }
  }
}

// Entry [axis, head, pair] of the seeded table, and the largest one of each pair as it is declared.
TEST(MixedRope, declares_the_largest_frequency_of_each_pair) {
  const std::string words = "dim=4 heads=2 shared=false std=0.5";
  for (const Encoding& one : {reference(words), oracle(words)}) {
    const auto& pairs = as<Rotary>(one).pairs;
    ASSERT_EQ(pairs.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      double most = 0;
      for (const std::size_t entry : {i, i + 2, i + 4, i + 6})
        most = std::max(most, std::abs(exact::seeded(0.5, 1, entry)));
      EXPECT_EQ(pairs[i].frequency, most) << i;
    }
  }
}

// Of a token at (3, -5): 4 units of each |number times frequency| of the head that has most, and those of the
// rotation itself.
TEST(MixedRope, is_allowed_the_roundings_of_each_product_and_sum) {
  const std::string words = "dim=4 heads=2 shared=false table=given frequencies=[1,2,3,4,0.5,0,0,8]";
  for (const Encoding& one : {reference(words), oracle(words)}) {
    const auto& rotary = as<Rotary>(one);
    const std::vector<double> x = {3, 0, 4, 0}, place = {3, -5};
    std::vector<double> error(4);
    rotary.error(x, place, Role::query, all_f32, error);
    const double angle = 4 * unit_f32 * 9;  // 3 |3| + |-5| 0 in the second head, 3 |1| + 5 |0.5| in the first
    const double rotation = rotation_error(all_f32, 0, rotary.pairs[0]);
    EXPECT_DOUBLE_EQ(error[0], 5 * (angle + rotation));
    EXPECT_EQ(error[2], error[0]);
    EXPECT_EQ(error[1], 0);
    rotary.error(x, std::vector<double>{1, -20}, Role::query, all_f32, error);
    EXPECT_DOUBLE_EQ(error[0], 5 * (4 * unit_f32 * 11 + rotation));  // of the first head, 3 in the second
    rotary.error(x, std::vector<double>{1e9, 0}, Role::query, all_f32, error);
    EXPECT_DOUBLE_EQ(error[0], 5 * (2 + rotation));  // the other side of the circle
  }
}

TEST(MixedRope, refuses_what_makes_no_sense) {
  const auto no = [](std::string_view words) { return refused(encodings::mixed_rope, words); };
  EXPECT_EQ(no("dim=5"), "`dim=5`; allowed: even widths");
  EXPECT_EQ(no("heads=64 dim=16386"), "`heads=64 dim=16386`; allowed: at most 1048576 channels in all heads");
  EXPECT_EQ(
      no("dim=4 table=given frequencies=[1,2,3]"),
      "`frequencies=[1,2,3] axes=2 heads=1 dim=4 shared=true table=given`; allowed: a frequency for each axis, head and pair");
  EXPECT_EQ(no("dim=4 heads=2 table=given"), "not refused");
  EXPECT_EQ(no("dim=4 heads=2 shared=false table=given").substr(0, 24), "`frequencies=[1,0,0,1] a");
  const auto rotary = made<Rotary>(encodings::mixed_rope, "dim=4");
  const Numbers one = {3};
  EXPECT_THROW(rotary.rotate(Tensor({1, 1, 1, 4}), one, Role::key), std::invalid_argument);
  EXPECT_THROW(as<Rotary>(oracle("dim=4")).rotate(Tensor({1, 1, 1, 4}), one, Role::key),
               std::invalid_argument);
}

}  // namespace
}  // namespace posproof::mixed_rope_test
