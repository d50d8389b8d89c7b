#include "core/residual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

using namespace posproof;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();
using List = std::span<const double>;

// Of every kind: exact, within, at the edge, beyond, NaN; telling and not.
std::vector<Residual> residuals() {
  std::vector<Residual> all;
  for (const double measured : {0.0, 0.5, 1.0, 2.0, inf, none})
    for (const double allowed : {0.0, 1.0, 4.0})
      for (const double ceiling : {0.0, 1.0, 8.0}) all.push_back({measured, allowed, ceiling});
  return all;
}

}  // namespace

TEST(Residual, nan_holds_nothing) {
  EXPECT_FALSE(equal(none, 0, 1).holds());
  EXPECT_FALSE(equal(0, none, 1).holds());
  EXPECT_FALSE(equal(none, none, 1).holds());
  EXPECT_FALSE(equal(none, 0, inf).holds());
  EXPECT_FALSE(no_more(none, 1, 1).holds());
  EXPECT_FALSE(no_more(1, none, 1).holds());
  EXPECT_EQ(equal(none, 0, 1).use(), inf);
  const std::array<double, 3> with_nan = {1, none, 1}, ones = {1, 1, 1};
  const List there = with_nan, here = ones, allowed = ones;
  EXPECT_FALSE(equal(there, here, 1.0).holds());
  EXPECT_FALSE(equal(there, here, allowed).holds());
  EXPECT_FALSE(equal(here, there, 1.0).holds());
}

TEST(Residual, equal_infinities_are_equal_and_others_are_not) {
  EXPECT_TRUE(equal(inf, inf, 0).holds());
  EXPECT_TRUE(equal(-inf, -inf, 0).holds());
  EXPECT_FALSE(equal(inf, -inf, 1e300).holds());
  EXPECT_FALSE(equal(inf, 1, 1e300).holds());
  // An allowance that was computed from the same infinity.
  EXPECT_FALSE(equal(inf, 1, inf).holds());
  EXPECT_FALSE(no_more(1, inf, 0).holds());
  EXPECT_FALSE(no_more(-inf, 1, 0).holds());
  EXPECT_FALSE(no_more(inf, 1, inf).holds());
}

TEST(Residual, the_edge_holds_and_the_next_number_does_not) {
  EXPECT_TRUE(equal(1.5, 1.0, 0.5).holds());
  EXPECT_FALSE(equal(std::nextafter(1.5, 2), 1.0, 0.5).holds());
  EXPECT_TRUE(no_more(1.5, 1.0, 0.5).holds());
  EXPECT_FALSE(no_more(std::nextafter(1.5, 2), 1.0, 0.5).holds());
  EXPECT_EQ(no_more(-7, 1, 0).measured, 0);
  EXPECT_TRUE(equal(-0.0, 0.0, 0).holds());
}

TEST(Residual, is_telling_where_it_could_have_come_out_the_other_way) {
  EXPECT_TRUE((Residual{0, 1, 2}).telling());
  EXPECT_FALSE((Residual{0, 1, 1}).telling());
  EXPECT_FALSE((Residual{0, 0, 0}).telling());
  EXPECT_FALSE((Residual{0, 1, none}).telling());
  EXPECT_TRUE(exactly(true).telling());
  EXPECT_TRUE(exactly(true).holds());
  EXPECT_FALSE(exactly(false).holds());
}

TEST(Residual, lists_give_their_worst_entry) {
  const std::array<double, 3> zeros = {0, 0, 0}, values = {1, -3, 2}, allowances = {0.5, 3, 2};
  const List here = zeros, there = values, allowed = allowances;
  EXPECT_EQ(equal(there, here, 4.0).measured, 3);
  // The entry that uses most of its own allowance, not the largest.
  EXPECT_EQ(equal(there, here, allowed).measured, 1);
  EXPECT_FALSE(equal(there, here, allowed).holds());
  // A list of nothing tells nothing.
  EXPECT_FALSE(equal(std::span<const double>{}, std::span<const double>{}, 1.0).telling());
}

TEST(Residual, lists_of_different_lengths_are_no_comparison) {
  const std::array<double, 3> zeros = {0, 0, 0};
  const List two(zeros.data(), 2), three = zeros;
  EXPECT_THROW(equal(two, three, 1.0), std::invalid_argument);
  EXPECT_THROW(equal(three, three, two), std::invalid_argument);
  EXPECT_THROW(equal(0, 0, -1), std::invalid_argument);
  EXPECT_THROW(equal(0, 0, none), std::invalid_argument);
  EXPECT_THROW(no_more(0, 0, none), std::invalid_argument);
  EXPECT_THROW(equal(two, two, none), std::invalid_argument);
}

TEST(Residual, of_a_list_is_the_worst_of_its_entries_whatever_their_order) {
  std::vector<Residual> all = residuals();
  std::erase_if(all, [](const Residual& r) { return r.ceiling != 8; });
  constexpr double ceiling = 2;  // an entry that is allowed 4 could not have told
  for (std::size_t start = 0; start < all.size(); ++start) {
    std::rotate(all.begin(), all.begin() + 1, all.end());
    std::vector<double> there, here, allowed;
    for (const Residual& r : all) {
      there.push_back(r.measured), here.push_back(0), allowed.push_back(r.allowed);
    }
    Residual worst = equal(there[0], here[0], allowed[0], ceiling);
    for (std::size_t i = 1; i < all.size(); ++i)
      worst = worse(worst, equal(there[i], here[i], allowed[i], ceiling));
    const Residual found = posproof::equal(List(there), here, List(allowed), ceiling);
    EXPECT_EQ(found.use(), worst.use());
    EXPECT_EQ(found.allowed, worst.allowed);
    EXPECT_EQ(found.telling(), worst.telling());
  }
}

TEST(Residual, worse_is_total) {
  const auto all = residuals();
  // Refuted before held, telling before not, then the use.
  const auto at_most = [](const Residual& a, const Residual& b) {
    const auto key = [](const Residual& r) {
      return std::tuple(!r.holds(), !r.holds() || r.telling(), r.use());
    };
    return key(a) <= key(b);
  };
  for (const Residual& a : all)
    for (const Residual& b : all) {
      const Residual w = worse(a, b);
      EXPECT_TRUE(at_most(a, w) && at_most(b, w));
      // A refuted one is never hidden by one that holds.
      EXPECT_EQ(w.holds(), a.holds() && b.holds())
          << a.measured << "/" << a.allowed << " " << b.measured << "/" << b.allowed;
      if (std::isnan(a.measured) || std::isnan(b.measured)) {
        EXPECT_FALSE(w.holds());
      }
      // Nor is one that could have told by one that could not, where both are exact.
      if (a.measured == 0 && b.measured == 0) {
        EXPECT_EQ(w.telling(), a.telling() || b.telling());
      }
      EXPECT_EQ(w.use(), worse(b, a).use());
      for (const Residual& c : all) EXPECT_EQ(worse(worse(a, b), c).use(), worse(a, worse(b, c)).use());
    }
}
