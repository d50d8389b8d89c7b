#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/precision.h"

namespace posproof {

// What a column of a table (a head of a bias) holds: a declared one, times a factor.
struct MeasuredColumn {
  std::size_t of = 0;
  double factor = 0;  // 0: zeros
};

// Each measured column as a declared one times a factor, its own before another. `values[n][c]` is entry n of
// column c, `allowed[n][c]` how far rounding may put the declared one. None where one is no such multiple.
using Entries = std::vector<std::vector<double>>;
std::optional<std::vector<MeasuredColumn>> measured_columns(const Entries& values, const Entries& declared,
                                                            const Entries& allowed);

// What differs, in sentences: another order, factors, columns of zeros. `column` is what they are called,
// `entry` what is multiplied; `width` is that of the encoding, for factors that are made from it.
std::vector<std::string> column_deviations(const std::vector<MeasuredColumn>& columns,
                                           const std::string& column, const std::string& entry,
                                           std::size_t width);

}  // namespace posproof
