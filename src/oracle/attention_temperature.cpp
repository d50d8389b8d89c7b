#include <algorithm>
#include <cmath>

#include "catalogue/oracle/attention_temperature.h"
#include "core/hard.h"
#include "core/rotation.h"
#include "exact/real.h"

namespace posproof {

using namespace exact;

namespace {

constexpr mpfr_prec_t bits = 256;

struct Growth {
  bool in_steps;
  double scale, length;
  Position offset;

  // floor((t + offset) / length) + 1, exactly: both are doubles, and fmod is exact.
  double steps(Position t) const {
    const double at = static_cast<double>(t + offset);
    return (at - std::fmod(at, length)) / length + 1;
  }

  Real at(Position t) const {
    Real out(bits, 1);
    if (in_steps) {
      mpfr_set_d(out.x, std::nearbyint(steps(t)), MPFR_RNDN);
      mpfr_log(out.x, out.x, MPFR_RNDN);
      mpfr_mul_d(out.x, out.x, scale, MPFR_RNDN);
      mpfr_add_ui(out.x, out.x, 1, MPFR_RNDN);
    } else if (static_cast<double>(t + offset) > length) {
      Real whole(bits, length);
      mpfr_set_si(out.x, t + offset, MPFR_RNDN);
      mpfr_log(out.x, out.x, MPFR_RNDN);
      mpfr_log(whole.x, whole.x, MPFR_RNDN);
      mpfr_div(out.x, out.x, whole.x, MPFR_RNDN);
    }
    return out;
  }

  // Of ln k within 2 units, its product with the scale and the sum with 1: 2 + 1 + 1. Of two logarithms and
  // their quotient: 2 + 2 + 1. Where (t + offset) / length is less than two roundings below a whole number, a
  // step is taken before it is due.
  double error(Position t, double unit) const {
    if (!in_steps) return 5 * unit;
    const double k = steps(t), short_of_next = length * k - static_cast<double>(t + offset);
    if (short_of_next >= 2 * unit * static_cast<double>(t + offset)) return 4 * unit;
    return 4 * unit + scale * std::log((k + 1) / k) / roughly(t);
  }

  // In double, for bounds.
  double roughly(Position t) const {
    if (in_steps) return 1 + scale * std::log(steps(t));
    return std::max(1.0, std::log(static_cast<double>(t + offset)) / std::log(length));
  }
};

}  // namespace

Encoding oracle::attention_temperature(const Arguments& p) {
  const std::size_t dim = p.width("dim"), heads = p.width("heads");
  const Growth growth{p.is("form", "steps"), p.real("scale"), p.real("original_length"), p.whole("offset")};

  Rotary rotary{.dim = dim, .heads = heads};
  for (std::size_t i = 0; i < dim / 2; ++i) rotary.pairs.push_back({2 * i, 2 * i + 1, 0, i});
  add_switches(rotary.positions, growth.length, 4);
  rotary.stretch = [growth](const Pair&, double t, Role role) {
    return role == Role::key ? 1.0 : growth.roughly(static_cast<Position>(t));
  };
  rotary.stretch_error = [growth](const Pair&, double t, const Precision& precision) {
    return growth.error(static_cast<Position>(t), precision.angle) +
           2 * std::max(precision.table(), precision.work());
  };
  rotary.rotate = [growth, heads, dim](const Tensor& x, std::span<const Position> positions, Role role) {
    check_rotation(x, positions, heads, dim);
    if (role == Role::key) return x;
    const std::size_t batch = x.shape[0], n = x.shape[2];
    Tensor out = x;
    for (std::size_t b = 0; b < batch; ++b)
      for (std::size_t token = 0; token < n; ++token) {
        const Real factor = growth.at(positions[b * n + token]);
        for (std::size_t h = 0; h < heads; ++h)
          for (double& channel : out.row((b * heads + h) * n + token)) {
            Real product(bits, channel);
            mpfr_mul(product.x, product.x, factor.x, MPFR_RNDN);
            channel = product.nearest();
          }
      }
    return out;
  };
  return rotary;
}

}  // namespace posproof
