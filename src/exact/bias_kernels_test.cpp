// The kernels of biases against Boost's own logarithm and power (no MPFR), where they are exact, and where it
// takes a thousand digits to see that they are not.
#include "exact/bias_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "exact/testing/boost_numbers.h"

namespace posproof::exact::bias_kernels_test {
namespace {

using Digits = boost_numbers::Wide;

constexpr double infinity = __builtin_huge_val();
constexpr Position farthest = Position{1} << 40;

Digits by_boost(const Linear& kernel, Position t) {
  const Digits power =
      pow(Digits(2), -Digits(kernel.max_bias) * kernel.numerator / kernel.denominator - kernel.halvings);
  return -Digits(kernel.factor) * power / sqrt(Digits(kernel.divisor)) * t;
}
Digits by_boost(const Logarithmic& kernel, Position t) {
  return -Digits(kernel.r1) * log(1 + Digits(kernel.r2) * pow(Digits(t), Digits(kernel.exponent)));
}
Digits by_boost(const PowerLaw& kernel, Position t) {
  return -Digits(kernel.r1) * pow(Digits(t), Digits(kernel.r2));
}

// Whether the number is nearer to `x` than to the neighbours of x in the format.
::testing::AssertionResult is_nearest(Format format, double x, const Digits& number) {
  if (nearest(format, x) != x) return ::testing::AssertionFailure() << x << " is no number of the format";
  const double size = std::abs(x), half = half_ulp(format, x);
  int exponent = 0;
  const bool binade_below = std::frexp(size, &exponent) == 0.5 && exponent - 1 > shape(format).smallest;
  const Digits above = Digits(size) + half, below = Digits(size) - (binade_below ? half / 2 : half);
  const Digits magnitude = x < 0 || (x == 0 && std::signbit(x)) ? Digits(-number) : number;
  if (below < magnitude && magnitude < above) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << x << " is not the number next to " << number;
}

template <class Kernel>
void expect_nearest(const Kernel& kernel, Position t) {
  const Digits number = by_boost(kernel, t);
  for (const Format format : every_format) {
    const double x = value(kernel, t, format);
    if (std::isinf(x)) {
      EXPECT_LT(x, 0);
      const Digits end = ldexp(Digits(1), shape(format).largest + 1);
      EXPECT_GE(-number, end - ldexp(end, -shape(format).digits - 1)) << name(format) << " at distance " << t;
      continue;
    }
    EXPECT_TRUE(is_nearest(format, x, number)) << name(format) << " at distance " << t;
  }
}

class Spread {
 public:
  double number(double smallest, double largest) {
    return std::exp(std::uniform_real_distribution(std::log(smallest), std::log(largest))(random_));
  }
  Position distance() { return static_cast<Position>(number(2, 0x1p40)); }
  std::int64_t whole(std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution(lo, hi)(random_);
  }

 private:
  std::mt19937_64 random_{3};
};

TEST(BiasKernels, are_the_nearest_numbers_of_every_format) {
  Spread spread;
  for (int n = 0; n < 250; ++n) {
    const Position t = n % 10 == 0 ? farthest : spread.distance();
    // A prime denominator and a numerator below it: never a whole exponent.
    expect_nearest(Linear{static_cast<double>(spread.whole(1, 12)), spread.whole(1, 12), 13}, t);
    expect_nearest(Linear{spread.number(0.01, 40), spread.whole(1, 100), 100}, t);
    expect_nearest(Logarithmic{spread.number(1e-3, 100), spread.number(1e-9, 1e3)}, t);
    expect_nearest(PowerLaw{spread.number(1e-3, 100), spread.number(1e-3, 2.5)}, t);
    expect_nearest(PowerLaw{spread.number(1e-12, 1e-6), spread.number(1e-3, 2)}, t);  // subnormal in f16
    if (n % 5 != 0) continue;
    expect_nearest(Linear{8, spread.whole(1, 12), 8, 1, spread.whole(1, 300), spread.number(0.1, 3)}, t);
    expect_nearest(Linear{7, spread.whole(0, 11), 11, 1, 3}, t);
    expect_nearest(Logarithmic{spread.number(1e-3, 100), spread.number(1e-9, 1e3), spread.number(1e-3, 4)},
                   t);
  }
}

TEST(BiasKernels, are_exact_where_they_are_rational) {
  for (const Position t : {Position{1}, Position{3}, farthest - 1, farthest}) {
    for (int h = 1; h <= 8; ++h) EXPECT_EQ(value(Linear{8, h, 8}, t, Format::f64), -std::ldexp(t, -h));
    EXPECT_EQ(value(Linear{0.75, 8, 3}, t, Format::f64), -static_cast<double>(t) / 4);
    EXPECT_EQ(value(PowerLaw{0.75, 1}, t, Format::f64), -0.75 * static_cast<double>(t));
    // 2^-3 / 8, 2^-1.5 / (8 sqrt 2), 2^-2 / 6 of a multiple of 3, and half of a slope.
    EXPECT_EQ(value(Linear{8, 3, 8, 0, 64}, t, Format::f64), -std::ldexp(t, -6));
    EXPECT_EQ(value(Linear{8, 3, 16, 0, 128}, t, Format::f64), -std::ldexp(t, -5));
    EXPECT_EQ(value(Linear{8, 2, 8, 0, 36}, 3 * t, Format::f64), -std::ldexp(t, -3));
    EXPECT_EQ(value(Linear{7, 3, 7, 1, 1, 0.75}, t, Format::f64), -0.75 * std::ldexp(t, -4));
    EXPECT_EQ(value(Linear{8, 3, 8, 0, 64, 0}, t, Format::f64), 0);
    EXPECT_EQ(value(Linear{8, 3, 8, 0, 64, -1}, t, Format::f64), std::ldexp(t, -6));
  }
  EXPECT_EQ(value(PowerLaw{3, 0.5}, 9, Format::f32), -9);
  EXPECT_EQ(value(PowerLaw{3, 0.75}, 16, Format::f32), -24);
  EXPECT_EQ(value(PowerLaw{3, 0.03125}, Position{1} << 32, Format::f32), -6);
  EXPECT_EQ(value(PowerLaw{3, 1.5}, farthest, Format::f32), -0x3p60);
  EXPECT_EQ(value(PowerLaw{0x1p-1000, 50}, farthest, Format::f64), -0x1p1000);
  // The cube of 2^40 - 1 has 120 digits: the nearest of 53, from whole numbers.
  const Digits cube = pow(Digits(farthest - 1), 3);
  EXPECT_EQ(value(PowerLaw{1, 3}, farthest - 1, Format::f64), -cube.nearest());
}

TEST(BiasKernels, round_ties_to_even) {
  EXPECT_EQ(value(Linear{8, 8, 8}, (1 << 24) + 1, Format::f32), -0x1p16);
  EXPECT_EQ(value(Linear{8, 8, 8}, (1 << 24) + 3, Format::f32), -0x1.000004p16);
  EXPECT_EQ(value(PowerLaw{0x1.000001p0, 0.5}, 1, Format::f32), -1);
  EXPECT_EQ(value(PowerLaw{0x1.000001p0, 0.5}, 4, Format::f32), -2);
  EXPECT_EQ(value(PowerLaw{0x1.000003p0, 0.25}, 16, Format::f32), -0x1.000004p1);
  EXPECT_EQ(value(PowerLaw{0x1.000003p0, 0.03125}, Position{1} << 32, Format::f32), -0x1.000004p1);
  EXPECT_EQ(value(PowerLaw{1, 1}, 257, Format::bf16), -256);
  EXPECT_EQ(value(PowerLaw{1, 2}, 2049, Format::f16), -infinity);
  EXPECT_EQ(value(PowerLaw{0x1p-24, 1}, 3, Format::f16), -0x3p-24);
  EXPECT_EQ(value(PowerLaw{0x1p-25, 1}, 3, Format::f16), -0x2p-24);
}

// 1 + 2^-24 is half way between 1 and its successor, 1 + 3 * 2^-24 between that and the next. What the powers
// and the logarithms of almost 1 add to them or take away begins after more than a thousand digits.
TEST(BiasKernels, find_the_side_of_a_tie_however_far_away_it_shows) {
  EXPECT_EQ(value(PowerLaw{0x1.000001p0, 0x1p-1074}, 2, Format::f32), -0x1.000002p0);
  EXPECT_EQ(value(PowerLaw{0x1.000001p0, 0x1p-1074}, farthest, Format::f32), -0x1.000002p0);
  EXPECT_EQ(value(Logarithmic{0x1.000003p1000, 0x1p-1074}, farthest, Format::f32), -0x1.000002p-34);
  EXPECT_EQ(value(Logarithmic{0x1.000001p1000, 0x1p-1074}, farthest, Format::f32), -0x1p-34);
}

// Found by a search for parameters whose kernel is closer to a tie of f32 than the digits of the first try
// tell; many of them it puts on the other side.
TEST(BiasKernels, find_the_side_of_a_tie_that_the_first_try_misses) {
  expect_nearest(PowerLaw{0x1.a457bc306a65cp-12, 0.75}, 84312);
  expect_nearest(PowerLaw{0x1.d823f2be8abc2p-14, 0.75}, 440310);
  expect_nearest(PowerLaw{0x1.5560a3018f68bp-14, 0.75}, 509968);
  expect_nearest(Logarithmic{0x1.805d4a0664356p-3, 0.5}, 59200);
  expect_nearest(Logarithmic{0x1.40eaf014396c9p-3, 0.5}, 639565);
  expect_nearest(Logarithmic{0x1.28b89864548c4p-3, 0.5}, 577125);
  const std::pair<double, Position> linear[] = {
      {0x1.6e9bd443588bbp+2, 7}, {0x1.5cd155f2dd4ecp+2, 7}, {0x1.5e129e631be93p+2, 7},
      {0x1.22ab027553cf6p+1, 3}, {0x1.258e43acd61a8p+2, 5}, {0x1.eb2365a630e2bp+1, 3},
      {0x1.d55b47149edfp+1, 3},  {0x1.f823b8054fb19p+1, 3}, {0x1.14928190a0638p+2, 5},
      {0x1.112c23eaa9e7cp+2, 3}, {0x1.0ad6c47c92861p+2, 5}, {0x1.f51120621aedfp+2, 7}};
  for (const auto& [max_bias, t] : linear) expect_nearest(Linear{max_bias, 1, 3}, t);
  // r2 * distance is a tie of f64 and 2^-92 of it more; its square takes less away.
  EXPECT_EQ(value(Logarithmic{1, 0x1.0027fffffffffp-248}, farthest - 1, Format::f64),
            -0x1.0027fffffeffdp-208);
}

TEST(BiasKernels, are_zero_or_infinite_beyond_the_format) {
  for (const BiasKernel& kernel :
       {BiasKernel(Linear{8, 1, 3}), BiasKernel(Logarithmic{1, 1}), BiasKernel(PowerLaw{1, 0.3})}) {
    EXPECT_EQ(value(kernel, 0, Format::f32), 0);
    EXPECT_FALSE(std::signbit(value(kernel, 0, Format::f32)));
  }
  EXPECT_EQ(value(Logarithmic{1, 0}, 5, Format::f64), 0);
  EXPECT_EQ(value(Logarithmic{0, 1}, 5, Format::f64), 0);
  EXPECT_EQ(value(PowerLaw{0, 1.5}, 5, Format::f64), 0);
  for (const double max_bias : {2000.0, 2000.1, 1e300}) {
    EXPECT_EQ(value(Linear{max_bias, 1, 1}, 5, Format::f64), 0);
    EXPECT_TRUE(std::signbit(value(Linear{max_bias, 1, 1}, 5, Format::f64)));
    EXPECT_FALSE(std::signbit(value(Linear{max_bias, 1, 1}, -5, Format::f64)));
    EXPECT_EQ(value(Linear{-max_bias, 1, 1}, 5, Format::f32), -infinity);
  }
  EXPECT_EQ(value(Linear{1074, 1, 1}, 1, Format::f64), -0x1p-1074);
  EXPECT_EQ(value(Linear{1075, 1, 1}, 1, Format::f64), 0);
  for (const double r2 : {30.0, 30.1, 1000.0, 1e300})
    for (const Format format : every_format)
      EXPECT_EQ(value(PowerLaw{1e-3, r2}, farthest, format), -infinity);
}

TEST(BiasKernels, depend_on_the_size_of_the_distance_or_its_sign) {
  EXPECT_EQ(value(Linear{8, 1, 8}, -6, Format::f64), 3);
  EXPECT_EQ(value(Logarithmic{1, 2}, -6, Format::f64), value(Logarithmic{1, 2}, 6, Format::f64));
  EXPECT_EQ(value(PowerLaw{1, 1.3}, -6, Format::f64), value(PowerLaw{1, 1.3}, 6, Format::f64));
  EXPECT_EQ(slope(Linear{8, 3, 8}, Format::bf16), 0.125);
}

TEST(BiasKernels, fill_with_the_values) {
  std::vector<double> filled(300);
  for (const BiasKernel& kernel :
       {BiasKernel(Linear{8, 1, 12}), BiasKernel(Logarithmic{0.7, 1.3}), BiasKernel(PowerLaw{0.7, 0.5})})
    for (const Format format : every_format) {
      fill(kernel, -20, format, filled);
      for (std::size_t n = 0; n < filled.size(); ++n)
        EXPECT_EQ(filled[n], value(kernel, static_cast<Position>(n) - 20, format)) << n;
    }
}

// `value` is MPFR's way, whatever the distance.
void expect_same(const Linear& kernel, Position t) {
  const LinearBias quick(kernel);
  for (const Format format : every_format) {
    const double is = quick.at(t, format), right = value(kernel, t, format);
    EXPECT_EQ(is, right) << kernel.max_bias << " " << kernel.numerator << "/" << kernel.denominator << " "
                         << name(format) << " at distance " << t;
    EXPECT_EQ(std::signbit(is), std::signbit(right));
  }
}

TEST(LinearBiases, are_the_kernel_s_values) {
  Spread spread;
  for (int n = 0; n < 2000; ++n) {
    const Position t = (n % 2 == 0 ? 1 : -1) * spread.distance();
    expect_same({8, spread.whole(1, 12), 12}, t);  // some of them whole
    expect_same({8, spread.whole(1, 12), 12}, spread.whole(-600, 600));
    expect_same({spread.number(0.01, 1000), spread.whole(-50, 50), spread.whole(1, 50)}, t);
    expect_same({spread.number(0.01, 40), 1, 3}, (Position{1} << 53) + t);
    expect_same({8, spread.whole(1, 16), 16, 1, spread.whole(1, 300), spread.number(0.1, 3)}, t);
    expect_same({8, spread.whole(1, 16), 16, 0, 36, 3}, t);
  }
}

// Slopes and distances whose double is a tie of a narrower format, or whose product in double is one.
TEST(LinearBiases, are_rounded_once) {
  struct Trap {
    Linear kernel;
    Position distance;
    Format format;
    double right;
  };
  for (const auto& [kernel, t, format, right] :
       {Trap{{0x1.fd1ec77250aa6p-1, 1, 1}, 1, Format::bf16, -0x1.02p-1},
        Trap{{0x1.fa9c0f630eb4dp-1, 1, 1}, 1, Format::f16, -0x1.01cp-1},
        Trap{{8, 1, 16}, 1295743693, Format::f32, -0x1.b4e462p+29},
        Trap{{8, 7, 16}, 1295743693, Format::f32, -0x1.b4e462p+26}}) {
    EXPECT_EQ(LinearBias(kernel).at(t, format), right) << name(format);
    EXPECT_NE(nearest(format, LinearBias(kernel).at(t, Format::f64)), right) << "no trap";
  }
}

TEST(BiasKernels, say_what_they_refuse) {
  const auto refusal = [](const BiasKernel& kernel) {
    try {
      value(kernel, 1, Format::f64);
      return std::string("nothing");
    } catch (const Refusal& refused) {
      return std::string(refused.what());
    }
  };
  EXPECT_EQ(refusal(PowerLaw{1, 0}), "the power bias with `r2=0`: r2 is a finite number above 0");
  EXPECT_EQ(refusal(PowerLaw{-1, 1}), "the power bias with `r1=-1`: r1 is a finite number, 0 or more");
  EXPECT_EQ(refusal(Logarithmic{1, std::nan("")}),
            "the logarithmic bias with `r2=nan`: r2 is a finite number, 0 or more");
  EXPECT_EQ(refusal(Logarithmic{infinity, 1}),
            "the logarithmic bias with `r1=inf`: r1 is a finite number, 0 or more");
  EXPECT_EQ(refusal(Logarithmic{1, 1, 0}),
            "the logarithmic bias with `exponent=0`: exponent is a finite number above 0");
  EXPECT_EQ(refusal(Linear{infinity, 1, 8}),
            "the linear bias with `max_bias=inf`: max_bias is a finite number");
  EXPECT_EQ(refusal(Linear{8, 1, 0}), "the linear bias with `denominator=0`: denominator is 1 or more");
  EXPECT_EQ(refusal(Linear{8, 1, 8, 0, 0}), "the linear bias with `divisor=0`: divisor is 1 or more");
  EXPECT_EQ(refusal(Linear{8, 1, 8, 0, 1, infinity}),
            "the linear bias with `factor=inf`: factor is a finite number");
  EXPECT_EQ(refusal(Linear{8, 1, 8}), "nothing");
}

}  // namespace
}  // namespace posproof::exact::bias_kernels_test
