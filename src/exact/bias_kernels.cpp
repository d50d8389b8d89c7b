#include "exact/bias_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "exact/real.h"

// Every kernel is a few correctly rounded operations of MPFR on exact arguments, so that with p bits it is
// off by less than 2^(2-p) of itself; then Ziv 1991: as long as two values of the format are left, twice the
// bits. That ends unless the kernel is exactly a number of the format or half way between two, and so a
// rational number. When it is rational:
//   2^(-a/b) t / sqrt(c)  t = 0, or 2a/b whole and 2^(-2a/b) / c the square of a fraction. One whose
//                      denominator is no power of two has no end in binary unless t cancels it: no tie
//                      either.
//   r1 ln(1 + r2 t^p)  only at 0: by Lindemann's theorem the logarithm of an algebraic number, such as a
//   whole
//                      number's power with a rational exponent, is otherwise transcendental.
//   r1 t^r2            r2 = m / 2^k in lowest terms: where t is the 2^k-th power of a whole number s, which
//                      gives r1 s^m.
// Each is recognised and computed without any rounding. No end is set to the digits, as they can be many:
// with r1 = 1 + 2^-24, half way between two numbers of f32, and r2 = 2^-1074, the kernel r1 2^r2 is above
// that by less than 2^-1074 of itself.
namespace posproof::exact {
namespace {

// A double times a whole number of 63 bits.
constexpr mpfr_prec_t product_bits = 128;
// Past 2^far or below 2^-far, whatever the double and the whole number that it is multiplied with, every
// format has come to its end.
constexpr int far = 4096;

struct Approximation {
  Real value;
  bool exact;  // or within 2^(2 - bits) of itself
};

Approximation holds_if(double value) {
  return {Real(53, value), true};
}

Real absolute(Position t) {
  Real size(64);
  mpfr_set_si(size.x, t, MPFR_RNDN);
  mpfr_abs(size.x, size.x, MPFR_RNDN);
  return size;
}

std::optional<double> rounded(Format format, const Approximation& of) {
  if (mpfr_inf_p(of.value.x) != 0) return of.value.nearest();
  if (of.exact) return rounded(format, of.value, 0);
  const mpfr_prec_t bits = of.value.bits();
  Real error(bits), low(bits + 64), high(bits + 64);
  mpfr_mul_2si(error.x, of.value.x, 2 - bits, MPFR_RNDN);
  mpfr_sub(low.x, of.value.x, error.x, MPFR_RNDN);
  mpfr_add(high.x, of.value.x, error.x, MPFR_RNDN);
  const auto one = rounded(format, low, 0), other = rounded(format, high, 0);
  return one == other ? one : std::nullopt;
}

void require(bool allowed, const char* kernel, const char* name, double value, const char* range) {
  if (!allowed || !std::isfinite(value))
    throw Refusal(fmt::format("the {} bias with `{}={}`: {} is {}", kernel, name, value, name, range));
}

// The whole square root, where there is one.
std::optional<std::uint64_t> root(std::uint64_t square) {
  auto r = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
  while (r * r > square) --r;
  while ((r + 1) * (r + 1) <= square) ++r;
  return r * r == square ? std::optional(r) : std::nullopt;
}

class LinearValue {
 public:
  explicit LinearValue(const Linear& kernel) : kernel_(kernel) {
    require(true, "linear", "max_bias", kernel.max_bias, "a finite number");
    require(true, "linear", "factor", kernel.factor, "a finite number");
    require_whole(kernel.denominator, "denominator");
    require_whole(kernel.divisor, "divisor");
    mpfr_set_d(product_.x, -kernel.max_bias, MPFR_RNDN);
    mpfr_mul_si(product_.x, product_.x, kernel.numerator, MPFR_RNDN);
    exponent_ = product_.nearest() / static_cast<double>(kernel.denominator) -
                static_cast<double>(kernel.halvings) - std::log2(static_cast<double>(kernel.divisor)) / 2;
    find_fraction();
  }

  Approximation at(Position t, mpfr_prec_t bits) const {
    if (t == 0 || kernel_.factor == 0) return holds_if(0);
    const bool positive = (t > 0) != (kernel_.factor > 0);
    if (exponent_ < -far) return holds_if(positive ? 0.0 : -0.0);
    if (exponent_ > far) return holds_if(positive ? __builtin_huge_val() : -__builtin_huge_val());
    Real product(product_bits);  // exact
    mpfr_set_si(product.x, t, MPFR_RNDN);
    mpfr_mul_d(product.x, product.x, -kernel_.factor, MPFR_RNDN);
    if (fraction_) {
      Approximation result{Real(std::max(product_bits, bits)), false};
      result.exact = mpfr_div_si(result.value.x, product.x, fraction_->odd, MPFR_RNDN) == 0;
      mpfr_mul_2si(result.value.x, result.value.x, fraction_->doublings, MPFR_RNDN);
      return result;
    }
    Approximation result{Real(bits), false};
    mpfr_mul(result.value.x, slope(bits).x, product.x, MPFR_RNDN);
    return result;
  }

 private:
  static void require_whole(std::int64_t value, const char* name) {
    require(value >= 1, "linear", name, static_cast<double>(value), "1 or more");
  }

  // The slope without the factor, 2^(-e/2) / sqrt(divisor) for a whole e, where it is rational: 2^doublings /
  // odd. Its square is 2^(-e-z) / o where the divisor is o 2^z, o odd: a square where o and the power of two
  // are.
  void find_fraction() {
    Real twice(product_bits);  // a whole one is not longer than the product, and so is exact
    mpfr_mul_2ui(twice.x, product_.x, 1, MPFR_RNDN);
    const bool exact = mpfr_div_si(twice.x, twice.x, kernel_.denominator, MPFR_RNDN) == 0;
    if (!exact || mpfr_integer_p(twice.x) == 0 || std::abs(exponent_) > far) return;
    const auto divisor = static_cast<std::uint64_t>(kernel_.divisor);
    const int zeros = std::countr_zero(divisor);
    const std::int64_t doublings = mpfr_get_si(twice.x, MPFR_RNDN) - zeros;
    const auto odd = root(divisor >> zeros);
    if (odd && doublings % 2 == 0)
      fraction_ = Fraction{static_cast<std::int64_t>(*odd), doublings / 2 - kernel_.halvings};
  }

  // An exponent of up to 2^12 that is off by 2^-(bits + 16) of itself puts its power off by less than
  // 2^-(bits + 3) of itself; power, root and quotient round by 2^-(bits + 16) each, the product by 2^-bits.
  const Real& slope(mpfr_prec_t bits) const {
    if (slope_.bits() != bits + 16) {
      Real exponent(bits + 16), divisor(bits + 16);
      mpfr_div_si(exponent.x, product_.x, kernel_.denominator, MPFR_RNDN);
      mpfr_sub_si(exponent.x, exponent.x, kernel_.halvings, MPFR_RNDN);
      slope_ = Real(bits + 16);
      mpfr_exp2(slope_.x, exponent.x, MPFR_RNDN);
      mpfr_sqrt_ui(divisor.x, static_cast<unsigned long>(kernel_.divisor), MPFR_RNDN);
      mpfr_div(slope_.x, slope_.x, divisor.x, MPFR_RNDN);
    }
    return slope_;
  }

  struct Fraction {
    std::int64_t odd, doublings;
  };

  Linear kernel_;
  Real product_{product_bits};
  double exponent_;  // of the slope without its factor, about
  std::optional<Fraction> fraction_;
  mutable Real slope_{MPFR_PREC_MIN};  // the last one that was asked for
};

class LogarithmicValue {
 public:
  explicit LogarithmicValue(const Logarithmic& kernel) : kernel_(kernel) {
    require(kernel.r1 >= 0, "logarithmic", "r1", kernel.r1, "a finite number, 0 or more");
    require(kernel.r2 >= 0, "logarithmic", "r2", kernel.r2, "a finite number, 0 or more");
    require(kernel.exponent > 0, "logarithmic", "exponent", kernel.exponent, "a finite number above 0");
  }

  Approximation at(Position t, mpfr_prec_t bits) const {
    if (t == 0 || kernel_.r1 == 0 || kernel_.r2 == 0) return holds_if(0);
    // 16 bits more than the logarithm, so that a power's rounding and the product's do not count in it, and a
    // product without a power is exact: y is off by a share of itself, and y / (1 + y) <= ln(1 + y).
    Real argument(std::max(product_bits, bits + 16));
    mpfr_pow(argument.x, absolute(t).x, Real(53, kernel_.exponent).x, MPFR_RNDN);
    mpfr_mul_d(argument.x, argument.x, kernel_.r2, MPFR_RNDN);
    Approximation result{Real(bits), false};
    mpfr_log1p(result.value.x, argument.x, MPFR_RNDN);
    mpfr_mul_d(result.value.x, result.value.x, -kernel_.r1, MPFR_RNDN);
    return result;
  }

 private:
  Logarithmic kernel_;
};

class PowerValue {
 public:
  explicit PowerValue(const PowerLaw& kernel) : kernel_(kernel) {
    require(kernel.r1 >= 0, "power", "r1", kernel.r1, "a finite number, 0 or more");
    require(kernel.r2 > 0, "power", "r2", kernel.r2, "a finite number above 0");
    for (numerator_ = kernel.r2; numerator_ != std::floor(numerator_); numerator_ *= 2) ++halvings_;
  }

  Approximation at(Position t, mpfr_prec_t bits) const {
    if (t == 0 || kernel_.r1 == 0) return holds_if(0);
    if (t == 1 || t == -1) return holds_if(-kernel_.r1);
    const Real base = absolute(t);
    const double size = std::log2(base.nearest()) * kernel_.r2;
    if (size > far) return holds_if(-__builtin_huge_val());
    if (auto whole = whole_power(base, size)) return {std::move(*whole), true};
    Approximation result{Real(bits), false};
    mpfr_pow(result.value.x, base.x, Real(53, kernel_.r2).x, MPFR_RNDN);
    mpfr_mul_d(result.value.x, result.value.x, -kernel_.r1, MPFR_RNDN);
    return result;
  }

 private:
  // -r1 s^numerator, where the base is s^(2^halvings).
  std::optional<Real> whole_power(const Real& base, double size) const {
    auto s = std::optional<std::uint64_t>(mpfr_get_ui(base.x, MPFR_RNDN));
    if (halvings_ > 5) return std::nullopt;  // the smallest 64th power after 1 is 2^64
    for (int k = 0; k < halvings_ && s; ++k) s = root(*s);
    if (!s) return std::nullopt;
    Real power(static_cast<mpfr_prec_t>(size) + 64);
    mpfr_ui_pow_ui(power.x, *s, static_cast<unsigned long>(numerator_), MPFR_RNDN);
    mpfr_mul_d(power.x, power.x, -kernel_.r1, MPFR_RNDN);
    return power;
  }

  PowerLaw kernel_;
  double numerator_ = 0;  // r2 = numerator / 2^halvings
  int halvings_ = 0;
};

LinearValue prepared(const Linear& kernel) {
  return LinearValue(kernel);
}
LogarithmicValue prepared(const Logarithmic& kernel) {
  return LogarithmicValue(kernel);
}
PowerValue prepared(const PowerLaw& kernel) {
  return PowerValue(kernel);
}

}  // namespace

void fill(const BiasKernel& kernel, Position first, Format format, std::span<double> out) {
  std::visit(
      [&](const auto& parameters) {
        const auto kept = prepared(parameters);
        // Of the numbers asked for with d digits and a limb of 64 bits or more, one in 2^(p - d - 3) is asked
        // for again: 2^37 for f32, 2^72 for f64.
        const mpfr_prec_t fewest = format == Format::f64 ? 128 : 64;
        for (double& entry : out) {
          auto answer = rounded(format, kept.at(first, fewest));
          for (mpfr_prec_t bits = 2 * fewest; !answer; bits *= 2)
            answer = rounded(format, kept.at(first, bits));
          entry = *answer;
          ++first;
        }
      },
      kernel);
}

double value(const BiasKernel& kernel, Position distance, Format format) {
  double result = 0;
  fill(kernel, distance, format, {&result, 1});
  return result;
}

double slope(const Linear& kernel, Format format) {
  return -value(kernel, 1, format);
}

LinearBias::LinearBias(const Linear& kernel)
    : kernel_(kernel), high_(posproof::exact::slope(kernel, Format::f64)) {
  Approximation slope = LinearValue(kernel).at(-1, product_bits);
  mpfr_sub_d(slope.value.x, slope.value.x, high_, MPFR_RNDN);
  low_ = slope.value.nearest();
  exact_ = slope.exact && low_ == 0;
}

double LinearBias::at(Position distance, Format format) const {
  if (distance == 0) return 0;
  if (const auto bias = certain(distance, format)) return *bias;
  return value(kernel_, distance, format);
}

// With the slope m = (high + low) (1 + d), |d| < 2^-104, high being m rounded, and e what the product p =
// high t is rounded by, which fma gives exactly, the bias is -(p + e + low t) but for 2^-102 of itself: the
// slope's own error, and a rounding of each of the two terms, which are below 2^-52 |p|. Nothing of this
// leaves double where distances are below 2^53 and the slope is neither huge nor tiny.
// f64: p + (tail -+ 2^-100 |p|) rounded are then the roundings of a number below the bias and of one above.
// Narrower formats, whose numbers must not be rounded twice: the bias is within 2^-51 |p| of p, which leaves
// one number of them unless it is next to a tie.
std::optional<double> LinearBias::certain(Position distance, Format format) const {
  constexpr double tiny = 0x1p-900, huge = 0x1p900, far_off = 0x1p53;
  const auto t = -static_cast<double>(distance);
  if (!(high_ >= tiny && high_ <= huge && std::abs(t) <= far_off)) return std::nullopt;
  const double p = high_ * t, rounding = std::fma(high_, t, -p);
  if (exact_ && rounding == 0) return nearest(format, p);
  double below, above;
  if (format == Format::f64) {
    const double tail = rounding + low_ * t, margin = 0x1p-100 * std::abs(p);
    below = p + (tail - margin);
    above = p + (tail + margin);
  } else {
    below = nearest(format, p * (1 - 0x1p-51));
    above = nearest(format, p * (1 + 0x1p-51));
  }
  return below == above ? std::optional(below) : std::nullopt;
}

}  // namespace posproof::exact
