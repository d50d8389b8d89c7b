#pragma once

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec.h"

// For the tests beside the encodings: what an encoding says to parameters that it refuses, and does to one
// token.
namespace posproof {

inline std::string refused(const EncodingSpec& spec, std::string_view parameters) {
  try {
    spec.make(with(spec, Case::parse(parameters)));
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "not refused";
}

// 1, 2, 3, ... rotated at one place, a number for each axis, in every head.
inline std::vector<double> rotated(const Encoding& encoding, const std::vector<Position>& place) {
  const auto& rotary = as<Rotary>(encoding);
  Tensor x({1, rotary.heads, 1, rotary.dim});
  std::iota(x.data.begin(), x.data.end(), 1.0);
  return rotary.rotate(x, {place, place.size()}, Role::query).data;
}

template <class Kind>
Kind made(const EncodingSpec& spec, std::string_view parameters) {
  return std::get<Kind>(spec.make(with(spec, Case::parse(parameters))));
}

}  // namespace posproof
