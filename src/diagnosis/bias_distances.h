#pragma once

#include <optional>
#include <vector>

#include "core/function.h"
#include "diagnosis/answered.h"
#include "diagnosis/bias_entries.h"
#include "diagnosis/deviation.h"

namespace posproof {

// Another function of the distance: of all keys or of those on one side, from a distance on, in steps.
std::vector<Deviation> measured_distances(const AskedBias& measured);

// Where all wrong entries are at one distance: that it has the bias of another. None where the subject is
// wrong at another distance of those that may be meant as well.
std::optional<Deviation> lone_distance(const AskedBias& measured, const std::vector<Answered>& answered);

// What is measured, unless the subject declines, dies or answers in another shape.
void add_measured(std::vector<Deviation>& out, const Function<std::optional<Deviation>()>& one);

}  // namespace posproof
