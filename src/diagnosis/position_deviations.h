#pragma once

#include <optional>

#include "core/encoding.h"
#include "core/parameter.h"
#include "core/precision.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Of a table of sines and cosines: what stands for each number of a position in the angles of its pairs,
// where that is a sum of the numbers of a position, each times a factor, and of a constant. Positions may be
// real numbers, and have several. It is measured from the phases, slow pairs before fast ones, near the first
// position and then ever farther from it. None where the angles are those of no such sum, where nothing
// differs, or where the subject does not answer. Of a factor it says which other extent of the grid makes it,
// where angles are divided by that of an axis.
std::optional<Deviation> position_deviation(const Table& subject, const Table& truth,
                                            const Parameters& parameters, const Precision& precision);

}  // namespace posproof
