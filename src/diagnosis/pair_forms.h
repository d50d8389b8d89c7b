#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/function.h"
#include "core/positions.h"

namespace posproof {

// A query and a key of a call: their positions, their places in it, and the positions of all.
struct AskedPair {
  Position i, j;
  std::size_t row, column;
  const std::vector<Position>&queries, &keys;
};

// Where code that counts otherwise takes the two to stand.
struct PairForm {
  std::string words;  // `distances are doubled`
  Function<std::pair<Position, Position>(const AskedPair&)> to;
};

// A distance as an integer of so many bits holds it, with a sign.
Position in_8_bits(Position distance);
Position in_16_bits(Position distance);
constexpr const char* distances_in_8_bits = "distances are cut to 8 bits, with a sign: 128 counts as -128";
constexpr const char* distances_in_16_bits =
    "distances are cut to 16 bits, with a sign: 32768 counts as -32768";

// The known ones, the commonest first. `entry` is what has these positions: `bias`, `logit`.
std::vector<PairForm> pair_forms(const std::string& entry);

}  // namespace posproof
