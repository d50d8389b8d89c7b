#include "core/bounds.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/document.h"

namespace posproof {
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

AtMost figures_up(double value, int digits) {
  return AtMost(fmt::format("{:.{}g}", rounded_up(value, digits), digits));
}

AtMost fixed_up(long double value, int decimals) {
  const long double unit = std::pow(10.0L, -decimals);
  const std::string nearest = document::fixed(value, decimals);
  return AtMost(std::strtod(nearest.c_str(), nullptr) >= static_cast<double>(value)
                    ? nearest
                    : document::fixed(value + unit, decimals));
}

AtLeast fixed_down(long double value, int decimals) {
  const std::string out = fixed_up(-value, decimals);
  if (out.find_first_not_of("-0.") == std::string::npos) return AtLeast(out);
  return AtLeast(out.front() == '-' ? out.substr(1) : "-" + out);
}

AtMost scientific_up(long double value, int digits) {
  return AtMost(document::scientific(rounded_up(static_cast<double>(value), digits), digits));
}

AtLeast percent_at_least(long double share) {
  return AtLeast(document::fixed(std::floor(static_cast<double>(share) * 1000) / 10, 1) + " %");
}

AtMost percent_at_most(double share, int digits) {
  return AtMost(fmt::format("{:.3g} %", rounded_up(100 * share, digits)));
}

}  // namespace posproof
