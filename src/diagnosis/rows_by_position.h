#pragma once

#include <optional>
#include <vector>

#include "core/parameter.h"
#include "core/precision.h"
#include "core/spec.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a table on one axis: rows that are multiplied by one factor, at every second position or from one on;
// and rows that are read from a table of trained ones modulo a number. `first_wrong` is the first position
// whose row is another. What may explain it; none is confirmed.
std::vector<Deviation> rows_by_position(const Table& subject, const Table& truth, const EncodingSpec& spec,
                                        const Parameters& parameters, std::optional<Position> first_wrong,
                                        const Precision& precision);

}  // namespace posproof
