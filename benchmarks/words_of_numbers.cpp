#include "benchmarks/words_of_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace posproof::report {

std::string significant(double value) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (exponent < -4) return fmt::format("{:.2e}", value);
  if (exponent < 3) return fmt::format("{:.{}f}", value, std::clamp(2 - exponent, 0, 6));
  const double unit = std::pow(10.0, exponent - 2);
  std::string digits = fmt::format("{:.0f}", std::round(value / unit) * unit);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string significant(const std::optional<double>& value, const std::string& otherwise) {
  return value ? significant(*value) : otherwise;
}

std::string percent(double share) {
  return significant(100 * share) + " %";
}

std::string from_to(const Spread& spread, const std::string& unit) {
  return fmt::format("{} to {}{}", significant(spread.least), significant(spread.most), unit);
}

}  // namespace posproof::report
