#pragma once

#include <vector>

#include "core/encoding.h"
#include "core/error.h"
#include "core/function.h"
#include "core/parameter.h"
#include "core/precision.h"

// A bias that is measured, and the declared one with other entries in the place of its own.
namespace posproof {

// The entry of a head for a query at i and a key at j, as the declared one has it elsewhere.
using BiasEntry = Function<double(std::size_t head, Position i, Position j)>;
// Another entry, made from the declared ones; `queries` and `keys` are those of the call.
struct AskedEntry {
  std::size_t head;
  Position i, j;
  std::size_t row, column;
  const std::vector<Position>&queries, &keys;
};
using OtherEntry = Function<double(const BiasEntry& declared, const AskedEntry& asked)>;

// The declared bias with these entries, and the largest error of those that they are made of.
Bias with_entries(const Bias& truth, const OtherEntry& other);

struct AskedBias {
  const Bias& subject;
  const Bias& truth;
  const Parameters& parameters;
  const Precision& precision;
  Domain domain;  // of both

  // Throws std::runtime_error where the answer has another shape.
  Tensor entries(const Bias& bias, const std::vector<Position>& i, const std::vector<Position>& j) const;
  // What rounding may do to an entry of the declared one, as that bounds it where it does itself.
  double error(std::size_t head, double entry, Position i, Position j) const {
    return bias_error(precision, entry, truth, head, i, j);
  }
};

// Near positions, in sequence.
std::vector<Position> near_positions(const Domain& domain);

}  // namespace posproof
