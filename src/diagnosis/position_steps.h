#pragma once

#include <string>
#include <vector>

#include "core/function.h"
#include "core/spec.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/call_effects.h"
#include "subject/subject.h"

// Positions, or the first of a chunk, that are counted in steps: pages of a cache, tiles of a kernel.
namespace posproof {

// How a whole number becomes one of few: `rounded down to multiples of 16`.
struct StepMap {
  std::string words;
  Function<Position(Position)> of;
};
// Rounded down, towards 0, up, to the nearest, and divided where the step is not 2: halves are known.
std::vector<StepMap> step_maps(Position step);

// Where the answer at 1 is that at 0, and the first that is another is at `first`: the steps of such maps.
std::vector<Position> steps_from(Position first);

// Positions that are rounded to multiples of a step, up, down or to the nearest, or divided by it; rows whose
// first position is; and multiples of a step that count as one step less. Steps are the powers of 2 up to
// 4096 and those that were measured. `keys`: that have positions of their own.
std::vector<Effect> effects_of_steps(const std::vector<Position>& measured, bool keys);

// Of a subject that answers at 1 as at 0, or as at some multiple of 1: the steps that its calls of one token
// may have. Of whole positions on one axis that no content goes with, or one for each; else none.
std::vector<Position> measured_steps(const Model& model, const Subject& subject, const Encoding& declared);

}  // namespace posproof
