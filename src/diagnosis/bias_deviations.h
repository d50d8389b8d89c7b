#pragma once

#include <optional>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a bias: heads that are another one, or times a factor, and the slopes that they make; the sign; another
// function of the distance; from which distance on it is another. What may explain it, most likely first;
// none is confirmed.
std::vector<Deviation> bias_deviations(const Bias& subject, const Bias& truth, const Parameters& parameters,
                                       const Precision& precision);

// A distance that has the bias of another, where all that is wrong is there.
std::optional<Deviation> deviation_at_a_distance(const Bias& subject, const Bias& truth,
                                                 const Parameters& parameters, const Precision& precision,
                                                 const std::vector<Answered>& answered);

}  // namespace posproof
