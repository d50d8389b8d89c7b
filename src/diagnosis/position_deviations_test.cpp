// What is measured of a table in which something else stands for the position.
#include "diagnosis/position_deviations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::position_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

using Number = Function<double(std::size_t axis)>;
// What stands for the number of an axis, of the declared numbers.
using Instead = Function<double(std::size_t axis, const Number& number)>;

// The declared table, in f32, at other numbers.
Sentences said_at(const std::string& family, const std::string& words, const Instead& instead) {
  return said(family, words, [&](const Parameters& parameters) -> Encoding {
    Table out = as<Table>(encoding_named(family).make(parameters));
    out.rows = [instead, pairs = out.pairs, dim = out.dim](const Positions& positions, Position) {
      Tensor rows({positions.size(), dim});
      for (std::size_t r = 0; r < rows.rows(); ++r)
        for (const Pair& pair : pairs) {
          const Number number = [&](std::size_t axis) { return positions.at(r, axis); };
          const double angle = pair.frequency * instead(pair.axis, number);
          rows.at(r, pair.first) = static_cast<float>(std::sin(angle));
          rows.at(r, pair.second) = static_cast<float>(std::cos(angle));
        }
      return rows;
    };
    return out;
  });
}

const std::string grid = "dim=32", small_grid = "dim=32 normalize=detr offset=1 grid=[12,20]";

TEST(PositionDeviations, of_the_declared_positions_are_none) {
  EXPECT_EQ(said_at("sincos_2d", grid, [](std::size_t axis, const Number& at) { return at(axis); }),
            Sentences{});
  EXPECT_EQ(said_at("sincos_2d", small_grid, [](std::size_t axis, const Number& at) { return at(axis) + 1; }),
            Sentences{});
}

TEST(PositionDeviations, are_the_same_of_every_number) {
  EXPECT_EQ(said_at("sincos_2d", grid, [](std::size_t axis, const Number& at) { return at(axis) + 0.5; }),
            Sentences{"positions are 0.5 ahead"});
  EXPECT_EQ(said_at("sincos_2d", grid, [](std::size_t axis, const Number& at) { return at(axis) / 14; }),
            Sentences{"positions are multiplied by 0.0714286"});
  EXPECT_EQ(
      said_at("sincos_2d", small_grid, [](std::size_t axis, const Number& at) { return (at(axis) + 1) / 2; }),
      Sentences{"positions are multiplied by 0.5"});
  EXPECT_EQ(said_at("sincos_2d", grid, [](std::size_t axis, const Number& at) { return -at(axis); }),
            Sentences{"positions have the other sign"});
  EXPECT_EQ(
      said_at("sincos_2d", grid, [](std::size_t axis, const Number& at) { return (at(axis) + 0.5) / 2; }),
      Sentences{"a position p counts as 0.5 p + 0.25"});
  EXPECT_EQ(
      said_at("sincos_2d", grid, [](std::size_t axis, const Number& at) { return at(axis) / 2 - 0.25; }),
      Sentences{"a position p counts as 0.5 p - 0.25"});
}

TEST(PositionDeviations, are_those_of_one_number) {
  EXPECT_EQ(said_at("sincos_2d", grid,
                    [](std::size_t axis, const Number& at) { return at(axis) * (axis == 1 ? 0.875 : 1); }),
            Sentences{"of the column: positions are multiplied by 0.875"});
  EXPECT_EQ(said_at("sincos_2d", grid,
                    [](std::size_t axis, const Number& at) { return at(axis) - (axis == 0 ? 2 : 0); }),
            Sentences{"of the row: positions are 2 behind"});
  EXPECT_EQ(said_at("sincos_2d", "dim=36 axes=3",
                    [](std::size_t axis, const Number& at) { return axis == 0 ? 3 : at(axis); }),
            Sentences{"of the time: every position counts as 3"});
}

// Angles are divided by the extents, 12 rows and 20 columns.
TEST(PositionDeviations, say_which_extent_makes_a_factor) {
  const auto of_the = [](std::size_t which, double factor) {
    return said_at("sincos_2d", small_grid, [=](std::size_t axis, const Number& at) {
      return (at(axis) + 1) * (axis == which ? factor : 1);
    });
  };
  EXPECT_EQ(of_the(0, 0.6),
            Sentences{"of the row: positions are multiplied by 0.6: they are divided by 20, the "
                      "extent of the column, not by 12"});
  EXPECT_EQ(of_the(1, 20 / 19.0), Sentences{"of the column: positions are multiplied by 1.05263: they are "
                                            "divided by 19, the extent less 1, not by 20"});
  EXPECT_EQ(of_the(1, 20 / 21.0), Sentences{"of the column: positions are multiplied by 0.95238: they are "
                                            "divided by 21, the extent and 1, not by 20"});
  EXPECT_EQ(of_the(1, 20 / 18.0), Sentences{"of the column: positions are multiplied by 1.11111"});
}

TEST(PositionDeviations, are_one_number_in_the_place_of_another) {
  for (const std::size_t other : {0, 1})
    EXPECT_EQ(said_at("sincos_2d", grid, [other](std::size_t, const Number& at) { return at(other); }),
              Sentences{other == 0 ? "the row stands for the column" : "the column stands for the row"});
  EXPECT_EQ(said_at("sincos_2d", grid,
                    [](std::size_t axis, const Number& at) { return axis == 0 ? 2 * at(1) : at(1); }),
            Sentences{"2 times the column stands for the row"});
}

TEST(PositionDeviations, are_sums_of_several_numbers) {
  EXPECT_EQ(said_at("sincos_2d", grid, [](std::size_t, const Number& at) { return at(0); }),
            Sentences{"the row stands for the column"});
  EXPECT_EQ(
      said_at("sincos_2d", grid,
              [](std::size_t axis, const Number& at) { return axis == 0 ? 14 * at(0) + at(1) : at(1); }),
      Sentences{"14 times the row and once the column stands for the row"});
  EXPECT_EQ(said_at("sincos_2d", grid,
                    [](std::size_t axis, const Number& at) { return axis == 1 ? 3 - at(0) : at(0); }),
            Sentences{"minus the row, and 3 stands for the column"});
  EXPECT_EQ(said_at("sincos_2d", grid,
                    [](std::size_t axis, const Number& at) { return axis == 1 ? at(0) - 3 : at(0); }),
            Sentences{"once the row, less 3 stands for the column"});
}

TEST(PositionDeviations, are_those_of_real_numbers) {
  const std::string words = "dim=32 shift=0";
  EXPECT_EQ(said_at("timestep_embedding", words,
                    [](std::size_t, const Number& at) { return 6.2831853071795865 * at(0); }),
            Sentences{"positions are multiplied by 6.28319"});
  EXPECT_EQ(said_at("timestep_embedding", words, [](std::size_t, const Number& at) { return 0.125 - at(0); }),
            Sentences{"a position p counts as -1 p + 0.125"});
}

// A sum explains none of these, though near the first position it seems to.
TEST(PositionDeviations, of_no_sum_are_none) {
  EXPECT_EQ(said_at("sincos_2d", grid,
                    [](std::size_t axis, const Number& at) { return at(axis) + 0.5 * (at(axis) > 100); }),
            Sentences{});
  EXPECT_EQ(said_at("sincos_2d", grid,
                    [](std::size_t axis, const Number& at) { return at(axis) + 0.01 * at(0) * at(1); }),
            Sentences{});
}

}  // namespace
}  // namespace posproof::position_deviations_test
