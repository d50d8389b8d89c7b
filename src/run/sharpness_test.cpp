#include "run/sharpness.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "core/function.h"
#include "core/term.h"

namespace posproof::sharpness_test {
namespace {

// A property of biases whose residual is what this makes of a drawn number from 0 to 9.
Property property_of(Function<Residual(double drawn, double unit)> residual) {
  Property property;
  property.checks = {CheckOf<Bias>([residual](const Bias&, Precision p, Draw& draw) {
    const std::int64_t drawn = draw.integer("n", 0, 9);
    if (drawn == 9) throw Discard{};
    if (drawn == 8) throw Refusal("none");
    return residual(static_cast<double>(drawn), p.result);
  })};
  return property;
}

Encoding some_bias() {
  return Bias{.heads = 1};
}
Encoding some_table() {
  return Table{.dim = 1};
}

Sharpness of(const Property& property, std::uint64_t cases = 100) {
  return sharpness(property, {"wrong", &some_bias, all_f32},
                   {.id = "a/property", .budget = {.cases = cases}});
}

TEST(Sharpness, is_the_largest_share_of_the_bound_over_all_cases) {
  const Sharpness found = of(property_of([](double n, double) { return Residual{n, 2, 100}; }));
  EXPECT_EQ(found.measure, Measure::bound);
  EXPECT_EQ(found.times, 3.5);
  EXPECT_TRUE(found.refuted() && found.is_sharp());
  EXPECT_EQ(found.text(), "3.5 bounds");
}

TEST(Sharpness, draws_a_discarded_case_again) {
  Property every_third;
  every_third.checks = {
      CheckOf<Bias>([draws = std::make_shared<int>(0)](const Bias&, Precision, Draw&) -> Residual {
        if (++*draws % 3 == 1) throw Discard{};
        if (*draws % 3 == 2) throw Refusal("none");
        return {7, 2, 100};
      })};
  for (const std::uint64_t cases : {1, 2, 3}) EXPECT_EQ(of(every_third, cases).times, 3.5) << cases;
}

TEST(Sharpness, of_what_holds_is_none) {
  const Sharpness found = of(property_of([](double n, double) { return Residual{n, 7, 100}; }));
  EXPECT_EQ(found.times, 0);
  EXPECT_FALSE(found.refuted());
  EXPECT_FALSE(found.is_sharp());
}

TEST(Sharpness, sixteen_bounds_are_the_most) {
  EXPECT_TRUE(of(property_of([](double n, double) { return Residual{n * 16, 7, 1000}; })).is_sharp());
  const Sharpness blunt = of(property_of([](double n, double) { return Residual{n * 16.5, 7, 1000}; }));
  EXPECT_TRUE(blunt.refuted());
  EXPECT_FALSE(blunt.is_sharp());
  EXPECT_EQ(blunt.times, 16.5);
}

TEST(Sharpness, of_an_equality_is_in_units) {
  const auto equal_to_four = property_of([](double n, double unit) {
    const double there = 4 * (1 + n * unit);
    return difference(there, 4, units_apart(unit, 4));
  });
  const Sharpness found = of(equal_to_four);
  EXPECT_EQ(found.measure, Measure::units);
  EXPECT_NEAR(found.times, 7, 1e-6);
  EXPECT_EQ(found.text(), "7 units");
  EXPECT_TRUE(found.is_sharp());
}

// An error of less than a unit could be a rounding.
TEST(Sharpness, of_less_than_a_unit_is_none_in_units) {
  const auto nearly_four = property_of(
      [](double n, double unit) { return difference(4 * (1 + n * unit / 16), 4, units_apart(unit, 4)); });
  const Sharpness found = of(nearly_four);
  EXPECT_NE(found.measure, Measure::units);
  EXPECT_FALSE(found.is_sharp());
}

TEST(Sharpness, of_a_least_effect_is_what_the_threshold_is_divided_by) {
  const auto at_least_twenty =
      property_of([](double n, double) { return excess(least_effect(20), n == 0 ? 7 : n + 20, 1e-3, 20); });
  const Sharpness found = of(at_least_twenty);
  EXPECT_EQ(found.measure, Measure::threshold);
  EXPECT_EQ(found.times, 4);
  EXPECT_EQ(found.text(), "a threshold divided by 4");
  EXPECT_TRUE(found.is_sharp());
  // Far below, no division by 16 is enough.
  EXPECT_FALSE(of(property_of([](double n, double) {
                 return excess(least_effect(20), n == 0 ? 1 : n + 20, 1e-3, 20);
               })).is_sharp());
}

// It is right for its first 300 calls, and then wrong by everything.
TEST(Sharpness, of_an_encoding_that_remembers_is_measured_on_a_new_one_each_time) {
  Property property;
  property.checks = {CheckOf<Bias>([](const Bias& bias, Precision, Draw&) {
    const std::array<Position, 1> at = {0};
    return excess(least_effect(1), bias.bias(at, at).data[0], 0, 1);
  })};
  const NegativeExample tires{
      "tires", [] {
        return Bias{.heads = 1,
                    .bias = [calls = std::make_shared<int>(0)](const Positions&, const Positions&) {
                      return Tensor({1, 1, 1}, {++*calls > 100 ? 0 : 0.4});
                    }};
      }};
  const Sharpness found = sharpness(property, tires, {.id = "a/property", .budget = {.cases = 100}});
  EXPECT_EQ(found.measure, Measure::threshold);
  EXPECT_EQ(found.times, 4);
}

TEST(Sharpness, of_yes_or_no_is_none) {
  const Sharpness found = of(property_of([](double n, double) { return holds_if(n > 3); }));
  EXPECT_TRUE(found.refuted());
  EXPECT_FALSE(found.is_sharp());
}

TEST(Sharpness, of_an_encoding_that_the_property_is_not_asked_of_is_none) {
  const Property property = property_of([](double, double) { return holds_if(false); });
  EXPECT_FALSE(sharpness(property, {"wrong", &some_table, all_f32}, {.id = "a/property"}).refuted());
}

TEST(Sharpness, is_that_of_the_sharpest_example_of_each_format) {
  Property property = property_of([](double, double unit) { return Residual{3, unit / unit_f32, 1e9}; });
  property.must_reject = {{"in f64", &some_bias, all_f64},
                          {"in f32", &some_bias, all_f32},
                          {"another", &some_bias, all_f32},
                          {"in bf16", &some_bias, {unit_f32, unit_bf16}}};
  const auto found = sharpest("a/property", property);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, "bias");
  EXPECT_FALSE(found[0].in_16_bits);
  ASSERT_NE(found[0].example, nullptr);
  EXPECT_EQ(found[0].example->wrong, "in f32");
  EXPECT_EQ(found[0].sharpness.times, 3);
  EXPECT_TRUE(found[1].in_16_bits);
  EXPECT_EQ(found[1].example, nullptr);  // bf16 allows 65536 times as much: it is not refuted there
  const auto all = measured_examples("a/property", property);
  ASSERT_EQ(all.size(), 3u);  // all that are not in f64
  EXPECT_EQ(all[1].example->wrong, "another");
  EXPECT_FALSE(all[1].in_16_bits);
  EXPECT_EQ(all[1].sharpness.times, 3);
  EXPECT_TRUE(all[2].in_16_bits);
  EXPECT_FALSE(all[2].sharpness.refuted());
  property.not_in_16_bits = "nothing is left there";
  EXPECT_EQ(sharpest("a/property", property).size(), 1u);
  property.never_fails_of = {"table", "bias"};
  EXPECT_TRUE(sharpest("a/property", property).empty());
}

TEST(Sharpness, the_sharpest_may_stand_anywhere) {
  const Property property = property_of([](double, double) { return holds_if(false); });
  const std::array<NegativeExample, 3> examples = {
      {{"one", &some_bias, all_f32}, {"two", &some_bias, all_f32}, {"three", &some_bias, all_f32}}};
  std::vector<MeasuredExample> measured;
  for (std::size_t n = 0; n < 3; ++n)
    measured.push_back({"bias", false, &examples[n], {Measure::bound, n == 1 ? 2.0 : 9.0}});
  EXPECT_EQ(sharpest(property, measured).at(0).example, &examples[1]);
}

TEST(Sharpness, kinds_are_those_that_the_property_is_asked_of) {
  EXPECT_EQ(kinds_of(property_of([](double, double) { return holds_if(true); })),
            (std::vector<std::string_view>{"bias"}));
  Property of_calls;
  of_calls.checks = {CallCheck{[](const Encoding& encoding) { return kind(encoding) != "attention"; }, {}}};
  EXPECT_EQ(kinds_of(of_calls), (std::vector<std::string_view>{"table", "rotary", "bias", "contextual"}));
}

TEST(ScaledTerm, scales_one_term_as_long_as_it_lives) {
  EXPECT_EQ(term(Term::power, 3), 3);
  {
    const ScaledTerm none(Term::power, 0);
    EXPECT_EQ(term(Term::power, 3), 0);
    EXPECT_EQ(term(Term::exponent, 3), 3);
    const ScaledTerm more(Term::power, 16);
    EXPECT_EQ(term(Term::power, 3), 48);
  }
  EXPECT_EQ(term(Term::power, 3), 3);
  EXPECT_EQ(units_apart(unit_f32, -8), 0);
  const ScaledTerm counted(Term::equality, 2);
  EXPECT_EQ(units_apart(unit_f32, -8), 16 * unit_f32);
  const ScaledTerm lower(Term::threshold, 0.25);
  EXPECT_EQ(least_effect(8), 2);
}

}  // namespace
}  // namespace posproof::sharpness_test
