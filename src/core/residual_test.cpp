#include "core/residual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "testing/generators.h"
#include "testing/holds_for.h"

namespace posproof::residual_test {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();
using List = std::span<const double>;

// Of every kind: exact, within, at the edge, beyond, NaN; vacuous and not.
std::vector<Residual> residuals() {
  std::vector<Residual> all;
  for (const double error : {0.0, 0.5, 1.0, 2.0, inf, none})
    for (const double bound : {0.0, 1.0, 4.0})
      for (const double ceiling : {0.0, 1.0, 8.0}) all.push_back({error, bound, ceiling});
  return all;
}

}  // namespace

TEST(Residual, nan_holds_nothing) {
  EXPECT_FALSE(difference(none, 0, 1).holds());
  EXPECT_FALSE(difference(0, none, 1).holds());
  EXPECT_FALSE(difference(none, none, 1).holds());
  EXPECT_FALSE(difference(none, 0, inf).holds());
  EXPECT_FALSE(excess(none, 1, 1).holds());
  EXPECT_FALSE(excess(1, none, 1).holds());
  EXPECT_EQ(difference(none, 0, 1).error_over_bound(), inf);
  const std::array<double, 3> with_nan = {1, none, 1}, ones = {1, 1, 1};
  const List there = with_nan, here = ones, bound = ones;
  EXPECT_FALSE(difference(there, here, 1.0).holds());
  EXPECT_FALSE(difference(there, here, bound).holds());
  EXPECT_FALSE(difference(here, there, 1.0).holds());
}

TEST(Residual, equal_infinities_are_equal_and_others_are_not) {
  EXPECT_TRUE(difference(inf, inf, 0).holds());
  EXPECT_TRUE(difference(-inf, -inf, 0).holds());
  EXPECT_FALSE(difference(inf, -inf, 1e300).holds());
  EXPECT_FALSE(difference(inf, 1, 1e300).holds());
  // A bound that was computed from the same infinity.
  EXPECT_FALSE(difference(inf, 1, inf).holds());
  EXPECT_FALSE(excess(1, inf, 0).holds());
  EXPECT_FALSE(excess(-inf, 1, 0).holds());
  EXPECT_FALSE(excess(inf, 1, inf).holds());
}

TEST(Residual, the_edge_holds_and_the_next_number_does_not) {
  EXPECT_TRUE(difference(1.5, 1.0, 0.5).holds());
  EXPECT_FALSE(difference(std::nextafter(1.5, 2), 1.0, 0.5).holds());
  EXPECT_TRUE(excess(1.5, 1.0, 0.5).holds());
  EXPECT_FALSE(excess(std::nextafter(1.5, 2), 1.0, 0.5).holds());
  EXPECT_EQ(excess(-7, 1, 0).error, 0);
  EXPECT_TRUE(difference(-0.0, 0.0, 0).holds());
}

TEST(Residual, is_vacuous_where_it_could_not_have_come_out_the_other_way) {
  EXPECT_FALSE((Residual{0, 1, 2}).vacuous());
  EXPECT_TRUE((Residual{0, 1, 1}).vacuous());
  EXPECT_TRUE((Residual{0, 0, 0}).vacuous());
  EXPECT_TRUE((Residual{0, 1, none}).vacuous());
  EXPECT_FALSE(holds_if(true).vacuous());
  EXPECT_TRUE(holds_if(true).holds());
  EXPECT_FALSE(holds_if(false).holds());
}

TEST(Residual, lists_give_their_worst_entry) {
  const std::array<double, 3> zeros = {0, 0, 0}, values = {1, -3, 2}, bounds = {0.5, 3, 2};
  const List here = zeros, there = values, bound = bounds;
  EXPECT_EQ(difference(there, here, 4.0).error, 3);
  // The entry that uses most of its own bound, not the largest.
  EXPECT_EQ(difference(there, here, bound).error, 1);
  EXPECT_FALSE(difference(there, here, bound).holds());
  // A list of nothing tells nothing.
  EXPECT_TRUE(difference(std::span<const double>{}, std::span<const double>{}, 1.0).vacuous());
}

TEST(Residual, lists_of_different_lengths_are_no_comparison) {
  const std::array<double, 3> zeros = {0, 0, 0};
  const List two(zeros.data(), 2), three = zeros;
  EXPECT_THROW(difference(two, three, 1.0), std::invalid_argument);
  EXPECT_THROW(difference(three, three, two), std::invalid_argument);
  EXPECT_THROW(difference(0, 0, -1), std::invalid_argument);
  EXPECT_THROW(difference(0, 0, none), std::invalid_argument);
  EXPECT_THROW(excess(0, 0, none), std::invalid_argument);
  EXPECT_THROW(difference(two, two, none), std::invalid_argument);
}

TEST(Residual, of_a_list_is_the_worst_of_its_entries_whatever_their_order) {
  std::vector<Residual> all = residuals();
  std::erase_if(all, [](const Residual& r) { return r.ceiling != 8; });
  constexpr double ceiling = 2;  // an entry that is allowed 4 could not have told
  for (std::size_t start = 0; start < all.size(); ++start) {
    std::rotate(all.begin(), all.begin() + 1, all.end());
    std::vector<double> there, here, bound;
    for (const Residual& r : all) {
      there.push_back(r.error), here.push_back(0), bound.push_back(r.bound);
    }
    Residual worst = difference(there[0], here[0], bound[0], ceiling);
    for (std::size_t i = 1; i < all.size(); ++i)
      worst = worse(worst, difference(there[i], here[i], bound[i], ceiling));
    const Residual found = difference(List(there), here, List(bound), ceiling);
    EXPECT_EQ(found.error_over_bound(), worst.error_over_bound());
    EXPECT_EQ(found.bound, worst.bound);
    EXPECT_EQ(!found.vacuous(), !worst.vacuous());
  }
}

TEST(Residual, worse_is_total) {
  const auto all = residuals();
  // Refuted before held, not vacuous before vacuous, then error over bound.
  const auto at_most = [](const Residual& a, const Residual& b) {
    const auto key = [](const Residual& r) {
      return std::tuple(!r.holds(), !r.holds() || !r.vacuous(), r.error_over_bound());
    };
    return key(a) <= key(b);
  };
  for (const Residual& a : all)
    for (const Residual& b : all) {
      const Residual w = worse(a, b);
      EXPECT_TRUE(at_most(a, w) && at_most(b, w));
      // A refuted one is never hidden by one that holds.
      EXPECT_EQ(w.holds(), a.holds() && b.holds())
          << a.error << "/" << a.bound << " " << b.error << "/" << b.bound;
      if (std::isnan(a.error) || std::isnan(b.error)) {
        EXPECT_FALSE(w.holds());
      }
      // Nor is one that could have told by one that could not, where both are exact.
      if (a.error == 0 && b.error == 0) {
        EXPECT_EQ(!w.vacuous(), !a.vacuous() || !b.vacuous());
      }
      EXPECT_EQ(w.error_over_bound(), worse(b, a).error_over_bound());
      for (const Residual& c : all)
        EXPECT_EQ(worse(worse(a, b), c).error_over_bound(), worse(a, worse(b, c)).error_over_bound());
    }
}

TEST(Residual, worse_is_one_of_the_two_and_a_semilattice) {
  const auto same = [](const Residual& a, const Residual& b) {
    const auto bits = [](const Residual& r) {
      return std::tuple(std::bit_cast<std::uint64_t>(r.error), std::bit_cast<std::uint64_t>(r.bound),
                        std::bit_cast<std::uint64_t>(r.ceiling));
    };
    return bits(a) == bits(b);
  };
  const auto rank = [](const Residual& r) {
    return std::tuple(r.holds(), r.holds() && r.vacuous(), r.error_over_bound());
  };
  EXPECT_TRUE(posproof::testing::holds_for(
      [&] {
        const Residual a = *posproof::testing::any_residual(), b = *posproof::testing::any_residual(),
                       c = *posproof::testing::any_residual();
        RC_ASSERT(same(worse(a, a), a));
        RC_ASSERT(same(worse(a, b), a) || same(worse(a, b), b));
        RC_ASSERT(rank(worse(a, b)) == rank(worse(b, a)));
        RC_ASSERT(rank(worse(worse(a, b), c)) == rank(worse(a, worse(b, c))));
        RC_ASSERT(worse(a, b).holds() == (a.holds() && b.holds()));
      },
      2000));
}

}  // namespace posproof::residual_test
