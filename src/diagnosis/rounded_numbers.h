#pragma once

#include <string>
#include <vector>

#include "core/spec.h"

namespace posproof {

// The encoding with its trained numbers, or with numbers of a list that is given, kept in a format of fewer
// digits than declared, as of a checkpoint that was saved in it: f32, f16, bf16.
struct RoundedNumbers {
  std::string words;  // `trained numbers are rounded to bf16`
  Encoding encoding;
};
std::vector<RoundedNumbers> rounded_numbers(const EncodingSpec& spec, const Parameters& parameters,
                                            const Precision& precision);

}  // namespace posproof
