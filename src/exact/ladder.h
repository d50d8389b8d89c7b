#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "exact/frequencies.h"
#include "exact/multiprecision.h"
#include "exact/phasor_tables.h"

namespace posproof::exact {

// Frequencies and what their angles do. Every answer is the exact real number correctly rounded. It comes
// from the fast path (phasor_tables.h) where its error bound leaves one candidate (Ziv's test), else from
// MPFR (multiprecision.h). Copies share what was computed.
class Ladder {
 public:
  explicit Ladder(Frequencies frequencies, Amplitude amplitude = 1.0);
  Ladder(Frequencies frequencies, Amplitude amplitude, const Kernel& kernel);

  std::size_t size() const { return frequencies_.size(); }
  double frequency(std::size_t i) const { return frequencies_[i]; }  // rounded once
  const Multiprecision& multiprecision() const { return multiprecision_; }
  // The fast path, built on first use; null where the frequencies or the amplitude do not fit it.
  const PhasorTables* phasors() const;

  // amplitude * sin(t w_i) and amplitude * cos(t w_i), each rounded once.
  using SineAndCosine = Multiprecision::SineAndCosine;
  std::vector<SineAndCosine> points(Position t) const;

  // (x, y) rotated by t w_i counter-clockwise, each coordinate rounded once. One angle serves many points:
  // `xy[i]` are the points to be rotated by the angle of frequency i, in place.
  struct Coordinates {
    double *x, *y;
  };
  void rotate(Position t, std::span<const std::vector<Coordinates>> xy) const;

 private:
  Multiprecision multiprecision_;
  const Kernel& kernel_;
  std::vector<double> frequencies_;
  struct Fast {
    std::once_flag once;
    std::unique_ptr<const PhasorTables> phasors;
    std::mutex busy;
    std::optional<Giants> giants;  // for whoever comes first; another thread takes its own
  };
  template <class Work>
  void with_giants(const PhasorTables& fast, Work work) const;

  std::shared_ptr<Fast> fast_ = std::make_shared<Fast>();
};

// |position| up to which the fast path answers.
constexpr Position fast_reach = Position{1} << 40;

}  // namespace posproof::exact
