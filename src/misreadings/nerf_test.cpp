// The rows that a misread formula gives, written out.
#include "catalogue/misreadings/nerf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/diagnosis.h"
#include "diagnosis/testing/misread.h"
#include "run/catalogued.h"

namespace posproof::misreadings_nerf_test {
namespace {

using Numbers = std::vector<double>;

Table read_as(std::string_view what, std::string_view setting) {
  const auto& all = misreadings::nerf.misreadings;
  const auto one = std::ranges::find(all, what, &Misreading::what);
  if (one == all.end()) throw std::invalid_argument(std::string(what));
  return as<Table>(one->make(testing::parameters_of("nerf", setting)));
}

void expect_row(std::string_view what, std::string_view setting, const Numbers& position,
                const Numbers& expected) {
  const Table table = read_as(what, setting);
  const Tensor row = table.rows(Positions(std::span<const double>(position), position.size()), 1);
  ASSERT_EQ(row.data.size(), expected.size()) << what;
  for (std::size_t c = 0; c < expected.size(); ++c)
    EXPECT_NEAR(row.data[c], expected[c], 1e-14) << what << ", column " << c;
}

TEST(MisreadNerf, has_these_frequencies) {
  const double third = std::exp2(4 / 3.0), e = std::numbers::e;
  const struct {
    std::string_view what;
    Numbers frequencies;
  } all[] = {
      {"the frequencies are 1, 2, 3, .., not 1, 2, 4, ..", {1, 2, 3, 4}},
      {"the frequencies are 0, 1, 2, .., not 1, 2, 4, ..", {0, 1, 2, 3}},
      {"the frequencies are squares, 1, 4, 9, .., not 1, 2, 4, ..", {1, 4, 9, 16}},
      {"the frequencies are evenly spaced from the first to the last, not powers of 2",
       {1, 10 / 3.0, 17 / 3.0, 8}},
      {"the frequencies run to 2^frequencies, not to 2^(frequencies - 1)",
       {1, third, third * third, third * third * third}},
      {"the frequencies are powers of e, not of 2", {1, e, e * e, e * e * e}},
      {"the frequencies are in reverse order", {8, 4, 2, 1}},
  };
  for (const auto& [what, frequencies] : all) {
    Numbers row;
    for (const double w : frequencies) row.insert(row.end(), {std::sin(0.3 * w), std::cos(0.3 * w)});
    expect_row(what, "frequencies=4 factor=one", {0.3}, row);
    const Table table = read_as(what, "frequencies=4 factor=pi");
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_NEAR(table.pairs.at(j).frequency, std::numbers::pi * frequencies[j], 1e-13) << what << " " << j;
  }
}

TEST(MisreadNerf, has_these_axes) {
  const std::string_view setting = "axes=2 frequencies=1 factor=one input=first",
                         last = "axes=2 frequencies=1 factor=two_pi input=last";
  const double x = 0.3, y = 0.7, turn = 2 * std::numbers::pi;
  expect_row("the sines and cosines have the axes in reverse order", setting, {x, y},
             {x, y, std::sin(y), std::cos(y), std::sin(x), std::cos(x)});
  expect_row("the coordinates themselves are in reverse order", setting, {x, y},
             {y, x, std::sin(x), std::cos(x), std::sin(y), std::cos(y)});
  expect_row("the axes are in reverse order", setting, {x, y},
             {y, x, std::sin(y), std::cos(y), std::sin(x), std::cos(x)});
  expect_row(
      "the coordinates themselves are multiplied by pi as the angles are", last, {x, y},
      {std::sin(turn * x), std::cos(turn * x), std::sin(turn * y), std::cos(turn * y), turn * x, turn * y});
}

// Two frequencies of two axes, behind the coordinates.
TEST(MisreadNerf, has_this_order_of_columns) {
  const double x = 0.3, y = 0.7;
  const auto s = [](double a) { return std::sin(a); };
  const auto c = [](double a) { return std::cos(a); };
  expect_row(
      "of each frequency sine and cosine alternate axis by axis: the part counts fastest, the frequency "
      "slowest",
      "axes=2 frequencies=2 factor=one input=first", {x, y},
      {x, y, s(x), c(x), s(y), c(y), s(2 * x), c(2 * x), s(2 * y), c(2 * y)});
  expect_row(
      "of each axis all sines come first, then all cosines: the frequency counts fastest, the axis slowest",
      "axes=2 frequencies=2 factor=one input=last", {x, y},
      {s(x), s(2 * x), c(x), c(2 * x), s(y), s(2 * y), c(y), c(2 * y), x, y});
}

TEST(MisreadNerf, has_a_number_of_few_digits_in_the_place_of_pi) {
  const std::pair<std::string_view, double> all[] = {
      {"pi is 3.1416", 3.1416}, {"pi is 3.1415", 3.1415}, {"pi is 3.14", 3.14}, {"pi is 22/7", 22 / 7.0}};
  for (const auto& [what, pi] : all) {
    expect_row(what, "frequencies=2 factor=pi", {0.3},
               {std::sin(0.3 * pi), std::cos(0.3 * pi), std::sin(0.6 * pi), std::cos(0.6 * pi)});
    expect_row(what, "frequencies=1 factor=two_pi input=first", {0.3},
               {0.3, std::sin(0.6 * pi), std::cos(0.6 * pi)});
    EXPECT_THROW(read_as(what, "factor=one"), Refusal) << what;
  }
}

// Each is told from the others and from pi, in f32; a number near to one of them is none.
TEST(MisreadNerf, is_said_of_that_number_alone) {
  const Parameters parameters = testing::parameters_of("nerf", "axes=1 frequencies=6 factor=pi");
  const EncodingSpec& spec = encoding_named("nerf");
  const auto said = [&](double pi) {
    Table wrong = as<Table>(spec.make(parameters));
    wrong.rows = [pi, pairs = wrong.pairs, dim = wrong.dim](const Positions& positions, Position) {
      Tensor rows({positions.size(), dim});
      for (std::size_t r = 0; r < rows.rows(); ++r)
        for (const Pair& pair : pairs) {
          const double angle = pair.frequency / std::numbers::pi * pi * positions.at(r, pair.axis);
          rows.at(r, pair.first) = static_cast<float>(std::sin(angle));
          rows.at(r, pair.second) = static_cast<float>(std::cos(angle));
        }
      return rows;
    };
    std::vector<std::string> out;
    for (const Explanation& one : diagnose(spec, "nerf", parameters, {"made", "", wrong, all_f32}, Case{}, 1))
      if (one.what.starts_with("pi is")) out.push_back(one.what);
    return out;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(said(3.1416), Texts{"pi is 3.1416"});
  EXPECT_EQ(said(22 / 7.0), Texts{"pi is 22/7"});
  EXPECT_EQ(said(3.14161), Texts{});
  EXPECT_EQ(said(std::numbers::pi), Texts{});
}

// One frequency is the first and the last.
TEST(MisreadNerf, of_one_frequency_has_that) {
  for (const std::string_view what :
       {"the frequencies are evenly spaced from the first to the last, not powers of 2",
        "the frequencies run to 2^frequencies, not to 2^(frequencies - 1)"})
    expect_row(what, "frequencies=1 factor=one", {0.3}, {std::sin(0.3), std::cos(0.3)});
}

TEST(MisreadNerf, is_none_where_it_is_the_same) {
  const auto refused = [](std::string_view what, std::string_view setting) {
    EXPECT_THROW(read_as(what, setting), Refusal) << what << " " << setting;
  };
  refused("the sines and cosines have the axes in reverse order", "axes=1");
  refused("the coordinates themselves are in reverse order", "axes=1 input=first");
  refused(
      "of each axis all sines come first, then all cosines: the frequency counts fastest, the axis slowest",
      "axes=2 frequencies=1 order=axis_frequency_part");
  refused("the coordinates themselves are in reverse order", "axes=2");
  refused("the coordinates themselves are multiplied by pi as the angles are", "factor=pi");
  refused("the coordinates themselves are multiplied by pi as the angles are", "factor=one input=last");
}

}  // namespace
}  // namespace posproof::misreadings_nerf_test
