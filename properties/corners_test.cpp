#include "corners.h"

#include <gtest/gtest.h>

#include <set>

#include "catalogue/properties.h"
#include "run/sharpness.h"

namespace posproof::corners_test {
namespace {

using namespace corners;

Rotary passing() {
  Rotary rotary{.dim = 2, .heads = 2};
  rotary.rotate = [](const Tensor& x, const Positions&, Role) { return x; };
  return rotary;
}
Encoding right() {
  return passing();
}

// Two batch rows, two heads, two tokens, two channels: what becomes of sixteen ones.
std::vector<double> of_ones(const Encoding& encoding, Role role = Role::key,
                            std::vector<Position> positions = {-1, 5, 65536, 65537}) {
  const Call call{.batch = 2,
                  .positions = {.whole = std::move(positions)},
                  .contents = {Tensor({2, 2, 2, 2}, std::vector<double>(16, 1.0))},
                  .role = role};
  return answer(encoding, call).data;
}

TEST(Corners, say_what_is_wrong_by_how_much_and_in_which_format) {
  EXPECT_EQ(off("rotated keys", &right, 0x1p-18, &of_key).wrong,
            "rotated keys larger by 2^-18 of themselves, in f32");
  EXPECT_EQ(off("first rows", &right, -0x1p-4, &is_first, in_bf16).wrong,
            "first rows smaller by 2^-4 of themselves, in bf16");
  EXPECT_EQ(off("first rows", &right, -0x1p-4, &is_first, all_f64).wrong,
            "first rows smaller by 2^-4 of themselves, in f64");
  EXPECT_EQ(off("first rows", &right, 0x1p-4, &is_first).precision, all_f32);
  EXPECT_EQ(off("first rows", &right, 0x1p-4, &is_first, in_bf16).precision, in_bf16);
}

TEST(Corners, are_wrong_where_they_say_and_nowhere_else) {
  const auto where = [](const Where& there, Role role = Role::key) {
    return of_ones(off("entries", &right, 0x1p-4, there).make(), role);
  };
  const double more = 1 + 0x1p-4;
  std::vector<double> expected(16, 1.0);
  expected.back() = more;
  EXPECT_EQ(where(&is_last), expected);
  expected.back() = 1, expected.front() = more;
  EXPECT_EQ(where(&is_first), expected);
  const std::vector<double> none(16, 1.0), all(16, more);
  EXPECT_EQ(where(&of_key), all);
  EXPECT_EQ(where(&of_key, Role::query), none);
  EXPECT_EQ(where(&of_query), none);
  EXPECT_EQ(where(&of_query, Role::query), all);
  // The second token of the second batch row, in both heads.
  expected = none;
  for (const std::size_t at : {10, 11, 14, 15}) expected[at] = more;
  EXPECT_EQ(where(&past_65536), expected);
  expected = none;
  for (const std::size_t at : {0, 1, 4, 5}) expected[at] = more;
  EXPECT_EQ(where(&at_negative_position), expected);
}

TEST(Corners, are_the_last_and_the_first_too_large_and_too_small_in_both_formats) {
  const std::vector<NegativeExample> four = last_and_first(&right, 0x1p-18, 0x1p-4);
  ASSERT_EQ(four.size(), 4u);
  const std::vector<std::pair<std::size_t, double>> expected = {
      {15, 1 + 0x1p-18}, {0, 1 - 0x1p-18}, {15, 1 - 0x1p-4}, {0, 1 + 0x1p-4}};
  for (std::size_t n = 0; n < 4; ++n) {
    std::vector<double> ones(16, 1.0);
    ones[expected[n].first] = expected[n].second;
    EXPECT_EQ(of_ones(four[n].make()), ones) << four[n].wrong;
    EXPECT_EQ(four[n].precision, n < 2 ? all_f32 : in_bf16) << four[n].wrong;
  }
  EXPECT_EQ(joined(four, four).size(), 8u);
  EXPECT_EQ(joined({four[0]}, {four[1]})[1].wrong, four[1].wrong);
}

// Each example that names its format is wrong by at most 16 times what is allowed, not only the one that is
// wrong by least. What is wrong by much, on purpose:
TEST(Corners, of_every_statement_are_sharp) {
  const std::set<std::string_view> blunt = {"a rotation that rounds positions past 65536 to multiples of 16",
                                            "angles in bf16 where f32 is claimed"};
  std::size_t examples = 0;
  for (const auto& [id, property] : catalogue::properties()) {
    if (!id.starts_with("rotary/") && !id.starts_with("bias/") && !id.starts_with("score/")) continue;
    for (const NegativeExample& example : property->must_reject) {
      if (example.precision == all_f64 || blunt.contains(example.wrong)) continue;
      const Sharpness found = sharpness(*property, example, {.id = std::string(id)});
      EXPECT_TRUE(found.is_sharp()) << id << ": " << example.wrong << ": " << found.text();
      ++examples;
    }
  }
  EXPECT_GT(examples, 150u);
}

}  // namespace
}  // namespace posproof::corners_test
