#include "core/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

namespace posproof {
namespace {

struct Format {
  std::string_view name;
  double unit;
};

constexpr std::array<Format, 4> formats = {
    {{"f64", unit_f64}, {"f32", unit_f32}, {"bf16", unit_bf16}, {"f16", unit_f16}}};

std::optional<double> unit(std::string_view name) {
  for (const Format& format : formats)
    if (format.name == name) return format.unit;
  return std::nullopt;
}

std::string name(double unit) {
  for (const Format& format : formats)
    if (format.unit == unit) return std::string(format.name);
  return fmt::format("a format of unit {}", unit);
}

// Of a result whose angles are not mentioned: nobody forms angles in 16 bits on purpose.
double usual_angle(double result) {
  return std::min(result, unit_f32);
}

}  // namespace

Precision Precision::parse(std::string_view words) {
  const auto refuse = [&](std::string_view what) -> std::invalid_argument {
    return std::invalid_argument(
        fmt::format("precision `{}`: `{}` is none of f64, f32, bf16, f16 (RESULT[/ANGLE][+iterated], as "
                    "in `bf16/f32`)",
                    words, what));
  };
  std::string_view rest = words;
  Angles how = Angles::product;
  if (const auto plus = rest.find('+'); plus != std::string_view::npos) {
    if (rest.substr(plus + 1) != "iterated") throw refuse(rest.substr(plus));
    how = Angles::iterated;
    rest = rest.substr(0, plus);
  }
  const auto slash = rest.find('/');
  const auto result = unit(rest.substr(0, slash));
  if (!result) throw refuse(rest.substr(0, slash));
  double angle = usual_angle(*result);
  if (slash != std::string_view::npos) {
    const auto said = unit(rest.substr(slash + 1));
    if (!said) throw refuse(rest.substr(slash + 1));
    angle = *said;
  }
  return {angle, *result, how};
}

std::string Precision::text() const {
  std::string out = name(result);
  if (angle != result || result > unit_f32) out.append(" over ").append(name(angle));
  if (how == Angles::iterated) out += ", frequencies iterated";
  return out;
}

std::string Precision::word() const {
  std::string out = name(result);
  if (angle != result || result > unit_f32) out.append("/").append(name(angle));
  if (how == Angles::iterated) out += "+iterated";
  return out;
}

}  // namespace posproof
