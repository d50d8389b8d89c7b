#include "subject/dtype.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/formats.h"
#include "run/packed.h"

namespace posproof::dtype_test {

namespace {

double one(Dtype dtype, std::string bytes) {
  return decode(dtype, bytes).at(0);
}

}  // namespace

TEST(Dtype, halves_read_as_ieee_754_has_them) {
  EXPECT_EQ(one(Dtype::F16, {"\x00\x3c", 2}), 1);
  EXPECT_EQ(one(Dtype::F16, {"\x55\x35", 2}), 0x1.554p-2);      // the one nearest 1/3
  EXPECT_EQ(one(Dtype::F16, {"\xff\xfb", 2}), -65504);          // the largest, negative
  EXPECT_EQ(one(Dtype::F16, {"\x01\x00", 2}), 0x1p-24);         // the smallest subnormal
  EXPECT_EQ(one(Dtype::F16, {"\xff\x03", 2}), 1023 * 0x1p-24);  // the largest subnormal
  EXPECT_EQ(one(Dtype::F16, {"\x00\x04", 2}), 0x1p-14);         // the smallest normal
  EXPECT_EQ(one(Dtype::F16, {"\x00\xfc", 2}), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(one(Dtype::F16, {"\x01\x7c", 2})));
  EXPECT_TRUE(std::signbit(one(Dtype::F16, {"\x00\x80", 2})));
}

TEST(Dtype, bfloat16_is_the_upper_half_of_a_float) {
  EXPECT_EQ(one(Dtype::BF16, {"\x80\x3f", 2}), 1);
  EXPECT_EQ(one(Dtype::BF16, {"\xab\x3e", 2}), 0x1.56p-2);
  EXPECT_EQ(one(Dtype::BF16, {"\x01\x00", 2}), 0x1p-133);
  EXPECT_TRUE(std::isnan(one(Dtype::BF16, {"\xc0\x7f", 2})));
}

TEST(Dtype, floats_and_doubles_are_exact) {
  EXPECT_EQ(one(Dtype::F32, {"\xcd\xcc\xcc\x3d", 4}), double(0.1f));
  EXPECT_EQ(one(Dtype::F64, {"\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8}), 0.1);
  EXPECT_THROW(decode(Dtype::F32, "12345"), std::length_error);
  EXPECT_THROW(decode(Dtype::I64, "12345678"), std::invalid_argument);
}

TEST(Dtype, values_are_unpacked_one_after_the_other) {
  const std::vector<double> all = {1, -0.5, 3, 1024};
  for (const Format format : every_format) {
    std::vector<std::byte> bytes;
    ASSERT_TRUE(pack(format, all, bytes));
    std::vector<double> out(4);
    unpack(format, bytes.data(), out);
    EXPECT_EQ(out, all) << posproof::name(format);
  }
}

TEST(Dtype, every_value_of_16_bits_is_stored_as_it_was_read) {
  for (const Format format : {Format::bf16, Format::f16})
    for (unsigned bits = 0; bits < 65536; ++bits) {
      std::array<std::byte, 2> in = {std::byte(bits & 255), std::byte(bits >> 8)}, out = {};
      const double x = value(format, in.data());
      store(format, x, out.data());
      if (std::isnan(x))
        ASSERT_TRUE(std::isnan(value(format, out.data()))) << bits;
      else
        ASSERT_EQ(in, out) << bits;
    }
}

TEST(Dtype, what_lies_between_is_stored_to_nearest_even) {
  const auto stored = [](Format format, double x) {
    std::array<std::byte, 8> out = {};
    store(format, x, out.data());
    return value(format, out.data());
  };
  for (const Format format : every_format)
    for (const double x : {1 / 3.0, -1e-7, 0x1.01p0, 0x1.03p0, 65520.0, 1e300, 0x1.000001p0, 0x1p-25})
      EXPECT_EQ(stored(format, x), nearest(format, x)) << name(format) << " " << x;
  EXPECT_EQ(stored(Format::bf16, 0x1.01p0), 1);
  EXPECT_EQ(stored(Format::bf16, 0x1.03p0), 0x1.04p0);
  EXPECT_EQ(stored(Format::f32, 0x1.000001p0), 1);
  EXPECT_EQ(stored(Format::f16, 65520), std::numeric_limits<double>::infinity());
}

TEST(Dtype, what_a_format_holds) {
  EXPECT_TRUE(holds(Dtype::BF16, 0x1.fep0));   // 8 bits
  EXPECT_FALSE(holds(Dtype::BF16, 0x1.ffp0));  // 9
  EXPECT_TRUE(holds(Dtype::F16, 0x1.ffcp0));   // 11
  EXPECT_FALSE(holds(Dtype::F16, 0x1.ffep0));  // 12
  EXPECT_TRUE(holds(Dtype::F16, 65504));
  EXPECT_FALSE(holds(Dtype::F16, 65536));
  EXPECT_TRUE(holds(Dtype::F16, 3 * 0x1p-24));
  EXPECT_FALSE(holds(Dtype::F16, 0x1p-25));
  EXPECT_FALSE(holds(Dtype::F32, 0.1));
  EXPECT_TRUE(holds(Dtype::F32, double(0.1f)));
  EXPECT_TRUE(holds(Dtype::F64, 0.1));
  EXPECT_TRUE(holds(Dtype::F16, -0.0));
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const Dtype all : {Dtype::F64, Dtype::F32, Dtype::BF16, Dtype::F16}) EXPECT_TRUE(holds(all, x)) << x;
    EXPECT_FALSE(holds(Dtype::I64, x)) << x;
  }
  EXPECT_TRUE(holds(Dtype::F32, 0x1.fffffep127));
  EXPECT_FALSE(holds(Dtype::F32, 0x1.ffffffp127));
  EXPECT_FALSE(holds(Dtype::F32, 0x1p128));
  EXPECT_TRUE(holds(Dtype::F32, 0x1p-149));
  EXPECT_FALSE(holds(Dtype::F32, 0x1p-150));
  EXPECT_TRUE(holds(Dtype::BF16, 0x1p-133));
  EXPECT_FALSE(holds(Dtype::BF16, 0x1p-134));
  EXPECT_TRUE(holds(Dtype::F16, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(holds(Dtype::F32, -std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(holds(Dtype::I64, 0));
  EXPECT_FALSE(holds(Dtype::U8, 5));
}

TEST(Dtype, the_first_value_that_a_format_does_not_hold) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), none = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {0.5, nan, none, double(0.1f), 0x1.ffp0, 0.1, 0.2};
  EXPECT_EQ(first_not_held(Dtype::F64, values), std::nullopt);
  EXPECT_EQ(first_not_held(Dtype::F32, values), 0.1);
  EXPECT_EQ(first_not_held(Dtype::BF16, values), double(0.1f));
  EXPECT_EQ(first_not_held(Dtype::F16, std::span(values).subspan(4)), 0.1);
  EXPECT_EQ(first_not_held(Dtype::F32, std::span(values).first(5)), std::nullopt);
  EXPECT_EQ(first_not_held(Dtype::F32, {}), std::nullopt);
}

TEST(Dtype, is_known_by_its_safetensors_name) {
  EXPECT_EQ(dtype("BF16"), Dtype::BF16);
  EXPECT_EQ(dtype("bf16"), std::nullopt);
  EXPECT_EQ(name(Dtype::F8_E5M2), "F8_E5M2");
  EXPECT_EQ(size(Dtype::F8_E5M2), 1u);
  EXPECT_EQ(size(Dtype::U32), 4u);
}

}  // namespace posproof::dtype_test
