#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "catalogue/encodings/dynamic_position_bias.h"
#include "core/error.h"
#include "encodings/made.h"
#include "encodings/seeded.h"

namespace posproof::dynamic_position_bias_test {
namespace {

Bias bias_of(std::string_view parameters, bool exact) {
  const Parameters all = with(encodings::dynamic_position_bias, Case::parse(parameters));
  return as<Bias>(exact ? encodings::dynamic_position_bias.oracle(all)
                        : encodings::dynamic_position_bias.make(all));
}

// Of the last head, at this offset of query and key.
double entry(const Bias& bias, Position offset) {
  const Position query = offset > 0 ? offset : 0;
  return bias.bias(Positions({query}), Positions({query - offset})).data.back();
}

double allowed(const Bias& bias, double query, double key, const Precision& p) {
  return bias.error(bias.heads - 1, {&query, 1}, {&key, 1}, 0, p);
}

// By numpy in double precision, from the formula; as far off as the bound allows such an implementation.
TEST(DynamicPositionBias, has_the_entries_of_the_formula) {
  struct Known {
    std::string_view parameters;
    Position offset;
    double entry;
  };
  for (const auto& [parameters, offset, known] : std::vector<Known>{
           {"", 0, 0.5543460343913208},
           {"", 5, 2.506230330702861},
           {"", -5, -0.47034567325467136},
           {"heads=3", 1000, -1923.6026935583436},
           {"width=3 depth=1 heads=2", -7, -0.17314557504492942},
           {"width=3 depth=1 heads=2 scale=log", -7, -0.35513782810286326},
           {"width=3 depth=1 heads=2 offset=distance", -7, -0.6855822840471504},
           {"width=3 depth=1 heads=2 offset=distance scale=log std=1", -7, -1.7504069390011305},
           {"width=3 depth=3 heads=2 activation=relu mlp_seed=5", 9, -0.7022007276657036}})
    for (const bool exact : {false, true}) {
      const Bias bias = bias_of(parameters, exact);
      EXPECT_LE(std::abs(entry(bias, offset) - known), allowed(bias, static_cast<double>(offset), 0, all_f64))
          << parameters << ", offset " << offset;
    }
}

TEST(DynamicPositionBias, has_one_answer_in_both_directions_of_a_distance) {
  for (const bool exact : {false, true}) {
    const Bias distance = bias_of("offset=distance", exact), with_sign = bias_of("", exact);
    EXPECT_EQ(entry(distance, 7), entry(distance, -7));
    EXPECT_EQ(entry(distance, 7), entry(with_sign, 7));
    EXPECT_NE(entry(with_sign, 7), entry(with_sign, -7));
  }
}

// One hidden unit: w t + b, its function, and the head's own weight and bias. Each step's loss counts as the
// steps after it have it.
TEST(DynamicPositionBias, allows_what_its_roundings_lose) {
  const double u = unit_f32;
  const std::string one = "heads=1 width=1 depth=1 ";
  const auto number = [](std::size_t at) { return seeded(2, at, 0.5); };
  const double w = std::abs(number(0)), b = std::abs(number(1)), v = std::abs(number(2)),
               c = std::abs(number(3));
  const auto last = [&](double of_hidden, double hidden) {
    return v * of_hidden * (1 + u) + u * (4 * v * hidden + 2 * c);
  };
  ASSERT_GT(number(0) * 3 + number(1), 0);
  const double sum = number(0) * 3 + number(1), of_sum = u * (4 * w * 3 + 2 * b),
               y = sum / (1 + std::exp(-sum));
  const double t = std::log1p(3), of_t = u * (5 * t + 1),
               of_log = w * of_t * (1 + u) + u * (4 * w * t + 2 * b);
  for (const bool exact : {false, true}) {
    const double relu = allowed(bias_of(one + "activation=relu", exact), 3, 0, all_f32);
    EXPECT_NEAR(relu, last(of_sum, sum), 1e-12 * relu);
    const double silu = allowed(bias_of(one, exact), 3, 0, all_f32);
    EXPECT_NEAR(silu, last(1.1 * of_sum + 8 * u * y, y), 1e-12 * silu);
    const double log = allowed(bias_of(one + "activation=relu scale=log", exact), 3, 0, all_f32);
    EXPECT_NEAR(log, last(of_log, number(0) * t + number(1)), 1e-12 * log);
    // The same in both directions of a distance, other without a hidden unit that is alive.
    const Bias distance = bias_of(one + "activation=relu offset=distance", exact);
    EXPECT_EQ(allowed(distance, 0, 3, all_f32), relu);
    const Bias with_sign = bias_of(one + "activation=relu", exact);
    ASSERT_LT(number(1) - 9 * number(0), 0);
    const double dead = allowed(with_sign, 0, 9, all_f32);
    EXPECT_NEAR(dead, last(u * (4 * w * 9 + 2 * b), 0), 1e-12 * dead);
  }
}

// 256 is held in bf16, 257 is not.
TEST(DynamicPositionBias, allows_for_offsets_that_the_format_cannot_hold) {
  const Precision narrow = Precision::parse("bf16/bf16");
  const double u = unit_bf16, w = std::abs(seeded(2, 0, 0.5)), v = std::abs(seeded(2, 2, 0.5));
  for (const bool exact : {false, true}) {
    const Bias bias = bias_of("heads=1 width=1 depth=1 activation=relu", exact);
    const double at_256 = allowed(bias, 256, 0, narrow), at_257 = allowed(bias, 257, 0, narrow);
    const double one_more = (v * w * (4 * u) * (1 + u) + 4 * u * v * w);  // of an offset that is held
    EXPECT_NEAR(at_257 - at_256, one_more + v * w * 257 * u * (1 + u) * (1 + u), 1e-12 * at_257);
  }
}

TEST(DynamicPositionBias, keeps_what_it_allows_apart_by_head_offset_and_precision) {
  for (const bool exact : {false, true}) {
    const Bias bias = bias_of("heads=3", exact);
    const auto at = [&](std::size_t head, double query, const Precision& p) {
      const double key = 2;
      return bias.error(head, {&query, 1}, {&key, 1}, 0, p);
    };
    const double first = at(0, 9, all_f32);
    EXPECT_NE(at(1, 9, all_f32), first);
    EXPECT_NE(at(0, 8, all_f32), first);
    EXPECT_LT(at(0, 9, all_f64), first);
    EXPECT_EQ(at(0, 9, all_f32), first);
  }
}

TEST(DynamicPositionBias, refuses_what_makes_no_sense) {
  EXPECT_EQ(refused(encodings::dynamic_position_bias, "depth=0"),
            "`depth=0`; allowed: whole numbers from 1 to 16");
  EXPECT_EQ(refused(encodings::dynamic_position_bias, "activation=gelu"),
            "`activation=gelu`; allowed: silu, relu; near it: relu, silu");
  EXPECT_EQ(refused(encodings::dynamic_position_bias, "depth=16 width=1 heads=1"), "not refused");
}

}  // namespace
}  // namespace posproof::dynamic_position_bias_test
