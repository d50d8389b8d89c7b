#include "catalogue/misreadings/gaussian_fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_gaussian_fourier_test {
namespace {

using testing::Real, testing::RowFormula;

// Of the numbers of the matrix: sigma to that power for each that is drawn, and where an axis finds its own.
struct Matrix {
  Real sigmas = 1;
  bool by_columns = false, axes_reversed = false;
  Real factor = 2;  // times pi
};

RowFormula features(const Matrix& as) {
  return [=](const Arguments& p, const std::vector<double>& at) {
    const std::size_t axes = p.width("axes"), count = p.width("dim") / 2;
    std::vector<Real> sines, cosines;
    for (std::size_t n = 0; n < count; ++n) {
      Real product = 0;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t column = as.axes_reversed ? axes - 1 - axis : axis,
                          number = as.by_columns ? column * count + n : n * axes + column;
        const std::vector<double>& list = p.list("entries");
        const Real entry = p.is("matrix", "listed")
                               ? Real(number < list.size() ? list[number] : list.back())
                               : Real(seeded_normal(std::uint64_t(p.whole("matrix_seed")), number,
                                                    double(std::pow(Real(p.real("sigma")), as.sigmas))));
        product += entry * at[axis];
      }
      const Real angle = product * (p.is("factor", "two_pi") ? as.factor * std::numbers::pi_v<Real> : 1);
      sines.push_back(std::sin(angle));
      cosines.push_back(std::cos(angle));
    }
    const bool sines_first = p.is("layout", "sin_cos");
    std::vector<Real> row = sines_first ? sines : cosines;
    const std::vector<Real>& others = sines_first ? cosines : sines;
    row.insert(row.end(), others.begin(), others.end());
    return row;
  };
}

TEST(MisreadGaussianFourier, is_what_the_sentence_says) {
  testing::expect_rows(
      "gaussian_fourier", misreadings::gaussian_fourier,
      {{"the matrix has sigma^2 as its standard deviation, not sigma", features({.sigmas = 2})},
       {"the matrix is divided by sigma, not multiplied", features({.sigmas = -1})},
       {"the matrix is filled column by column, not row by row", features({.by_columns = true})},
       {"the axes are in reverse order", features({.axes_reversed = true})},
       {"the factor of the angles is pi, not 2 pi", features({.factor = 1})}},
      {"dim=8", "dim=8 layout=cos_sin matrix_seed=2"});
}

// The frequency that a diagnosis measures is that of the misread angle.
TEST(MisreadGaussianFourier, declares_its_frequencies) {
  const Parameters words = with(encoding_named("gaussian_fourier"), Case::parse("dim=6 factor=two_pi"));
  for (const Misreading& one : misreadings::gaussian_fourier.misreadings) {
    if (!one.what.starts_with("the factor")) continue;
    const Table table = as<Table>(one.make(words));
    ASSERT_EQ(table.pairs.size(), 3u);
    const double at[] = {0.5};
    const Tensor row = table.rows(Positions(std::span<const double>(at), 1), 1);
    for (const Pair& pair : table.pairs)
      EXPECT_NEAR(row.data[pair.first], std::sin(0.5 * pair.frequency), 1e-14);
  }
}

TEST(MisreadGaussianFourier, is_none_where_it_is_the_same) {
  const std::vector<std::pair<std::string, std::string>> none = {
      {"the matrix has", "sigma=2 matrix=listed"},
      {"the matrix is divided", "sigma=2 matrix=listed"},
      {"the matrix is filled", "axes=1"},
      {"the axes are", "axes=1"},
      {"the factor", "factor=one"},
  };
  for (const auto& [what, words] : none) {
    for (const Misreading& one : misreadings::gaussian_fourier.misreadings)
      if (one.what.starts_with(what)) {
        EXPECT_THROW(one.make(with(encoding_named("gaussian_fourier"), Case::parse(words))), Refusal) << what;
      }
  }
}

}  // namespace
}  // namespace posproof::misreadings_gaussian_fourier_test
