#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catalogue/encodings/axial_rope.h"
#include "catalogue/misreadings/axial_rope.h"
#include "core/function.h"
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
using Number = Function<Real(std::size_t axis, Real number, const Positions& all)>;

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

// One axis alone.
enum class Of { first, last };

template <Coordinate coordinate, Of which>
Encoding reads_on(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::axial_rope, given);
  if (!begins_at_minus_1(p)) throw Refusal("a misreading of coordinates from -1 to 1");
  return at_numbers(given,
                    [axes = axes_of(p, p.list("grid"))](std::size_t axis, Real number, const Positions&) {
                      if (axis != (which == Of::first ? 0 : axes.size() - 1)) return number;
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

// The corners of an axis between which its numbers are spread, and how many these are: of a crop from `start`
// to `stop`, of a grid that was trained from 0 to its extent.
struct Spread {
  Real start, stop, extent, offset;  // the offset is in what stands for p
};

// What stands for the number p.
using Spreads = Real (*)(const Spread& of, Real p);

// Each axis of a crop, or of a grid that is resized.
std::vector<Spread> spreads_of(const Arguments& p) {
  const bool cropped = p.is("coordinates", "cropped");
  if (!cropped && !p.is("coordinates", "resized")) throw Refusal("a misreading of crops and resized grids");
  const Real offset = cropped ? 0 : static_cast<Real>(p.whole("offset"));
  std::vector<Spread> axes;
  for (std::size_t axis = 0; axis < p.list("grid").size(); ++axis)
    axes.push_back({cropped ? p.list("crop_start")[axis] : 0,
                    cropped ? p.list("crop_stop")[axis] : p.list("trained_grid")[axis], p.list("grid")[axis],
                    offset});
  return axes;
}

Real step_of(const Arguments& p, const Spread& of) {
  const bool scaled = p.is("coordinates", "cropped") && p.is("crop_spacing", "stop_scaled");
  return scaled ? (of.stop * (of.extent - 1) / of.extent - of.start) / (of.extent - 1)
                : (of.stop - of.start) / of.extent;
}

template <Spreads other, bool with_offset = false>
Encoding spread(const Parameters& given, const std::string& coordinates) {
  const Arguments p = misread::arguments(encodings::axial_rope, given);
  if (!p.is("coordinates", coordinates)) throw Refusal("a misreading of " + coordinates + " coordinates");
  const auto axes = spreads_of(p);
  if (with_offset && axes.front().offset == 0) throw Refusal("a misreading of numbers with an offset");
  return at_numbers(given, [=](std::size_t axis, Real number, const Positions&) {
    const Spread& own = axes[axis];
    return (other(own, number + own.offset) - own.start) / step_of(p, own) - own.offset;
  });
}

// Spread as the next axis is, from crop_start in E steps.
Encoding as_the_next_axis(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::axial_rope, given);
  if (!p.is("coordinates", "cropped")) throw Refusal("a misreading of crops");
  return at_numbers(given, [=, axes = spreads_of(p)](std::size_t axis, Real number, const Positions&) {
    const Spread &own = axes[axis], &other = axes[(axis + 1) % axes.size()];
    return (other.start + number * (other.stop - other.start) / other.extent - own.start) / step_of(p, own);
  });
}

// One axis with the count of another: the columns with that of the rows, or the rows with that of the
// columns.
template <bool columns>
Encoding counted_as_the_other(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::axial_rope, given);
  if (!p.is("coordinates", "cropped")) throw Refusal("a misreading of crops");
  const auto axes = spreads_of(p);
  const std::size_t last = axes.size() - 1, wrong = columns ? last : last - 1,
                    right = columns ? last - 1 : last;
  if (axes[wrong].extent == axes[right].extent) throw Refusal("the same in as many rows as columns");
  if (axes[wrong].extent == 1) throw Refusal("one number has no step");
  return at_numbers(given, [=, count = axes[right].extent](std::size_t axis, Real number, const Positions&) {
    const Spread& own = axes[axis];
    if (axis != wrong) return number;
    const Real step = p.is("crop_spacing", "stop_scaled")
                          ? (own.stop * (count - 1) / count - own.start) / (own.extent - 1)
                          : (own.stop - own.start) / count;
    return number * step / step_of(p, own);
  });
}

template <Spreads other>
Encoding crops(const Parameters& given) {
  return spread<other>(given, "cropped");
}
template <Spreads other, bool with_offset = false>
Encoding resizes(const Parameters& given) {
  return spread<other, with_offset>(given, "resized");
}

Real up_to_the_stop(const Spread& of, Real p) {
  return of.extent == 1 ? of.start : of.start + p * (of.stop - of.start) / (of.extent - 1);
}
Real without_start(const Spread& of, Real p) {
  return p * (of.stop - of.start) / of.extent;
}
Real unscaled(const Spread& of, Real p) {
  return of.start + p;
}
Real at_the_middles(const Spread& of, Real p) {
  return (p + Real{0.5}) * of.stop / of.extent - Real{0.5};
}
Real at_the_corners(const Spread& of, Real p) {
  return of.extent == 1 ? 0 : p * (of.stop - 1) / (of.extent - 1);
}
Real offset_behind(const Spread& of, Real p) {
  return (p - of.offset) * of.stop / of.extent + of.offset;
}

Real rounded_down(const Spread& of, Real p) {
  return std::floor(p * of.stop / of.extent);
}
Real rounded(const Spread& of, Real p) {
  return std::nearbyint(p * of.stop / of.extent);
}
// As where the ratio of extents is an integer division.
Real by_the_whole_ratio(const Spread& of, Real p) {
  return p * std::floor(of.stop / of.extent);
}

constexpr std::string_view crop = "dim=16 coordinates=cropped grid=[5,3] crop_start=[1,2] crop_stop=[8,6]";
constexpr std::string_view resized = "dim=16 coordinates=resized grid=[5,3] trained_grid=[8,6]";

constexpr std::string_view cells = "dim=16 coordinates=cells grid=[5,3]";

}  // namespace

const MisreadingFamily entry{{
    {"coordinates run from 0 to 1, not from -1 to 1", &reads<from_0>, cells},
    {"coordinates run from -1/2 to 1/2, not from -1 to 1", &reads<halved>, cells},
    {"the coordinate of p is 2 p / E - 1", &reads<without_half>, cells},
    {"the coordinate of p is 2 (p + 1) / E - 1: that of the end of a cell, not of its middle",
     &reads<one_ahead, true>, cells},
    {"coordinates have the other sign", &reads<reversed>, cells},
    {"the coordinates of the first axis run from 0 to 1, not from -1 to 1", &reads_on<from_0, Of::first>,
     cells},
    {"the coordinates of the last axis run from 0 to 1, not from -1 to 1", &reads_on<from_0, Of::last>,
     cells},
    {"the coordinates of the first axis have the other sign", &reads_on<reversed, Of::first>, cells},
    {"the coordinates of the last axis have the other sign", &reads_on<reversed, Of::last>, cells},
    {"coordinates are those of a grid as large as the call's own positions", &by_the_call, cells},
    {"the last number stands at crop_stop: a step is (stop - start)/(E - 1)", &crops<up_to_the_stop>, crop},
    {"crop_start is not added: numbers begin at 0", &crops<without_start>, crop},
    {"numbers are spread as those of the next axis, of the last as those of the first", &as_the_next_axis,
     crop},
    {"a crop is not scaled: a step is 1", &crops<unscaled>, crop},
    {"the spacing of columns has the number of rows in it, not of columns", &counted_as_the_other<true>,
     crop},
    {"the spacing of rows has the number of columns in it, not of rows", &counted_as_the_other<false>, crop},
    {"numbers are resized about the middles of cells: (p + 1/2) T/E - 1/2", &resizes<at_the_middles>,
     resized},
    {"numbers are resized between the corners: p (T - 1)/(E - 1)", &resizes<at_the_corners>, resized},
    {"numbers are resized and rounded down: floor(p T/E)", &resizes<rounded_down>, resized},
    {"numbers are resized and rounded to whole ones", &resizes<rounded>, resized},
    {"the ratio of the grids is rounded down: p floor(T/E)", &resizes<by_the_whole_ratio>, resized},
    {"the offset is added to the resized number: p T/E + offset", &resizes<offset_behind, true>,
     "dim=16 coordinates=resized grid=[5,3] trained_grid=[8,6] offset=1"},
}};

}  // namespace posproof::misreadings_axial_rope
