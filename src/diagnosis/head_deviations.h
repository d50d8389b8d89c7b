#pragma once

#include <optional>
#include <vector>

#include "core/encoding.h"
#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Each head of a bias as a declared one times a factor, of positions of any kind: another order, heads that
// are those of another shard, factors. None where one of them is no such head.
std::optional<Deviation> head_deviation(const Bias& truth, const Precision& precision,
                                        const std::vector<Answered>& answered);

}  // namespace posproof
