#pragma once

#include <vector>

#include "core/encoding.h"
#include "diagnosis/rotation_forms.h"

namespace posproof {

// The declared rotation where cosines and sines come from two places that do not agree, as of two caches: one
// of the two is that of another position, or alone has the factor that both should have.
std::vector<RotationForm> circle_forms(const Rotary& truth);

}  // namespace posproof
