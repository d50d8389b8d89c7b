#include "core/residual.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace posproof {
namespace {

void need_same_length(std::size_t there, std::size_t here) {
  if (there != here) throw std::invalid_argument(fmt::format("{} values are compared with {}", there, here));
}

}  // namespace

void refuse_bound(double bound) {
  throw std::invalid_argument(fmt::format("a bound of {} is none", bound));
}

namespace {

// The worst of all entries, from a first one on. Most entries of most tables are equal: that is worse than
// nothing but an entry that could not have told.
template <class Bound>
Residual worst_of(Residual worst, std::span<const double> there, std::span<const double> here,
                  const Bound& bound, double ceiling) {
  bool says_something = !worst.holds() || !worst.vacuous();
  for (std::size_t i = 0; i < there.size(); ++i) {
    const double own = bound(i);
    if (there[i] == here[i] && own >= 0 && says_something) continue;
    worst = worse(worst, difference(there[i], here[i], own, ceiling));
    says_something = !worst.holds() || !worst.vacuous();
  }
  return worst;
}

}  // namespace

Residual difference(std::span<const double> there, std::span<const double> here, double bound,
                    double ceiling) {
  if (!(bound >= 0)) refuse_bound(bound);
  need_same_length(there.size(), here.size());
  return worst_of(
      {0, bound, there.empty() ? 0 : ceiling}, there, here, [bound](std::size_t) { return bound; }, ceiling);
}

Residual difference(std::span<const double> there, std::span<const double> here,
                    std::span<const double> bound, double ceiling) {
  need_same_length(there.size(), here.size());
  need_same_length(bound.size(), here.size());
  if (there.empty()) return {0, 0, 0};
  return worst_of(
      difference(there[0], here[0], bound[0], ceiling), there.subspan(1), here.subspan(1),
      [bound](std::size_t i) { return bound[i + 1]; }, ceiling);
}

Residual excess(double value, double limit, double bound, double ceiling) {
  if (!(bound >= 0)) refuse_bound(bound);
  if (!std::isfinite(value) || !std::isfinite(limit))
    return {std::numeric_limits<double>::quiet_NaN(), bound, ceiling};
  const double above = value - limit;
  return {above <= 0 ? 0.0 : above, bound, ceiling};
}

Residual holds_if(bool true_here) {
  return {true_here ? 0.0 : 1.0, 0.0, 1.0};
}

}  // namespace posproof
