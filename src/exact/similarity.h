#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/encoding.h"
#include "core/formats.h"

namespace posproof::exact {

class Ladder;

// g(k), the amplitude squared times the sum of cos(k w_i) over a ladder: what the rows of two positions k
// apart have in common, p_s . p_(s+k), where every sine has its cosine (Vaswani et al. 2017, section 3.5);
// and the logit of a query and a key k apart that are (1, 0) in every pair (Su et al. 2021, eq. 16). Exact
// real numbers, of which every one can be had correctly rounded (to nearest, ties to even) to every format:
// that order, extremes and signs are those of the exact numbers is then a matter of comparing doubles.
class Similarity {
 public:
  explicit Similarity(const Ladder& ladder);
  ~Similarity();

  // The largest |k| that is answered: 2^40.
  static constexpr Position farthest = Position{1} << 40;

  // g(first), g(first + 1), ... as many as `out` has room for, rounded to the format and held as doubles. How
  // good the fast path is, is derived in similarity.cpp. Throws Refusal for offsets beyond the farthest.
  void fill(Format format, Position first, std::span<double> out) const;

  double at(Format format, Position k) const {
    double value = 0;
    fill(format, k, {&value, 1});
    return value;
  }

 private:
  struct Fast;
  std::unique_ptr<const Ladder> ladder_;
  std::unique_ptr<const Fast> fast_;  // none where the ladder has no fast path
};

}  // namespace posproof::exact
