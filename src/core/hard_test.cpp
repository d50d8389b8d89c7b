#include "core/hard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace posproof::hard_test {
namespace {

constexpr long double quarter_turn = std::numbers::pi_v<long double> / 2;

// Radians from t * w to the nearest multiple of pi/2.
long double off(Position t, double w) {
  return std::abs(std::remainder(static_cast<long double>(t) * w, quarter_turn));
}

bool has(const std::vector<Position>& hard, Position t) {
  return std::binary_search(hard.begin(), hard.end(), t);
}

TEST(HardPositions, are_sorted_unique_in_range_and_few) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < 64; ++i)
    pairs.push_back({2 * i, 2 * i + 1, std::pow(500000.0, -static_cast<double>(i) / 64), i});
  for (const auto& [lo, hi] :
       std::vector<std::pair<Position, Position>>{{0, 1 << 20},
                                                  {0, Position{1} << 40},
                                                  {0, std::numeric_limits<Position>::max()},
                                                  {1000, 5000},
                                                  {-70, 70},
                                                  {5, 5}}) {
    const auto hard = hard_positions(pairs, lo, hi);
    ASSERT_FALSE(hard.empty());
    EXPECT_TRUE(std::adjacent_find(hard.begin(), hard.end(), std::greater_equal<>()) == hard.end());
    EXPECT_EQ(hard.front(), lo);
    EXPECT_EQ(hard.back(), hi);
    EXPECT_LT(hard.size(), 600u);
  }
  EXPECT_TRUE(hard_positions(pairs, 3, 2).empty());
}

TEST(HardPositions, hold_the_ends_of_the_formats) {
  const auto hard = hard_positions(std::span<const Pair>{}, 0, 1 << 30);
  for (const int k : {3, 8, 11, 16, 17, 20, 24})
    for (const Position step : {-1, 0, 1})
      EXPECT_TRUE(has(hard, (Position{1} << k) + step)) << k << " " << step;
  EXPECT_TRUE(has(hard, 0));
  EXPECT_TRUE(has(hard, 1));
  EXPECT_FALSE(has(hard, 1000));
}

// Every position that comes closer to a multiple of pi/2 than all before it, by looking at all of them.
TEST(HardPositions, hold_all_records_of_closeness) {
  for (const double w : {1.0, 0.1, 0.7498942093324559, 0.01, -0.1, 3.0}) {
    const Pair pair{0, 1, w};
    const auto hard = hard_positions(std::span(&pair, 1), 0, 1 << 20);
    long double record = std::abs(static_cast<long double>(w)) + 1e-9L;  // t = 1 is among them as 2^0
    for (Position t = 1; t <= 1 << 20; ++t) {
      if (off(t, w) >= record) continue;
      record = off(t, w);
      EXPECT_TRUE(has(hard, t)) << w << " at " << t;
    }
  }
}

// Of N random angles the closest is about quarter_turn / 2N off; the sought ones are to be no worse than 1/t
// at their t, which a random position of that size is with likelihood 1/t.
TEST(HardPositions, are_closer_than_random_ones_of_that_size) {
  const Pair pair{0, 1, 0.1};
  const auto hard = hard_positions(std::span(&pair, 1), 0, Position{1} << 30);
  const auto plain = hard_positions(std::span<const Pair>{}, 0, Position{1} << 30);
  std::mt19937_64 random(1);
  int sought = 0, close = 0, random_close = 0;
  for (const Position t : hard) {
    if (t < 1000 || has(plain, t)) continue;
    ++sought;
    close += off(t, 0.1) < 2 / static_cast<long double>(t);
    random_close += off(t / 2 + static_cast<Position>(random() % static_cast<std::uint64_t>(t)), 0.1) <
                    2 / static_cast<long double>(t);
  }
  EXPECT_GE(sought, 8);
  EXPECT_EQ(close, sought);
  EXPECT_LE(random_close, 1);
}

TEST(HardPositions, of_a_slow_pair_are_around_its_first_quarter_turns) {
  const Pair pair{0, 1, 1e-4};  // a quarter turn is 15707.96 positions
  const auto hard = hard_positions(std::span(&pair, 1), 0, 1 << 20);
  for (const Position t : {15707, 15708, 31415, 31416, 47123, 47124, 62831, 62832})
    EXPECT_TRUE(has(hard, t)) << t;
}

TEST(HardPositions, of_a_range_that_begins_later_are_close_as_well) {
  const Pair pair{0, 1, 1.0};
  const auto hard = hard_positions(std::span(&pair, 1), 1000000, 2000000);
  long double closest = 1;
  for (const Position t : hard) closest = std::min(closest, off(t, 1.0));
  EXPECT_LT(closest, 1e-4L);
}

TEST(HardPositions, of_buckets_are_the_known_edges_and_their_neighbours) {
  const auto both = hard_positions(Buckets{32, 128, true}, 1 << 20);
  for (const Position edge : {8, 12, 16, 23, 32, 46, 64, 91, 128})
    for (const Position step : {-1, 0, 1}) EXPECT_TRUE(has(both, edge + step)) << edge << " " << step;
  const auto one = hard_positions(Buckets{32, 128, false}, 1 << 20);
  for (const Position edge : {16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113, 128})
    for (const Position step : {-1, 0, 1}) EXPECT_TRUE(has(one, edge + step)) << edge << " " << step;
  EXPECT_FALSE(has(one, 1000));
  EXPECT_EQ(hard_positions(Buckets{32, 128, true}, 50).back(), 50);
  EXPECT_EQ(hard_positions(Buckets{}, 50), hard_positions(std::span<const Pair>{}, 0, 50));
  EXPECT_LT(hard_positions(Buckets{1024, 1000000, false}, 1 << 20).size(), 600u);
}

// Of 64 logarithmic buckets, 64 (1000/64)^(k/64), each has its edge looked at.
TEST(HardPositions, of_buckets_are_every_edge_of_64) {
  const auto hard = hard_positions(Buckets{128, 1000, false}, 1 << 20);
  for (int k = 0; k < 64; ++k) {
    const double edge = 64 * std::pow(1000.0 / 64, k / 64.0) + 1e-9;
    EXPECT_TRUE(has(hard, static_cast<Position>(edge))) << k;
  }
}

// Whole lists, each number of which one line makes.
TEST(HardPositions, of_nothing_in_particular_are_powers_of_two_and_their_neighbours_of_both_signs) {
  using List = std::vector<Position>;
  const std::span<const Pair> none;
  EXPECT_EQ(hard_positions(none, 0, 20), (List{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20}));
  EXPECT_EQ(hard_positions(none, -10, 6), (List{-10, -9, -8, -7, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6}));
  const Position most = std::numeric_limits<Position>::max(), half = Position{1} << 62;
  const auto all = hard_positions(none, 0, most - 1024);  // of which a long double holds every bit
  EXPECT_EQ((List{all.end() - 4, all.end()}), (List{half - 1, half, half + 1, most - 1024}));
}

TEST(HardPositions, of_a_pair_that_does_not_rotate_are_those_of_no_pair) {
  for (const double none : {0.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const Pair pair{0, 1, none};
    EXPECT_EQ(hard_positions(std::span(&pair, 1), 0, 1000), hard_positions(std::span<const Pair>{}, 0, 1000));
  }
}

// The farthest of the ten pairs that are looked at is the last, the nearest the first.
TEST(HardPositions, of_many_pairs_are_those_of_the_first_and_of_the_last) {
  std::vector<Pair> pairs(40, {0, 1, 0.0});
  const auto plain = hard_positions(pairs, 0, 1 << 20);
  for (const std::size_t at : {std::size_t{0}, std::size_t{39}, std::size_t{13}}) {  // 3 * 39 / 9
    pairs[at].frequency = 1e-4;
    EXPECT_TRUE(has(hard_positions(pairs, 0, 1 << 20), 15707)) << at;
    pairs[at].frequency = 0;
  }
  EXPECT_FALSE(has(plain, 15707));
}

TEST(HardPositions, of_buckets_are_the_powers_of_two_the_edges_with_neighbours_and_two_behind) {
  using List = std::vector<Position>;
  // Exact up to 8, logarithmic edges at 8 (50/8)^(k/8): 8, 10.06, 12.6, 15.9, 20, 25.1, 31.6, 39.8; and 50.
  const auto hard = hard_positions(Buckets{16, 50, false}, 60);
  EXPECT_EQ(hard, (List{0,  1,  2,  3,  4,  5,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 19, 20,
                        21, 22, 24, 25, 26, 27, 30, 31, 32, 33, 38, 39, 40, 41, 49, 50, 51, 60}));
  // Nothing is logarithmic where the largest distance has a bucket of its own.
  EXPECT_EQ(hard_positions(Buckets{16, 8, false}, 60), hard_positions(std::span<const Pair>{}, 0, 60));
  EXPECT_EQ(hard_positions(Buckets{1, 50, false}, 60), hard_positions(std::span<const Pair>{}, 0, 60));
  EXPECT_EQ(hard_positions(Buckets{32, 50, true}, 60), hard);  // half of them for each direction
}

TEST(AddSwitches, adds_the_ends_of_each_length_and_where_the_next_begins) {
  using List = std::vector<Position>;
  const auto added = [](Domain domain, double length, int multiples) {
    add_switches(domain, length, multiples);
    return domain.hard;
  };
  EXPECT_EQ(added({0, 100, {0, 6, 9}}, 8, 1), (List{0, 6, 6, 7, 8, 9}));
  EXPECT_EQ(added({0, 100}, 10.5, 3), (List{8, 9, 10, 19, 20, 21, 29, 30, 31}));
  EXPECT_EQ(added({7, 15}, 8, 2), (List{7, 8, 14, 15}));
  EXPECT_EQ(added({-5, 3}, 1, 2), (List{-1, 0, 0, 1, 1, 2}));
  EXPECT_EQ(added({3, 5, {4}}, 1e300, 4), List{4});
}

}  // namespace
}  // namespace posproof::hard_test
