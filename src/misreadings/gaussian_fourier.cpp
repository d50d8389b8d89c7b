#include <cmath>
#include <numbers>

#include "catalogue/encodings/gaussian_fourier.h"
#include "catalogue/misreadings/gaussian_fourier.h"
#include "encodings/projected.h"
#include "misreadings/right.h"

namespace posproof::misreadings_gaussian_fourier {
namespace {

using misread::Real;

struct Form {
  double sigmas = 1;        // the power of sigma that multiplies the matrix
  bool transposed = false;  // the matrix is filled column by column
  bool axes_reversed = false;
  Real turns = 1;  // the factor 2 pi counts so often
};

Encoding reads(const Parameters& given, const Form& form) {
  const Arguments p = misread::arguments(encodings::gaussian_fourier, given);
  const bool listed = p.is("matrix", "listed"), two_pi = p.is("factor", "two_pi");
  if (listed && form.sigmas != 1) throw Refusal("sigma is no part of a listed matrix");
  if (!two_pi && form.turns != 1) throw Refusal("the same without 2 pi");
  Table table = misread::right<Table>(encodings::gaussian_fourier, given);
  const std::size_t axes = table.positions.axes, count = table.dim / 2;
  if (axes == 1 && (form.transposed || form.axes_reversed)) throw Refusal("the same on one axis");
  const auto matrix = listed
                          ? projected::repeated(p.list("entries"), axes * count)
                          : projected::normal_numbers(static_cast<std::uint64_t>(p.whole("matrix_seed")),
                                                      axes * count, std::pow(p.real("sigma"), form.sigmas));
  const Real unit = two_pi ? 2 * std::numbers::pi_v<Real> * form.turns : 1;
  for (Pair& pair : table.pairs) pair.frequency = static_cast<double>(unit * matrix[pair.index]);
  const std::size_t sines = p.is("layout", "cos_sin") ? count : 0;
  const Real amplitude = p.is("norm", "none")
                             ? 1
                             : std::sqrt((p.is("norm", "one") ? Real{2} : 1) / static_cast<Real>(table.dim));
  return misread::with_rows(table, [=](std::span<const Real> x, std::span<double> row) {
    for (std::size_t n = 0; n < count; ++n) {
      Real product = 0;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t along = form.axes_reversed ? axes - 1 - axis : axis;
        product += matrix[form.transposed ? along * count + n : n * axes + along] * x[axis];
      }
      row[sines + n] = static_cast<double>(amplitude * std::sin(unit * product));
      row[count - sines + n] = static_cast<double>(amplitude * std::cos(unit * product));
    }
  });
}

misread::Make with(const Form& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the matrix has sigma^2 as its standard deviation, not sigma", with({.sigmas = 2}), "sigma=2"},
    {"the matrix is divided by sigma, not multiplied", with({.sigmas = -1}), "sigma=2"},
    {"the matrix is filled column by column, not row by row", with({.transposed = true}), "axes=2"},
    {"the axes are in reverse order", with({.axes_reversed = true}), "axes=2"},
    {"the factor of the angles is pi, not 2 pi", with({.turns = 0.5L}), "factor=two_pi"},
}};

}  // namespace posproof::misreadings_gaussian_fourier
