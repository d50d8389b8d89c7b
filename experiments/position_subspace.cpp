#include "position_subspace.h"

#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

#include "attention/encoder.h"
#include "attention/mask.h"
#include "measure.h"
#include "nearest_token.h"

namespace posproof::experiments::position_subspace {
namespace {

// In long double, of rows that are not rounded before: good to 2^-60 of the largest.
Square square(std::size_t dim) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto size = static_cast<Index>(dim);
  const std::vector<long double> w = experiments::ladder(dim);
  Wide rows(size, size);
  for (Index t = 0; t < size; ++t)
    for (std::size_t i = 0; i < w.size(); ++i) {
      const long double angle = static_cast<long double>(t) * w[i];
      rows(t, static_cast<Index>(2 * i)) = std::sin(angle);
      rows(t, static_cast<Index>(2 * i) + 1) = std::cos(angle);
    }
  const auto found = Eigen::JacobiSVD<Wide, Eigen::NoQRPreconditioner>(rows).singularValues();
  return {dim, static_cast<double>(found[size - 1] / found[0])};
}

Counted counted(std::size_t dim, Index length, const Directions& of) {
  Counted out{dim, length, {}, of.above(1e-4), of.above(1e-5)};
  for (std::size_t n = 0; n < shares.size(); ++n) out.holding[n] = of.holding(shares[n]);
  return out;
}

Spectrum spectrum(Index length, const Directions& of) {
  Spectrum out{length, {}};
  for (Index n = 0; n < of.strength.size() && of.strength[n] > 1e-6 * of.strength[0]; ++n)
    // To 1e-4: a small one is known to 1e-10 of itself, and the sixth decimal is another machine's now and
    // then.
    out.strength.emplace_back(static_cast<double>(n + 1),
                              std::round(1e4 * std::log10(of.strength[n] / of.strength[0])) / 1e4);
  return out;
}

// 99.9 % of the energy at lengths 16, 32, ..., 2048.
Growth growth(std::size_t dim, const Matrix& rows) {
  Growth out{dim, {}, {}};
  for (Index length = 16; length <= rows.rows(); length *= 2) {
    const auto n = static_cast<double>(length);
    out.counted.emplace_back(
        n, static_cast<double>(experiments::strengths(rows.topRows(length)).holding(0.999)));
    if (n * (1 - std::pow(10000.0, -2 / static_cast<double>(dim))) > 2 * 3.14159265358979323846)
      out.predicted.emplace_back(n, experiments::predicted_directions(dim, n));
  }
  return out;
}

// At the position that keeps most of its row.
Removed removed(double scale, const Matrix& rows, const Directions& of) {
  Removed out{scale, {}};
  const Matrix energy = (rows * of.basis).array().square();
  Vector left = rows.rowwise().squaredNorm();
  for (Index number = 0; number <= 160; ++number) {
    if (number % 8 == 0)
      out.wrong.emplace_back(static_cast<double>(number),
                             experiments::confusion(std::sqrt(std::max(left.maxCoeff(), 1e-12)) / scale,
                                                    wide - static_cast<std::size_t>(number), vocabulary));
    left -= energy.col(number);
  }
  return out;
}

// Of 16 random tokens a draw at positions 0, 32, ..., both seen outside the first directions.
std::size_t wrong_after_projection(const Matrix& rows, const Directions& of, Index number) {
  const Matrix kept = of.basis.leftCols(number);
  const auto outside = [&](const Matrix& x) -> Matrix { return x - (x * kept) * kept.transpose(); };
  const Matrix rest = outside(rows);
  std::size_t wrong = 0;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    attention::Generator numbers(seed);
    const Matrix z = outside(experiments::normal(numbers, 16, rows.cols()));
    for (Index own = 0; own < z.rows(); ++own)
      wrong += experiments::token_lost_below(z, own, rest.row(32 * own).transpose()) > 0.02;
  }
  return wrong;
}

Overlap overlap() {
  constexpr std::size_t dim = 64;
  const Directions of = experiments::directions(experiments::sinusoidal_rows(dim, window));
  const Matrix basis = of.basis.leftCols(of.holding(0.999));
  Overlap out{{}, {}, {}, static_cast<double>(basis.cols()) / static_cast<double>(dim)};
  const Index words = 128;
  Vector zipf(words);
  for (Index rank = 0; rank < words; ++rank) zipf[rank] = 1 / static_cast<double>(rank + 1);
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    attention::Generator numbers(seed);
    const Matrix x = experiments::normal(numbers, words, static_cast<Index>(dim));
    const Vector inside = (x * basis).rowwise().squaredNorm(), all = x.rowwise().squaredNorm();
    out.uniform.see(inside.sum() / all.sum());
    out.zipf.see(inside.dot(zipf) / all.dot(zipf));
    const Vector top = experiments::directions(zipf.cwiseSqrt().asDiagonal() * x).basis.col(0);
    out.strongest.see((basis.transpose() * top).squaredNorm());
  }
  return out;
}

Matrix mapped(const Tensor& x) {
  return Eigen::Map<const Matrix>(x.data.data(), static_cast<Index>(x.rows()), static_cast<Index>(x.width()));
}

Tensor tensor(const Matrix& x) {
  return {{static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.cols())},
          std::vector<double>(x.data(), x.data() + x.size())};
}

// The block that reads and writes in the basis q: readers q^T W, writers W q.
attention::Block in_basis(attention::Block block, const Matrix& q) {
  for (Tensor* reader :
       {&block.projections.query, &block.projections.key, &block.projections.value, &block.feed_forward.up})
    *reader = tensor(q.transpose() * mapped(*reader));
  for (Tensor* writer : {&block.projections.output, &block.feed_forward.down})
    *writer = tensor(mapped(*writer) * q);
  return block;
}

// Tokens, rows and weights in a random orthogonal basis: is the output the same, in that basis?
Rotated rotated() {
  constexpr std::size_t dim = 16, heads = 2;
  const Matrix rows = experiments::sinusoidal_rows(dim, 12);
  const Attention attention = attention::heads(dim, heads);
  const Mask mask = mask::none(12);
  Rotated out;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    attention::Generator numbers(seed);
    const Matrix x = experiments::normal(numbers, 12, dim);
    Matrix q = experiments::directions(experiments::normal(numbers, dim, dim)).basis;
    for (Index c = 0; c < q.cols(); ++c)
      if (q(0, c) < 0) q.col(c) *= -1;
    attention::Block block = attention::random_block(dim, seed);
    const auto difference = [&](const Matrix& rotated_rows) {
      const Matrix here = mapped(attention::encode(block, attention, tensor(x + rows), mask)) * q,
                   there = mapped(
                       attention::encode(in_basis(block, q), attention, tensor(x * q + rotated_rows), mask));
      return (here - there).cwiseAbs().maxCoeff();
    };
    out.layer_norm.see(difference(rows * q));
    block.normalise = false;
    out.all.see(difference(rows * q));
    out.without_table.see(difference(rows));
  }
  return out;
}

void prove(const Measured& m) {
  proved(m.left < 256e-6, "outside the directions of the numerical rank nothing of a row is left");
  proved(m.wrong == 0, "all tokens are decoded right after the projection");
  proved(m.removed[0].wrong.front().second > 0.99 && m.removed[0].wrong.back().second < 1e-9,
         "the error falls from nearly 1 to nearly 0 as directions are removed");
  proved(m.rotated.all.most() < 1e-11, "a rotated network has the rotated output");
  proved(m.rotated.without_table.least() > 1e-2 && m.rotated.layer_norm.least() > 1e-2,
         "it has not where the table or LayerNorm is not rotated");
  for (const Growth& one : m.growth)
    for (const auto& [length, predicted] : one.predicted)
      for (const auto& [at, counted] : one.counted)
        proved(at != length || std::abs(predicted - counted) < 3, "the prediction is within 3 directions");
  for (const Square& one : m.squares)
    proved((one.weakest < 0x1p-53) == (one.dim == 12) && (one.dim == 12 || one.weakest > 0x1p-50),
           "at width 12 the weakest direction is below the rounding of f64, and above it at those before");
  proved(m.later.front().second > 1e-6 && m.later.back().second > 0.5, "later rows lie in other directions");
  const auto inside = [](const std::pair<double, double>& band, double x) {
    return band.first < x && x < band.second;
  };
  proved(inside(m.overlap.uniform.band(), m.overlap.expected) &&
             inside(m.overlap.zipf.band(), m.overlap.expected) &&
             inside(m.overlap.strongest.band(), m.overlap.expected),
         "random tokens lie in the directions of position as often as in any others");
}

void project(Measured& m, const Matrix& rows, const Matrix& later, const Directions& found) {
  m.kept = found.holding(0.999), m.ranked = found.above(1e-6);
  for (Index t = 0; t < rows.rows(); ++t) {
    const Vector row = rows.row(t).transpose();
    m.left = std::max(m.left, found.outside(row, m.ranked));
    m.most_kept = std::max(m.most_kept, found.outside(row, m.kept));
  }
  for (const Index t : {520, 600, 1000, 2047}) {
    const Vector row = later.row(t).transpose();
    m.later.emplace_back(t, found.outside(row, m.ranked) / row.squaredNorm());
  }
  for (const Index end : {Index{0}, rows.rows() - 1})
    proved(found.outside(rows.row(end).transpose(), m.kept) > m.most_kept - 1e-9,
           "the ends of the window keep most of their rows");
  for (const double scale : {0.02, 0.05, 0.1}) m.removed.push_back(removed(scale, rows, found));
  m.wrong = wrong_after_projection(rows, found, m.ranked);
}

}  // namespace

const Counted& Measured::at(std::size_t dim, Index length) const {
  return *std::ranges::find_if(counted,
                               [&](const Counted& one) { return one.dim == dim && one.length == length; });
}

Measured measure() {
  Measured m{};
  const auto look = [&](std::size_t dim, const Matrix& rows, const Matrix& later) {
    const Directions found = dim == wide ? experiments::directions(rows) : experiments::strengths(rows);
    m.counted.push_back(counted(dim, rows.rows(), found));
    if (dim == 256) m.spectra.push_back(spectrum(rows.rows(), found));
    if (dim == wide) project(m, rows, later, found);
  };
  for (const std::size_t dim : {std::size_t{64}, std::size_t{256}, wide}) {
    const Matrix rows = experiments::sinusoidal_rows(dim, 2048);
    m.growth.push_back(growth(dim, rows));
    if (dim == 256) look(dim, rows.topRows(128), rows);
    look(dim, rows.topRows(window), rows);
    if (dim == 256) look(dim, rows, rows);
  }
  for (const std::size_t dim : {4, 6, 8, 12}) m.squares.push_back(square(dim));
  m.overlap = overlap();
  m.rotated = rotated();
  prove(m);
  return m;
}

}  // namespace posproof::experiments::position_subspace
