#pragma once

#include <vector>

#include "diagnosis/deviation.h"

namespace posproof {

// A table of sines and cosines whose angles, or what they are made of, are rounded to 16 bits, or whose
// angles are reduced with few digits of pi.
std::vector<Deviation> table_forms(const Table& truth);

}  // namespace posproof
