#pragma once

#include <vector>

#include "core/case.h"
#include "core/spec.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a bias with buckets (T5): those of another number, another largest distance, another direction;
// distances that fall into other buckets, by another rounding of the logarithm or another share of buckets
// that hold one distance each. Guessed.
std::vector<Deviation> bucket_deviations(const EncodingSpec& spec, const Parameters& parameters);

}  // namespace posproof
