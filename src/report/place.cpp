#include "report/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/axis.h"

namespace posproof::report {
namespace {

// ` (position 17)`, ` (position 3,5)`; nothing where there is none.
std::string positioned(const std::vector<double>& position) {
  if (position.empty()) return "";
  std::vector<std::string> numbers;
  for (const double one : position) numbers.push_back(text(Value(one)));
  return fmt::format(" (position {})", fmt::join(numbers, ","));
}

// Two more than it takes to tell them apart, 6 at least.
int digits(double a, double b) {
  const double apart = std::abs(a - b), size = std::max(std::abs(a), std::abs(b));
  if (!(apart > 0) || !std::isfinite(size)) return 6;
  return std::clamp(static_cast<int>(std::ceil(std::log10(size / apart))) + 2, 6, 17);
}

}  // namespace

std::string where(const Place& place) {
  std::vector<std::string> parts;
  if (place.answers > 1) parts.push_back(fmt::format("answer {} of {}", place.answer + 1, place.answers));
  for (const auto& [axis, index] : place.axes) {
    std::string part = fmt::format("{} {}", name(axis), index);
    if (axis == Axis::token || axis == Axis::query) part += positioned(place.position);
    if (axis == Axis::key) part += positioned(place.key_position);
    if (axis == Axis::channel && place.pair)
      part += fmt::format(" ({} of pair {})", place.pair->second ? "second" : "first", place.pair->index);
    parts.push_back(std::move(part));
  }
  if (place.relative_to_key) parts.push_back(fmt::format("relative to key {}", *place.relative_to_key));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string what(const Place& place) {
  const int shown = digits(place.expected, place.got);
  std::string out = fmt::format("expected {:.{}g}, got {:.{}g}", place.expected, shown, place.got, shown);
  if (std::isfinite(place.off.error)) out += fmt::format(", off by {:.6g}", place.off.error);
  return out;
}

bool is_all_of(const Refuted& refuted) {
  if (!refuted.place || !refuted.instead.empty()) return false;
  const Residual &all = refuted.residual, &one = refuted.place->off;
  return (all.error == one.error && all.bound == one.bound) ||
         (std::isnan(all.error) && std::isnan(one.error));
}

}  // namespace posproof::report
