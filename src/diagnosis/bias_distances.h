#pragma once

#include <optional>
#include <vector>

#include "core/function.h"
#include "diagnosis/bias_entries.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Another function of the distance: of all keys or of those on one side, from a distance on, in steps.
std::vector<Deviation> measured_distances(const AskedBias& measured);

// What is measured, unless the subject declines, dies or answers in another shape.
void add_measured(std::vector<Deviation>& out, const Function<std::optional<Deviation>()>& one);

}  // namespace posproof
