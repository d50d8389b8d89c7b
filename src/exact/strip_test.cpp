#include "exact/strip.h"

#include <gtest/gtest.h>

#include <vector>

namespace posproof::exact::strip_test {
namespace {

using Part = Run::Part;

std::vector<std::vector<std::size_t>> strips(const std::vector<Run>& runs) {
  std::vector<std::vector<std::size_t>> out;
  for (const Strip& one : strips_of(runs))
    out.push_back(
        {static_cast<std::size_t>(one.part), one.lane, one.count, one.sine_column, one.cosine_column});
  return out;
}
std::vector<std::size_t> strip(exact::Part part, std::size_t lane, std::size_t count, std::size_t sine,
                               std::size_t cosine) {
  return {static_cast<std::size_t>(part), lane, count, sine, cosine};
}

TEST(Strips, of_runs_of_nothing_are_none) {
  for (const Part part : {Part::sines, Part::cosines, Part::sines_and_cosines, Part::cosines_and_sines})
    EXPECT_TRUE(strips({{part, 0, 0, 0}}).empty());
}

// A sine more than there are cosines is a strip of its own; so are cosines of other frequencies.
TEST(Strips, join_sines_with_the_cosines_of_their_frequencies) {
  using enum exact::Part;
  const std::vector<std::vector<std::size_t>> joined = {strip(sine_apart_cosine, 0, 4, 0, 4)},
                                              left = {strip(sine, 3, 1, 3, 0),
                                                      strip(sine_apart_cosine, 0, 3, 0, 4)};
  EXPECT_EQ(strips({{Part::sines, 0, 0, 4}, {Part::cosines, 4, 0, 4}}), joined);
  EXPECT_EQ(strips({{Part::sines, 0, 0, 4}, {Part::cosines, 4, 0, 3}}), left);
  EXPECT_EQ(strips({{Part::sines, 0, 0, 4}, {Part::cosines, 4, 8, 4}}).size(), 2u);
  EXPECT_EQ(strips({{Part::sines, 0, 0, 4}, {Part::cosines, 4, 0, 0}}).size(), 1u);
}

}  // namespace
}  // namespace posproof::exact::strip_test
