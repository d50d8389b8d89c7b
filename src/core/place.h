#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/axis.h"
#include "core/residual.h"

namespace posproof {

// Where an answer is not what it should be, and what stands there.
struct Place {
  // Of the answers that the case asks for: which one this is, from 0, and how many there are.
  std::size_t answer = 0, answers = 1;
  std::vector<std::pair<Axis, std::size_t>> axes = {};  // of the answer, the outermost first
  // Of the token or the query, and of the key: a number for each axis that positions have. Empty where they
  // are row numbers.
  std::vector<double> position = {}, key_position = {};

  // The channel as one of two that rotate together.
  struct OfPair {
    std::size_t index;  // the pair's, 0 the first of the first axis
    bool second;
  };
  std::optional<OfPair> pair = {};

  double expected = 0, got = 0;
  std::optional<std::size_t> relative_to_key =
      {};                    // both are, where a constant on a whole row does not matter
  Residual off = {0, 0, 0};  // of the two
};

}  // namespace posproof
