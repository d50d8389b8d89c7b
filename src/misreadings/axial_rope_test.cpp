#include "catalogue/misreadings/axial_rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_axial_rope_test {
namespace {

using testing::Real;

// The coordinate of the number p on an axis of extent E, whose tokens reach to `last`.
struct Given {
  Real p, extent, last;
  bool cells;
  Real right(Real of_extent) const {
    return cells ? (2 * p + 1) / of_extent - 1 : 2 * p / (of_extent - 1) - 1;
  }
};
using Coordinate = Real (*)(const Given&);

const testing::Formulas<Coordinate> formulas = {
    {"coordinates run from 0 to 1, not from -1 to 1",
     [](const Given& of) { return of.right(of.extent) / 2 + Real{0.5}; }},
    {"coordinates run from -1/2 to 1/2, not from -1 to 1",
     [](const Given& of) { return of.right(of.extent) / 2; }},
    {"the coordinate of p is 2 p / E - 1", [](const Given& of) { return of.p / of.extent * 2 - 1; }},
    {"the coordinate of p is 2 (p + 1) / E - 1: that of the end of a cell, not of its middle",
     [](const Given& of) { return (of.p + 1) / of.extent * 2 - 1; }},
    {"coordinates have the other sign", [](const Given& of) { return -of.right(of.extent); }},
    {"coordinates are those of a grid as large as the call's own positions",
     [](const Given& of) { return of.right(of.cells ? of.last + 1 : std::max<Real>(of.last + 1, 2)); }},
};

// Three tokens of ones and zeros point where their angles do: 2 pi times the coordinate and a power of the
// base.
void expect_points(const Rotary& made, const Arguments& p, const Coordinate& coordinate,
                   const std::string& where) {
  const std::vector<Position> places = {4, 0, 1, 2, 3, 1};
  Tensor x({1, 1, 3, made.dim});
  for (std::size_t token = 0; token < 3; ++token)
    for (const Pair& pair : made.pairs) x.at(token, pair.first) = 1;
  const Tensor rotated = made.rotate(x, Positions(places, 2), Role::query);
  for (std::size_t token = 0; token < 3; ++token)
    for (const Pair& pair : made.pairs) {
      const Given of{Real(places[2 * token + pair.axis]), p.list("grid")[pair.axis],
                     pair.axis == 0 ? Real{4} : Real{2}, p.is("coordinates", "cells")};
      const Real angle = 2 * std::numbers::pi_v<Real> * coordinate(of) *
                         std::pow(Real{p.real("base")}, -Real(pair.index) / 4);
      testing::expect_same(rotated.at(token, pair.first), std::cos(angle), where);
      testing::expect_same(rotated.at(token, pair.second), std::sin(angle), where);
    }
}

TEST(MisreadAxialRope, has_the_coordinates_that_the_sentence_says) {
  testing::expect_formulas<Rotary>("axial_rope", misreadings::axial_rope, formulas, {"", "base=100"},
                                   &expect_points);
}

TEST(MisreadAxialRope, has_them_of_corners_where_it_is_said_of_those) {
  const Parameters words =
      with(encoding_named("axial_rope"), Case::parse("dim=16 coordinates=corners grid=[5,3]"));
  for (const Misreading& one : misreadings::axial_rope.misreadings) {
    if (one.what.find("of a cell") != one.what.npos) {
      EXPECT_THROW(one.make(words), Refusal) << one.what;
      continue;
    }
    expect_points(as<Rotary>(one.make(words)), Arguments(encoding_named("axial_rope").parameters, words),
                  formulas.at(one.what), std::string(one.what));
  }
}

TEST(MisreadAxialRope, is_none_of_whole_numbers) {
  for (const std::string words : {"dim=16", "dim=16 coordinates=resized grid=[5,3] trained_grid=[4,4]"})
    for (const Misreading& one : misreadings::axial_rope.misreadings)
      EXPECT_THROW(one.make(with(encoding_named("axial_rope"), Case::parse(words))), Refusal) << one.what;
}

}  // namespace
}  // namespace posproof::misreadings_axial_rope_test
