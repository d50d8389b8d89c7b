#include "run/packed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace posproof {
namespace {

// Every value of the two small formats goes out and comes back.
TEST(Packed, every_value_of_sixteen_bits_is_itself) {
  for (const Format format : {Format::bf16, Format::f16}) {
    std::vector<std::byte> back;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto word = static_cast<std::uint16_t>(bits);
      std::byte one[2];
      std::memcpy(one, &word, 2);
      const double value = unpacked(format, one, 0);
      EXPECT_TRUE(std::isnan(value) || nearest(format, value) == value) << name(format) << " " << bits;
      ASSERT_TRUE(pack(format, {&value, 1}, back)) << name(format) << " " << bits;
      const double again = unpacked(format, back.data(), 0);
      EXPECT_TRUE(again == value || (std::isnan(again) && std::isnan(value))) << name(format) << " " << bits;
    }
  }
}

TEST(Packed, what_is_no_value_of_the_format_is_told) {
  std::vector<std::byte> bytes;
  const auto held = [&](Format format, double value) { return pack(format, {&value, 1}, bytes); };
  EXPECT_TRUE(held(Format::f64, 0.1));
  EXPECT_FALSE(held(Format::f32, 0.1));
  EXPECT_TRUE(held(Format::f32, to_fp32(0.1)));
  EXPECT_FALSE(held(Format::bf16, to_fp32(0.1)));
  EXPECT_FALSE(held(Format::f16, 70000));
  EXPECT_FALSE(held(Format::f32, 1e300));
  EXPECT_TRUE(held(Format::f16, -std::numeric_limits<double>::infinity()));
}

TEST(Packed, writes_one_zero) {
  std::vector<std::byte> bytes;
  const double zero = -0.0;
  for (const Format format : every_format) {
    ASSERT_TRUE(pack(format, {&zero, 1}, bytes));
    EXPECT_FALSE(std::signbit(unpacked(format, bytes.data(), 0)));
  }
}

}  // namespace
}  // namespace posproof
