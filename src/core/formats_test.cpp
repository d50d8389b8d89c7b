#include "core/formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/generators.h"
#include "testing/holds_for.h"

namespace posproof::formats_test {

TEST(Formats, hold_whole_numbers_up_to_their_digits_and_break_ties_to_even) {
  EXPECT_EQ(to_bf16(256), 256);
  EXPECT_EQ(to_bf16(257), 256);
  EXPECT_EQ(to_bf16(258), 258);
  EXPECT_EQ(to_bf16(259), 260);
  EXPECT_EQ(to_f16(2049), 2048);
  EXPECT_EQ(to_f16(-2051), -2052);
  EXPECT_EQ(to_f32(16777217), 16777216);
}

TEST(Formats, round_once_from_double) {
  // Through f32 first, this would be a tie and go down to 1.
  EXPECT_EQ(to_bf16(1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(to_f16(1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
}

TEST(Formats, round_to_the_nearer_neighbour_and_ties_to_even_at_every_exponent) {
  for (const Format format : {Format::f32, Format::bf16, Format::f16}) {
    const FormatShape target = shape(format);
    for (int exponent = target.smallest; exponent <= target.largest; ++exponent)
      for (const double fraction : {1.0, 1.25, 2 - std::ldexp(1, 1 - target.digits)}) {
        const double even = std::ldexp(fraction, exponent), unit = 2 * half_ulp(format, even);
        const bool last = fraction > 1.5;  // odd: a tie goes up, out of the format from the largest on
        const double next =
            last && exponent == target.largest ? std::numeric_limits<double>::infinity() : even + unit;
        EXPECT_EQ(nearest(format, even), even);
        EXPECT_EQ(nearest(format, even + 0.4999 * unit), even);
        EXPECT_EQ(nearest(format, even + 0.5 * unit), last ? next : even);
        EXPECT_EQ(nearest(format, -even - 0.5001 * unit), -next);
      }
  }
}

TEST(Formats, keep_subnormals) {
  EXPECT_EQ(to_f16(0x1p-24), 0x1p-24);
  EXPECT_EQ(to_f16(0x1.8p-24), 0x1p-23);
  EXPECT_EQ(to_f16(0x1p-25), 0);
  EXPECT_EQ(to_f16(0x1.01p-25), 0x1p-24);
  EXPECT_EQ(to_bf16(0x1p-133), 0x1p-133);
  EXPECT_EQ(to_bf16(0x1p-134), 0);
  EXPECT_TRUE(std::signbit(to_f16(-0x1p-30)));
  EXPECT_EQ(to_f32(std::numeric_limits<double>::denorm_min()), 0);
}

TEST(Formats, overflow_to_infinity_and_keep_nan) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_f16(65504), 65504);
  EXPECT_EQ(to_f16(65519), 65504);
  EXPECT_EQ(to_f16(65520), infinity);
  EXPECT_EQ(to_bf16(-1e39), -infinity);
  EXPECT_EQ(to_f32(std::numeric_limits<float>::max()), std::numeric_limits<float>::max());
  EXPECT_TRUE(std::isnan(to_bf16(std::numeric_limits<double>::quiet_NaN())));
}

// One rounding, as an order-preserving projection on the numbers of the format.
TEST(Formats, nearest_is_idempotent_monotone_odd_and_within_half_an_ulp) {
  for (const Format format : every_format)
    EXPECT_TRUE(posproof::testing::holds_for(
        [format] {
          const double x = *posproof::testing::any_double(), y = *posproof::testing::any_double();
          const double held = nearest(format, x);
          if (std::isnan(x)) {
            RC_ASSERT(std::isnan(held));
            return;
          }
          RC_ASSERT(nearest(format, held) == held);
          RC_ASSERT(nearest(format, -x) == -held);
          RC_ASSERT(std::signbit(held) == std::signbit(x));
          if (x <= y) RC_ASSERT(held <= nearest(format, y));
          if (std::isfinite(held) && x != 0) RC_ASSERT(std::abs(held - x) <= half_ulp(format, x));
        },
        2000))
        << name(format);
}

TEST(Formats, the_bits_of_a_number_give_it_back) {
  for (const Format format : {Format::bf16, Format::f16})
    for (int bits = 0; bits < 1 << 16; ++bits) {
      const double held = value_of(format, static_cast<std::uint16_t>(bits));
      if (!std::isnan(held)) {
        EXPECT_EQ(bits_of(format, held), bits) << name(format);
      }
      EXPECT_TRUE(std::isnan(held) || nearest(format, held) == held) << name(format) << " " << bits;
    }
}

TEST(Formats, fp32_is_what_the_machine_rounds_to) {
  for (double x = 1e-46; x < 1e40; x *= 1.37)
    EXPECT_EQ(to_f32(x), static_cast<double>(static_cast<float>(x))) << x;
}

}  // namespace posproof::formats_test
