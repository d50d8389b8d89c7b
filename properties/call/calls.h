#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "../bias/entries.h"
#include "../rotary/tokens.h"
#include "core/call.h"

// What the properties of calls have in common.
namespace posproof::calls {

using rotations::drawn_role;

inline bool names_positions(const Encoding& encoding) {
  return signature(encoding).positions;
}

// As many tokens as fit into a call whose contents are wide, at least and at most so many.
inline std::int64_t most_tokens(const Encoding& encoding, std::int64_t least, std::int64_t most) {
  if (!signature(encoding).has(Axis::batch)) return most;
  const std::size_t values = count(shape_of_answer(encoding, sequence(encoding, {0})));
  return std::clamp(static_cast<std::int64_t>(rotations::most_values / values), least, most);
}

inline std::vector<std::size_t> indices(std::size_t from, std::size_t to) {
  std::vector<std::size_t> out(to - from);
  std::iota(out.begin(), out.end(), from);
  return out;
}

// Rows of tokens, consecutive from a position of its own in each.
inline Call drawn_batch(const Encoding& encoding, Draw& draw) {
  const auto tokens = rotations::tokens(std::get<Rotary>(encoding), draw);
  Call call = sequence(encoding, tokens.positions, nullptr, tokens.x.shape.at(0));
  call.contents = {tokens.x};
  return call;
}

}  // namespace posproof::calls
