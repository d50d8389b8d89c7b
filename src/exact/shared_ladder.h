#pragma once

#include <memory>

#include "exact/ladder.h"

namespace posproof::exact {

// A ladder that shares what was computed with the last few that were asked for with the same recipe: one run
// makes the same frequencies in many layouts, and computing them takes longer than most that is asked of
// them. Large ones are not kept. Safe from several threads.
std::shared_ptr<const Ladder> shared_ladder(const Frequencies& frequencies, const Amplitude& amplitude = 1.0);

}  // namespace posproof::exact
