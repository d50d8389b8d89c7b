#pragma once

#include <cstddef>
#include <optional>

#include "core/parameter.h"
#include "core/precision.h"

// What axial_rope multiplies: what stands for the numbers of a position, and frequencies that are no powers
// of a base.
namespace posproof::axial {

// Whether positions count from the first token, shifted by `offset`, or are numbers from -1 to 1.
bool from_0(const Arguments& p);
bool from_minus_1(const Arguments& p);
double offset_of(const Arguments& p);

// What stands for the numbers of an axis: `step` times their distance from `zero`.
struct Coordinate {
  long double step, zero;
  // Roundings of what does not grow with the coordinate; none: 2 of its distance from -1.
  std::optional<double> roundings = {};
};
Coordinate coordinate_of(const Arguments& p, std::size_t axis);
// Where coordinates are cropped: its step is not above 0 where the crop has no two of them.
Coordinate cropped(const Arguments& p, std::size_t axis);

// What the numbers of an axis are divided by, where they are whole.
double factor_of(const Arguments& p, std::size_t axis);

// Of which the frequencies of an axis are powers: its own where positions are whole.
double base_of(const Arguments& p, std::size_t axis);

// Whether frequencies are powers of the base.
bool of_the_base(const Arguments& p);

// Radians of what a frequency is one of: turns, half turns of bands, or radians.
long double unit_of(const Arguments& p);

// Pair j of so many of an axis, where frequencies run from one number to another; and its relative error,
// where w is that frequency.
long double between_two(const Arguments& p, std::size_t j, std::size_t pairs);
double error_between_two(const Arguments& p, double w, std::size_t index, const Precision& precision);

}  // namespace posproof::axial
