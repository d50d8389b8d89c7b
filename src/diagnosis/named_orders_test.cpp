#include "diagnosis/named_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace posproof::named_orders_test {
namespace {

using Places = std::vector<std::size_t>;

Places places(const NamedOrder& order, std::size_t count) {
  Places out;
  for (std::size_t c = 0; c < count; ++c) out.push_back(order.of(c));
  return out;
}

Places places_of(const std::string& words, std::size_t count) {
  for (const NamedOrder& one : named_orders(count))
    if (one.words == words) return places(one, count);
  return {};
}

TEST(NamedOrders, hold_every_place_once) {
  for (std::size_t count = 1; count <= 33; ++count)
    for (const NamedOrder& one : named_orders(count)) {
      const Places held = places(one, count);
      EXPECT_EQ(std::set<std::size_t>(held.begin(), held.end()).size(), count) << one.words;
      EXPECT_LT(*std::ranges::max_element(held), count) << one.words;
    }
}

TEST(NamedOrders, are_what_their_words_say) {
  EXPECT_EQ(places_of("evens then odds", 6), (Places{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(places_of("evens then odds", 5), (Places{0, 2, 4, 1, 3}));
  EXPECT_EQ(places_of("both halves interleaved", 6), (Places{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(places_of("both halves interleaved", 5), (Places{0, 3, 1, 4, 2}));
  EXPECT_EQ(places_of("the halves are swapped", 6), (Places{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(places_of("the halves are swapped", 5), Places{});
  EXPECT_EQ(places_of("neighbours are swapped", 5), (Places{1, 0, 3, 2, 4}));
  EXPECT_EQ(places_of("in reverse order", 5), (Places{4, 3, 2, 1, 0}));
}

}  // namespace
}  // namespace posproof::named_orders_test
