#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "catalogue/properties.h"
#include "core/property.h"

// For tests of the checks of tables.
namespace posproof::checks_of_tables {

// The property `table/<name>`.
inline const Property& named(std::string_view name) {
  for (const auto& [id, property] : catalogue::properties())
    if (id == fmt::format("table/{}", name)) return *property;
  throw std::invalid_argument(fmt::format("no property is called `{}`", name));
}

inline const CheckOf<Table>& check_of(const Property& property) {
  return std::get<CheckOf<Table>>(property.checks.front());
}

// One recorded case, of which nothing is left over.
inline Residual replayed(std::string_view name, const Table& table, const Precision& p,
                         std::string_view words) {
  Replay draw(Case::parse(words));
  const Residual residual = check_of(named(name))(table, p, draw);
  if (!draw.unused().empty())
    throw std::invalid_argument(fmt::format("nothing asked for `{}`", draw.unused().front()));
  return residual;
}

}  // namespace posproof::checks_of_tables
