#include "catalogue/misreadings/sincos_2d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_sincos_2d_test {
namespace {

using testing::Real, testing::RowFormula;

// Of interleaved sines and cosines, the part of the rows first, by the extent that divides the number of an
// axis.
RowFormula divided(Real (*extent)(const Arguments& p, std::size_t axis, Real number)) {
  return [extent](const Arguments& p, const std::vector<double>& position) {
    std::vector<Real> row;
    const std::size_t each = p.width("dim") / 2;
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (std::size_t c = 0; c < each; ++c) {
        const Real number = position[axis], i = static_cast<Real>(c / 2 * 2) / static_cast<Real>(each);
        const Real angle = (number + static_cast<Real>(p.whole("offset"))) * 2 * std::numbers::pi_v<Real> /
                           (extent(p, axis, number) + Real{1e-6}) /
                           std::pow(static_cast<Real>(p.real("base")), i);
        row.push_back(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
    return row;
  };
}

// Of interleaved columns: the exponent of column c of an axis is times c / n.
RowFormula by_columns(Real times) {
  return [times](const Arguments& p, const std::vector<double>& position) {
    std::vector<Real> row;
    const std::size_t each = p.width("dim") / 2;
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (std::size_t c = 0; c < each; ++c) {
        const Real exponent = times * static_cast<Real>(c) / static_cast<Real>(each);
        const Real angle = Real{position[axis]} / std::pow(static_cast<Real>(p.real("base")), exponent);
        row.push_back(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
    return row;
  };
}

std::vector<Real> added_up(const Arguments& p, const std::vector<double>& position) {
  std::vector<Real> row;
  const std::size_t dim = p.width("dim");
  for (std::size_t c = 0; c < dim; ++c) {
    const Real w = 1 / std::pow(static_cast<Real>(p.real("base")),
                                static_cast<Real>(c / 2 * 2) / static_cast<Real>(dim));
    row.push_back(0);
    for (const double t : position) row.back() += c % 2 == 0 ? std::sin(t * w) : std::cos(t * w);
  }
  return row;
}

// Of interleaved columns, at whole quotients of the position and the factor.
RowFormula at_whole(Real (*whole)(Real)) {
  return [whole](const Arguments& p, const std::vector<double>& position) {
    std::vector<Real> row;
    const std::size_t each = p.width("dim") / 2;
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (std::size_t c = 0; c < each; ++c) {
        const Real t = whole(Real{position[axis]} / static_cast<Real>(p.real("factor"))),
                   w = std::pow(static_cast<Real>(p.real("base")),
                                -static_cast<Real>(c / 2 * 2) / static_cast<Real>(each));
        row.push_back(c % 2 == 0 ? std::sin(t * w) : std::cos(t * w));
      }
    return row;
  };
}

TEST(MisreadSincos2d, is_what_the_sentence_says) {
  // Of one token the extents of the call are its own numbers and one.
  testing::expect_rows(
      "sincos_2d", misreadings::sincos_2d,
      {{"positions are divided by the extents of the call's own positions, not by those of the grid",
        divided([](const Arguments&, std::size_t, Real number) { return std::max<Real>(number + 1, 0); })},
       {"positions are divided by the extents less 1",
        divided([](const Arguments& p, std::size_t axis, Real) { return Real{p.list("grid")[axis]} - 1; })},
       {"positions of every axis are divided by the largest extent",
        divided([](const Arguments&, std::size_t, Real) { return Real{5}; })},
       {"sine and cosine of pair j have frequencies of their own, base^(-2c/n) with c = 2j and 2j + 1 of an "
        "axis' n columns: the number of the column stands for that of the pair",
        by_columns(2)},
       {"sine and cosine of pair j have frequencies of their own, base^(-c/n) with c = 2j and 2j + 1 of an "
        "axis' n columns: c is not rounded down to an even number",
        by_columns(1)},
       {"the embeddings of the axes, each of the whole width, are added up, not set side by side", &added_up},
       {"positions that are divided by a factor are rounded down to whole numbers",
        at_whole([](Real x) { return std::floor(x); })},
       {"positions that are divided by a factor are rounded to whole numbers",
        at_whole([](Real x) { return std::floor(x + Real{0.5}); })}},
      {"layout=interleaved", "layout=interleaved base=100"});
}

Table made(std::size_t n, const std::string& words) {
  const EncodingSpec& spec = encoding_named("sincos_2d");
  return as<Table>(misreadings::sincos_2d.misreadings.at(n).make(with(spec, Case::parse(words))));
}

// As the table of one number, at the one and at the other.
TEST(MisreadSincos2d, adds_up_rows_of_the_whole_width_in_every_layout) {
  const std::vector<Position> place = {3, 5};
  for (const auto& [layout, as_one] : {std::pair<std::string, std::string>{"sin_cos", "sin_cos"},
                                       {"cos_sin", "cos_sin"},
                                       {"interleaved", "interleaved"},
                                       {"sines_first", "sin_cos"}}) {
    const Tensor found =
        made(5, "dim=12 divisor=half_minus_one layout=" + layout).rows(Positions(place, 2), 1);
    const Tensor rows =
        as<Table>(encoding_named("sinusoidal")
                      .make(with(encoding_named("sinusoidal"),
                                 Case::parse("dim=12 divisor=half_minus_one layout=" + as_one))))
            .rows(place, 6);
    // Two entries of at most 1 and their sum, each rounded once.
    for (std::size_t c = 0; c < 12; ++c)
      EXPECT_NEAR(found.at(0, c), rows.at(0, c) + rows.at(1, c), 4 * unit_f64) << layout << ": " << c;
  }
}

// A frequency of the declared ladder, and the one between it and the next, each times what is declared of
// its axis.
TEST(MisreadSincos2d, has_frequencies_of_columns_on_each_axis) {
  const std::string words = "dim=12 parts=[4,8] bases=[100,40] offset=1 normalize=detr grid=[9,7]";
  const std::vector<Position> place = {3, 5};
  const Table table = made(4, words);
  const Tensor found = table.rows(Positions(place, 2), 1);
  std::size_t pairs = 0;
  for (const Pair& pair : table.pairs) {
    const double n = pair.axis == 0 ? 4 : 8, base = pair.axis == 0 ? 100 : 40;
    const double t = static_cast<double>(place[pair.axis] + 1);
    // Four roundings of an angle of less than 8, and of what is made of it.
    constexpr double off = (4 * 8 + 2) * unit_f64;
    EXPECT_NEAR(found.at(0, pair.first), std::sin(t * pair.frequency), off);
    EXPECT_NEAR(found.at(0, pair.second), std::cos(t * pair.frequency * std::pow(base, -1 / n)), off);
    ++pairs;
  }
  EXPECT_EQ(pairs, 6u);
}

TEST(MisreadSincos2d, is_none_of_exponents_that_are_not_over_columns) {
  for (const std::size_t n : {3, 4}) {
    EXPECT_THROW(made(n, "dim=16 divisor=half_minus_one"), Refusal);
    EXPECT_THROW(made(n, "dim=14 uneven=round_up layout=interleaved"), Refusal);
  }
}

// Two tokens, of which each is the farther on one axis.
TEST(MisreadSincos2d, takes_the_extents_of_all_tokens_of_a_call) {
  const Parameters words =
      with(encoding_named("sincos_2d"), Case::parse("dim=16 normalize=detr offset=1 grid=[9,7]"));
  const Table made = as<Table>(misreadings::sincos_2d.misreadings.front().make(words));
  const Table of_4_by_6 =
      as<Table>(encoding_named("sincos_2d")
                    .make(with(encoding_named("sincos_2d"), Case::parse("dim=16 normalize=detr offset=1 "
                                                                        "grid=[4,6]"))));
  const std::vector<Position> two = {3, 1, 0, 5};
  const Tensor found = made.rows(Positions(two, 2), 1), expected = of_4_by_6.rows(Positions(two, 2), 1);
  for (std::size_t n = 0; n < found.data.size(); ++n) EXPECT_NEAR(found.data[n], expected.data[n], 1e-14);
}

// Each axis by its own, from the offset on: floor((8 + 1) / 4) and floor((8 + 1) / 1).
TEST(MisreadSincos2d, divides_each_axis_by_its_own_factor) {
  const Table table = made(6, "dim=8 layout=interleaved factors=[4,1] offset=1");
  const std::vector<Position> place = {8, 8};
  const Tensor row = table.rows(Positions(place, 2), 1);
  EXPECT_NEAR(row.at(0, 0), std::sin(2.0), 4 * unit_f64);
  EXPECT_NEAR(row.at(0, 4), std::sin(9.0), 4 * unit_f64);
  for (const std::size_t n : {6, 7}) {
    EXPECT_THROW(made(n, "dim=16"), Refusal);
    EXPECT_THROW(made(n, "dim=16 normalize=detr offset=1 grid=[5,3]"), Refusal);
  }
}

// As numpy rounds: 1/2 to 0, 3/2 to 2.
TEST(MisreadSincos2d, rounds_halves_to_even_numbers) {
  const std::vector<Position> place = {1, 3};
  const Tensor row = made(7, "dim=8 layout=interleaved factor=2").rows(Positions(place, 2), 1);
  EXPECT_EQ(row.at(0, 0), 0);
  EXPECT_NEAR(row.at(0, 4), std::sin(2.0), 4 * unit_f64);
}

TEST(MisreadSincos2d, is_none_without_extents_or_where_they_are_the_same) {
  const auto refuses = [](std::size_t n, const std::string& words) {
    EXPECT_THROW(
        misreadings::sincos_2d.misreadings.at(n).make(with(encoding_named("sincos_2d"), Case::parse(words))),
        Refusal)
        << words;
  };
  for (const std::size_t n : {0, 1, 2}) refuses(n, "dim=16");
  refuses(1, "dim=16 normalize=detr offset=1 grid=[5,1]");
  refuses(2, "dim=16 normalize=detr offset=1 grid=[5,5]");
}

}  // namespace
}  // namespace posproof::misreadings_sincos_2d_test
