#pragma once

#include <optional>
#include <string>

#include "benchmarks/measured.h"

// Measured numbers as they are printed: three digits, no more than a second run would confirm.
namespace posproof::report {

// `0.0123`, `1.23`, `12.3`, `1,230`, `12,300,000`.
std::string significant(double value);
std::string significant(const std::optional<double>& value, const std::string& otherwise);

std::string percent(double share);  // 0.123 -> `12.3 %`
std::string from_to(const Spread& spread, const std::string& unit);

}  // namespace posproof::report
