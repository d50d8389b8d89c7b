#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/document.h"
#include "core/encoding.h"
#include "draws.h"
#include "measure.h"

// Rows of sinusoids moved along by a matrix, and the logits of moved rows.
namespace posproof::experiments::moved_rows {

using Real = long double;

constexpr std::uint64_t many_draws = 5000;

struct Exact {
  std::size_t dim;
  Real off;  // largest |M_k p_t - p_(t+k)|

  // Two entries rounded once to f64 and rotated: no further than 2^-53 * (1 + sqrt 2) from the third, so
  // below 2^-51.
  bool holds() const { return off <= 0x1p-51L; }
};

struct Group {  // largest differences over random vectors
  Real compose = 0, inverse = 0, length = 0;
};

constexpr std::array<std::size_t, 3> shifts = {1, 5, 50};

struct Halves {
  std::string columns;
  std::array<Real, shifts.size()> missed;  // by the best map, as a share of the size of the rows
};

struct Logits {
  std::string name;       // of W
  document::Curve curve;  // p_t . W p_(t+1) against t
  Extent range;

  bool level() const { return range.width() < 1e-12L; }
};

// Of random matrices W, one for each draw.
struct RandomLogits {
  Logits first;  // of the first draw, with the band of all
  Drawn width;   // largest less smallest logit, over the positions, of `many_draws`
};

struct Weight {
  std::size_t length;
  Real next;

  std::string text() const { return document::fixed(next, length < 50 ? 3 : 4); }
};

struct Gap {
  std::size_t pair;
  Real frequency;    // radians per position
  Real by_1, by_10;  // |M_k x - x|
  Real derived() const { return 2 * std::abs(std::sin(frequency / 2)); }
};

struct Measured {
  std::vector<Exact> exact;
  Group group;
  std::vector<Halves> halves;  // of width 8 at 2,000 positions: sines, cosines, both
  Real sines_at_many;          // shift by 5, at 30,000 positions
  std::vector<Logits> logits;  // identity, a rotation
  RandomLogits random;
  Position peak;  // offset at which W = M_(-1) has its largest product
  std::vector<Weight> weights;
  std::vector<Gap> gaps;
};

// What the best map of sines (or of cosines) alone misses in the limit of ever more positions: frequencies
// below pi that differ are orthogonal in the mean, so the best map multiplies each column by cos(kw), and
// misses sin(kw) of it.
Real missed_in_the_limit(std::size_t dim, std::size_t k);

Measured measure();

}  // namespace posproof::experiments::moved_rows
