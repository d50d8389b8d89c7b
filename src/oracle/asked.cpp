#include "oracle/asked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace posproof::oracle {

Asked::Asked(const Parameters& parameters, std::string_view encoding,
             std::initializer_list<std::string_view> names)
    : parameters_(parameters), encoding_(encoding) {
  for (const Case::Field& field : parameters.fields())
    if (std::find(names.begin(), names.end(), field.name) == names.end())
      refuse(fmt::format("`{}` is not one of its parameters ({})", field.name, fmt::join(names, ", ")));
}

void Asked::refuse(std::string_view why) const {
  throw Refusal(fmt::format("{} `{}`: {}", encoding_, parameters_.text(), why));
}

std::int64_t Asked::whole(std::string_view name, std::int64_t standard, std::int64_t lo,
                          std::int64_t hi) const {
  const Value* value = parameters_.find(name);
  if (value == nullptr) return standard;
  const double* real = std::get_if<double>(value);
  if (real == nullptr || !(*real >= static_cast<double>(lo) && *real <= static_cast<double>(hi)) ||
      *real != std::floor(*real))
    refuse(fmt::format("`{}` is a whole number from {} to {}", name, lo, hi));
  return static_cast<std::int64_t>(*real);
}

std::size_t Asked::width(std::string_view name, std::int64_t standard) const {
  return static_cast<std::size_t>(whole(name, standard, 1, widest));
}

double Asked::positive(std::string_view name, double standard) const {
  const Value* value = parameters_.find(name);
  if (value == nullptr) return standard;
  const double* real = std::get_if<double>(value);
  if (real == nullptr || !(*real > 0) || !std::isfinite(*real))
    refuse(fmt::format("`{}` is a finite number above 0", name));
  return *real;
}

std::string Asked::word(std::string_view name, std::initializer_list<std::string_view> words) const {
  const Value* value = parameters_.find(name);
  if (value == nullptr) return std::string(*words.begin());
  const std::string* word = std::get_if<std::string>(value);
  if (word == nullptr || std::find(words.begin(), words.end(), *word) == words.end())
    refuse(fmt::format("`{}` is one of {}", name, fmt::join(words, ", ")));
  return *word;
}

void within(std::string_view encoding, Position t, Position lo, Position hi) {
  if (t < lo || t > hi)
    throw Refusal(fmt::format("{}: position {} is outside {} .. {}", encoding, t, lo, hi));
}

}  // namespace posproof::oracle
