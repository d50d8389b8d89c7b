#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/case.h"
#include "core/encoding.h"

// Parameters as an encoding reads them: the value, or a Refusal with what came and what is allowed.
namespace posproof::checked {

constexpr std::int64_t widest = 65536;

inline Refusal refusal(const Parameters& parameters, std::string_view name, std::string_view allowed) {
  return Refusal(fmt::format("`{}={}`: allowed {}", name, text(*parameters.find(name)), allowed));
}

inline std::int64_t whole(const Parameters& parameters, std::string_view name, std::int64_t lo,
                          std::int64_t hi) {
  const double x = parameters.real(name);
  // The comparisons are false for NaN, and keep the conversion below in range.
  if (!(x >= static_cast<double>(lo) && x <= static_cast<double>(hi)) || x != std::floor(x))
    throw refusal(parameters, name, fmt::format("are whole numbers from {} to {}", lo, hi));
  return static_cast<std::int64_t>(x);
}

inline std::size_t width(const Parameters& parameters, std::string_view name, std::int64_t hi = widest) {
  return static_cast<std::size_t>(whole(parameters, name, 1, hi));
}

inline double positive(const Parameters& parameters, std::string_view name) {
  const double x = parameters.real(name);
  if (!(x > 0) || std::isinf(x)) throw refusal(parameters, name, "are finite numbers above 0");
  return x;
}

inline const std::string& one_of(const Parameters& parameters, std::string_view name,
                                 std::initializer_list<std::string_view> words) {
  const std::string& word = parameters.word(name);
  for (const std::string_view allowed : words)
    if (word == allowed) return word;
  throw refusal(parameters, name, fmt::format("are {}", fmt::join(words, ", ")));
}

// Where a table ends: not a crash and not a row of another position.
inline void position(Position t, Position lo, Position hi) {
  if (t < lo || t > hi)
    throw Refusal(fmt::format("position {} is outside the table, which holds positions {} to {}", t, lo, hi));
}

}  // namespace posproof::checked
