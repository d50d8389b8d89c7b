#include "run/packed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "subject/dtype.h"

namespace posproof::packed_test {
namespace {

// Every value of the two small formats goes out and comes back.
TEST(Packed, every_value_of_sixteen_bits_is_itself) {
  for (const Format format : {Format::bf16, Format::f16}) {
    std::vector<std::byte> back;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto word = static_cast<std::uint16_t>(bits);
      std::byte one[2];
      std::memcpy(one, &word, 2);
      const double here = posproof::value(format, one);
      EXPECT_TRUE(std::isnan(here) || nearest(format, here) == here) << name(format) << " " << bits;
      ASSERT_TRUE(pack(format, {&here, 1}, back)) << name(format) << " " << bits;
      const double again = value(format, back.data());
      EXPECT_TRUE(again == here || (std::isnan(again) && std::isnan(here))) << name(format) << " " << bits;
    }
  }
}

TEST(Packed, what_is_no_value_of_the_format_is_told) {
  std::vector<std::byte> bytes;
  const auto held = [&](Format format, double value) { return pack(format, {&value, 1}, bytes); };
  EXPECT_TRUE(held(Format::f64, 0.1));
  EXPECT_FALSE(held(Format::f32, 0.1));
  EXPECT_TRUE(held(Format::f32, to_f32(0.1)));
  EXPECT_FALSE(held(Format::bf16, to_f32(0.1)));
  EXPECT_FALSE(held(Format::f16, 70000));
  EXPECT_FALSE(held(Format::f32, 1e300));
  EXPECT_TRUE(held(Format::f16, -std::numeric_limits<double>::infinity()));
  for (const Format format : every_format)
    EXPECT_TRUE(held(format, std::numeric_limits<double>::quiet_NaN()));
}

TEST(Packed, writes_one_zero) {
  std::vector<std::byte> bytes;
  const double zero = -0.0;
  for (const Format format : every_format) {
    ASSERT_TRUE(pack(format, {&zero, 1}, bytes));
    EXPECT_FALSE(std::signbit(value(format, bytes.data())));
  }
}

}  // namespace
}  // namespace posproof::packed_test
