#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/answered.h"

namespace posproof {

// The calls that a program was asked by where it takes its positions as an offset (`takes_positions` of
// protocol.md), as the Python SDK makes them of a call: rows of a batch with the same positions together,
// each run of positions that follow each other in a call of its own. None where it takes them in another way,
// or where calls are as they were.
std::optional<std::vector<Answered>> as_called(const std::string& takes_positions, const Encoding& declared,
                                               const std::vector<Answered>& answered);

}  // namespace posproof
