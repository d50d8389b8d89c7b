#pragma once

#include <vector>

#include "run/case_of_length.h"

// Long calls of a rotation that have rows.
namespace posproof::sized {

// Contents that are larger than any number of f16, and smaller than all: what has its numbers as those on the
// way loses them. None where f16 is declared anywhere.
std::vector<Case> cases_of_other_sizes(const Encoding& truth, const Domain& domain,
                                       const Precision& precision, const Contents& contents);

// Of a rotation, those in which rows, or the numbers of a position, may be taken for each other.
std::vector<Case> cases_of_rows(const Encoding& truth, const Domain& domain, const Contents& contents);

}  // namespace posproof::sized
