#pragma once

#include <string>
#include <string_view>

#include "core/spec.h"

// For the tests beside the encodings: what an encoding says to parameters that it refuses.
namespace posproof {

inline std::string refused(const EncodingSpec& spec, std::string_view parameters) {
  try {
    spec.make(with(spec, Case::parse(parameters)));
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "not refused";
}

template <class Kind>
Kind made(const EncodingSpec& spec, std::string_view parameters) {
  return std::get<Kind>(spec.make(with(spec, Case::parse(parameters))));
}

}  // namespace posproof
