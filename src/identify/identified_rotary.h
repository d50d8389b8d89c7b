#pragma once

#include <optional>
#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/measured_rotation.h"
#include "identify/identified.h"
#include "identify/identified_ladder.h"

namespace posproof {

// The channels of a rotation, as settings of `rope`: dim, layout, rotary_dim, rotary_part, kept_pairs,
// direction.
struct IdentifiedChannels {
  Parameters settings;
  std::size_t width = 0;  // rotary_dim
  MeasuredLadder ladder;
};

// By the first head. None where no two channels rotate together, or pairs lie otherwise than the encoding has
// them.
std::vector<IdentifiedChannels> identified_channels(const MeasuredRotation& measured,
                                                    const Precision& precision);

// How many of the measured frequencies are not those of the setting.
std::size_t frequencies_off(const Candidate& candidate, const MeasuredLadder& ladder);

// Settings of `rope` that a rotation may have, by what one-hot inputs become; `like` is one of its width, for
// its domain.
std::vector<Candidate> rotary_candidates(const Rotary& subject, const Rotary& like,
                                         const Precision& precision);

}  // namespace posproof
