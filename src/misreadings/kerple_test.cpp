#include "catalogue/misreadings/kerple.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_kerple_test {
namespace {

using testing::EntryFormula, testing::Real;

EntryFormula of(Real (*kernel)(Real r1, Real r2, Real exponent, Real distance)) {
  return [kernel](const Arguments& p, std::size_t head, Position i, Position j) {
    const auto number = [&](std::string_view name) -> Real {
      const std::vector<double>& list = p.list(name);
      return head < list.size() ? list[head] : list.back();
    };
    const Position distance = j > i && p.is("form", "causal") ? 0 : std::abs(i - j);
    return kernel(number("r1"), number("r2"), number("exponent"), Real(distance));
  };
}

TEST(MisreadKerple, is_what_the_sentence_says) {
  testing::expect_biases(
      "kerple", misreadings::kerple,
      {{"the 1 in the logarithm is left out: -r1 ln(r2 |i - j|)",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log(r2 * d); })},
       {"1e-6 stands for the 1 in the logarithm: -r1 ln(r2 |i - j| + 1e-6)",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log(1e-6L + r2 * d); })},
       {"1e-5 stands for the 1 in the logarithm: -r1 ln(r2 |i - j| + 1e-5)",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log(1e-5L + r2 * d); })},
       {"1e-8 stands for the 1 in the logarithm: -r1 ln(r2 |i - j| + 1e-8)",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log(1e-8L + r2 * d); })},
       {"r2 multiplies the 1 as well: -r1 ln(r2 (1 + |i - j|))",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log(r2 + r2 * d); })},
       {"the logarithm is left out: -r1 r2 |i - j|",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * r2 * d; })},
       {"r1 is inside the logarithm: -ln(1 + r1 r2 |i - j|)",
        of([](Real r1, Real r2, Real, Real d) { return -std::log(1 + r2 * d * r1); })},
       {"the logarithm is log2, not ln: -r1 log2(1 + r2 |i - j|)",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log2(1 + r2 * d); })},
       {"the logarithm is log10, not ln: -r1 log10(1 + r2 |i - j|)",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log10(1 + r2 * d); })},
       {"r1 and r2 are exchanged: -r2 ln(1 + r1 |i - j|)",
        of([](Real r1, Real r2, Real, Real d) { return -r2 * std::log(1 + d * r1); })},
       {"the logarithm is divided by r1: -ln(1 + r2 |i - j|) / r1",
        of([](Real r1, Real r2, Real, Real d) { return -std::log(1 + r2 * d) / r1; })},
       {"the logarithm is half of that with the square of the distance: -r1 ln(1 + r2 |i - j|^2) / 2",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log(std::sqrt(1 + r2 * d * d)); })},
       {"r2 is 1 at least: -r1 ln(1 + max(r2, 1) |i - j|)",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::log(1 + (r2 < 1 ? 1 : r2) * d); })},
       {"r2 is the power of the sum: -r1 ln((1 + |i - j|)^r2)",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * r2 * std::log(1 + d); })},
       {"r1 is inside the power: -(r1 |i - j|)^r2",
        of([](Real r1, Real r2, Real, Real d) { return d == 0 ? 0 : -std::exp(r2 * std::log(r1 * d)); })},
       {"r2 is the base, not the exponent: -r1 r2^|i - j|",
        of([](Real r1, Real r2, Real, Real d) { return -r1 * std::exp(d * std::log(r2)); })},
       {"the exponent is limited to 1: -r1 |i - j|^min(r2, 1)", of([](Real r1, Real r2, Real, Real d) {
          return r2 > 1 ? -r1 * d : d == 0 ? 0 : -r1 * std::exp(r2 * std::log(d));
        })},
       {"the exponent is of the product: -r1 ln(1 + (r2 |i - j|)^exponent)",
        of([](Real r1, Real r2, Real e, Real d) { return -r1 * std::log(1 + std::pow(r2 * d, e)); })},
       {"the exponent is of the logarithm: -r1 ln(1 + r2 |i - j|)^exponent",
        of([](Real r1, Real r2, Real e, Real d) { return -r1 * std::pow(std::log(1 + r2 * d), e); })},
       {"the exponent is of the sum: -r1 ln((1 + r2 |i - j|)^exponent)",
        of([](Real r1, Real r2, Real e, Real d) { return -r1 * e * std::log(1 + r2 * d); })}},
      {"", "form=symmetric"});
}

TEST(MisreadKerple, has_factors_below_1_where_they_become_1) {
  for (const Misreading& one : misreadings::kerple.misreadings)
    if (one.what.starts_with("r2 is 1 at least"))
      EXPECT_THROW(one.make(with(encoding_named("kerple"), Case::parse("heads=2 r2=[1,2]"))), Refusal);
}

// The kernel of its own setting is the only one that a misreading is of.
TEST(MisreadKerple, is_of_one_kernel) {
  for (const Misreading& one : misreadings::kerple.misreadings) {
    const Parameters own = with(encoding_named("kerple"), Case::parse(std::string(one.setting)));
    for (const std::string kernel : {"log", "power", "log_power"}) {
      const Parameters words =
          with(encoding_named("kerple"), Case::parse("heads=2 r2=[0.5,1.5] kernel=" + kernel));
      if (own.word("kernel") == kernel)
        EXPECT_NO_THROW(one.make(words)) << one.what;
      else
        EXPECT_THROW(one.make(words), Refusal) << one.what << "; " << kernel;
    }
  }
}

// Of three heads with two numbers the third has the second.
TEST(MisreadKerple, has_numbers_for_each_head) {
  const Parameters words =
      with(encoding_named("kerple"), Case::parse("heads=3 r1=[2,5] r2=[0.5,3] kernel=log"));
  for (const Misreading& one : misreadings::kerple.misreadings) {
    if (!one.what.starts_with("the logarithm is left out")) continue;
    const Position query = 7, key = 3;
    EXPECT_EQ(as<Bias>(one.make(words)).bias({&query, 1}, {&key, 1}).data,
              (std::vector<double>{-4, -60, -60}));
  }
}

}  // namespace
}  // namespace posproof::misreadings_kerple_test
