#include "core/formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "core/short_numbers.h"
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

TEST(Formats, a_number_of_16_bits_is_its_digits_times_a_power_of_two) {
  for (const Format format : {Format::bf16, Format::f16}) {
    const FormatShape target = shape(format);
    const int fraction_bits = target.digits - 1;
    for (int bits = 0; bits < 0x10000; ++bits) {
      const int exponent = (bits & 0x7fff) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
      const double sign = bits >= 0x8000 ? -1 : 1, found = value_of(format, static_cast<std::uint16_t>(bits));
      if (exponent == target.largest - target.smallest + 2) {
        ASSERT_TRUE(fraction != 0 ? std::isnan(found) : std::isinf(found) && found * sign > 0) << bits;
        continue;
      }
      const int digits = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
      ASSERT_EQ(found, sign * std::ldexp(digits, std::max(exponent, 1) - 1 + target.smallest - fraction_bits))
          << bits;
    }
  }
}

TEST(Formats, numbers_of_16_bits_are_unpacked_to_what_each_is) {
  std::vector<std::uint16_t> all(0x10000);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  std::vector<double> values(all.size());
  for (const Format format : {Format::bf16, Format::f16}) {
    unpack_short(format, std::as_bytes(std::span(all)).data(), values);
    for (std::size_t n = 0; n < all.size(); ++n) {
      const double one = value_of(format, all[n]);
      if (std::isnan(one))
        ASSERT_TRUE(std::isnan(values[n])) << n;
      else
        ASSERT_EQ(std::bit_cast<std::uint64_t>(values[n]), std::bit_cast<std::uint64_t>(one)) << n;
    }
  }
}

// Nine numbers: more than are looked at together.
TEST(Formats, are_finite_where_no_number_has_all_bits_of_the_exponent) {
  for (const auto& [format, largest, infinity, nan] :
       {std::tuple{Format::f64, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001},
        std::tuple{Format::f32, 0x7f7fffffL, 0x7f800000L, 0x7f800001L},
        std::tuple{Format::bf16, 0x7f7fL, 0x7f80L, 0x7fc0L},
        std::tuple{Format::f16, 0x7bffL, 0x7c00L, 0x7c01L}}) {
    const std::size_t each = bytes(format);
    const std::int64_t sign = std::int64_t{1} << (8 * each - 1);
    for (const std::int64_t bits : {largest, largest | sign, infinity, infinity | sign, nan, nan | sign})
      for (std::size_t at = 0; at < 9; ++at) {
        std::vector<std::byte> numbers(9 * each, std::byte{0});
        for (std::size_t n = 0; n < 9; ++n) std::memcpy(&numbers[n * each], n == at ? &bits : &largest, each);
        EXPECT_EQ(are_finite(format, numbers), (bits | sign) == (largest | sign))
            << name(format) << " " << bits << " " << at;
      }
  }
  EXPECT_TRUE(are_finite(Format::bf16, {}));
}

TEST(Formats, fp32_is_what_the_machine_rounds_to) {
  for (double x = 1e-46; x < 1e40; x *= 1.37)
    EXPECT_EQ(to_f32(x), static_cast<double>(static_cast<float>(x))) << x;
}

}  // namespace posproof::formats_test
