#pragma once

#include <optional>
#include <vector>

#include "diagnosis/call_deviations.h"
#include "diagnosis/call_effects.h"
#include "diagnosis/call_places.h"

namespace posproof {

// Where all wrong rows are at one position: that, and which other it is answered as.
struct LonePosition {
  PlaceInCalls place;  // `at position 65535 alone`
  // `position 65535 has the rotation of position 0`; none where it has that of none that is known.
  std::vector<Effect> effects;
};

// Of tokens whose positions are whole numbers on one axis. None where the subject is wrong at another
// position of those that may be meant as well: it is asked at neighbours, at distances that are powers of 2,
// at multiples. Nor where it is the first or the last that there is, or the
// model another than the declared encoding.
std::optional<LonePosition> lone_position(const Explained& alone, const Model& model, const Subject& subject,
                                          const Encoding& declared, const std::vector<Answered>& answered);

// Other numbers in whose place one may be taken for special, or which it may be taken for: within these ends.
std::vector<Position> likely_others(Position one, Position lo, Position hi);

}  // namespace posproof
