#include "moved_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catalogue/encodings/sinusoidal.h"
#include "matrices.h"
#include "tables.h"

namespace posproof::experiments::moved_rows {
namespace {

using document::Curve;
using RealVector = std::vector<Real>;
using Rows = std::vector<RealVector>;

Table sinusoidal(std::size_t dim) {
  return experiments::table(encodings::sinusoidal, fmt::format("dim={}", dim));
}

Rows rows(const Table& table, Position number) {
  const Tensor p = experiments::rows(table, number);
  Rows out;
  for (std::size_t t = 0; t < p.rows(); ++t) out.emplace_back(p.row(t).begin(), p.row(t).end());
  return out;
}

// The exact frequency: the pair's own is rounded to double, and off by too much after a thousand positions.
Real frequency(const Table& table, const Pair& pair) {
  return std::pow(10000.0L, -2.0L * static_cast<Real>(pair.index) / static_cast<Real>(table.dim));
}

// M_k: every pair (sine, cosine) by [[cos kw, sin kw], [-sin kw, cos kw]].
struct Shift {
  struct Block {
    Pair pair;
    Real c, s;
  };
  std::vector<Block> blocks;

  Shift(const Table& table, Real k) {
    for (const Pair& pair : table.pairs) {
      const Real angle = k * frequency(table, pair);
      blocks.push_back({pair, std::cos(angle), std::sin(angle)});
    }
  }
  RealVector operator()(const RealVector& v) const {
    RealVector out = v;
    for (const auto& [pair, c, s] : blocks) {
      out[pair.first] = c * v[pair.first] + s * v[pair.second];
      out[pair.second] = -s * v[pair.first] + c * v[pair.second];
    }
    return out;
  }
};

RealVector shifted(const Table& table, const RealVector& v, Real k) {
  return Shift(table, k)(v);
}

Real dot(const RealVector& a, const RealVector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Real{0});
}

// Largest |M_k p_t - p_(t+k)| over t below 1000 and these k.
Real misses(std::size_t dim) {
  const Table table = sinusoidal(dim);
  const Rows p = rows(table, 2024);
  Real worst = 0;
  for (const std::size_t k : {1u, 7u, 100u, 1024u}) {
    const Shift shift(table, static_cast<Real>(k));
    for (std::size_t t = 0; t < 1000; ++t) worst = std::max(worst, largest_difference(shift(p[t]), p[t + k]));
  }
  return worst;
}

// Gauss-Jordan with pivots: afterwards x = system[a][d + b] / system[a][a] solves it.
void eliminate(Rows& system) {
  const std::size_t d = system.size();
  for (std::size_t at = 0; at < d; ++at) {
    std::size_t pivot = at;
    for (std::size_t r = at; r < d; ++r)
      if (std::abs(system[r][at]) > std::abs(system[pivot][at])) pivot = r;
    std::swap(system[at], system[pivot]);
    for (std::size_t r = 0; r < d; ++r) {
      if (r == at) continue;
      const Real factor = system[r][at] / system[at][at];
      for (std::size_t c = at; c < 2 * d; ++c) system[r][c] -= factor * system[at][c];
    }
  }
}

// Of all matrices A, the one for which the rows A p_t are closest to p_(t+k) in the mean square: what it
// misses, relative to the size of the rows. Normal equations in long double; `columns` are the entries of p
// that are kept.
Real best_linear_shift(const Rows& p, const std::vector<std::size_t>& columns, std::size_t k) {
  const std::size_t d = columns.size(), n = p.size() - k;
  // Gram matrix of the rows, and beside it their products with the shifted ones.
  Rows system(d, std::vector<Real>(2 * d, 0));
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b) {
        system[a][b] += p[t][columns[a]] * p[t][columns[b]];
        system[a][d + b] += p[t][columns[a]] * p[t + k][columns[b]];
      }
  eliminate(system);
  Real missed = 0, size = 0;
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t b = 0; b < d; ++b) {
      Real made = 0;
      for (std::size_t a = 0; a < d; ++a) made += p[t][columns[a]] * system[a][d + b] / system[a][a];
      const Real right = p[t + k][columns[b]];
      missed += (made - right) * (made - right);
      size += right * right;
    }
  return std::sqrt(missed / size);
}

std::vector<std::size_t> only(std::size_t dim, std::size_t first, std::size_t step) {
  std::vector<std::size_t> out;
  for (std::size_t c = first; c < dim; c += step) out.push_back(c);
  return out;
}

RealVector times(const Rows& w, const RealVector& v) {
  RealVector out;
  for (const auto& row : w) out.push_back(dot(row, v));
  return out;
}

// Independent entries, uniform, of variance 1/d.
Rows random_matrix(std::size_t dim, std::uint64_t seed) {
  Uniform uniform(seed);
  Rows w(dim, RealVector(dim));
  for (auto& row : w)
    for (Real& x : row) x = static_cast<Real>(uniform.next()) * std::sqrt(3.0L / static_cast<Real>(dim));
  return w;
}

// The softmax weight of the next position, seen from the middle of a sequence of n tokens without content (W
// = I), at width 16.
Real weight_of_next(std::size_t n) {
  const Rows p = rows(sinusoidal(16), static_cast<Position>(n));
  const std::size_t from = n / 2 - 1;
  Real sum = 0, next = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const Real e = std::exp(dot(p[from], p[j]) / 4);
    sum += e;
    if (j == from + 1) next = e;
  }
  return next / sum;
}

Group group(const Table& eight) {
  Uniform uniform(1);
  Group out;
  for (int n = 0; n < 200; ++n) {
    RealVector v(8);
    for (Real& x : v) x = static_cast<Real>(uniform.next());
    const Real a = 1000 * static_cast<Real>(uniform.next()), b = 1000 * static_cast<Real>(uniform.next());
    const RealVector moved = shifted(eight, v, a);
    out.compose = std::max(
        out.compose, largest_difference(shifted(eight, shifted(eight, v, b), a), shifted(eight, v, a + b)));
    out.inverse = std::max(out.inverse, largest_difference(shifted(eight, moved, -a), v));
    out.length = std::max(out.length, std::abs(norm(moved) - norm(v)));
  }
  return out;
}

std::vector<Halves> halves(const Table& eight) {
  const Rows p = rows(eight, 2000);
  std::vector<Halves> out;
  for (const auto& [name, columns] :
       {std::pair{"sines only", only(8, 0, 2)}, std::pair{"cosines only", only(8, 1, 2)},
        std::pair{"both", only(8, 0, 1)}})
    out.push_back({name,
                   {best_linear_shift(p, columns, shifts[0]), best_linear_shift(p, columns, shifts[1]),
                    best_linear_shift(p, columns, shifts[2])}});
  return out;
}

template <class Map>
Logits logits_of(std::string name, const Rows& p, const Map& map) {
  Logits out{name, {name, {}}, {}};
  for (std::size_t t = 0; t < 200; ++t) {
    const Real value = dot(p[t], map(p[t + 1]));
    out.range.see(value);
    out.curve.points.emplace_back(static_cast<double>(t), static_cast<double>(value));
  }
  return out;
}

std::vector<Logits> logits() {
  constexpr std::size_t dim = 64;
  const Table table = sinusoidal(dim);
  const Rows p = rows(table, 201);
  return {logits_of("identity", p, [](const RealVector& v) { return v; }),
          logits_of("rotates every pair by three steps", p, Shift(table, 3))};
}

// Largest less smallest p_t . W p_(t+1) over the positions 0 to 199, in double.
double width_of_logits(const experiments::Matrix& p, std::uint64_t seed) {
  Uniform uniform(seed);
  experiments::Matrix w(p.cols(), p.cols());
  for (double& x : w.reshaped<Eigen::RowMajor>())
    x = uniform.next() * std::sqrt(3 / static_cast<double>(p.cols()));
  const experiments::Matrix mapped = p.topRows(200) * w;
  const experiments::Vector logits = mapped.cwiseProduct(p.bottomRows(200)).rowwise().sum();
  return logits.maxCoeff() - logits.minCoeff();
}

RandomLogits random_logits() {
  constexpr std::size_t dim = 64;
  const Rows p = rows(sinusoidal(dim), 201);
  const experiments::Matrix as_matrix = experiments::sinusoidal_rows(dim, 201);
  RandomLogits out;
  for (std::uint64_t seed = 1; seed <= many_draws; ++seed) out.width.see(width_of_logits(as_matrix, seed));
  std::vector<Drawn> by_position(200);
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const Rows w = random_matrix(dim, seed);
    Logits one = logits_of("random, draw 1", p, [&](const RealVector& v) { return times(w, v); });
    proved(std::abs(static_cast<double>(one.range.width()) - width_of_logits(as_matrix, seed)) < 1e-10,
           "in double the logits have the same width");
    for (std::size_t t = 0; t < by_position.size(); ++t) by_position[t].see(one.curve.points[t].second);
    if (seed == 1) out.first = std::move(one);
  }
  for (const Drawn& here : by_position) out.first.curve.band.push_back(here.band());
  return out;
}

Gap gap(const Table& eight, const Pair& pair) {
  RealVector x(8, 0);
  x[pair.first] = 0.6L;
  x[pair.second] = 0.8L;
  const auto off = [&](Real k) {
    RealVector out = shifted(eight, x, k);
    for (std::size_t c = 0; c < 8; ++c) out[c] -= x[c];
    return norm(out);
  };
  return {pair.index, frequency(eight, pair), off(1), off(10)};
}

// The offset from position 100 at which p_t . M_(-1) p_(t+k) is largest, k from -100 to 100, width 64.
Position peak() {
  const Table table = sinusoidal(64);
  const Rows p = rows(table, 201);
  std::size_t best = 0;
  const auto product = [&, shift = Shift(table, -1)](std::size_t s) { return dot(p[100], shift(p[s])); };
  for (std::size_t s = 1; s <= 200; ++s)
    if (product(s) > product(best)) best = s;
  return static_cast<Position>(best) - 100;
}

// What the page says in words.
void prove_rows(const Measured& m) {
  for (const Exact& one : m.exact) proved(one.holds(), "M_k p_t is p_(t+k)");
  for (const Logits& one : m.logits) proved(one.level(), "the logit is level for W = I and for a rotation");
  proved(m.random.width.least() > 1, "the logit varies by more than 1 for every random W");
  for (std::size_t n = 1; n < m.weights.size(); ++n)
    proved(m.weights[n].next < m.weights[n - 1].next, "the weight of the next falls with the length");
}

}  // namespace

Real missed_in_the_limit(std::size_t dim, std::size_t k) {
  Real sum = 0;
  const std::vector<Real> w = experiments::ladder(dim);
  for (const Real one : w) sum += std::pow(std::sin(static_cast<Real>(k) * one), 2.0L);
  return std::sqrt(sum / static_cast<Real>(w.size()));
}

Measured measure() {
  const Table eight = sinusoidal(8);
  Measured m;
  for (const std::size_t dim : {2u, 8u, 64u, 512u}) m.exact.push_back({dim, misses(dim)});
  m.group = group(eight);
  m.halves = halves(eight);
  m.sines_at_many = best_linear_shift(rows(eight, 30000), only(8, 0, 2), 5);
  m.logits = logits();
  m.random = random_logits();
  m.peak = peak();
  for (const std::size_t n : {6u, 10u, 100u, 1000u}) m.weights.push_back({n, weight_of_next(n)});
  for (const Pair& pair : eight.pairs) m.gaps.push_back(gap(eight, pair));
  prove_rows(m);
  return m;
}

}  // namespace posproof::experiments::moved_rows
