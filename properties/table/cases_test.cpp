// Cases of single checks that the others pass over: what is drawn again, what a statement has nothing to say
// of, what is no number, and how whole rotations are counted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "negative_examples.h"
#include "search/generate.h"
#include "testing/checks_of_tables.h"

namespace posproof::cases_test {

using namespace checks_of_tables;
using namespace negative_examples;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

Table without_pairs() {
  return plain(2, {0, 7}, [](std::size_t c, double t, double) { return right(t)[c]; });
}
Table with_a_lone_column() {
  Table table = plain(3, {0, 7}, [](std::size_t c, double t, double) { return c < 2 ? right(t)[c] : 0; });
  table.pairs = {{0, 1, 1.0}};
  table.lone = Pair{2, 2, 0.1, 1};
  return table;
}

// Why there is nothing to say of the table; empty where there is.
std::string inapplicable(std::string_view name, const Table& table) {
  RandomDraw draw(1, name, 0);
  try {
    check_of(named(name))(table, all_f64, draw);
  } catch (const Inapplicable& no) {
    return no.why;
  } catch (const Discard&) {
  }
  return "";
}

bool is_discarded(std::string_view name, const Table& table, std::string_view words) {
  try {
    replayed(name, table, all_f64, words);
  } catch (const Discard&) {
    return true;
  }
  return false;
}

// One pair of one radian a position at these angles.
Table at_angles(std::vector<double> angles) {
  return of_pairs({1}, {0, static_cast<Position>(angles.size()) - 1}, [=](const Pair&, Position t, Position) {
    return right(angles.at(static_cast<std::size_t>(t)));
  });
}

}  // namespace

TEST(ChecksOfTables, say_of_what_they_say_nothing) {
  for (const std::string_view name : {"composes_translations", "inverts_translation_by_transposing",
                                      "has_translations_of_determinant_one"}) {
    EXPECT_EQ(inapplicable(name, without_pairs()), "no shift can be read off without both of each pair");
    EXPECT_EQ(inapplicable(name, with_a_lone_column()), "no shift can be read off without both of each pair");
    EXPECT_EQ(inapplicable(name, small()), "");
  }
  for (const std::string_view name : {"has_geometric_wavelengths", "keeps_pairs_on_the_unit_circle"}) {
    EXPECT_EQ(inapplicable(name, without_pairs()), "it has no pairs");
    EXPECT_EQ(inapplicable(name, with_a_lone_column()), "");
  }
}

TEST(ChecksOfTables, draw_two_equal_positions_again) {
  for (const std::string_view name :
       {"distance_depends_on_offset", "has_translations_of_determinant_one", "translates_by_a_rotation"}) {
    EXPECT_TRUE(is_discarded(name, small(), "k=1 s=3 t=3")) << name;
    EXPECT_FALSE(is_discarded(name, small(), "k=1 s=4 t=3")) << name;
  }
  EXPECT_FALSE(is_discarded("dot_product_depends_on_offset", small(), "k=1 s=3 t=3"));
  EXPECT_TRUE(is_discarded("has_constant_norm", without_pairs(), "s=3 t=3"));
  EXPECT_FALSE(is_discarded("has_constant_norm", without_pairs(), "s=4 t=3"));
}

// Rows of any size may be any distance apart.
TEST(ChecksOfTables, without_a_ladder_have_no_ceiling) {
  for (const std::string_view name : {"distance_depends_on_offset", "dot_product_depends_on_offset"})
    EXPECT_EQ(replayed(name, without_pairs(), all_f64, "k=1 s=3 t=4").ceiling, no_ceiling) << name;
}

TEST(HasConstantNorm, without_a_ladder_compares_two_rows) {
  const Table longer =
      plain(2, {0, 1}, [](std::size_t c, double t, double) { return (t + 1) * (c == 0 ? 3 : 4); });
  const Residual of = replayed("has_constant_norm", longer, all_f64, "s=0 t=1");
  EXPECT_EQ(of.error, 5);
  // Entries are off by 2 units, so rows by 2 units of 5 and of 10; norms of two entries by 5/2 units more.
  EXPECT_DOUBLE_EQ(of.bound / unit_f64, 2 * 5 + 2 * 10 + 2.5 * 5 + 2.5 * 10);
  EXPECT_EQ(of.ceiling, no_ceiling);
}

TEST(HasConstantNorm, on_a_ladder_is_that_of_its_pairs) {
  Table table = plain(4, {0, 1}, [](std::size_t c, double, double) { return c == 1 ? 1 : c == 3 ? 2 : 0; });
  table.pairs = {{0, 1, 1.0}};
  const Residual of = replayed("has_constant_norm", table, all_f64, "t=0");
  EXPECT_DOUBLE_EQ(of.error, std::sqrt(5.0) - 1);
  EXPECT_EQ(of.ceiling, 1);
}

TEST(HasConstantNorm, of_what_is_no_number_is_none) {
  for (const double value : {infinite, -infinite, none}) {
    const Table ladder = of_pairs({1}, {0, 1}, [=](const Pair&, Position, Position) {
      return std::array{value, 1.0};
    });
    const Residual on_a_ladder = replayed("has_constant_norm", ladder, all_f64, "t=0");
    EXPECT_FALSE(on_a_ladder.holds()) << value;
    EXPECT_EQ(on_a_ladder.bound, 0) << value;
    const Table rows = plain(1, {0, 1}, [=](std::size_t, double, double) { return value; });
    EXPECT_TRUE(std::isnan(replayed("has_constant_norm", rows, all_f64, "s=0 t=1").error)) << value;
  }
}

// Entries of which the norm is not, in double.
TEST(HasConstantNorm, of_a_norm_that_is_infinite_is_allowed_nothing) {
  const Table large = plain(1, {0, 1}, [](std::size_t, double t, double) { return t == 0 ? 1 : 1e200; });
  const Residual of = replayed("has_constant_norm", large, all_f64, "s=0 t=1");
  EXPECT_EQ(of.bound, 0);
  EXPECT_FALSE(of.holds());
}

// A longer sequence is longer than both, and a shift by one token needs one more.
TEST(ChecksOfTables, refuse_cases_that_they_would_not_draw) {
  EXPECT_THROW(replayed("has_different_dot_products_near_and_far", small(), all_f64, "k=2 t=0 n=5 u=0 far=5"),
               NoAnswer);
  EXPECT_THROW(replayed("shifts_base_by_a_rotation", right_ladder(2, {0, 5}), all_f64, "n=6 c=1"), NoAnswer);
  EXPECT_TRUE(replayed("shifts_base_by_a_rotation", right_ladder(2, {0, 5}), all_f64, "n=5 c=1").holds());
}

TEST(DistinguishesNeighbours, of_what_is_no_number_are_not_told_apart) {
  for (const std::string_view name :
       {"distinguishes_neighbours_in_bf16", "distinguishes_neighbours_in_f16"}) {
    const Table nan = plain(1, {0, 1}, [](std::size_t, double t, double) { return t == 0 ? none : 1; });
    EXPECT_TRUE(std::isnan(replayed(name, nan, all_f64, "t=0 n=2").error)) << name;
  }
  // 70000 is infinite in f16, and 1 is not.
  const Table large = plain(1, {0, 1}, [](std::size_t, double t, double) { return t == 0 ? 1 : 70000; });
  const Residual overflowed = replayed("distinguishes_neighbours_in_f16", large, all_f64, "t=0 n=2");
  EXPECT_EQ(overflowed.error, 1);
  EXPECT_FALSE(overflowed.holds());
  EXPECT_TRUE(replayed("distinguishes_neighbours_in_bf16", large, all_f64, "t=0 n=2").holds());
}

TEST(DistinguishesNeighboursFromDistantTokens, of_products_that_are_no_numbers_says_so) {
  // Products of 1 and `near`, and of `distant` and three times that.
  const auto at = [](double near, double distant) {
    const Table table = plain(1, {0, 7}, [=](std::size_t, double t, double n) {
      return n == 2 ? (t == 0 ? 1 : near) : t * distant;
    });
    return replayed("has_different_dot_products_near_and_far", table, all_f64, "k=2 t=0 n=2 u=1 far=4");
  };
  EXPECT_TRUE(std::isnan(at(infinite, 1).error));
  EXPECT_TRUE(std::isnan(at(1, infinite).error));
  EXPECT_EQ(at(12, 2).error, 1);
  EXPECT_EQ(at(13, 2).error, 0);
}

// cos 1 - cos 6 is below 0.
TEST(DistinguishesNeighboursFromDistantTokens, measures_either_way) {
  const Table still = of_pairs({1}, {0, 7}, [](const Pair&, Position, Position) { return right(0); });
  const Residual of =
      replayed("has_different_dot_products_near_and_far", still, all_f64, "k=6 t=0 n=2 u=0 far=7");
  EXPECT_NEAR(of.error, 0.4198679807822263, 1e-15);
  EXPECT_NEAR(of.ceiling, 0.4198679807822263, 1e-15);
}

// Half a rotation or more in a step, none, and one the other way.
TEST(RotatesClockwise, has_nothing_to_say_of_steps_without_a_direction) {
  for (const double frequency : {0.0, -1.0, std::acos(-1.0), 4.0}) {
    const Residual of =
        replayed("rotates_clockwise", of_pairs({frequency}, {0, 7}, &right_pair), all_f64, "t=1");
    EXPECT_EQ(of.error, 0) << frequency;
    EXPECT_EQ(of.ceiling, 0) << frequency;
  }
  EXPECT_GT(replayed("rotates_clockwise", of_pairs({3.1}, {0, 7}, &right_pair), all_f64, "t=1").ceiling, 0);
}

TEST(HasGeometricWavelengths, counts_whole_rotations) {
  struct {
    double once, twice, error;  // angles one position and two positions on; from a rotation of 1 a position
  } const cases[] = {
      {1.56, -3.13, 0.57659265358979}, {-1.56, 3.13, 2.57659265358979}, {0.3, -0.6, 1.3}, {-0.3, 0.6, 0.7},
      {2.5, -1.2, 1.54159265358979},   {-2.5, 1.2, 3.54159265358979},   {2.0, 3.1, 0.55}, {-2.0, -3.1, 2.55}};
  for (const auto& [once, twice, error] : cases)
    EXPECT_NEAR(
        replayed("has_geometric_wavelengths", at_angles({0, once, twice}), all_f64, "t=0 doublings=1").error,
        error, 1e-13)
        << once << " " << twice;
}

// In bf16 the angle after 2^8 positions is off by 1 and after 2^9 by 2, so that the rotations of the latter
// are not known; past position 512 not even those of one step are.
TEST(HasGeometricWavelengths, is_measured_as_far_as_rotations_are_known) {
  const Precision all_bf16{unit_bf16, unit_bf16};
  // By 1.001 radians a position.
  const Table faster = of_pairs({1}, {0, 2000}, [](const Pair&, Position t, Position) {
    return right(1.001 * static_cast<double>(t));
  });
  const auto at = [&](std::string_view words) {
    return replayed("has_geometric_wavelengths", faster, all_bf16, words);
  };
  EXPECT_NEAR(at("t=0 doublings=10").bound, 0.019657082638599867, 1e-15);
  EXPECT_NEAR(at("t=0 doublings=10").error, 0.001, 1e-14);
  EXPECT_NEAR(at("t=1000 doublings=2").bound, 6.3236516365279325, 1e-13);
  EXPECT_NEAR(at("t=1000 doublings=2").error, 0.001, 1e-12);
}

// Angles after 150 and 151 positions are off by 0.64 each, and twice 1.28 and 1.28 of the next are more than
// half a rotation.
TEST(HasGeometricWavelengths, knows_rotations_up_to_half_a_turn) {
  const Table faster = of_pairs({1}, {0, 2000}, [](const Pair&, Position t, Position) {
    return right(1.001 * static_cast<double>(t));
  });
  const Residual of = replayed("has_geometric_wavelengths", faster, {0.005, 0.005}, "t=150 doublings=2");
  EXPECT_NEAR(of.bound, 1.3347595957446954, 1e-12);
  // The angle after 2^8 positions is off by more than a third of half a rotation, the one before by less.
  EXPECT_NEAR(replayed("has_geometric_wavelengths", faster, {unit_bf16, 0x1p-5}, "t=0 doublings=8").bound,
              0.02025488221460779, 1e-12);
}

// An entry that may be off by more than the radius may have any angle: each row's is allowed 4.
TEST(HasGeometricWavelengths, of_points_that_may_be_anywhere_is_allowed_anything) {
  for (const auto& [amplitude, unit] : {std::pair{1.0, 0.75}, std::pair{0.5, 0.3}}) {
    Table table = of_pairs({1}, {0, 1}, [size = amplitude](const Pair& pair, Position t, Position) {
      const auto [sine, cosine] = right(1.1 * pair.frequency * static_cast<double>(t));
      return std::array{size * sine, size * cosine};
    });
    table.amplitude = amplitude;
    const Residual of = replayed("has_geometric_wavelengths", table, {unit_f32, unit}, "t=0 doublings=0");
    EXPECT_NEAR(of.bound, 8, 1e-6) << amplitude;
  }
}

TEST(HasGeometricWavelengths, runs_to_the_slowest_frequency_of_all) {
  // Three places from 1 to 0.01, and 0.2 for 0.1 in the second one: the slowest is the last pair, in whatever
  // order they are declared, or the lone column.
  Table last = of_pairs({0.01, 1, 0.2}, {0, 7}, &right_pair);
  last.pairs[0].index = 2, last.pairs[1].index = 0, last.pairs[2].index = 1;
  EXPECT_NEAR(replayed("has_geometric_wavelengths", last, all_f64, "t=0 doublings=2").error, 0.1, 1e-14);
  Table lone = plain(5, {0, 7}, [](std::size_t c, double t, double) {
    return right(c < 2 ? t : c < 4 ? 0.2 * t : 0.01 * t)[c % 2];
  });
  lone.pairs = {{0, 1, 1.0, 0}, {2, 3, 0.2, 1}};
  lone.lone = Pair{4, 4, 0.01, 2};
  EXPECT_NEAR(replayed("has_geometric_wavelengths", lone, all_f64, "t=0 doublings=2").error, 0.1, 1e-14);
  lone.pairs[1].index = 2, lone.lone->index = 1;  // then the second pair is, and should be 0.2
  EXPECT_TRUE(replayed("has_geometric_wavelengths", lone, all_f64, "t=0 doublings=2").holds());
}

TEST(HasGeometricWavelengths, allows_what_a_scaled_frequency_loses) {
  Table table =
      of_pairs({0.1}, {0, 2000}, [](const Pair&, Position t, Position) { return right(0.11 * double(t)); });
  table.pairs[0].index = 1, table.pairs[0].frequency_error = {2, 3};
  const Residual of = replayed("has_geometric_wavelengths", table, all_f32, "t=0 doublings=10");
  EXPECT_NEAR(of.error, 0.01, 1e-13);
  EXPECT_NEAR(of.bound / unit_f32, 2.687761187027832, 1e-9);
}

}  // namespace posproof::cases_test
