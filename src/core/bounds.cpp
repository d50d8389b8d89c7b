#include "bounds.h"

#include <cmath>
#include <cstdlib>

#include "measure.h"

namespace posproof::experiments {
namespace {

// As printed and read back; one unit of the last digit on where that is on the other side.
double on_the_side(double value, int digits, bool up) {
  if (value == 0) return 0;
  const auto read_back = [&](double number) {
    return std::strtod(fmt::format("{:.{}e}", number, digits - 1).c_str(), nullptr);
  };
  const double nearest = read_back(value);
  if (up ? nearest >= value : nearest <= value) return nearest;
  // Its own exponent, not that of the nearest: below 1 the next number of two digits is 0.99. By its digits,
  // since the logarithm of what is just below 1 is rounded to 0.
  const std::string all_digits = fmt::format("{:.16e}", value);
  const int exponent = std::atoi(all_digits.c_str() + all_digits.find('e') + 1);
  const double unit = std::pow(10.0, exponent - (digits - 1));
  return read_back(up ? nearest + unit : nearest - unit);
}

}  // namespace

double rounded_down(double value, int digits) {
  return on_the_side(value, digits, false);
}

double rounded_up(double value, int digits) {
  return on_the_side(value, digits, true);
}

std::string percent_at_least(double share) {
  return percent(std::floor(share * 1000) / 1000);
}

}  // namespace posproof::experiments
