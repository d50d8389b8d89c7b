// What is measured of tables of real positions and of grids whose frequencies are others.
#include "diagnosis/axis_ladders.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::axis_ladders_test {
namespace {

using testing::said;
using testing::Sentences;

// The declared table, in f32, with another frequency of each pair.
using Instead = Function<double(const Pair& pair)>;
using Rounded = Function<double(double angle)>;
Sentences said_of(
    const std::string& family, const std::string& words, const Instead& instead,
    const Rounded& rounded = [](double angle) { return angle; }) {
  return said(family, words, [&](const Parameters& parameters) -> Encoding {
    Table out = as<Table>(encoding_named(family).make(parameters));
    out.rows = [instead, rounded, pairs = out.pairs, dim = out.dim, offset = out.offset](
                   const Positions& positions, Position) {
      Tensor rows({positions.size(), dim});
      for (std::size_t r = 0; r < rows.rows(); ++r)
        for (const Pair& pair : pairs) {
          const double angle = rounded(instead(pair) * (positions.at(r, pair.axis) + offset));
          rows.at(r, pair.first) = static_cast<float>(std::sin(angle));
          rows.at(r, pair.second) = static_cast<float>(std::cos(angle));
        }
      return rows;
    };
    return out;
  });
}

double ladder(double base, double i, double of) {
  return std::pow(base, -i / of);
}

TEST(AxisLadders, of_real_positions_are_fitted_by_their_period) {
  const auto with_period = [](double period, const std::string& more = "", double scale = 1) {
    return said_of("timestep_embedding", "dim=32 shift=0 " + more,
                   [=](const Pair& pair) { return scale * ladder(period, double(pair.index), 16); });
  };
  EXPECT_EQ(with_period(5000),
            Sentences{"frequencies are max_period^(-2i/32) with max_period 5000, not 10000"});
  EXPECT_EQ(with_period(10000, "max_period=1234"),
            Sentences{"frequencies are max_period^(-2i/32) with max_period 10000, not 1234"});
  EXPECT_EQ(with_period(100), Sentences{"frequencies are max_period^(-2i/32) with max_period 100, not 10000: "
                                        "the exponent is halved"});
  EXPECT_EQ(with_period(10000), Sentences{});
  EXPECT_EQ(with_period(777, "scale=1000", 1000),
            Sentences{"frequencies are 1000 times max_period^(-2i/32) with max_period 777, not 10000"});
}

TEST(AxisLadders, are_rounded_before_the_scale_multiplies_them) {
  EXPECT_EQ(said_of("timestep_embedding", "dim=32 shift=0 scale=1000",
                    [](const Pair& pair) {
                      return 1000 * nearest(Format::bf16, ladder(10000, double(pair.index), 16));
                    }),
            Sentences{"frequencies are rounded to bf16, before 1000 multiplies them"});
}

// Angles of positions near 4000 are off by 2^-13 in f32.
TEST(AxisLadders, are_measured_through_the_rounding_of_angles_behind_an_offset) {
  const auto with_base = [](const std::string& more) {
    return said_of(
        "sincos_2d", "dim=32 " + more, [](const Pair& pair) { return ladder(20, double(pair.index), 8); },
        [](double angle) { return static_cast<float>(angle); });
  };
  EXPECT_EQ(with_base(""), Sentences{"frequencies are base^(-2i/16) with base 20, not 10000"});
  EXPECT_EQ(with_base("offset=4000"), Sentences{"frequencies are base^(-2i/16) with base 20, not 10000"});
}

TEST(AxisLadders, of_a_grid_are_said_once_or_of_their_number) {
  const auto with_base = [](double rows, double columns, const std::string& more, double unit = 1) {
    return said_of("sincos_2d", "dim=32 " + more, [=](const Pair& pair) {
      return unit * ladder(pair.axis == 0 ? rows : columns, double(pair.index), 8);
    });
  };
  EXPECT_EQ(with_base(20, 20, ""), Sentences{"frequencies are base^(-2i/16) with base 20, not 10000"});
  EXPECT_EQ(with_base(10000, 777, ""),
            Sentences{"of the column: frequencies are base^(-2i/16) with base 777, not 10000"});
  EXPECT_EQ(with_base(20, 777, ""),
            (Sentences{"of the row: frequencies are base^(-2i/16) with base 20, not 10000",
                       "of the column: frequencies are base^(-2i/16) with base 777, not 10000"}));
  EXPECT_EQ(with_base(10000, 10000, ""), Sentences{});
  // Where each axis has its own.
  EXPECT_EQ(with_base(40, 20, "bases=[20,40]"),
            (Sentences{"of the row: frequencies are base^(-2i/16) with base 40, not 20",
                       "of the column: frequencies are base^(-2i/16) with base 20, not 40"}));
  EXPECT_EQ(with_base(20, 777, "bases=[20,40]"),
            Sentences{"of the column: frequencies are base^(-2i/16) with base 777, not 40"});
  EXPECT_EQ(with_base(20, 20, "normalize=detr offset=1 grid=[16,16]", 2 * std::numbers::pi / (16 + 1e-6)),
            Sentences{"frequencies are 0.3927 times base^(-2i/16) with base 20, not 10000"});
}

// Five rows and eight columns.
TEST(AxisLadders, say_which_extent_positions_are_divided_by) {
  const auto divided = [](double rows, double columns) {
    return said_of("sincos_2d", "dim=16 normalize=detr offset=1 grid=[5,8]", [=](const Pair& pair) {
      const double extent = pair.axis == 0 ? rows : columns;
      return 2 * std::numbers::pi / (extent + 1e-6) * ladder(10000, double(pair.index), 4);
    });
  };
  EXPECT_EQ(divided(5, 8), Sentences{});
  EXPECT_EQ(divided(5, 7),
            Sentences{"of the column: positions are divided by 7, the extent less 1, not by 8"});
  EXPECT_EQ(
      divided(8, 5),
      (Sentences{"of the row: positions are multiplied by 0.625: they are divided by 8, the extent of the "
                 "column, not by 5",
                 "of the column: positions are multiplied by 1.6: they are divided by 5, the extent of the "
                 "row, not by 8"}));
}

// Pairs of the same number in each other's place, one that is another and some that stand still.
TEST(AxisLadders, say_which_pairs_differ) {
  const auto of = [](const Function<double(std::size_t i)>& column) {
    return said_of("sincos_2d", "dim=32",
                   [=](const Pair& pair) { return pair.axis == 0 ? pair.frequency : column(pair.index); });
  };
  const auto own = [](std::size_t i) { return ladder(10000, double(i), 8); };
  EXPECT_EQ(
      of([=](std::size_t i) { return own(7 - i); }),
      Sentences{"of the column: the frequencies stand in reverse order: pair i has that of pair 7 - i"});
  EXPECT_EQ(of([=](std::size_t i) { return i == 3 ? 1.5 * own(i) : own(i); }),
            Sentences{"of the column: pair 3 rotates at 1.5 times the declared frequency"});
  EXPECT_EQ(of([=](std::size_t i) { return i > 5 ? 0 : own(i); }),
            Sentences{"of the column: pairs 6 and 7 do not rotate"});
}

// Near the first position it seems to be one.
TEST(AxisLadders, of_what_is_no_rotation_are_none) {
  const auto with_number = [](const Function<double(double t, const Pair& pair)>& angle) {
    return said("sincos_2d", "dim=32", [&](const Parameters& parameters) -> Encoding {
      Table out = as<Table>(encoding_named("sincos_2d").make(parameters));
      out.rows = [angle, pairs = out.pairs, dim = out.dim](const Positions& positions, Position) {
        Tensor rows({positions.size(), dim});
        for (std::size_t r = 0; r < rows.rows(); ++r)
          for (const Pair& pair : pairs) {
            const double is = angle(positions.at(r, pair.axis), pair);
            rows.at(r, pair.first) = static_cast<float>(std::sin(is));
            rows.at(r, pair.second) = static_cast<float>(std::cos(is));
          }
        return rows;
      };
      return out;
    });
  };
  const auto base_20 = [](const Pair& pair) { return ladder(20, double(pair.index), 8); };
  EXPECT_EQ(with_number([=](double t, const Pair& pair) { return base_20(pair) * (t > 100 ? t + 1 : t); }),
            Sentences{});
  EXPECT_EQ(with_number([=](double t, const Pair& pair) { return base_20(pair) * t + 0.1; }), Sentences{});
  EXPECT_EQ(with_number([=](double t, const Pair& pair) { return base_20(pair) * std::pow(t, 1.01); }),
            Sentences{});
}

// What is measured of one table, without a search. Its positions are real numbers from 0 on.
using Angle = Function<double(double t, const Pair& pair)>;
std::optional<Deviation> measured(const Angle& angle, bool in_f32 = true) {
  const Parameters parameters = with(encoding_named("timestep_embedding"), Case::parse("dim=8 shift=0"));
  const Table truth = as<Table>(encoding_named("timestep_embedding").make(parameters));
  Table own = truth;
  own.rows = [=, pairs = truth.pairs](const Positions& positions, Position) {
    Tensor rows({positions.size(), 8});
    for (std::size_t r = 0; r < rows.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double is = angle(positions.at(r, 0), pair);
        rows.at(r, pair.first) = in_f32 ? static_cast<float>(std::sin(is)) : std::sin(is);
        rows.at(r, pair.second) = in_f32 ? static_cast<float>(std::cos(is)) : std::cos(is);
      }
    return rows;
  };
  return axis_ladders(own, truth, parameters, all_f32);
}

TEST(AxisLadders, are_one_frequency_at_every_step_from_the_position_itself) {
  EXPECT_TRUE(measured([](double t, const Pair& pair) { return 2 * pair.frequency * t; }));
  EXPECT_FALSE(measured([](double t, const Pair& pair) { return 2 * pair.frequency * t * t; }));
  EXPECT_FALSE(measured([](double t, const Pair& pair) { return 2 * pair.frequency * t + 0.5; }));
}

// One pair is twice as fast. The others keep what is declared, not what is measured of it: off by 10^-9 of it
// that is another angle in the last digits.
TEST(AxisLadders, keep_the_declared_frequency_of_what_is_right_within_rounding) {
  const auto found = measured(
      [](double t, const Pair& pair) { return (pair.index == 2 ? 2 : 1 + 1e-9) * pair.frequency * t; },
      false);
  ASSERT_TRUE(found);
  const auto& corrected = as<Table>(found->corrected);
  const Table truth = as<Table>(encoding_named("timestep_embedding").make(Case::parse("dim=8 shift=0")));
  const std::vector<Position> at = {700};
  const Tensor is = corrected.rows(at, 1000);
  for (const Pair& pair : truth.pairs) {
    const long double angle = (pair.index == 2 ? 2 : 1) * 700.0L * static_cast<long double>(pair.frequency);
    EXPECT_NEAR(is.at(0, pair.first), static_cast<double>(std::sin(angle)), pair.index == 2 ? 1e-4 : 1e-15);
  }
}

// 10000^(1 / ln 10) = e^4 = 54.598.
TEST(AxisLadders, say_the_base_of_a_logarithm_as_it_is) {
  const auto found = measured(
      [](double t, const Pair& pair) { return std::pow(10000, -double(pair.index) / 4 / std::log(10)) * t; });
  ASSERT_TRUE(found);
  EXPECT_EQ(
      found->sentences,
      Sentences{"frequencies are max_period^(-2i/8) with max_period 54.598, not 10000: the logarithm of "
                "the max_period is taken to base 10"});
}

}  // namespace
}  // namespace posproof::axis_ladders_test
