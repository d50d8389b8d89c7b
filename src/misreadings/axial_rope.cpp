#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catalogue/encodings/axial_rope.h"
#include "catalogue/misreadings/axial_rope.h"
#include "misreadings/right.h"

namespace posproof::misreadings_axial_rope {
namespace {

using misread::Real;

// What stands for the number p of an extent E on an axis, where that is c, from -1 to 1.
using Coordinate = Real (*)(Real c, Real p, Real extent);

// The declared coordinate of p is `step` times its distance from `zero`.
struct Axis {
  Real extent, step, zero;
};

std::vector<Axis> axes_of(const Arguments& p, const std::vector<double>& grid) {
  std::vector<Axis> out;
  for (const double own : grid) {
    Real extent = own;
    if (p.is("extent", "largest")) extent = std::ranges::max(grid);
    if (p.is("extent", "smallest")) extent = std::ranges::min(grid);
    out.push_back({extent, 2 / (p.is("coordinates", "cells") ? extent : extent - 1), (extent - 1) / 2});
  }
  return out;
}

bool begins_at_minus_1(const Arguments& p) {
  return p.is("coordinates", "cells") || p.is("coordinates", "corners");
}

// The declared rotation at other numbers of each position, which need not be whole.
using Number = std::function<Real(std::size_t axis, Real number, const Positions& all)>;

Encoding at_numbers(const Parameters& given, const Number& number) {
  Rotary out = misread::right<Rotary>(encodings::axial_rope, given);
  out.rotate = [own = out.rotate, number](const Tensor& x, const Positions& positions, Role role) {
    const std::size_t axes = positions.axes();
    std::vector<double> other;
    for (std::size_t token = 0; token < positions.size(); ++token)
      for (std::size_t axis = 0; axis < axes; ++axis)
        other.push_back(
            static_cast<double>(number(axis, static_cast<Real>(positions.at(token, axis)), positions)));
    return own(x, Positions(std::span<const double>(other), axes), role);
  };
  return out;
}

template <Coordinate coordinate, bool of_cells = false>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::axial_rope, given);
  if (!begins_at_minus_1(p)) throw Refusal("a misreading of coordinates from -1 to 1");
  if (of_cells && p.is("coordinates", "corners")) throw Refusal("a misreading of cells");
  return at_numbers(given,
                    [axes = axes_of(p, p.list("grid"))](std::size_t axis, Real number, const Positions&) {
                      const auto& [extent, step, zero] = axes[axis];
                      return coordinate((number - zero) * step, number, extent) / step + zero;
                    });
}

Real from_0(Real c, Real, Real) {
  return (c + 1) / 2;
}
Real halved(Real c, Real, Real) {
  return c / 2;
}
Real without_half(Real, Real p, Real extent) {
  return 2 * p / extent - 1;
}
Real one_ahead(Real, Real p, Real extent) {
  return 2 * (p + 1) / extent - 1;
}
Real reversed(Real c, Real, Real) {
  return -c;
}

// A grid as large as the positions reach: of corners by one step more than none.
Encoding by_the_call(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::axial_rope, given);
  if (!begins_at_minus_1(p)) throw Refusal("a misreading of coordinates from -1 to 1");
  const Real least = p.is("coordinates", "corners") ? 2 : 1;
  return at_numbers(given, [p, least, declared = axes_of(p, p.list("grid"))](std::size_t axis, Real number,
                                                                             const Positions& all) {
    std::vector<double> grid(all.axes(), static_cast<double>(least));
    for (std::size_t token = 0; token < all.size(); ++token)
      for (std::size_t n = 0; n < grid.size(); ++n) grid[n] = std::max(grid[n], all.at(token, n) + 1);
    const Axis own = axes_of(p, grid)[axis];
    return (number - own.zero) * own.step / declared[axis].step + declared[axis].zero;
  });
}

constexpr std::string_view cells = "dim=16 coordinates=cells grid=[5,3]";

}  // namespace

const MisreadingFamily entry{{
    {"coordinates run from 0 to 1, not from -1 to 1", &reads<from_0>, cells},
    {"coordinates run from -1/2 to 1/2, not from -1 to 1", &reads<halved>, cells},
    {"the coordinate of p is 2 p / E - 1", &reads<without_half>, cells},
    {"the coordinate of p is 2 (p + 1) / E - 1: that of the end of a cell, not of its middle",
     &reads<one_ahead, true>, cells},
    {"coordinates have the other sign", &reads<reversed>, cells},
    {"coordinates are those of a grid as large as the call's own positions", &by_the_call, cells},
}};

}  // namespace posproof::misreadings_axial_rope
