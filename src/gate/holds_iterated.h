#pragma once

#include <chrono>
#include <string>

#include "gate/gate.h"

namespace posproof {

// `f32+iterated`, where the answers agree with the exact ones and everything that was refuted holds once each
// frequency may be the one before times a ratio: what follows from one frequency for each pair is off then by
// a rounding for each step, by more than is allowed to one product. Each is asked its counterexample and, as
// long as there is time, up to a hundred cases more. Empty where something stays refuted, or where nothing
// was.
std::string holds_iterated(const GateResult& gated, const Encoding& truth, std::uint64_t seed,
                           std::chrono::milliseconds time);

}  // namespace posproof
