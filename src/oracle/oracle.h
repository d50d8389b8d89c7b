#pragma once

#include "core/case.h"
#include "core/encoding.h"

// The papers again, exactly: every function gives the encoding that these parameters mean, computed in multiprecision
// and rounded once to double. It shares no code with encodings/ and is the one place that knows MPFR.
namespace posproof::oracle {

Encoding sinusoidal(const Parameters& parameters);  // Vaswani et al. 2017, section 3.5

}  // namespace posproof::oracle
