#include <algorithm>
#include <cmath>
#include <memory>

#include "catalogue/oracle/fire.h"
#include "core/hard.h"
#include "exact/numbers.h"
#include "exact/real.h"
#include "oracle/bias_bounds.h"

namespace posproof {

using namespace exact;

namespace {

constexpr mpfr_prec_t digits = 256;

// The trained numbers in their order, from the paper's layers: hidden = max(w x + b, 0), then w' hidden + b'.
struct Layers {
  std::size_t width, heads;
  std::vector<double> numbers;
  std::vector<Real> kept;  // the same, as they are multiplied

  explicit Layers(const Arguments& p) : width(p.width("width")), heads(p.width("heads")) {
    for (std::size_t at = 0; at < (2 + heads) * width + heads; ++at) {
      numbers.push_back(seeded(1, p.whole("mlp_seed"), at));
      kept.emplace_back(53, numbers.back());
    }
  }

  // Of each head, by 256 bits, of which an answer of sums without cancellation below 2^-100 needs 53 and
  // those of the operations.
  std::vector<double> at(const Real& x) const {
    std::vector<std::pair<std::size_t, Real>> above_0;  // of the hidden units
    for (std::size_t unit = 0; unit < width; ++unit) {
      Real hidden(digits);
      mpfr_fma(hidden.x, x.x, kept[unit].x, kept[width + unit].x, MPFR_RNDN);
      if (mpfr_sgn(hidden.x) > 0) above_0.emplace_back(unit, std::move(hidden));
    }
    std::vector<double> out;
    for (std::size_t head = 0; head < heads; ++head) {
      Real sum(digits, numbers[(2 + heads) * width + head]);
      for (const auto& [unit, hidden] : above_0)
        mpfr_fma(sum.x, hidden.x, kept[(2 + head) * width + unit].x, sum.x, MPFR_RNDN);
      out.push_back(sum.nearest());
    }
    return out;
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
  const auto layers = std::make_shared<const Layers>(p);
  const double c = p.real("c"), threshold = p.real("threshold"), epsilon = p.real("epsilon");

  Bias bias{.heads = layers->heads, .causal = true};
  bias.positions.hard = hard_positions(std::span<const Pair>{}, bias.positions.lo, bias.positions.hi);
  for (const double at : {std::floor(threshold), std::floor(threshold) + 1})
    if (at <= static_cast<double>(bias.positions.hi))
      bias.positions.hard.push_back(static_cast<Position>(at));
  std::ranges::sort(bias.positions.hard);
  bias.error =
      bias_bounds::of_fire({c, threshold, epsilon, {1, layers->width, layers->heads, true, layers->numbers}});
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    Tensor out({layers->heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Real below = psi(c, std::max(static_cast<double>(queries[i]), threshold));
      mpfr_add_d(below.x, below.x, epsilon, MPFR_RNDN);
      for (std::size_t j = 0; j < keys.size(); ++j) {
        Real x = psi(c, static_cast<double>(queries[i] > keys[j] ? queries[i] - keys[j] : 0));
        mpfr_div(x.x, x.x, below.x, MPFR_RNDN);
        const std::vector<double> entries = layers->at(x);
        for (std::size_t h = 0; h < layers->heads; ++h) out.at(h * queries.size() + i, j) = entries[h];
      }
    }
    return out;
  };
  return bias;
}

}  // namespace posproof
