#include <algorithm>
#include <array>
#include <map>

#include "catalogue/oracle/log_cpb.h"
#include "exact/numbers.h"
#include "exact/real.h"
#include "oracle/bias_bounds.h"

namespace posproof {

using namespace exact;

namespace {

// Of them an answer needs 53 and those of the operations: a sum without cancellation below 2^-100 has as
// many.
constexpr mpfr_prec_t digits = 256;

// The network's layers as Swin V2 has them, its numbers one after another.
struct Network {
  std::size_t hidden, heads;
  std::vector<double> numbers;

  explicit Network(const Arguments& p) : hidden(p.width("hidden")), heads(p.width("heads")) {
    for (std::size_t at = 0; at < (3 + heads) * hidden; ++at)
      numbers.push_back(seeded(at < 3 * hidden ? 1 : p.real("std"), p.whole("mlp_seed"), at));
  }

  std::vector<Real> units(const std::array<Real, 2>& x) const {
    std::vector<Real> out;
    Real product(digits);
    for (std::size_t unit = 0; unit < hidden; ++unit) {
      Real sum(digits, numbers[2 * hidden + unit]);
      for (std::size_t axis = 0; axis < 2; ++axis) {
        mpfr_mul_d(product.x, x[axis].x, numbers[2 * unit + axis], MPFR_RNDN);
        mpfr_add(sum.x, sum.x, product.x, MPFR_RNDN);
      }
      if (mpfr_sgn(sum.x) < 0) mpfr_set_zero(sum.x, 1);
      out.push_back(std::move(sum));
    }
    return out;
  }

  Real output(std::size_t head, const std::vector<Real>& units) const {
    Real sum(digits), product(digits);
    for (std::size_t unit = 0; unit < hidden; ++unit) {
      mpfr_mul_d(product.x, units[unit].x, numbers[(3 + head) * hidden + unit], MPFR_RNDN);
      mpfr_add(sum.x, sum.x, product.x, MPFR_RNDN);
    }
    return sum;
  }
};

// sign(t) log2(1 + 8 |t| / (extent - 1)) / log2(8), or sign(t) ln(1 + |t|) of an extent of 0.
Real coordinate(Position offset, double extent) {
  Real x(digits, static_cast<double>(offset < 0 ? -offset : offset));
  if (extent != 0) {
    mpfr_mul_ui(x.x, x.x, 8, MPFR_RNDN);
    mpfr_div_d(x.x, x.x, extent - 1, MPFR_RNDN);
  }
  mpfr_add_ui(x.x, x.x, 1, MPFR_RNDN);
  if (extent == 0)
    mpfr_log(x.x, x.x, MPFR_RNDN);
  else
    mpfr_log2(x.x, x.x, MPFR_RNDN), mpfr_div_ui(x.x, x.x, 3, MPFR_RNDN);
  if (offset < 0) mpfr_neg(x.x, x.x, MPFR_RNDN);
  return x;
}

// 16 / (1 + e^-z).
Real limited(Real z) {
  mpfr_neg(z.x, z.x, MPFR_RNDN);
  mpfr_exp(z.x, z.x, MPFR_RNDN);
  mpfr_add_ui(z.x, z.x, 1, MPFR_RNDN);
  mpfr_ui_div(z.x, 16, z.x, MPFR_RNDN);
  return z;
}

std::array<double, 2> extents_of(const Arguments& p) {
  if (p.is("coordinates", "raw")) return {0, 0};
  const auto& pretrained = p.list("pretrained");
  if (pretrained.empty())
    return {static_cast<double>(p.whole("height")), static_cast<double>(p.whole("width"))};
  return {pretrained[0], pretrained[1]};
}

std::vector<double> entries_at(const Network& network, const std::array<Position, 2>& offset,
                               const std::array<double, 2>& extents, bool sigmoid) {
  const std::vector<Real> units =
      network.units({coordinate(offset[0], extents[0]), coordinate(offset[1], extents[1])});
  std::vector<double> entries;
  for (std::size_t h = 0; h < network.heads; ++h) {
    Real z = network.output(h, units);
    entries.push_back((sigmoid ? limited(std::move(z)) : z).nearest());
  }
  return entries;
}

// What the references and the oracle allow.
bias_bounds::LogCpb allowed_by(const Network& network, const std::array<double, 2>& extents, bool sigmoid) {
  bias_bounds::LogCpb bound{{}, sigmoid, {2, network.hidden, network.heads, false, network.numbers}};
  if (extents[0] != 0) bound.below = {extents[0] - 1, extents[1] - 1};
  return bound;
}

}  // namespace

Encoding oracle::log_cpb(const Arguments& p) {
  const Network network(p);
  const bool sigmoid = p.is("limit", "sigmoid");
  const auto extents = extents_of(p);

  Bias bias{.heads = network.heads};
  bias.positions.axes = 2;
  bias.positions.hi = std::max(p.whole("height"), p.whole("width")) - 1;
  bias.positions.last_on_axis = {p.whole("height") - 1, p.whole("width") - 1};
  bias.error = allowed_by(network, extents, sigmoid);
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    Tensor out({network.heads, queries.size(), keys.size()});
    std::map<std::array<Position, 2>, std::vector<double>> known;  // by offset, of each head
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const std::array offset = {queries.flat()[2 * i] - keys.flat()[2 * j],
                                   queries.flat()[2 * i + 1] - keys.flat()[2 * j + 1]};
        std::vector<double>& entries = known[offset];
        if (entries.empty()) entries = entries_at(network, offset, extents, sigmoid);
        for (std::size_t h = 0; h < network.heads; ++h) out.at(h * queries.size() + i, j) = entries[h];
      }
    return out;
  };
  return bias;
}

}  // namespace posproof
