#include <algorithm>
#include <array>
#include <map>
#include <string>

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
  bool last_biases;
  std::vector<double> numbers;

  explicit Network(const Arguments& p)
      : hidden(p.width("hidden")), heads(p.width("heads")), last_biases(p.is("last_biases", "trained")) {
    for (std::size_t at = 0; at < (3 + heads) * hidden + (last_biases ? heads : 0); ++at)
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
    Real sum(digits, last_biases ? numbers[(3 + heads) * hidden + head] : 0), product(digits);
    for (std::size_t unit = 0; unit < hidden; ++unit) {
      mpfr_mul_d(product.x, units[unit].x, numbers[(3 + head) * hidden + unit], MPFR_RNDN);
      mpfr_add(sum.x, sum.x, product.x, MPFR_RNDN);
    }
    return sum;
  }
};

// How offsets are counted: sign(t) log2(1 + 8 |t| / (extent - 1)) / log2(base), or sign(t) ln(1 + |t|) of an
// extent of 0.
struct Scale {
  std::array<double, 2> extents;
  unsigned long base;
};

Real logarithm(unsigned long n) {
  Real out(digits, static_cast<double>(n));
  mpfr_log(out.x, out.x, MPFR_RNDN);
  return out;
}

Real coordinate(Position offset, double extent, unsigned long base) {
  Real x(digits, static_cast<double>(offset < 0 ? -offset : offset));
  if (extent != 0) {
    mpfr_mul_ui(x.x, x.x, 8, MPFR_RNDN);
    mpfr_div_d(x.x, x.x, extent - 1, MPFR_RNDN);
  }
  mpfr_add_ui(x.x, x.x, 1, MPFR_RNDN);
  if (extent == 0)
    mpfr_log(x.x, x.x, MPFR_RNDN);
  else
    mpfr_log(x.x, x.x, MPFR_RNDN), mpfr_div(x.x, x.x, logarithm(base).x, MPFR_RNDN);
  if (offset < 0) mpfr_neg(x.x, x.x, MPFR_RNDN);
  return x;
}

// 16 / (1 + e^-z), 4 tanh(z), or z.
Real limited(Real z, const std::string& limit) {
  if (limit == "none") return z;
  if (limit == "tanh") {
    mpfr_tanh(z.x, z.x, MPFR_RNDN);
    mpfr_mul_ui(z.x, z.x, 4, MPFR_RNDN);
    return z;
  }
  mpfr_neg(z.x, z.x, MPFR_RNDN);
  mpfr_exp(z.x, z.x, MPFR_RNDN);
  mpfr_add_ui(z.x, z.x, 1, MPFR_RNDN);
  mpfr_ui_div(z.x, 16, z.x, MPFR_RNDN);
  return z;
}

Scale scale_of(const Arguments& p) {
  if (p.is("coordinates", "raw")) return {{0, 0}, 8};
  const std::array own = {static_cast<double>(p.whole("height")), static_cast<double>(p.whole("width"))};
  if (p.is("coordinates", "edge_at_1")) return {own, 9};
  const auto& pretrained = p.list("pretrained");
  return {pretrained.empty() ? own : std::array{pretrained[0], pretrained[1]}, 8};
}

std::vector<double> entries_at(const Network& network, const std::array<Position, 2>& offset,
                               const Scale& scale, const std::string& limit) {
  const std::vector<Real> units = network.units({coordinate(offset[0], scale.extents[0], scale.base),
                                                 coordinate(offset[1], scale.extents[1], scale.base)});
  std::vector<double> entries;
  for (std::size_t h = 0; h < network.heads; ++h)
    entries.push_back(limited(network.output(h, units), limit).nearest());
  return entries;
}

// What the references and the oracle allow.
bias_bounds::LogCpb allowed_by(const Network& network, const Scale& scale, const std::string& limit,
                               bool class_token) {
  using enum bias_bounds::Limit;
  bias_bounds::LogCpb bound{
      .below = {},
      .base = static_cast<double>(scale.base),
      .limit = limit == "none"   ? none
               : limit == "tanh" ? tanh
                                 : sigmoid,
      .class_token = class_token,
      .layers = {2, network.hidden, network.heads, network.last_biases, network.numbers}};
  if (scale.extents[0] != 0) bound.below = {scale.extents[0] - 1, scale.extents[1] - 1};
  return bound;
}

bool before_the_window(const Positions& tokens, std::size_t token) {
  return tokens.flat()[2 * token] < 0 || tokens.flat()[2 * token + 1] < 0;
}

}  // namespace

Encoding oracle::log_cpb(const Arguments& p) {
  const Network network(p);
  const std::string limit = p.word("limit");
  const Scale scale = scale_of(p);
  const bool classed = p.is("class_token", "zero");

  Bias bias{.heads = network.heads};
  bias.positions.axes = 2;
  bias.positions.hi = std::max(p.whole("height"), p.whole("width")) - 1;
  bias.positions.last_on_axis = {p.whole("height") - 1, p.whole("width") - 1};
  if (classed) bias.positions.lo = -1, bias.positions.class_token = -1;
  bias.error = allowed_by(network, scale, limit, classed);
  bias.bias = [=](const Positions& queries, const Positions& keys) {
    Tensor out({network.heads, queries.size(), keys.size()});
    std::map<std::array<Position, 2>, std::vector<double>> known;  // by offset, of each head
    for (std::size_t i = 0; i < queries.size(); ++i)
      for (std::size_t j = 0; j < keys.size(); ++j) {
        if (classed && (before_the_window(queries, i) || before_the_window(keys, j))) continue;
        const std::array offset = {queries.flat()[2 * i] - keys.flat()[2 * j],
                                   queries.flat()[2 * i + 1] - keys.flat()[2 * j + 1]};
        std::vector<double>& entries = known[offset];
        if (entries.empty()) entries = entries_at(network, offset, scale, limit);
        for (std::size_t h = 0; h < network.heads; ++h) out.at(h * queries.size() + i, j) = entries[h];
      }
    return out;
  };
  return bias;
}

}  // namespace posproof
