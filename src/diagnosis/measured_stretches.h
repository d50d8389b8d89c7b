#pragma once

#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/parameter.h"
#include "core/precision.h"

namespace posproof {

// Parameters of xPos (centre, scale_base, gamma) as far as they differ from these and were measured on the
// queries' one-hot tokens. None where it is not stretched so.
std::vector<Parameters> measured_stretches(const Rotary& subject, const Rotary& truth,
                                           const Parameters& parameters, const Precision& precision);

// What zeta of xPos is, where no gamma makes it so: its words, and zeta of each pair.
struct OtherZeta {
  std::string words;
  std::vector<double> of_pair;
};

// Measured on the same tokens: zeta is divided by another number than 1 + gamma, or has another number than
// gamma added. None where it is not stretched so.
std::vector<OtherZeta> measured_zetas(const Rotary& subject, const Rotary& truth,
                                      const Parameters& parameters, const Precision& precision);

}  // namespace posproof
