#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/function.h"
#include "core/parameter.h"
#include "core/precision.h"
#include "diagnosis/rotation_layout.h"

// What is said of the channels of a measured rotation, one at a time.
namespace posproof::rotation_words {

using Sentences = std::vector<std::string>;

// What a measured rotation is held against, and what has been said of it.
struct Described {
  const Rotary& truth;
  const Parameters& parameters;
  const Precision& precision;
  double divisor;
  Sentences out = {};
};

std::string not_multiplied(const Described& to);

std::vector<std::size_t> those(const Channels& channels,
                               const Function<bool(const MeasuredChannel&, std::size_t)>& is);
void say(Described& to, const std::vector<std::size_t>& which, std::string_view one, std::string_view many);

// Each says what differs, or gives false where it has no words for it.

// Where every output holds which rotated channel.
bool describe_order(const Channels& channels, const Layout& layout, Described& to);
// Partners that are no layout: which channels have another than declared.
bool describe_partners(const Channels& channels, const Layout& declared, Described& to);
// What is left as it is, or 0, beside what was declared; of declared pairs as a whole, the frequency says it.
bool describe_constants(const Channels& channels, Described& to);

}  // namespace posproof::rotation_words
