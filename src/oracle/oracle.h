#pragma once

#include "core/case.h"
#include "core/encoding.h"

// The papers again, exactly: every function gives the encoding that these parameters mean, computed in
// multiprecision (or in integers, where that is enough) and rounded once to double. It shares no code with
// encodings/ and is the one place that knows MPFR. Parameters are named as in the specs; one that is missing
// has its standard value. All throw Refusal for parameters that are unknown or make no sense together, and
// the encodings that they give throw Refusal for positions where they are not defined.
namespace posproof::oracle {

Encoding none(const Parameters& parameters);              // Vaswani et al. 2017, eq. 1, without a code
Encoding sinusoidal(const Parameters& parameters);        // Vaswani et al. 2017, section 3.5
Encoding learned(const Parameters& parameters);           // Gehring et al. 2017, section 3.1
Encoding raw_index(const Parameters& parameters);         // the position itself
Encoding normalized_index(const Parameters& parameters);  // the position over the length
Encoding binary(const Parameters& parameters);            // the position's binary digits
Encoding one_hot(const Parameters& parameters);           // row t of the identity
Encoding rope(const Parameters& parameters);              // Su et al. 2021, eq. 15, 34
Encoding alibi(const Parameters& parameters);             // Press et al. 2022, section 3
Encoding t5_bias(const Parameters& parameters);  // Raffel et al. 2020, section 2.1 and its released code

}  // namespace posproof::oracle
