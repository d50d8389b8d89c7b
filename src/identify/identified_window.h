#pragma once

#include <vector>

#include "core/spec.h"
#include "identify/identified.h"
#include "identify/identified_bias.h"

namespace posproof {

// Settings of `relative_table` whose rows a file of trained numbers looks up: on a line, clipped or not, and
// in windows of as many places, behind a class token or without. Every entry depends on its row alone, no two
// rows hold the same numbers, and each is looked up twice in the mean. In which order the rows stand cannot
// be seen: every order that there is. None of a bias that rises or falls with the distance in all heads: that
// is a formula.
std::vector<Candidate> trained_windows(const EncodingSpec& spec, const MeasuredBias& bias);

}  // namespace posproof
