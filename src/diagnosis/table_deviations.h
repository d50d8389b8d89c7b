#pragma once

#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a table: columns that are another one, or times a factor; then sine and cosine columns at other
// frequencies, offsets and amplitudes. What may explain it, most likely first; none is confirmed.
std::vector<Deviation> table_deviations(const Table& subject, const Table& truth,
                                        const Parameters& parameters, const Precision& precision);

}  // namespace posproof
