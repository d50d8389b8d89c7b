#pragma once

#include <optional>
#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "diagnosis/measured_phase.h"

namespace posproof {

// How an input channel counts in an output channel at position t: cosine cos(frequency t) + sine
// sin(frequency t).
struct Share {
  std::size_t channel;
  double cosine, sine, frequency;
};

// A rotation whose cosine and sine are not of one frequency: A cos(w t) and B sin(v t).
struct Halves {
  Rotating cosine, sine;
};

// An output channel of a rotation, as measured.
struct MeasuredChannel {
  std::vector<std::size_t> from;  // input channels that it depends on, rising
  // Of one that is half of a rotated pair: A (cos(wt + phase) x_own -+ sin(wt + phase) x_partner), with the
  // minus where the partner's number is the larger one.
  std::size_t own = 0, partner = 0;
  std::optional<Rotating> rotates;
  std::optional<Halves> apart;     // in the place of `rotates`
  bool added = false;              // the input as it was, on top of what rotates
  std::optional<double> constant;  // what its only input is multiplied by, at every position
  std::vector<Share> shares;       // what the output is; empty where it is none of these

  bool is_known() const { return from.empty() || !shares.empty(); }
};

// The channels of each head.
struct MeasuredRotation {
  std::vector<std::vector<MeasuredChannel>> heads;
  bool is_known() const;
};

// Of fewer, a frequency, a phase and an amplitude leave nothing to be checked by.
constexpr Position fewest_positions = 4;

// Which inputs each output depends on, by one-hot inputs, and then what it makes of them: in a sequence from
// the first position on, and followed from there over positions that double, one call for each group of
// inputs that no output shares. None where the subject does not answer that, or with more than 1024 channels.
std::optional<MeasuredRotation> measured_rotation(const Rotary& subject, const Rotary& truth, Role role,
                                                  const Precision& precision);

// What is within rounding of a declared frequency or amplitude, or of a whole number of quarters of a turn,
// is that.
void settle(MeasuredRotation& measured, const Rotary& truth, const Precision& precision);

// The rotation that does to queries and keys what was measured, declared as the truth.
Rotary rotation_of(const Rotary& truth, const MeasuredRotation& queries, const MeasuredRotation& keys);

}  // namespace posproof
