#include <cmath>
#include <numbers>

#include "catalogue/encodings/complex_order.h"
#include "catalogue/misreadings/complex_order.h"
#include "encodings/ladder.h"
#include "encodings/seeded.h"
#include "misreadings/right.h"

namespace posproof::misreadings_complex_order {
namespace {

using misread::Real;

// The angle of a component at t, whose frequency is w and whose phase is so many turns.
using Angle = Real (*)(Real t, Real w, Real turns);

constexpr Real two_pi = 2 * std::numbers::pi_v<Real>;

Real times_the_position(Real t, Real w, Real turns) {
  return (w + two_pi * turns) * t;
}
Real subtracted(Real t, Real w, Real turns) {
  return w * t - two_pi * turns;
}
Real in_turns(Real t, Real w, Real turns) {
  return w * t + turns;
}
Real added_to_the_position(Real t, Real w, Real turns) {
  return w * (t + two_pi * turns);
}

template <Angle angle>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::complex_order, given);
  if (!p.is("phase", "seeded")) throw Refusal("the same without phases");
  Table table = misread::right<Table>(encodings::complex_order, given);
  const std::size_t count = p.width("dim") / 2;
  const auto seed = static_cast<std::uint64_t>(p.whole("word_seed"));
  const bool blocks = p.is("layout", "real_imaginary");
  const auto word = static_cast<Real>(p.whole("word"));
  std::vector<Real> w, modulus, turns;
  for (std::size_t c = 0; c < count; ++c) {
    const std::size_t twice = p.is("exponent", "full_range") ? 2 * c
                              : p.is("exponent", "paired")   ? c - c % 2
                                                             : c;
    w.push_back(word * ladder::frequency(p.real("base"), twice, count));
    modulus.push_back(p.is("modulus", "seeded") ? seeded(seed, c, 1) : 1);
    turns.push_back(seeded_share(seed, count + c));
  }
  const auto columns = [=](std::size_t c) {
    return blocks ? std::pair(c, count + c) : std::pair(2 * c, 2 * c + 1);
  };
  // The angle is another, whose roundings are those of its terms: a phase is a product, a sum, and a product
  // with the position where there is one.
  table.row_error = [=, own = table.row_error](std::span<const double> position, std::span<const double> row,
                                               const Precision& precision, std::span<double> error) {
    own(position, row, precision, error);
    for (std::size_t c = 0; c < count; ++c) {
      const double more = static_cast<double>(std::abs(modulus[c] * two_pi * turns[c])) *
                          (1 + std::abs(position[0])) * misread::more * precision.angle;
      const auto [real, imaginary] = columns(c);
      error[real] += more, error[imaginary] += more;
    }
  };
  return misread::with_rows(table, [=](std::span<const Real> at, std::span<double> row) {
    for (std::size_t c = 0; c < count; ++c) {
      const Real is = angle(at[0], w[c], turns[c]);
      const auto [real, imaginary] = columns(c);
      row[real] = static_cast<double>(modulus[c] * std::cos(is));
      row[imaginary] = static_cast<double>(modulus[c] * std::sin(is));
    }
  });
}

constexpr auto phases = "dim=8 phase=seeded";

}  // namespace

const MisreadingFamily entry{{
    {"the phase is multiplied by the position: the angle is (w + theta) t, not w t + theta",
     &reads<&times_the_position>, phases},
    {"the phase is added to the position: the angle is w (t + theta), not w t + theta",
     &reads<&added_to_the_position>, phases},
    {"the phase is subtracted, not added", &reads<&subtracted>, phases},
    {"the phase is in turns, not in radians: from 0 to 1", &reads<&in_turns>, phases},
}};

}  // namespace posproof::misreadings_complex_order
