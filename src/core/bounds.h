#pragma once

#include <string>

// Numbers after the words "at least" and "at most": a bound that is rounded to the nearest is none in half of
// the cases.
namespace posproof::experiments {

// The nearest number of so many significant digits on that side. Of finite positive numbers, and of 0.
double rounded_down(double value, int digits);
double rounded_up(double value, int digits);

// `85.4 %` of a share of 0.85457.
std::string percent_at_least(double share);

}  // namespace posproof::experiments
