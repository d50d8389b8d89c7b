#include "core/claim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace posproof {

bool Condition::met(const Parameters& parameters) const {
  return std::all_of(all.begin(), all.end(), [&](const Among& one) {
    const Value* value = parameters.find(one.parameter);
    return value != nullptr && std::any_of(one.values.begin(), one.values.end(), [&](const Value& v) {
             return posproof::text(v) == posproof::text(*value);
           });
  });
}

std::string Condition::text() const {
  std::vector<std::string> parts;
  for (const Among& one : all) {
    std::vector<std::string> values;
    for (const Value& value : one.values) values.push_back(posproof::text(value));
    parts.push_back(fmt::format("{} is {}", one.parameter, fmt::join(values, " or ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

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

bool same_to_three_digits(double measured, double by) {
  if (by == 0 || !std::isfinite(by) || !std::isfinite(measured)) return measured == by;
  const double third = std::pow(10.0, std::floor(std::log10(std::abs(by))) - 2);
  return std::abs(measured - by) <= 0.5 * third * (1 + 1e-9);
}

}  // namespace posproof
