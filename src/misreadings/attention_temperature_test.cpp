#include "catalogue/misreadings/attention_temperature.h"

#include <gtest/gtest.h>

#include <cmath>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_attention_temperature_test {
namespace {

using testing::Real, testing::StretchFormula;

// Of the scale and of how many times the length the position is.
StretchFormula of_queries(Real (*factor)(Real scale, Real lengths)) {
  return [factor](const Arguments& p, std::size_t, Real t, Role role) -> Real {
    if (role == Role::key) return 1;
    return factor(p.real("scale"), (t + Real(p.whole("offset"))) / p.real("original_length"));
  };
}

// The misreadings of one form, by the word that their settings have.
MisreadingFamily of_form(bool logarithm) {
  MisreadingFamily out;
  for (const Misreading& one : misreadings::attention_temperature.misreadings)
    if ((one.setting.find("form=logarithm") != std::string_view::npos) == logarithm)
      out.misreadings.push_back(one);
  return out;
}

TEST(MisreadAttentionTemperature, multiplies_by_what_the_sentence_says) {
  testing::expect_stretches(
      "attention_temperature", of_form(false),
      {{"the quotient of position and length is not rounded down",
        of_queries([](Real s, Real n) { return 1 + s * std::log(n + 1); })},
       {"the quotient of position and length is rounded to the nearest whole number, not down",
        of_queries([](Real s, Real n) { return 1 + s * std::log(std::nearbyint(n) + 1); })},
       {"the quotient of position and length is rounded up, not down",
        of_queries([](Real s, Real n) { return 1 + s * std::log(std::ceil(n) + 1); })},
       {"the logarithm is rounded down, not the quotient in it",
        of_queries([](Real s, Real n) { return 1 + s * std::floor(std::log(n + 1)); })},
       {"the logarithm is to base 2, not natural",
        of_queries([](Real s, Real n) { return 1 + s * std::log2(std::floor(n) + 1); })},
       {"the logarithm is to base 10, not natural",
        of_queries([](Real s, Real n) { return 1 + s * std::log10(std::floor(n) + 1); })},
       {"the logarithm is left out", of_queries([](Real s, Real n) { return 1 + s * std::floor(n); })},
       {"the scale multiplies the 1 as well: scale (1 + ln(..))",
        of_queries([](Real s, Real n) { return s + s * std::log(std::floor(n) + 1); })},
       {"queries are divided by the factor, not multiplied",
        of_queries([](Real s, Real n) { return 1 / (1 + s * std::log(std::floor(n) + 1)); })}},
      {"", "offset=0 heads=3"});
}

TEST(MisreadAttentionTemperature, multiplies_by_the_logarithm_that_the_sentence_says) {
  const auto of_queries = [](Real (*factor)(Real t, Real length)) -> StretchFormula {
    return [factor](const Arguments& p, std::size_t, Real t, Role role) -> Real {
      const Real counted = t + Real(p.whole("offset"));
      return role == Role::key ? 1 : factor(counted < 1 ? 1 : counted, p.real("original_length"));
    };
  };
  testing::expect_stretches(
      "attention_temperature", of_form(true),
      {{"positions below original_length are multiplied by ln(t)/ln(L), too: the factor is not held at 1 there",
        of_queries([](Real t, Real length) { return std::log(t) / std::log(length); })},
       {"the factor is 1 + ln(t/L), not ln(t)/ln(L)",
        of_queries([](Real t, Real length) { return t > length ? 1 + std::log(t / length) : 1; })}},
      {"", "heads=3"});
}

TEST(MisreadAttentionTemperature, is_none_of_the_other_form) {
  for (const bool logarithm : {false, true})
    for (const Misreading& one : of_form(logarithm).misreadings)
      EXPECT_THROW(one.make(with(encoding_named("attention_temperature"),
                                 Case::parse(logarithm ? "form=steps" : "form=logarithm"))),
                   Refusal)
          << one.what;
}

}  // namespace
}  // namespace posproof::misreadings_attention_temperature_test
