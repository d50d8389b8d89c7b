#include "diagnosis/unseen_fault.h"

#include <gtest/gtest.h>

namespace posproof::unseen_fault_test {
namespace {

using Calls = std::vector<EntriesOfCall>;

// Calls of so many entries, of which the first is off by 1 in each of the first `wrong` calls.
Calls seen(std::size_t calls, std::size_t wrong, std::size_t entries = 1) {
  Calls out;
  for (std::size_t n = 0; n < calls; ++n) {
    out.push_back({n, entries, {}, 0.5 * static_cast<double>(entries)});
    if (n < wrong) out.back().off = {1};
  }
  return out;
}

// Calls that hold, each entry with such a bound.
Calls held(std::size_t calls, double bound, std::size_t entries = 1, std::size_t first = 100) {
  Calls out;
  for (std::size_t n = 0; n < calls; ++n)
    out.push_back({first + n, entries, {}, bound * static_cast<double>(entries)});
  return out;
}

TEST(UnseenFault, is_unlikely_where_many_would_have_shown_it) {
  EXPECT_DOUBLE_EQ(chance_of_none(seen(3, 3), held(1, 0.5)), 0.25);
  EXPECT_DOUBLE_EQ(chance_of_none(seen(3, 3), held(4, 0.5)), 0x1p-8);
  EXPECT_DOUBLE_EQ(chance_of_none(seen(7, 2), held(2, 0.5)), 0.75 * 0.75);
}

TEST(UnseenFault, is_not_told_where_it_could_not_show) {
  EXPECT_EQ(chance_of_none(seen(7, 7), {}), 1);
  EXPECT_EQ(chance_of_none(seen(7, 7), held(100, 1)), 1) << "rounding allows as much";
  EXPECT_DOUBLE_EQ(chance_of_none(seen(7, 7), held(1, 0.999)), 0.125);
}

// One entry of eight is wrong in each call: a call of one entry shows it seldom.
TEST(UnseenFault, shows_in_calls_of_few_entries_seldom) {
  EXPECT_DOUBLE_EQ(chance_of_none(seen(3, 3, 8), held(1, 0.5)), 1 - 3.0 / 25);
  EXPECT_DOUBLE_EQ(chance_of_none(seen(3, 3, 8), held(1, 0.5, 1000)), 0.25);
}

TEST(UnseenFault, shows_in_its_own_call_as_often_as_there) {
  EXPECT_DOUBLE_EQ(chance_of_none(seen(3, 3), held(1, 0.5, 1, 0)), 0.5);
  EXPECT_DOUBLE_EQ(chance_of_none(seen(3, 3), held(1, 0.5, 100, 0)), 0x1p-4);
  EXPECT_EQ(chance_of_none(seen(3, 3), held(1, 2, 100, 0)), 1);
}

}  // namespace
}  // namespace posproof::unseen_fault_test
