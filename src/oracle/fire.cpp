#include <algorithm>
#include <cmath>

#include "catalogue/oracle/fire.h"
#include "core/hard.h"
#include "exact/numbers.h"
#include "exact/real.h"
#include "oracle/bias_bounds.h"

namespace posproof {

using namespace exact;

namespace {

constexpr mpfr_prec_t digits = 256;

void add_product(Real& sum, const Real& a, double b) {
  Real product(digits);
  mpfr_mul_d(product.x, a.x, b, MPFR_RNDN);
  mpfr_add(sum.x, sum.x, product.x, MPFR_RNDN);
}

// The trained numbers in their order, from the paper's layers: hidden = max(w x + b, 0), then w' hidden + b'.
struct Layers {
  std::size_t width, heads;
  std::vector<double> numbers;

  explicit Layers(const Arguments& p) : width(p.width("width")), heads(p.width("heads")) {
    for (std::size_t at = 0; at < (2 + heads) * width + heads; ++at)
      numbers.push_back(seeded(1, p.whole("mlp_seed"), at));
  }
  double number(std::size_t at) const { return numbers.at(at); }

  // By 256 bits, of which an answer of sums without cancellation below 2^-100 needs 53 and those of the
  // operations.
  double at(std::size_t head, const Real& x) const {
    Real sum(digits, number(2 * width + heads * width + head));
    for (std::size_t unit = 0; unit < width; ++unit) {
      Real hidden(digits, number(width + unit));
      add_product(hidden, x, number(unit));
      if (mpfr_sgn(hidden.x) > 0) add_product(sum, hidden, number(2 * width + head * width + unit));
    }
    return sum.nearest();
  }
};

Real psi(double c, double x) {
  Real y(digits, x);
  mpfr_mul_d(y.x, y.x, c, MPFR_RNDN);
  mpfr_log1p(y.x, y.x, MPFR_RNDN);
  return y;
}

}  // namespace

Encoding oracle::fire(const Arguments& p) {
  const Layers layers(p);
  const double c = p.real("c"), threshold = p.real("threshold"), epsilon = p.real("epsilon");

  Bias bias{.heads = layers.heads, .causal = true};
  bias.positions.hard = hard_positions(std::span<const Pair>{}, bias.positions.lo, bias.positions.hi);
  for (const double at : {std::floor(threshold), std::floor(threshold) + 1})
    if (at <= static_cast<double>(bias.positions.hi))
      bias.positions.hard.push_back(static_cast<Position>(at));
  std::ranges::sort(bias.positions.hard);
  bias.error =
      bias_bounds::of_fire({c, threshold, epsilon, {1, layers.width, layers.heads, true, layers.numbers}});
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    Tensor out({layers.heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Real below = psi(c, std::max(static_cast<double>(queries[i]), threshold));
      mpfr_add_d(below.x, below.x, epsilon, MPFR_RNDN);
      for (std::size_t j = 0; j < keys.size(); ++j) {
        Real x = psi(c, static_cast<double>(queries[i] > keys[j] ? queries[i] - keys[j] : 0));
        mpfr_div(x.x, x.x, below.x, MPFR_RNDN);
        for (std::size_t h = 0; h < layers.heads; ++h) out.at(h * queries.size() + i, j) = layers.at(h, x);
      }
    }
    return out;
  };
  return bias;
}

}  // namespace posproof
