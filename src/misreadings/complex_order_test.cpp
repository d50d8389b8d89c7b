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

// A misreading is allowed four times what the declared one is. A phase that is a product more is rounded at
// its position, too: what is allowed beside grows with it.
TEST(MisreadComplexOrder, is_allowed_what_its_phase_loses_at_a_position) {
  const EncodingSpec& spec = encoding_named("complex_order");
  const Parameters words = with(spec, Case::parse("dim=8 phase=seeded"));
  const auto right = as<Table>(spec.make(words));
  const std::vector<double> row(8, 0.0);
  const auto allowed = [&](const Table& table, double t) {
    std::vector<double> error(8);
    table.row_error(std::vector<double>{t}, row, all_f32, error);
    return error;
  };
  for (const Misreading& one : misreadings::complex_order.misreadings) {
    const auto made = as<Table>(one.make(words));
    const std::vector<double> at_0 = allowed(made, 0), own_0 = allowed(right, 0), at_15 = allowed(made, -15),
                              own_15 = allowed(right, -15);
    for (std::size_t c = 0; c < 8; ++c) {
      EXPECT_GT(at_0[c], 4 * own_0[c]) << one.what;
      // To the roundings of a difference of sums of a few terms.
      EXPECT_NEAR(at_15[c] - 4 * own_15[c], 16 * (at_0[c] - 4 * own_0[c]), 0x1p-40 * at_15[c]) << one.what;
    }
  }
}

}  // namespace
}  // namespace posproof::misreadings_complex_order_test
