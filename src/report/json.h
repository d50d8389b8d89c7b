#pragma once

#include <string>
#include <vector>

#include "run/gate.h"
#include "run/matrix.h"

// What a machine reads: the same values as report/words.h, one JSON document each, numbers that are not
// finite as null.
namespace posproof::report {

std::string json(const GateResult& gated);
std::string json(const std::vector<Cell>& cells);
std::string json(std::string_view id, const Verdict& verdict);

}  // namespace posproof::report
