// A table whose columns are another implementation's.
#include "gate/other_columns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "run/testing/accuracy.h"

namespace posproof::other_columns_test {
namespace {

// Rows with the sines before the cosines: the words that read them are those of the table, its precision too.
TEST(OtherColumns, are_read_in_the_precision_that_was_said) {
  const testing::Setting rope{"rope", "dim=4 heads=1"};
  const auto truth = as<Rotary>(rope.truth());
  Tensor rows({8, 4});
  for (std::size_t t = 0; t < 8; ++t)
    for (const Pair& pair : truth.pairs) {
      const double angle = static_cast<double>(t) * pair.frequency;
      rows.at(t, pair.index) = std::sin(angle), rows.at(t, pair.index + 2) = std::cos(angle);
    }
  const testing::Written file("other_columns.npy", rows, false);
  const Expected expected{
      .encoding = "rope", .parameters = rope.all(), .declared = attention::in_every_kind(rope.truth())};
  for (const std::string precision : {"", "@f32", "@bf16"}) {
    const std::string words = file.subject() + precision;
    const auto said = other_columns(rope.truth(), rope.open(words), expected, {});
    EXPECT_EQ(said.value_or("nothing"),
              fmt::format("the sines of all pairs stand before the cosines: "
                          "`{}[..., 2:],[..., :2]{}` reads them so, and every row is right",
                          file.subject(), precision));
  }
}

TEST(OtherColumns, may_be_those_of_neighbours_with_the_sine_first) {
  const testing::Setting rope{"rope", "dim=4 heads=1"};
  const auto truth = as<Rotary>(rope.truth());
  Tensor rows({8, 4});
  for (std::size_t t = 0; t < 8; ++t)
    for (const Pair& pair : truth.pairs) {
      const double angle = static_cast<double>(t) * pair.frequency;
      rows.at(t, 2 * pair.index) = std::sin(angle), rows.at(t, 2 * pair.index + 1) = std::cos(angle);
    }
  const testing::Written file("other_columns.npy", rows, false);
  const Expected expected{
      .encoding = "rope", .parameters = rope.all(), .declared = attention::in_every_kind(rope.truth())};
  EXPECT_EQ(other_columns(rope.truth(), rope.open(file.subject()), expected, {}).value_or("nothing"),
            fmt::format("sine and cosine of a pair stand next to each other, in this order: "
                        "`{}[..., 1::2],[..., 0::2]` reads them so, and every row is right",
                        file.subject()));
}

}  // namespace
}  // namespace posproof::other_columns_test
