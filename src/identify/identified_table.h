#pragma once

#include <optional>
#include <vector>

#include "core/encoding.h"
#include "core/precision.h"
#include "identify/identified.h"

namespace posproof {

// Conventions that a table may have, whose first rows these are, from row number 0 on: [n, dim]; `far` are
// rows at positions that double from there, as far as there are any.
struct MeasuredRows {
  Tensor near;  // of positions first, first + 1, ...
  Position first = 0;
  std::vector<Position> at = {};  // of `far`
  Tensor far = {};
  std::size_t length = 0;                 // rows that there are; 0: no end is known
  std::optional<Position> zero_row = {};  // of the first ones the only one that is all 0
};

// Settings of one encoding: every combination of its words, with the base, the amplitude and the offset that
// its ladder was measured to have in that layout, or else the offset that the first entry shows.
std::vector<Candidate> table_candidates(const std::string& encoding, const EncodingSpec& spec,
                                        const MeasuredRows& rows, const Precision& precision);

}  // namespace posproof
