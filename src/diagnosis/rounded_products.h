#pragma once

#include <vector>

#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"

namespace posproof {

// The declared rotation whose products x_a cos, x_b sin, x_a sin, x_b cos are each kept in fewer digits than
// that precision has before they are added, and where their sum is, too: a rotation that is computed in bf16
// and answered in f32. None of another kind. Where rounding has put the subject's on the other side of a tie,
// they are a unit of those digits apart.
std::vector<Deviation> rounded_products(const Encoding& declared, const Precision& precision);

}  // namespace posproof
