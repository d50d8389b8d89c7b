#include "encodings/axial_coordinates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"

namespace posproof::axial {
// Between two corners of a crop. The step's numerator is whole, its quotient and product are 2 roundings of
// at most the whole length; a last number that is scaled itself is 2 more of that number, and 1 of the
// difference.
Coordinate cropped(const Arguments& p, std::size_t axis) {
  const long double start = p.list("crop_start")[axis], stop = p.list("crop_stop")[axis],
                    extent = p.list("grid")[axis];
  if (p.is("crop_spacing", "stop_excluded")) {
    const long double step = (stop - start) / extent;
    return {step, -start / step, static_cast<double>(2 * (stop - start))};
  }
  const long double end = stop * (extent - 1) / extent, step = (end - start) / (extent - 1);
  return {step, -start / step, static_cast<double>(2 * std::abs(end) + 3 * (end - start))};
}

bool from_0(const Arguments& p) {
  return p.is("coordinates", "whole") || p.is("coordinates", "resized");
}

bool from_minus_1(const Arguments& p) {
  return p.is("coordinates", "cells") || p.is("coordinates", "corners");
}

double offset_of(const Arguments& p) {
  return from_0(p) ? static_cast<double>(p.whole("offset")) : 0;
}

double factor_of(const Arguments& p, std::size_t axis) {
  const auto& of_each = p.list("factors");
  return of_each.size() == 1 ? p.real("factor") : of_each[axis];
}

double base_of(const Arguments& p, std::size_t axis) {
  const auto& of_each = p.list("bases");
  return of_each.size() == 1 || !p.is("coordinates", "whole") ? p.real("base") : of_each[axis];
}

Coordinate coordinate_of(const Arguments& p, std::size_t axis) {
  const long double zero = 0 - static_cast<long double>(offset_of(p));
  if (p.is("coordinates", "whole")) return {1 / static_cast<long double>(factor_of(p, axis)), zero};
  if (p.is("coordinates", "cropped")) return cropped(p, axis);
  const auto& grid = p.list("grid");
  if (p.is("coordinates", "resized"))
    return {static_cast<long double>(p.list("trained_grid")[axis]) / static_cast<long double>(grid[axis]),
            zero};
  long double extent = grid[axis];
  if (p.is("extent", "largest")) extent = std::ranges::max(grid);
  if (p.is("extent", "smallest")) extent = std::ranges::min(grid);
  return {2 / (p.is("coordinates", "cells") ? extent : extent - 1), (extent - 1) / 2};
}

bool of_the_base(const Arguments& p) {
  return !from_minus_1(p) || p.is("frequencies", "base");
}

long double unit_of(const Arguments& p) {
  if (!from_minus_1(p)) return 1;
  if (p.is("frequencies", "linear_bands") || p.is("frequencies", "log_bands"))
    return std::numbers::pi_v<long double>;
  return p.is("unit", "turns") ? 2 * std::numbers::pi_v<long double> : 1;
}

long double between_two(const Arguments& p, std::size_t j, std::size_t pairs) {
  const long double share =
      pairs == 1 ? 0 : static_cast<long double>(j) / static_cast<long double>(pairs - 1);
  const long double first = p.real("min_period"), last = p.real("max_period"),
                    half = static_cast<long double>(p.real("max_resolution")) / 2;
  if (p.is("frequencies", "periods")) return 1 / (first * std::pow(last / first, share));
  return p.is("frequencies", "linear_bands") ? 1 + share * (half - 1) : std::pow(half, share);
}

//   - 1/period: a power of max/min, 6 roundings on top (both ends and their quotient, a quotient, a product,
//     the reciprocal). Formed as an exponential of a logarithm that is interpolated, its exponent carries
//     3 |ln min| and 1 |ln| of the power more.
//   - linear bands: 1 + share (R/2 - 1), all terms positive: 4 roundings.
//   - logarithmic ones: a power of 2 whose exponent is share (log2 R - 1): 1 of |ln w| and 1 more for the
//     difference.
double error_between_two(const Arguments& p, double w, std::size_t index, const Precision& precision) {
  if (p.is("frequencies", "linear_bands")) return 4 * precision.angle;
  const double first = p.is("frequencies", "periods") ? std::log(p.real("min_period")) : 0;
  const double of_power = std::abs(std::log(w) + first);
  const double more = p.is("frequencies", "periods") ? 6 + of_power + 3 * std::abs(first) : 1 + of_power;
  return power_error(precision, std::exp(-of_power), index) + more * precision.angle;
}

}  // namespace posproof::axial
