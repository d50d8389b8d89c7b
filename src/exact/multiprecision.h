#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/encoding.h"
#include "core/formats.h"
#include "exact/frequencies.h"

namespace posproof::exact {

// The angles of a ladder by MPFR alone, correctly rounded: what the fast path is checked against, and where
// it ends when everything else leaves two candidates. Each answer is computed with more and more digits until
// only one value of the format is left (Ziv 1991). For sines and cosines that ends: by Lindemann's theorem
// the sine of an algebraic number other than 0 is transcendental, so it is never half way between two numbers
// of a format. Where the frequency itself is not algebraic (a formula with pi in it), or the sum of two
// products is rounded, no theorem is known: past `most_bits` the nearest value is given, which then is off by
// half a unit in the last place and 2^-1900 of itself.
class Multiprecision {
 public:
  static constexpr mpfr_prec_t usual_bits = 192;

  Multiprecision(Frequencies frequencies, Amplitude amplitude);

  std::size_t size() const { return frequencies_.size(); }
  const Frequencies& frequencies() const { return frequencies_; }
  const Amplitude& amplitude() const { return amplitude_; }

  struct SineAndCosine {
    double sine, cosine;
  };
  // amplitude * sin(t w_i) and amplitude * cos(t w_i). Throws Refusal where |t w_i| is 2^100 radians or more.
  SineAndCosine point(std::size_t i, Position t, Format format) const;
  // (x, y) rotated by t w_i counter-clockwise: (x cos - y sin, x sin + y cos) times the amplitude.
  struct Rotated {
    double x, y;
  };
  Rotated rotated(std::size_t i, Position t, double x, double y, Format format) const;

  // The sum of cos(t w_i) over all i, times the squared amplitude, over `divisor`.
  double kernel(Position t, double divisor, Format format) const;

  // The frequencies and the amplitude with so many bits, kept. Safe from several threads.
  struct Numbers {
    std::vector<Real> frequencies;
    Real amplitude;
  };
  const Numbers& with(mpfr_prec_t bits) const;

 private:
  Frequencies frequencies_;
  Amplitude amplitude_;
  struct Kept {
    std::mutex lock;
    std::map<mpfr_prec_t, std::unique_ptr<const Numbers>> numbers;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace posproof::exact
