#pragma once

#include <optional>
#include <span>
#include <vector>

// Numbers that somebody chose, from what is measured of them.
namespace posproof {

// Both ends included; empty where `lo` is above `hi`.
struct Interval {
  double lo, hi;

  bool has(double x) const { return lo <= x && x <= hi; }
};

// Of a number and its relative error.
Interval around(double value, double relative_error);

// The number of the interval that is written with the fewest significant digits; of several the one nearest
// to the middle. Of an interval without numbers its middle.
double simplest(const Interval& interval);

// Significant digits of the shortest decimal that reads back to the same number: 2 of 1.5 and of 12000.
int digits(double value);

// Where most of the intervals overlap; none of no intervals.
std::optional<Interval> most_overlap(std::span<const Interval> intervals);

}  // namespace posproof
