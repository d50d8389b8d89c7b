#include "diagnosis/rolled_channels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace posproof::rolled_channels_test {
namespace {

// Channels that rotate in pairs (0, 1) and (2, 3), by 1 and by 1/2, of inputs and outputs that are counted
// `by` channels later.
std::vector<MeasuredChannel> counted_later(std::size_t inputs, std::size_t outputs) {
  std::vector<MeasuredChannel> out(4);
  for (std::size_t c = 0; c < 4; ++c) {
    MeasuredChannel& one = out[(c + outputs) % 4];
    one.own = (c + inputs) % 4;
    one.partner = ((c ^ 1U) + inputs) % 4;
    one.from = {std::min(one.own, one.partner), std::max(one.own, one.partner)};
    const bool other_side = (one.partner > one.own) != ((c ^ 1U) > c);
    one.rotates = Rotating{1, (c < 2 ? 1 : 0.5) * (other_side ? -1 : 1), 0, 0};
  }
  return out;
}

void expect_same(const std::vector<MeasuredChannel>& is, const std::vector<MeasuredChannel>& ought) {
  ASSERT_EQ(is.size(), ought.size());
  for (std::size_t c = 0; c < is.size(); ++c) {
    EXPECT_EQ(is[c].own, ought[c].own) << c;
    EXPECT_EQ(is[c].partner, ought[c].partner) << c;
    EXPECT_EQ(is[c].from, ought[c].from) << c;
    ASSERT_TRUE(is[c].rotates && ought[c].rotates) << c;
    EXPECT_EQ(is[c].rotates->frequency, ought[c].rotates->frequency) << c;
  }
}

TEST(RolledChannels, are_put_back) {
  for (const std::size_t by : {1, 2, 3}) {
    const auto answered = rolled_answer(counted_later(0, by));
    ASSERT_TRUE(answered) << by;
    EXPECT_EQ(answered->by, by);
    expect_same(answered->back, counted_later(0, 0));
    expect_same(counted_from(by, counted_later(by, by)), counted_later(0, 0));
  }
  // Input c - 1 stands for channel c.
  const auto given = rolled_input(counted_later(3, 0));
  ASSERT_TRUE(given);
  EXPECT_EQ(given->by, 1u);
  expect_same(given->back, counted_later(0, 0));
}

TEST(RolledChannels, are_none_where_they_stand_in_their_place) {
  EXPECT_FALSE(rolled_answer(counted_later(0, 0)));
  EXPECT_FALSE(rolled_input(counted_later(0, 0)));
}

}  // namespace
}  // namespace posproof::rolled_channels_test
