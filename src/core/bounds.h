#pragma once

#include <string>

// Numbers after the words "at least" and "at most": a bound that is rounded to the nearest is none in half of
// the cases.
namespace posproof {

// The nearest number of so many significant digits on that side. Of finite positive numbers, and of 0.
double rounded_down(double value, int digits);
double rounded_up(double value, int digits);

// As document::fixed prints it, and scientific: so many decimals, or digits, on that side. Of finite numbers,
// of either sign.
std::string fixed_down(long double value, int decimals);
std::string fixed_up(long double value, int decimals);
std::string scientific_up(long double value, int digits);

// `85.4 %` of a share of 0.85457.
std::string percent_at_least(long double share);

// `13 %` of a share of 0.1204, and `0.54 %` of 0.0053601.
std::string percent_at_most(double share);

}  // namespace posproof
