#include "diagnosis/identified_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace posproof {

Interval around(double value, double relative_error) {
  const double off = std::abs(value) * relative_error;
  return {value - off, value + off};
}

double simplest(const Interval& interval) {
  const double middle = interval.lo + (interval.hi - interval.lo) / 2;
  if (interval.has(0)) return 0;
  for (int precision = 0; precision < 17; ++precision) {
    const double rounded = std::stod(fmt::format("{:.{}e}", middle, precision));
    if (interval.has(rounded)) return rounded;
  }
  return middle;
}

int digits(double value) {
  std::string text = fmt::format("{:e}", value);
  for (int precision = 0; precision < 17; ++precision) {
    text = fmt::format("{:.{}e}", std::abs(value), precision);
    if (std::stod(text) == std::abs(value)) return precision + 1;
  }
  return 17;
}

std::optional<Interval> most_overlap(std::span<const Interval> intervals) {
  std::vector<std::pair<double, int>> ends;  // an interval begins before another ends at the same number
  for (const Interval& one : intervals)
    if (one.lo <= one.hi) ends.insert(ends.end(), {{one.lo, -1}, {one.hi, 1}});
  std::ranges::sort(ends);
  std::optional<Interval> best;
  int open = 0, most = 0;
  for (std::size_t n = 0; n < ends.size(); ++n) {
    open -= ends[n].second;
    if (open <= most) continue;
    most = open;
    best = {ends[n].first, ends[n + 1].first};
  }
  return best;
}

}  // namespace posproof
