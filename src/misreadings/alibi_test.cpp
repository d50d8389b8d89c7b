// The slopes of each head, by a recurrence of their own, in the bits of a format.
#include "catalogue/misreadings/alibi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_alibi_test {
namespace {

using testing::Real;
using Token = std::span<const Position>;
using Formula = Function<Real(const Arguments&, std::size_t head, Token i, Token j)>;

// Of the official rule: 2^(-8 k / n) with k = 1, 2, .. of the largest power of 2, n, and of 2n then k = 1, 3,
// ..
Real slope_of(std::size_t heads, std::size_t head) {
  const std::size_t n = std::bit_floor(heads);
  const auto k = static_cast<Real>(head < n ? 2 * (head + 1) : 2 * (head - n) + 1);
  return std::pow(Real{2}, -8 * k / static_cast<Real>(2 * n));
}

Formula in_bits(int bits) {
  return [bits](const Arguments& p, std::size_t head, Token query, Token key) {
    const Position i = query[0], j = key[0];
    int exponent = 0;
    const Real fraction = std::frexp(slope_of(p.width("heads"), head), &exponent);
    const Real kept = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
    return j > i && p.is("form", "causal") ? 0 : -kept * static_cast<Real>(std::abs(i - j));
  };
}

// Of rows and columns: how far apart the places are along each.
Formula of_distances(Function<Position(Position rows, Position columns, Position columns_of_all)> distance) {
  return [distance](const Arguments& p, std::size_t head, Token i, Token j) -> Real {
    if (i[0] < 0 || j[0] < 0) return 0;
    const auto width = static_cast<Position>(p.list("grid")[1]);
    return -slope_of(p.width("heads"), head) *
           static_cast<Real>(std::abs(distance(i[0] - j[0], i[1] - j[1], width)));
  };
}

const testing::Formulas<Formula> formulas = {
    {"slopes are rounded to f16", in_bits(11)},
    {"slopes are rounded to bf16", in_bits(8)},
    {"slopes are rounded to bf16 or f16", in_bits(8)},
    {"the sum of the squares of the axes' distances stands for the distance: no root is taken",
     of_distances([](Position y, Position x, Position) { return y * y + x * x; })},
    {"the largest of the axes' distances stands for the distance",
     of_distances([](Position y, Position x, Position) { return std::max(std::abs(y), std::abs(x)); })},
    {"the distance is that of the tokens' numbers, counted row by row",
     of_distances([](Position y, Position x, Position width) { return y * width + x; })},
};

// A sequence; a grid with tokens in every direction, behind a class token where there is one.
TEST(MisreadAlibi, is_what_the_sentence_says) {
  testing::expect_formulas<Bias>(
      "alibi", misreadings::alibi, formulas,
      {"", "form=symmetric", "form=symmetric metric=manhattan class_token=zero"},
      [](const Bias& made, const Arguments& p, const Formula& formula, const std::string& where) {
        const bool line = p.is("axes", "line");
        std::vector<Position> places = {0, 1, 2, 5, 7, 8, 9, 16, 23, 150};
        if (!line) places = {0, 0, 0, 3, 4, 0, 2, 2, 3, 1};
        if (made.positions.lo < 0) places.insert(places.begin(), {-1, -1});
        const std::size_t axes = line ? 1 : 2, n = places.size() / axes;
        const Tensor all = made.bias(Positions(places, axes), Positions(places, axes));
        const Token tokens(places);
        for (std::size_t h = 0; h < made.heads; ++h)
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
              testing::expect_same(
                  all.at(h * n + i, j),
                  formula(p, h, tokens.subspan(i * axes, axes), tokens.subspan(j * axes, axes)), where);
      });
}

// Powers of 2 are numbers of every format.
TEST(MisreadAlibi, is_none_where_slopes_stay) {
  for (const Misreading& one : misreadings::alibi.misreadings)
    EXPECT_THROW(one.make(Case::parse("heads=8")), Refusal) << one.what;
  EXPECT_THROW(misreadings::alibi.misreadings.front().make(Case::parse("heads=12")), Refusal);
  EXPECT_THROW(misreadings::alibi.misreadings[2].make(Case::parse("heads=24")), Refusal);
}

// A grid of two by two has the sum of two distances, 2, for that of their squares.
TEST(MisreadAlibi, is_none_of_a_grid_that_shows_nothing) {
  for (std::size_t n = 3; n < misreadings::alibi.misreadings.size(); ++n)
    for (const std::string grid : {"[2,2]", "[1,9]"})
      EXPECT_THROW(misreadings::alibi.misreadings[n].make(Case::parse(
                       "heads=1 form=symmetric axes=rows_and_columns metric=manhattan grid=" + grid)),
                   Refusal)
          << n << grid;
}

}  // namespace
}  // namespace posproof::misreadings_alibi_test
