#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "core/error.h"

// How far rounding may put the entries of a table of sines and cosines, of which some sines have no cosine:
// for the reference and the oracle.
namespace posproof::oracle {

// `pairs`: of a sine alone the second column is past the row. `offset` is added to every number of a
// position.
inline auto errors_of_sines(std::vector<Pair> pairs, double offset) {
  return [pairs = std::move(pairs), offset](std::span<const double> position, std::span<const double>,
                                            const Precision& precision, std::span<double> error) {
    for (const Pair& pair : pairs)
      for (const std::size_t column : {pair.first, pair.second})
        if (column < error.size()) error[column] = sine_error(precision, position[pair.axis] + offset, pair);
  };
}

}  // namespace posproof::oracle
