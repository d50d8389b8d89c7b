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

void refuse_allowance(double allowed) {
  throw std::invalid_argument(fmt::format("an allowance of {} is none", allowed));
}

namespace {

// The worst of all entries, from a first one on. Most entries of most tables are equal: that is worse than
// nothing but an entry that could not have told.
template <class Allowed>
Residual worst_of(Residual worst, std::span<const double> there, std::span<const double> here,
                  const Allowed& allowed, double ceiling) {
  bool says_something = !worst.holds() || worst.telling();
  for (std::size_t i = 0; i < there.size(); ++i) {
    const double own = allowed(i);
    if (there[i] == here[i] && own >= 0 && says_something) continue;
    worst = worse(worst, equal(there[i], here[i], own, ceiling));
    says_something = !worst.holds() || worst.telling();
  }
  return worst;
}

}  // namespace

Residual equal(std::span<const double> there, std::span<const double> here, double allowed, double ceiling) {
  if (!(allowed >= 0)) refuse_allowance(allowed);
  need_same_length(there.size(), here.size());
  return worst_of(
      {0, allowed, there.empty() ? 0 : ceiling}, there, here, [allowed](std::size_t) { return allowed; },
      ceiling);
}

Residual equal(std::span<const double> there, std::span<const double> here, std::span<const double> allowed,
               double ceiling) {
  need_same_length(there.size(), here.size());
  need_same_length(allowed.size(), here.size());
  if (there.empty()) return {0, 0, 0};
  return worst_of(
      equal(there[0], here[0], allowed[0], ceiling), there.subspan(1), here.subspan(1),
      [allowed](std::size_t i) { return allowed[i + 1]; }, ceiling);
}

Residual no_more(double value, double limit, double allowed, double ceiling) {
  if (!(allowed >= 0)) refuse_allowance(allowed);
  if (!std::isfinite(value) || !std::isfinite(limit))
    return {std::numeric_limits<double>::quiet_NaN(), allowed, ceiling};
  const double above = value - limit;
  return {above <= 0 ? 0.0 : above, allowed, ceiling};
}

Residual exactly(bool true_here) {
  return {true_here ? 0.0 : 1.0, 0.0, 1.0};
}

}  // namespace posproof
