#include "exact/multiprecision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

// With p bits and u = 2^-p: a frequency is within 2^12 u of itself (frequencies.h), and so is the amplitude.
// The angle t w adds one rounding, so it is off by less than |t w| 2^13 u radians; MPFR reduces it with as
// much of pi as that takes, and rounds sine and cosine correctly. So each is off by less than e = (|t w| 2^13
// + 1) u, absolutely, and times the amplitude A, which is off by 2^12 u itself, by less than (2 e + 2^13 u)
// A.
namespace posproof::exact {
namespace {

constexpr mpfr_prec_t first_bits = 256, most_bits = 2048;

struct Rotation {
  Real sine, cosine;
  double error;  // of each, absolute
};

Rotation rotation_of(const Real& frequency, Position t) {
  const mpfr_prec_t bits = frequency.bits();
  Rotation rotate{Real(bits), Real(bits), 0};
  Real angle(bits);
  mpfr_mul_si(angle.x, frequency.x, t, MPFR_RNDN);
  if (!angle.is_zero() && mpfr_get_exp(angle.x) > 100)
    throw Refusal(fmt::format("position {}: an angle of 2^100 radians or more is not reduced", t));
  const double size = std::abs(mpfr_get_d(angle.x, MPFR_RNDA));
  mpfr_sin_cos(rotate.sine.x, rotate.cosine.x, angle.x, MPFR_RNDN);
  rotate.error = std::ldexp(size * 0x1p13 + 1, -static_cast<int>(bits));
  if (size == 0) rotate.error = 0;  // sine 0 and cosine 1, exactly
  return rotate;
}

// The relative error that an absolute one is of this value; 1 or more says that nothing is known of it.
double relative(double error, const Real& value) {
  if (error == 0) return 0;
  if (value.is_zero()) return 1;
  return error / std::abs(mpfr_get_d(value.x, MPFR_RNDZ)) * (1 + 0x1p-40);
}

// Asks with more and more bits until the answer is one value of the format.
template <class Ask>
auto certain(Ask ask) {
  for (mpfr_prec_t bits = first_bits; bits < most_bits; bits *= 2)
    if (const auto answer = ask(bits, false)) return *answer;
  return *ask(most_bits, true);
}

std::optional<double> nearest(Format format, const Real& value, double error, bool last) {
  return rounded(format, value, last ? 0 : relative(error, value));
}

}  // namespace

Multiprecision::Multiprecision(Frequencies frequencies, Amplitude amplitude)
    : frequencies_(std::move(frequencies)), amplitude_(std::move(amplitude)) {}

const Multiprecision::Numbers& Multiprecision::with(mpfr_prec_t bits) const {
  const std::scoped_lock locked(kept_->lock);
  auto& kept = kept_->numbers[bits];
  if (!kept)
    kept = std::make_unique<const Numbers>(Numbers{exact(frequencies_, bits), exact(amplitude_, bits)});
  return *kept;
}

Multiprecision::SineAndCosine Multiprecision::point(std::size_t i, Position t, Format format) const {
  return certain([&](mpfr_prec_t bits, bool last) -> std::optional<SineAndCosine> {
    const Numbers& numbers = with(bits);
    Rotation rotate = rotation_of(numbers.frequencies.at(i), t);
    const double size = std::abs(numbers.amplitude.nearest());
    const double error = rotate.error == 0 && exactly_held(amplitude_)
                             ? 0
                             : (2 * rotate.error + std::ldexp(0x1p13, -static_cast<int>(bits))) * size;
    mpfr_mul(rotate.sine.x, rotate.sine.x, numbers.amplitude.x, MPFR_RNDN);
    mpfr_mul(rotate.cosine.x, rotate.cosine.x, numbers.amplitude.x, MPFR_RNDN);
    // The sine of no angle is 0 whatever the amplitude is.
    const auto sine = t == 0 ? 0.0 : nearest(format, rotate.sine, error, last);
    const auto cosine = nearest(format, rotate.cosine, error, last);
    if (!sine || !cosine) return std::nullopt;
    return SineAndCosine{*sine, *cosine};
  });
}

Multiprecision::Rotated Multiprecision::rotated(std::size_t i, Position t, double x, double y,
                                                Format format) const {
  return certain([&](mpfr_prec_t bits, bool last) -> std::optional<Rotated> {
    const Numbers& numbers = with(bits);
    Rotation rotate = rotation_of(numbers.frequencies.at(i), t);
    mpfr_mul(rotate.sine.x, rotate.sine.x, numbers.amplitude.x, MPFR_RNDN);
    mpfr_mul(rotate.cosine.x, rotate.cosine.x, numbers.amplitude.x, MPFR_RNDN);
    const double unit = std::ldexp(1.0, -static_cast<int>(bits));
    const double size = std::abs(numbers.amplitude.nearest());
    const bool exact_numbers = rotate.error == 0 && exactly_held(amplitude_);
    // Each product carries the error of its sine or cosine; mpfr_fmma and mpfr_fmms round once.
    const double error =
        exact_numbers ? 0
                      : (2 * rotate.error + 0x1p13 * unit + 2 * unit) * size * (std::abs(x) + std::abs(y));
    Real along(bits), across(bits);
    const Real from_x(bits, x), from_y(bits, y);
    mpfr_fmms(along.x, from_x.x, rotate.cosine.x, from_y.x, rotate.sine.x, MPFR_RNDN);
    mpfr_fmma(across.x, from_x.x, rotate.sine.x, from_y.x, rotate.cosine.x, MPFR_RNDN);
    const bool nothing = x == 0 && y == 0;
    const auto first = nothing ? 0.0 : nearest(format, along, error, last);
    const auto second = nothing ? 0.0 : nearest(format, across, error, last);
    if (!first || !second) return std::nullopt;
    return Rotated{*first, *second};
  });
}

double Multiprecision::kernel(Position t, double divisor, Format format) const {
  return certain([&](mpfr_prec_t bits, bool last) -> std::optional<double> {
    const Numbers& numbers = with(bits);
    const double unit = std::ldexp(1.0, -static_cast<int>(bits));
    Real sum(bits);
    double error = 0;
    for (const Real& frequency : numbers.frequencies) {
      const Rotation rotate = rotation_of(frequency, t);
      mpfr_add(sum.x, sum.x, rotate.cosine.x, MPFR_RNDN);
      // Every partial sum is at most the number of terms, and rounds by half its last place.
      error += rotate.error + static_cast<double>(size()) * unit;
    }
    const double scale = numbers.amplitude.nearest() * numbers.amplitude.nearest() / std::abs(divisor);
    error = (error + 0x1p15 * unit * static_cast<double>(size())) * scale;
    mpfr_mul(sum.x, sum.x, numbers.amplitude.x, MPFR_RNDN);
    mpfr_mul(sum.x, sum.x, numbers.amplitude.x, MPFR_RNDN);
    mpfr_div_d(sum.x, sum.x, divisor, MPFR_RNDN);
    // At 0 every cosine is 1, and sum, square and quotient are of short numbers: two candidates may stay.
    return nearest(format, sum, error, last || (t == 0 && bits > first_bits));
  });
}

}  // namespace posproof::exact
