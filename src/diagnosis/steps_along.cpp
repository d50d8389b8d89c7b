#include "diagnosis/steps_along.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/call.h"

namespace posproof {

StepsAlong steps_along(const Table& subject, const Domain& domain, std::size_t dim) {
  StepsAlong out;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const bool has_0 = domain.lo <= 0 && domain.last(axis) > 0;
    out.axes.push_back({has_0 ? 0 : static_cast<double>(domain.lo), 0, {}});
  }
  TokenPositions at;
  at.axes = domain.axes;
  const auto add = [&](std::size_t along, double step) {
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      const double number = out.axes[axis].origin + (axis == along ? step : 0);
      if (domain.real)
        at.real.push_back(number);
      else
        at.whole.push_back(static_cast<Position>(number));
    }
  };
  add(0, 0);
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    StepsAlong::Axis& along = out.axes[axis];
    const double most = static_cast<double>(domain.last(axis)) - along.origin;
    along.first = at.size();
    constexpr double finest = 0x1p-10;
    const double first = domain.real ? std::min(1.0, std::exp2(std::floor(std::log2(most)))) * finest : 1;
    for (double step = first; step <= most; step *= 2) {
      add(axis, step);
      along.steps.push_back(step);
    }
  }
  out.rows = subject.rows(at, domain.hi + 1);
  if (out.rows.shape != Shape{at.size(), dim}) throw std::runtime_error("another shape");
  return out;
}

}  // namespace posproof
