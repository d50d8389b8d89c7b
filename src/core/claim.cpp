#include "core/claim.h"

#include <cmath>

namespace posproof {

Claim holds(const Property& property, Condition when) {
  return {.property = &property, .holds = true, .when = std::move(when)};
}

Claim fails(const Property& property, std::string_view witness, double by, std::string_view because,
            Condition when) {
  return {.property = &property,
          .holds = false,
          .when = std::move(when),
          .witness = witness,
          .by = by,
          .because = because};
}

Claim fails(const Property& property) {
  return {.property = &property, .holds = false};
}

bool same_to_three_digits(double measured, double by) {
  if (by == 0 || !std::isfinite(by) || !std::isfinite(measured)) return measured == by;
  const double third = std::pow(10.0, std::floor(std::log10(std::abs(by))) - 2);
  return std::abs(measured - by) <= 0.5 * third * (1 + 1e-9);
}

}  // namespace posproof
