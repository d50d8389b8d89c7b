#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "catalogue/oracle/xpos.h"
#include "core/by_row.h"
#include "core/error.h"
#include "core/hard.h"
#include "core/rotation.h"
#include "exact/frequencies.h"
#include "exact/real.h"

namespace posproof {

using namespace exact;

namespace {

// With so many bits a point is within 2^-140 of its pair's length: angles are below 2^15 radians, exponents
// below 2^9. An answer rounded to a double is off by more than half a unit where two products cancel to 2^-80
// of themselves, which no contents that are drawn make them do.
constexpr mpfr_prec_t bits = 160;

// One pair of channels: its frequency and ln zeta.
struct Channel {
  Real frequency, log_zeta;
};

// An even number: those behind it stay as they are.
std::int64_t scaled_channels(const Arguments& p) {
  const auto some = p.whole("rotary_dim");
  return some > 0 ? some : p.whole("dim");
}

std::vector<Channel> channels_of(const Arguments& p) {
  const auto width = scaled_channels(p);
  Geometric powers{p.real("base"), {}};
  for (std::int64_t i = 0; i < width / 2; ++i) powers.exponents.push_back({2 * i, width});
  std::vector<Channel> out;
  for (Real& w : exact::exact(Frequencies{powers}, bits)) {
    // ln(2i/r + g) - ln(1 + g)
    const auto i = static_cast<std::int64_t>(out.size());
    Real share(bits, static_cast<double>(2 * i)), whole(bits, p.real("gamma"));
    mpfr_div_si(share.x, share.x, width, MPFR_RNDN);
    mpfr_add(share.x, share.x, whole.x, MPFR_RNDN);
    mpfr_add_ui(whole.x, whole.x, 1, MPFR_RNDN);
    mpfr_log(share.x, share.x, MPFR_RNDN);
    mpfr_log(whole.x, whole.x, MPFR_RNDN);
    mpfr_sub(share.x, share.x, whole.x, MPFR_RNDN);
    out.push_back({std::move(w), std::move(share)});
  }
  return out;
}

// exp((t - c) ln zeta / B), of a key its reciprocal.
Real factor(const Channel& channel, double t, double centre, double scale_base, Role role) {
  Real out(bits, t);
  mpfr_sub_d(out.x, out.x, centre, MPFR_RNDN);
  mpfr_mul(out.x, out.x, channel.log_zeta.x, MPFR_RNDN);
  mpfr_div_d(out.x, out.x, scale_base, MPFR_RNDN);
  if (role == Role::key) mpfr_neg(out.x, out.x, MPFR_RNDN);
  mpfr_exp(out.x, out.x, MPFR_RNDN);
  return out;
}

struct ScaledRotation {
  Real cosine, sine;  // times the factor
};

ScaledRotation scaled_rotation(const Channel& channel, Position t, const Real& size) {
  Real angle(bits), cosine(bits), sine(bits);
  mpfr_mul_si(angle.x, channel.frequency.x, t, MPFR_RNDN);
  mpfr_sin_cos(sine.x, cosine.x, angle.x, MPFR_RNDN);
  mpfr_mul(cosine.x, cosine.x, size.x, MPFR_RNDN);
  mpfr_mul(sine.x, sine.x, size.x, MPFR_RNDN);
  return {std::move(cosine), std::move(sine)};
}

// The rotations of the last tokens that were asked for: a search asks for few of them again and again.
class ScaledRotations {
 public:
  ScaledRotations(std::vector<Channel> channels, double scale_base)
      : channels_(std::move(channels)), scale_base_(scale_base) {}

  const std::vector<Channel>& channels() const { return channels_; }

  // One for each pair.
  std::shared_ptr<const std::vector<ScaledRotation>> at(Position t, Role role, double centre) const {
    const std::lock_guard lock(mutex_);
    if (kept_.size() > 512) kept_.clear();
    auto& rotations = kept_[{t, role, centre}];
    if (!rotations) {
      std::vector<ScaledRotation> made;
      for (const Channel& channel : channels_)
        made.push_back(
            scaled_rotation(channel, t, factor(channel, static_cast<double>(t), centre, scale_base_, role)));
      rotations = std::make_shared<const std::vector<ScaledRotation>>(std::move(made));
    }
    return rotations;
  }

 private:
  std::vector<Channel> channels_;
  double scale_base_;
  mutable std::mutex mutex_;
  mutable std::map<std::tuple<Position, Role, double>, std::shared_ptr<const std::vector<ScaledRotation>>>
      kept_;
};

// (a + i b)(cosine + i sine), each part rounded once.
void rotate(double& a, double& b, const ScaledRotation& by) {
  Real x(bits, a), y(bits, b), real(bits), imaginary(bits);
  mpfr_fmms(real.x, x.x, by.cosine.x, y.x, by.sine.x, MPFR_RNDN);
  mpfr_fmma(imaginary.x, x.x, by.sine.x, y.x, by.cosine.x, MPFR_RNDN);
  a = real.nearest(), b = imaginary.nearest();
}

// What does not depend on the centre.
struct Uncentred {
  std::shared_ptr<const ScaledRotations> rotations;
  std::vector<Pair> pairs;
  std::vector<double> logarithms;  // of the zetas, in double: what bounds are made of
  double scale_base;
  std::size_t dim, heads;
};

Uncentred uncentred(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const bool split = p.is("layout", "half_split");
  Uncentred out{std::make_shared<const ScaledRotations>(channels_of(p), p.real("scale_base")),
                {},
                {},
                p.real("scale_base"),
                dim,
                p.width("heads")};
  const std::vector<Channel>& channels = out.rotations->channels();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    out.pairs.push_back(
        {split ? i : 2 * i, split ? i + channels.size() : 2 * i + 1, channels[i].frequency.nearest(), i});
    out.logarithms.push_back(channels[i].log_zeta.nearest());
  }
  return out;
}

Rotary about(double centre, const Uncentred& of) {
  Rotary rotary{.dim = of.dim, .heads = of.heads, .pairs = of.pairs};
  rotary.stretch = [logarithms = of.logarithms, centre, scale_base = of.scale_base](const Pair& pair,
                                                                                    double t, Role role) {
    const double e = (t - centre) / scale_base * logarithms.at(pair.index);
    return std::exp(role == Role::key ? -e : e);
  };
  // Whoever forms zeta^e may have zeta off by 4 units (three operations, one of whose terms had one before),
  // so zeta^e by 4 |e|; an exponent e ln zeta that is formed by a difference, a quotient, a logarithm and a
  // product by 4 |e ln zeta|; and the exponential with a reciprocal by 3. Two more for keeping and using it.
  rotary.stretch_error = [logarithms = of.logarithms, centre, scale_base = of.scale_base](
                             const Pair& pair, double t, const Precision& precision) {
    const double e = std::abs(t - centre) / scale_base;
    const double both = e * std::abs(logarithms.at(pair.index));
    return (3 + 4 * e + 4 * both) * precision.angle + 2 * std::max(precision.table(), precision.work());
  };
  rotary.rotate = [rotations = of.rotations, pairs = of.pairs, heads = of.heads, dim = of.dim, centre](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    check_rotation(x, positions, heads, dim);
    const std::size_t batch = x.shape[0], n = x.shape[2];
    Tensor out = x;
    for (std::size_t token = 0; token < batch * n; ++token) {
      const auto by = rotations->at(positions[token], role, centre);
      for (const Pair& pair : pairs)
        for (std::size_t h = 0; h < heads; ++h) {
          const std::size_t row = (token / n * heads + h) * n + token % n;
          rotate(out.at(row, pair.first), out.at(row, pair.second), by->at(pair.index));
        }
    }
    return out;
  };
  return rotary;
}

// The exponents of a call of n tokens run from -n/2: c is n/2, rounded.
double centre_of(Position tokens, bool up) {
  const double half = static_cast<double>(tokens) / 2;
  return up ? std::ceil(half) : std::floor(half);
}

}  // namespace

Encoding oracle::xpos(const Arguments& p) {
  const auto of = std::make_shared<const Uncentred>(uncentred(p));
  const bool by_call = !p.is("centre_at", "position"), up = p.is("centre_at", "half_of_call_rounded_up");
  Rotary rotary = about(by_call ? 0 : p.real("centre"), *of);
  rotary.positions.hi = 1 << 14;
  rotary.positions.hard = hard_positions(rotary.pairs, rotary.positions.lo, rotary.positions.hi);
  if (!by_call) return rotary;
  // Without its call a token is taken for one as far from the centre as any in a call up to it.
  rotary.stretch = [own = rotary.stretch, up](const Pair& pair, double t, Role role) {
    return own(pair, centre_of(static_cast<Position>(t) + 1, up), role);
  };
  rotary.stretch_error = [own = rotary.stretch_error, up](const Pair& pair, double t, const Precision& p) {
    return own(pair, centre_of(static_cast<Position>(t) + 1, up), p);
  };
  rotary.in_call = [of, up](Position last) {
    return std::make_shared<const Rotary>(about(centre_of(last + 1, up), *of));
  };
  rotary.rotate = [of, up](const Tensor& x, std::span<const Position> positions, Role role) {
    const Position last = positions.empty() ? 0 : *std::ranges::max_element(positions);
    return about(centre_of(last + 1, up), *of).rotate(x, positions, role);
  };
  if (p.is("length_of", "row")) return by_row(std::move(rotary));
  return rotary;
}

}  // namespace posproof
