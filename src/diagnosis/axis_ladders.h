#pragma once

#include <optional>

#include "core/case.h"
#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a table of sines and cosines of real positions, or of each number of a position on a grid: other
// frequencies at the declared positions. It is not confirmed. Of whole numbers on one axis it says nothing:
// table_deviations measures those.
std::optional<Deviation> axis_ladders(const Table& subject, const Table& truth, const Parameters& parameters,
                                      const Precision& precision);

}  // namespace posproof
