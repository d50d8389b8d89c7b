#include "catalogue/misreadings/complex_order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_complex_order_test {
namespace {

using testing::Real, testing::RowFormula;

// By the phase in radians.
RowFormula words(Real (*angle)(Real t, Real w, Real theta)) {
  return [angle](const Arguments& p, const std::vector<double>& at) {
    const std::size_t n = p.width("dim") / 2;
    const auto seed = std::uint64_t(p.whole("word_seed"));
    std::vector<Real> row(2 * n);
    for (std::size_t c = 0; c < n; ++c) {
      const Real power = p.is("exponent", "half_range") ? c : p.is("exponent", "paired") ? c / 2 * 2 : 2 * c;
      const Real w = Real(p.whole("word")) * std::exp(-std::log(Real(p.real("base"))) * power / Real(n));
      const Real theta = 2 * std::numbers::pi_v<Real> * seeded_share(seed, n + c);
      const auto is = std::polar<Real>(1, angle(at[0], w, theta)) *
                      Real(p.is("modulus", "seeded") ? seeded(seed, c, 1) : 1);
      const bool interleaved = p.is("layout", "interleaved");
      row[interleaved ? 2 * c : c] = is.real(), row[interleaved ? 2 * c + 1 : n + c] = is.imag();
    }
    return row;
  };
}

TEST(MisreadComplexOrder, is_what_the_sentence_says) {
  testing::expect_rows(
      "complex_order", misreadings::complex_order,
      {{"the phase is multiplied by the position: the angle is (w + theta) t, not w t + theta",
        words([](Real t, Real w, Real theta) { return t * w + t * theta; })},
       {"the phase is added to the position: the angle is w (t + theta), not w t + theta",
        words([](Real t, Real w, Real theta) { return t * w + w * theta; })},
       {"the phase is subtracted, not added",
        words([](Real t, Real w, Real theta) { return t * w - theta; })},
       {"the phase is in turns, not in radians: from 0 to 1",
        words([](Real t, Real w, Real theta) { return t * w + theta / (2 * std::numbers::pi_v<Real>); })}},
      {"", "modulus=seeded layout=interleaved word=3", "exponent=half_range", "exponent=paired base=100"});
}

TEST(MisreadComplexOrder, has_no_phases_where_there_are_none) {
  for (const Misreading& one : misreadings::complex_order.misreadings)
    EXPECT_THROW(one.make(with(encoding_named("complex_order"), Case::parse("dim=8"))), Refusal) << one.what;
}

}  // namespace
}  // namespace posproof::misreadings_complex_order_test
