#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "diagnosis/measured_rotation.h"

// Which channels of a rotation are pairs.
namespace posproof::rotation_words {

using Channels = std::vector<MeasuredChannel>;
using Two = std::pair<std::size_t, std::size_t>;

// How channels are paired: (i, i + apart) or, where they are neighbours, (2i, 2i + 1), for i below `pairs`;
// where `blocks` is true, (i, i + apart) in each block of 2 apart channels.
struct Layout {
  bool neighbours;
  std::size_t apart, pairs;
  bool blocks = false;
  bool operator==(const Layout&) const = default;

  std::optional<std::size_t> pair_of(std::size_t channel) const;
  Two channels(std::size_t pair) const;
  std::string words() const;
};

// As layouts are declared; of what was measured blocks, too.
std::optional<Layout> layout_of(const std::vector<Two>& pairs);
std::optional<Layout> layout_in_blocks(const std::vector<Two>& pairs);

std::size_t first_channel(const Rotary& truth);

// Counted from the first channel that rotates.
std::vector<Two> declared_pairs(const Rotary& truth);

// The pairs that two outputs are made of, rising.
std::vector<Two> measured_pairs(const Channels& channels);

}  // namespace posproof::rotation_words
