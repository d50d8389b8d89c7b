#include "catalogue/oracle/gaussian_fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/hard.h"
#include "exact/numbers.h"
#include "exact/waves.h"

namespace posproof {

using namespace exact;

namespace {

// B, [features, axes], as it stands in the list or is drawn.
std::vector<double> matrix_of(const Arguments& p, std::size_t numbers) {
  std::vector<double> out(numbers);
  const bool listed = p.is("matrix", "listed");
  for (std::size_t n = 0; n < numbers; ++n)
    out[n] = listed ? p.list("entries")[std::min(n, p.list("entries").size() - 1)]
                    : seeded_normal(p.real("sigma"), p.whole("matrix_seed"), n);
  return out;
}

std::vector<Real> frequencies_of(const std::vector<double>& matrix, std::size_t axes, std::size_t feature) {
  std::vector<Real> out;
  for (std::size_t axis = 0; axis < axes; ++axis) out.push_back(wave_number(matrix[feature * axes + axis]));
  return out;
}

}  // namespace

Encoding oracle::gaussian_fourier(const Arguments& p) {
  const std::size_t dim = p.width("dim"), axes = p.width("axes"), features = dim / 2;
  const auto matrix = matrix_of(p, features * axes);
  const bool in_turns = p.is("factor", "two_pi");
  const AngleUnit unit = in_turns ? AngleUnit::turns : AngleUnit::radians;
  const double radians = in_turns ? 2 * std::numbers::pi : 1;
  const std::size_t cosines = p.is("layout", "cos_sin") ? 0 : features, sines = features - cosines;

  // (2/dim)^0.5 or dim^-0.5
  const bool plain = p.is("norm", "none");
  const Real amplitude = plain ? wave_number(1) : root_of(p.is("norm", "inverse_root_of_dim") ? 1 : 2, dim);

  Table table{.dim = dim, .amplitude = amplitude.nearest()};
  table.positions = {-256, 256, hard_positions(std::span<const Pair>{}, -256, 256)};
  table.positions.axes = axes;
  table.positions.real = true;
  // B is rounded, and 2 pi with its product.
  const double of_frequency = in_turns ? 3 : 1;
  for (std::size_t n = 0; axes == 1 && n < features; ++n)
    table.pairs.push_back(
        {sines + n, cosines + n, radians * matrix[n], n, {.condition = 0, .roundings = of_frequency}});
  // The same of each axis, the coordinate and its product, and the sums.
  const Table beside = table;
  if (axes > 1)
    table.row_error = [=](std::span<const double> v, std::span<const double>, const Precision& precision,
                          std::span<double> error) {
      const double units = of_frequency + 2 + static_cast<double>(axes - 1);
      for (std::size_t c = 0; c < dim; ++c) {
        double size = 0;
        for (std::size_t axis = 0; axis < axes; ++axis)
          size += std::abs(matrix[c % features * axes + axis] * v[axis]);
        error[c] = beside.amplitude * std::min(2.0, units * precision.angle * radians * size) +
                   entry_error(beside, precision);
      }
    };
  table.rows = [=](const Positions& positions, Position) {
    Tensor rows({positions.size(), dim});
    std::vector<double> v(axes);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      for (std::size_t axis = 0; axis < axes; ++axis) v[axis] = positions.at(r, axis);
      for (std::size_t n = 0; n < features; ++n) {
        const WavePoint point = wave(frequencies_of(matrix, axes, n), unit, v, 0, amplitude);
        rows.at(r, sines + n) = point.sine;
        rows.at(r, cosines + n) = point.cosine;
      }
    }
    return rows;
  };
  return table;
}

}  // namespace posproof
