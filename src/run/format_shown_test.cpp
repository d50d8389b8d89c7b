#include "run/format_shown.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/formats.h"

namespace posproof::format_shown_test {
namespace {

constexpr double of_f32 = 4 * unit_f32;  // what a cosine in f32 may be off by, and more

NumbersOfFormat seen(double unit, double (*kept)(double)) {
  NumbersOfFormat out(unit);
  for (int n = 1; n <= 100; ++n) {
    const double exact = std::cos(0.1 * n);
    out.see(to_f32(kept(exact)), exact, of_f32, 1);
  }
  return out;
}

TEST(NumbersOfFormat, is_shown_by_numbers_of_the_format) {
  EXPECT_TRUE(seen(unit_bf16, &to_bf16).shown());
  EXPECT_TRUE(seen(unit_f16, &to_f16).shown());
}

// A number of bf16 is one of f16, too, but no neighbour of the exact one; one of f16 is none of bf16.
TEST(NumbersOfFormat, is_not_shown_by_numbers_of_another_format) {
  EXPECT_FALSE(seen(unit_f16, &to_bf16).shown());
  EXPECT_FALSE(seen(unit_bf16, &to_f16).shown());
}

// They are off by less than bf16 rounds.
TEST(NumbersOfFormat, is_not_shown_by_steps_that_are_within_rounding) {
  EXPECT_FALSE(seen(unit_bf16, [](double x) { return x; }).shown());
  EXPECT_FALSE(seen(unit_bf16, [](double x) { return std::round(1024 * x) / 1024; }).shown());
  EXPECT_FALSE(seen(unit_bf16, [](double x) { return x + 0x1p-10; }).shown());
}

// One number of a hundred.
TEST(NumbersOfFormat, is_not_shown_where_one_number_is_none_of_the_format) {
  NumbersOfFormat all = seen(unit_bf16, &to_bf16);
  const double exact = std::cos(0.7), other = to_bf16(exact) + 8 * of_f32;
  EXPECT_LT(std::abs(other - exact), unit_bf16 / 2);
  all.see(other, exact, of_f32, 1);
  EXPECT_FALSE(all.shown());
}

TEST(NumbersOfFormat, is_not_shown_by_few_numbers_or_by_exact_ones) {
  NumbersOfFormat few(unit_bf16), exact(unit_bf16);
  for (int n = 1; n <= 11; ++n) few.see(to_bf16(std::cos(n)), std::cos(n), of_f32, 1);
  for (int n = 1; n <= 100; ++n) exact.see(n / 128.0, n / 128.0, of_f32, 1);
  EXPECT_FALSE(few.shown());
  EXPECT_FALSE(exact.shown());
  few.see(to_bf16(std::cos(12)), std::cos(12), of_f32, 1);
  EXPECT_TRUE(few.shown());
}

// In a result of 16 bits, a table's format is seen in products alone.
RoundedProducts products(double (*made)(double a, double b, double c, double s)) {
  RoundedProducts out;
  for (int n = 1; n <= 200; ++n) {
    const double a = to_bf16(std::sin(3.0 * n)), b = to_bf16(std::sin(5.0 * n)), c = std::cos(n),
                 s = std::sin(n);
    out.see(a, b, c, s, to_bf16(made(a, b, c, s)), unit_bf16);
  }
  return out;
}

TEST(RoundedProducts, are_shown_by_tables_and_products_of_the_format) {
  EXPECT_TRUE(products([](double a, double b, double c, double s) {
                return a * to_bf16(c) - b * to_bf16(s);
              }).shown());
  EXPECT_TRUE(products([](double a, double b, double c, double s) {
                return to_bf16(a * to_bf16(c)) - to_bf16(b * to_bf16(s));
              }).shown());
}

TEST(RoundedProducts, are_not_shown_by_what_is_rounded_once_or_off_by_as_little) {
  EXPECT_FALSE(products([](double a, double b, double c, double s) { return a * c - b * s; }).shown());
  EXPECT_FALSE(products([](double a, double b, double c, double s) {
                 return (1 + 0x1p-9) * (a * c - b * s);
               }).shown());
}

}  // namespace
}  // namespace posproof::format_shown_test
