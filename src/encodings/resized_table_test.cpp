#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/resized_table.h"
#include "encodings/made.h"

namespace posproof::resized_table_test {
namespace {

using Doubles = std::vector<double>;

Table made_by(bool oracle, const std::string& parameters) {
  const Parameters all = with(encodings::resized_table, Case::parse(parameters));
  return as<Table>(oracle ? encodings::resized_table.oracle(all) : encodings::resized_table.make(all));
}

Doubles all_rows(const Table& table) {
  std::vector<Position> at(static_cast<std::size_t>(table.positions.hi) + 1);
  std::iota(at.begin(), at.end(), 0);
  return table.rows(at, static_cast<Position>(at.size())).data;
}

// The golden numbers are those of an implementation in doubles, and no further off than those may be; ours
// are rounded once. Of the first rows, all if there are no more golden ones, one number each.
void expect_rows(const std::string& parameters, const Doubles& golden, bool all = true) {
  for (const bool oracle : {false, true}) {
    const Table table = made_by(oracle, parameters);
    const Doubles found = all_rows(table);
    if (all) {
      ASSERT_EQ(found.size(), golden.size()) << parameters;
    }
    for (std::size_t n = 0; n < golden.size(); ++n) {
      const auto at = static_cast<double>(n);
      double theirs = 0;
      table.row_error({&at, 1}, {&found[n], 1}, all_f64, {&theirs, 1});
      EXPECT_NEAR(found[n], golden[n], theirs + unit_f64 * std::abs(golden[n])) << parameters << " " << n;
    }
  }
}

// What PyTorch's interpolate makes of 0, 1, 2, ... in double, in all of its modes.
TEST(ResizedTable, is_what_pytorch_makes_of_it) {
  const std::string of_3_4 = "dim=1 from_height=3 from_width=4 ",
                    of_4_5 = "dim=1 from_height=4 from_width=5 ";
  expect_rows(of_3_4 + "height=2 width=5", {1, 1.7, 2.5, 3.3, 4, 7, 7.7, 8.5, 9.3, 10});
  expect_rows(of_3_4 + "height=2 width=5 method=cubic", {0.704875, 1.376375, 2.265625, 3.154875, 3.826375,
                                                         7.173625, 7.845125, 8.734375, 9.623625, 10.295125});
  expect_rows(of_3_4 + "height=5 width=2 align_corners=true", {0, 3, 2, 5, 4, 7, 6, 9, 8, 11});
  expect_rows(of_3_4 + "height=5 width=2 align_corners=true method=cubic",
              {0, 3, 1.625, 4.625, 4, 7, 6.375, 9.375, 8, 11});
  expect_rows(of_4_5 + "height=2 width=3 antialias=true",
              {4, 5.5714285714285721, 7.1428571428571441, 11.857142857142856, 13.428571428571429, 15});
  expect_rows(of_4_5 + "height=2 width=3 antialias=true method=cubic coefficient=-0.5",
              {3.2877304513668157, 4.9338842975206605, 6.5800381436745088, 12.419961856325495,
               14.066115702479339, 15.712269548633188});
  expect_rows(of_4_5 + "height=2 width=3 antialias=true align_corners=true",
              {6.9642857142857135, 8.75, 10, 14.047619047619049, 15.833333333333336, 17.083333333333336});
}

// DINOv2 gives interpolate (4 + 0.1)/3 and (5 + 0.1)/4 as factors; the first row of its answer, and the last
// number.
TEST(ResizedTable, has_dinov2s_offset) {
  const std::string words = "dim=1 from_height=3 from_width=4 height=4 width=5 method=cubic more=0.1";
  expect_rows(
      words,
      {-0.36608737885703735, 0.28303371710153163, 1.168818360639839, 2.0245636527974549, 2.7190707616771497},
      false);
  for (const bool oracle : {false, true}) {
    const Table table = made_by(oracle, words);
    const double found = all_rows(table).back(), last = 19;
    double theirs = 0;
    table.row_error({&last, 1}, {&found, 1}, all_f64, {&theirs, 1});
    EXPECT_NEAR(found, 11.182079133581219, theirs + unit_f64 * found);
  }
}

const std::array<std::string, 6> ways = {"",
                                         " align_corners=true",
                                         " antialias=true",
                                         " method=cubic",
                                         " method=cubic align_corners=true",
                                         " method=cubic antialias=true coefficient=-0.5"};

TEST(ResizedTable, of_its_own_size_is_learned) {
  const Parameters learned = with(encodings::learned, Case::parse("dim=2 length=16 table=seeded"));
  const Doubles expected = all_rows(encodings::learned.make<Table>(learned));
  for (const std::string& way : ways)
    EXPECT_EQ(all_rows(made_by(
                  true, "dim=2 kept_rows=1 from_height=3 from_width=5 height=3 width=5 table=seeded" + way)),
              expected)
        << way;
}

// An odd grid that becomes an even one keeps the middle of what it has: of a ramp from 0 to 14 two opposite
// entries add up to 14. Either is rounded, and so is their sum.
TEST(ResizedTable, keeps_the_middle) {
  for (const std::string& way : ways) {
    const Doubles rows = all_rows(made_by(true, "dim=1 from_height=3 from_width=5 height=4 width=6" + way));
    for (std::size_t n = 0; n < 12; ++n) {
      const double here = rows[n], there = rows[23 - n];
      EXPECT_NEAR(here + there, 14, unit_f64 * (std::abs(here) + std::abs(there) + 14)) << way << " " << n;
    }
  }
}

const std::string odd_to_even = "dim=2 from_height=7 from_width=8 height=4 width=5",
                  up = "dim=2 from_height=3 from_width=4 height=8 width=7";

// Weights add up to 1, whatever the filter, the border and the offset: exactly, for long double's roundings
// are 2^-11 of double's, and less than 2^10 of them vanish in an answer of 1 or 2.
TEST(ResizedTable, reproduces_constants) {
  for (const bool oracle : {false, true})
    for (const std::string& size : {odd_to_even, up})
      for (const std::string& way : ways)
        for (const char* more : {"", " more=0.1"}) {
          const Doubles rows = all_rows(made_by(oracle, size + " table=constant" + way + more));
          for (std::size_t n = 0; n < rows.size(); ++n)
            EXPECT_EQ(rows[n], static_cast<double>(n % 2 + 1)) << size << way << more;
        }
}

// The numbered table is a ramp along both axes. Away from the border its steps are as many old ones as an
// entry is wide: linear, and cubic of coefficient -1/2 (Keys 1981); of -3/4, PyTorch's, they are not. Two
// entries of at most 47 are rounded, a step of at most 4.8 twice here and once there; one unit of 47 more is
// far beyond what long double loses.
TEST(ResizedTable, reproduces_ramps_with_filters_that_are_linear) {
  const auto worst_step = [](bool oracle, const std::string& way, std::size_t border) {
    const Doubles rows =
        all_rows(made_by(oracle, "dim=1 from_height=6 from_width=8 height=10 width=12 " + way));
    const bool corners = way.find("corners") != std::string::npos;
    const double across = corners ? 7.0 / 11 : 8.0 / 12, down = 8 * (corners ? 5.0 / 9 : 6.0 / 10);
    double worst = 0;
    for (std::size_t y = border; y + border + 1 < 10; ++y)
      for (std::size_t x = border; x + border + 1 < 12; ++x) {
        worst = std::max(worst, std::abs(rows[y * 12 + x + 1] - rows[y * 12 + x] - across));
        worst = std::max(worst, std::abs(rows[(y + 1) * 12 + x] - rows[y * 12 + x] - down));
      }
    return worst;
  };
  for (const bool oracle : {false, true}) {
    const double bound = (3 * 47 + 4 * 4.8) * unit_f64;
    EXPECT_LE(worst_step(oracle, "", 1), bound);
    EXPECT_LE(worst_step(oracle, "align_corners=true", 0), bound);
    EXPECT_LE(worst_step(oracle, "method=cubic coefficient=-0.5", 3), bound);
    EXPECT_GT(worst_step(oracle, "method=cubic", 3), 0.01);
  }
}

// What is the same from both ends stays so: but for DINOv2's offset, which moves the middle.
TEST(ResizedTable, mirrors_what_is_mirrored) {
  const auto asymmetry = [](bool oracle, const std::string& words, std::size_t height, std::size_t width) {
    const Doubles rows = all_rows(made_by(oracle, words));
    double worst = 0;
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        for (std::size_t c = 0; c < 2; ++c) {
          const auto at = [&](std::size_t row, std::size_t column) {
            return rows[(row * width + column) * 2 + c];
          };
          worst = std::max(
              {worst, std::abs(at(y, x) - at(height - 1 - y, x)), std::abs(at(y, x) - at(y, width - 1 - x))});
        }
    return worst;
  };
  for (const bool oracle : {false, true})
    for (const std::string& way : ways) {
      // With antialias and aligned corners PyTorch places the entries off the middle, too.
      // The oracle's answers are the nearest doubles; ours are sums in another order, of which 64 bits may
      // round to the next double: of entries below 2^-4.
      const double apart = oracle ? 0 : 2 * unit_f64 * 0x1p-4;
      EXPECT_LE(asymmetry(oracle, odd_to_even + " table=mirrored" + way, 4, 5), apart) << way;
      EXPECT_LE(asymmetry(oracle, up + " table=mirrored" + way, 8, 7), apart) << way;
      if (way.find("corners") == std::string::npos) {
        EXPECT_GT(asymmetry(oracle, up + " table=mirrored more=0.1" + way, 8, 7), 1e-5) << way;
      }
    }
  EXPECT_GT(asymmetry(true, up + " table=mirrored antialias=true align_corners=true", 8, 7), 1e-5);
  EXPECT_EQ(
      asymmetry(true, "dim=2 from_height=7 from_width=8 height=3 width=4 table=mirrored method=centre", 3, 4),
      0);
}

TEST(ResizedTable, cuts_and_crops) {
  const std::string part = "dim=1 kept_rows=1 from_height=4 from_width=5 height=2 width=2 method=";
  expect_rows(part + "first", {0, 1, 2, 6, 7});
  expect_rows(part + "centre", {0, 7, 8, 12, 13});
  EXPECT_EQ(
      refused(encodings::resized_table, "from_height=4 height=5 method=first"),
      "`height=5 width=16 from_height=4 from_width=14 method=first`; allowed: a grid that is no larger than "
      "the trained one");
  const Table table = made_by(false, part + "first");
  EXPECT_EQ(table.positions.hi, 4);
  EXPECT_TRUE(table.positions.ends);
  EXPECT_THROW(table.rows(std::array<Position, 1>{5}, 6), Refusal);
  EXPECT_THROW(made_by(true, part + "first").rows(std::array<Position, 1>{5}, 6), Refusal);
}

// With 18 the antialiased weights of one of two columns add up to 0, by which they would be divided.
TEST(ResizedTable, refuses_weights_that_may_not_be_divided_by_their_sum) {
  const std::string halved = "dim=1 from_height=1 from_width=2 height=1 width=1 method=cubic coefficient=";
  for (const bool oracle : {false, true}) {
    EXPECT_THROW(made_by(oracle, halved + "0.125 antialias=true"), Refusal);
    EXPECT_NO_THROW(made_by(oracle, halved + "0 antialias=true"));
    EXPECT_NO_THROW(made_by(oracle, halved + "0.125"));
  }
}

// Of 0 and 8, two to three entries wide: the middle one is half of each.
TEST(ResizedTable, has_a_bound_for_each_entry) {
  for (const bool oracle : {false, true}) {
    const Table table = made_by(oracle, "dim=8 from_height=1 from_width=2 height=1 width=3");
    const auto bound = [&](double row, const Precision& p) {
      Doubles error(8);
      table.row_error({&row, 1}, Doubles(8, 4.0), p, error);
      return error[0];
    };
    // The coordinate, 2/3 1.5 - 1/2, is off by 3 units of 1, which move the entry by 8 of them each. Height:
    // one row, taken twice at coordinate 0, whose 3 units of 1/2 move nothing. Weights 1/2 + 1/2 across: a
    // distance and a difference, 1 + 0.5 units each, of 8 one of them; down 0 and 1 with 1 unit each. The
    // term 8 carries 1 of the table and 4 of the sums, of 4; and the result is rounded.
    const double units = 3 * 8 + 8 * (0.5 + 0.5) + 8 * 0.5 * 1 + 4 * (1 + 4) + 4;
    EXPECT_NEAR(bound(1, all_f32) / unit_f32, units, 4.01);
    EXPECT_EQ(bound(1, all_f64) / unit_f64, bound(1, all_f32) / unit_f32);
    Doubles error(8);
    const double first = 0;
    const Table parts =
        made_by(oracle, "dim=8 kept_rows=1 from_height=1 from_width=2 height=1 width=2 method=first");
    parts.row_error({&first, 1}, Doubles(8, 3.0), all_f32, error);
    EXPECT_EQ(error[7], 6 * unit_f32);
  }
}

}  // namespace
}  // namespace posproof::resized_table_test
