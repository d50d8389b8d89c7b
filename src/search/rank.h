#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/draw.h"

namespace posproof {

// A case with the questions that its fields answered, one for each.
struct Drawn {
  Case values;
  std::vector<Choice> choices;
};

// The answer that shrinking would like best.
Value simplest(const Choice& choice);
std::vector<double> identity(std::size_t size);  // the simplest permutation

// How complicated a case is: of two, the one with the smaller rank (compared as lists of numbers, first
// difference first) is the simpler. In this order: the number of fields; options by their place in the list;
// integers by their distance from the simplest, sizes by their place in the list; the lengths of lists;
// orders by inversions; positions by their distance from the lowest; how many entries of contents are not 0;
// the entries: finite before not, integer before fraction, few significant bits, few bits after the point,
// small, positive, and what is not 0 to the front.
//
// Well-founded: the first numbers (how many fields of each kind) decide how many the fields before the
// contents take, the lengths how many the contents take, and lists of natural numbers of one length have no
// endless descent.
std::vector<std::uint64_t> rank(const Drawn& drawn);

// The part of the rank that one entry of a content has; `complexity(a) < complexity(b)` where a is simpler.
std::vector<std::uint64_t> complexity(double entry);

// -0 is another number: what shrinking would like better still.
inline bool is_zero(double entry) {
  return std::bit_cast<std::uint64_t>(entry) == 0;
}

}  // namespace posproof
