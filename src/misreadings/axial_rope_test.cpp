#include "catalogue/misreadings/axial_rope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
  Real start, stop;                         // of a crop, or 0 and the trained extent
  Real next_extent, next_start, next_stop;  // of the next axis
  bool columns, stop_scaled;
  Real right(Real of_extent) const {
    return cells ? (2 * p + 1) / of_extent - 1 : 2 * p / (of_extent - 1) - 1;
  }
};
using Coordinate = Real (*)(const Given&);

// The coordinate of a crop that is spaced with that count of its axis.
Real spaced(const Given& of, Real count) {
  if (!of.stop_scaled) return of.start + of.p / count * (of.stop - of.start);
  const Real share = of.p / (of.extent - 1);
  return (1 - share) * of.start + share * (of.stop - of.stop / count);
}

const testing::Formulas<Coordinate> formulas = {
    {"coordinates run from 0 to 1, not from -1 to 1",
     [](const Given& of) { return of.right(of.extent) / 2 + Real{0.5}; }},
    {"coordinates run from -1/2 to 1/2, not from -1 to 1",
     [](const Given& of) { return of.right(of.extent) / 2; }},
    {"the coordinate of p is 2 p / E - 1", [](const Given& of) { return of.p / of.extent * 2 - 1; }},
    {"the coordinate of p is 2 (p + 1) / E - 1: that of the end of a cell, not of its middle",
     [](const Given& of) { return (of.p + 1) / of.extent * 2 - 1; }},
    {"coordinates have the other sign", [](const Given& of) { return -of.right(of.extent); }},
    {"the coordinates of the first axis run from 0 to 1, not from -1 to 1",
     [](const Given& of) { return of.columns ? of.right(of.extent) : of.right(of.extent) / 2 + Real{0.5}; }},
    {"the coordinates of the last axis run from 0 to 1, not from -1 to 1",
     [](const Given& of) { return of.columns ? of.right(of.extent) / 2 + Real{0.5} : of.right(of.extent); }},
    {"the coordinates of the first axis have the other sign",
     [](const Given& of) { return (of.columns ? 1 : -1) * of.right(of.extent); }},
    {"the coordinates of the last axis have the other sign",
     [](const Given& of) { return (of.columns ? -1 : 1) * of.right(of.extent); }},
    {"coordinates are those of a grid as large as the call's own positions",
     [](const Given& of) { return of.right(of.cells ? of.last + 1 : std::max<Real>(of.last + 1, 2)); }},
    {"the last number stands at crop_stop: a step is (stop - start)/(E - 1)",
     [](const Given& of) {
       const Real share = of.p / (of.extent - 1);
       return (1 - share) * of.start + share * of.stop;
     }},
    {"crop_start is not added: numbers begin at 0",
     [](const Given& of) { return of.p / of.extent * (of.stop - of.start); }},
    {"numbers are spread as those of the next axis, of the last as those of the first",
     [](const Given& of) {
       const Real share = of.p / of.next_extent;
       return (1 - share) * of.next_start + share * of.next_stop;
     }},
    {"a crop is not scaled: a step is 1", [](const Given& of) { return of.start + of.p; }},
    {"the spacing of columns has the number of rows in it, not of columns",
     [](const Given& of) { return spaced(of, of.columns ? of.next_extent : of.extent); }},
    {"the spacing of rows has the number of columns in it, not of rows",
     [](const Given& of) { return spaced(of, of.columns ? of.extent : of.next_extent); }},
    {"numbers are resized about the middles of cells: (p + 1/2) T/E - 1/2",
     [](const Given& of) { return (2 * of.p + 1) * of.stop / (2 * of.extent) - Real{0.5}; }},
    {"numbers are resized between the corners: p (T - 1)/(E - 1)",
     [](const Given& of) { return of.p / (of.extent - 1) * (of.stop - 1); }},
    {"numbers are resized and rounded down: floor(p T/E)",
     [](const Given& of) {
       Real n = 0;
       while ((n + 1) * of.extent <= of.p * of.stop) ++n;
       return n;
     }},
    {"numbers are resized and rounded to whole ones",
     [](const Given& of) {
       Real n = 0;
       while ((2 * n + 1) * of.extent < 2 * of.p * of.stop) ++n;
       return n;
     }},
    {"the ratio of the grids is rounded down: p floor(T/E)",
     [](const Given& of) {
       Real n = 0;
       while ((n + 1) * of.extent <= of.stop) ++n;
       return of.p * n;
     }},
    {"the offset is added to the resized number: p T/E + offset",
     [](const Given& of) { return 1 + of.stop / of.extent * of.p; }},
};

bool is_of_cells(const Arguments& p) {
  return p.is("coordinates", "cells") || p.is("coordinates", "corners");
}

// Three tokens of ones and zeros point where their angles do: the coordinate times a power of the base, and
// of those from -1 to 1 times 2 pi.
void expect_points(const Rotary& made, const Arguments& p, const Coordinate& coordinate,
                   const std::string& where) {
  const std::vector<Position> places = {4, 0, 1, 2, 3, 1};
  Tensor x({1, 1, 3, made.dim});
  for (std::size_t token = 0; token < 3; ++token)
    for (const Pair& pair : made.pairs) x.at(token, pair.first) = 1;
  const Tensor rotated = made.rotate(x, Positions(places, 2), Role::query);
  for (std::size_t token = 0; token < 3; ++token)
    for (const Pair& pair : made.pairs) {
      const auto start = [&](std::size_t axis) -> Real {
        return p.is("coordinates", "cropped") ? p.list("crop_start")[axis] : 0;
      };
      const auto stop = [&](std::size_t axis) -> Real {
        return is_of_cells(p) ? 0
                              : p.list(p.is("coordinates", "cropped") ? "crop_stop" : "trained_grid")[axis];
      };
      const std::size_t axis = pair.axis, next = 1 - axis;
      const Given of{Real(places[2 * token + axis]),
                     p.list("grid")[axis],
                     axis == 0 ? Real{4} : Real{2},
                     p.is("coordinates", "cells"),
                     start(axis),
                     stop(axis),
                     p.list("grid")[next],
                     start(next),
                     stop(next),
                     axis == 1,
                     p.is("crop_spacing", "stop_scaled")};
      const Real unit = is_of_cells(p) ? 2 * std::numbers::pi_v<Real> : 1;
      const Real angle = unit * coordinate(of) * std::pow(Real{p.real("base")}, -Real(pair.index) / 4);
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
    if (one.what.find("of a cell") != one.what.npos ||
        one.setting.find("coordinates=cells") == one.setting.npos) {
      EXPECT_THROW(one.make(words), Refusal) << one.what;
      continue;
    }
    expect_points(as<Rotary>(one.make(words)), Arguments(encoding_named("axial_rope").parameters, words),
                  formulas.at(one.what), std::string(one.what));
  }
}

TEST(MisreadAxialRope, is_none_of_other_coordinates) {
  for (const auto& [words, own] :
       {std::pair<std::string, std::string>{"dim=16", "none"},
        {"dim=16 coordinates=resized grid=[5,3] trained_grid=[4,4]", "coordinates=resized"},
        {"dim=16 coordinates=cropped grid=[5,3] crop_start=[1,2] crop_stop=[8,6]", "coordinates=cropped"}})
    for (const Misreading& one : misreadings::axial_rope.misreadings) {
      const Parameters given = with(encoding_named("axial_rope"), Case::parse(words));
      if (one.setting.find(own) == one.setting.npos) {
        EXPECT_THROW(one.make(given), Refusal) << one.what;
      }
    }
}

// With an offset the number that is resized about other points is the sum.
TEST(MisreadAxialRope, resizes_the_sum_of_a_number_and_the_offset) {
  const auto at = [](const Misreading& one, const std::string& more, Position p) {
    const Parameters words =
        with(encoding_named("axial_rope"),
             Case::parse("dim=4 coordinates=resized grid=[5,3] trained_grid=[8,6]" + more));
    const std::array<Position, 2> place = {p, p};
    return as<Rotary>(one.make(words)).rotate(Tensor({1, 1, 1, 4}, {1, 0, 1, 0}), {place, 2}, Role::query);
  };
  for (const Misreading& one : misreadings::axial_rope.misreadings) {
    if (one.what.find("numbers are resized") == one.what.npos) continue;
    for (std::size_t c = 0; c < 4; ++c)
      testing::expect_same(at(one, " offset=1", 1).at(0, c), Real(at(one, "", 2).at(0, c)),
                           std::string(one.what));
  }
  for (const Misreading& one : misreadings::axial_rope.misreadings)
    if (one.what.find("the offset") != one.what.npos) {
      EXPECT_THROW(at(one, "", 1), Refusal);
    }
}

// A last number that is scaled itself is another declared step, and the misread one is the same, but for one
// that is spaced with another count.
TEST(MisreadAxialRope, has_the_coordinates_that_it_says_however_the_declared_ones_are_spaced) {
  for (const Misreading& one : misreadings::axial_rope.misreadings) {
    if (one.setting.find("coordinates=cropped") == one.setting.npos) continue;
    const Parameters words = with(encoding_named("axial_rope"),
                                  Case::parse(std::string(one.setting) + " crop_spacing=stop_scaled"));
    expect_points(as<Rotary>(one.make(words)), Arguments(encoding_named("axial_rope").parameters, words),
                  formulas.at(one.what), std::string(one.what));
  }
}

}  // namespace
}  // namespace posproof::misreadings_axial_rope_test
