#pragma once

#include <optional>
#include <vector>

#include "diagnosis/measured_rotation.h"

namespace posproof {

// Channels that stand `by` places behind their own, modulo the width, and what is measured once they are put
// back.
struct Rolled {
  std::size_t by;
  std::vector<MeasuredChannel> back;
};

// Of a rotation whose answer is rolled, or whose input is; none where not all channels are rolled alike.
std::optional<Rolled> rolled_answer(const std::vector<MeasuredChannel>& channels);
std::optional<Rolled> rolled_input(const std::vector<MeasuredChannel>& channels);

// The same of inputs and outputs whose channel `first` counts as channel 0, those before it behind the last.
std::vector<MeasuredChannel> counted_from(std::size_t first, std::vector<MeasuredChannel> channels);

}  // namespace posproof
