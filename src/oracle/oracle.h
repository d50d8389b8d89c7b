#pragma once

#include "core/case.h"
#include "core/encoding.h"

// The papers again, exactly: every function gives the encoding that these parameters mean, computed in multiprecision
// and rounded once to double. It shares no code with encodings/ and is the one place that knows MPFR.
namespace posproof::oracle {

Encoding none(const Parameters& parameters);              // Vaswani et al. 2017, eq. 1
Encoding sinusoidal(const Parameters& parameters);        // Vaswani et al. 2017, section 3.5
Encoding learned(const Parameters& parameters);           // Gehring et al. 2017
Encoding raw_index(const Parameters& parameters);
Encoding normalized_index(const Parameters& parameters);
Encoding binary(const Parameters& parameters);
Encoding one_hot(const Parameters& parameters);
Encoding rope(const Parameters& parameters);              // Su et al. 2021, eq. 34
Encoding alibi(const Parameters& parameters);             // Press, Smith and Lewis 2022, section 3
Encoding t5_bias(const Parameters& parameters);           // Raffel et al. 2020, section 2.1

}  // namespace posproof::oracle
