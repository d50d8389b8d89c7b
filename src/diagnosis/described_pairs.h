#pragma once

#include <cstddef>
#include <vector>

#include "diagnosis/described_channels.h"
#include "diagnosis/ladder_deviations.h"

// What is said of the pairs of a measured rotation: signs, frequencies, phases, amplitudes.
namespace posproof::rotation_words {

struct PairOf {
  std::size_t index;
  const MeasuredChannel *first, *second;  // as the outputs that are made of them
  double declared;
};

Rotating rotation(const MeasuredChannel& one);

MeasuredFrequency frequency(const Described& of, double declared, const MeasuredChannel& one, std::size_t i);

// The frequency of a declared pair; past the last, as the ladder goes on.
double declared_frequency(const Rotary& truth, std::size_t i);

std::vector<PairOf> pairs_of(const Channels& channels, const Layout& layout, const Rotary& truth);

// The sine of one of the two has the other sign. True where that was said of all pairs or of none.
bool describe_signs(std::vector<PairOf>& pairs, Described& to);
// A table of one angle for each channel under the other layout: its own frequency for each of a pair.
bool describe_frequencies_by_channel(const Channels& channels, const Layout& layout, Described& to);
// The phase at position 0, as so many positions ahead, of all pairs alike.
bool describe_phases(const std::vector<PairOf>& pairs, Described& to);
// Amplitudes, of the outputs.
bool describe_amplitudes(const Channels& channels, Described& to);

}  // namespace posproof::rotation_words
