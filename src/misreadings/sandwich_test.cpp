#include "catalogue/misreadings/sandwich.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_sandwich_test {
namespace {

using testing::EntryFormula, testing::Real;

// The sum over all frequencies, less dim/2 where it is centred, times the ratio 8 h / heads to that power.
EntryFormula sum_of(Real (*term)(Real w, Real i, Real j, Real distance), int power = -1, bool whole = false) {
  return [=](const Arguments& p, std::size_t head, Position i, Position j) {
    const Position distance = j > i && p.is("form", "causal") ? 0 : std::abs(i - j);
    const std::int64_t half = p.whole("dim") / 2;
    Real sum = p.is("centre", "zero") ? -Real(half) : 0;
    for (std::int64_t n = p.whole("first_n"); n < p.whole("first_n") + half; ++n)
      sum += term(1 / std::pow(Real(p.real("base")), Real(n) / Real(half)), Real(i), Real(j), Real(distance));
    if (whole) return sum / Real(8 * (head + 1) / p.width("heads"));
    return sum * std::pow(8 * (Real(head) + 1) / Real(p.whole("heads")), Real(power));
  };
}

// Cosines less 1 where they are centred, of all frequencies but so many at either end.
EntryFormula without(std::int64_t first, std::int64_t last) {
  return [=](const Arguments& p, std::size_t head, Position i, Position j) {
    const Position distance = j > i && p.is("form", "causal") ? 0 : std::abs(i - j);
    const std::int64_t half = p.whole("dim") / 2, from = p.whole("first_n");
    Real sum = 0;
    for (std::int64_t n = from + first; n < from + half - last; ++n)
      sum += std::cos(Real(distance) / std::pow(Real(p.real("base")), Real(n) / Real(half))) -
             (p.is("centre", "zero") ? 1 : 0);
    return sum / (8 * (Real(head) + 1) / Real(p.whole("heads")));
  };
}

// Those of 3 heads: 2^-4 and 2^-8 of 2, and the first of 4.
EntryFormula with_slopes_of_3_heads(int power) {
  return [=](const Arguments& p, std::size_t head, Position i, Position j) {
    const Real slope = std::exp2(Real(head == 0 ? -4 : head == 1 ? -8 : -2));
    const auto sum = sum_of([](Real w, Real, Real, Real d) { return std::cos(w * d); }, 0);
    return sum(p, head, i, j) * std::pow(slope, Real(power));
  };
}

TEST(MisreadSandwich, is_what_the_sentence_says) {
  const auto cosine = [](Real w, Real, Real, Real d) { return std::cos(w * d); };
  testing::expect_biases(
      "sandwich", misreadings::sandwich,
      {{"the angles are added up, not their cosines",
        sum_of([](Real w, Real, Real, Real d) { return w * d; })},
       {"the sines of the angles are added up, not their cosines",
        sum_of([](Real w, Real, Real, Real d) { return std::sin(w * d); })},
       {"the products of the two sines are added up, without those of the two cosines",
        sum_of([](Real w, Real i, Real j, Real) { return std::sin(w * i) * std::sin(w * j); })},
       {"the products of the two cosines are added up, without those of the two sines",
        sum_of([](Real w, Real i, Real j, Real) { return std::cos(w * i) * std::cos(w * j); })},
       {"the cosines are of the sum of the two positions, not of the distance",
        sum_of([](Real w, Real i, Real j, Real) { return std::cos(w * i + w * j); })},
       {"the first frequency is missing in the sum", without(1, 0)},
       {"the last frequency is missing in the sum", without(0, 1)},
       {"the sum is multiplied by the ratio of the head, not divided", sum_of(cosine, 1)},
       {"the sum is not divided by the ratio of the head", sum_of(cosine, 0)},
       {"the sum is multiplied by ALiBi's slope of the head, not divided by the ratio 8 h / heads",
        with_slopes_of_3_heads(1)},
       {"the sum is divided by ALiBi's slope of the head, not by the ratio 8 h / heads",
        with_slopes_of_3_heads(-1)},
       {"the ratio of head h is h - 1 + 8 / heads, not 8 h / heads: (h + 1) * 8 / heads with h from 0, "
        "without the brackets",
        [=](const Arguments& p, std::size_t head, Position i, Position j) {
          return sum_of(cosine, 0)(p, head, i, j) / (Real(head) + 8 / Real(p.whole("heads")));
        }},
       {"the ratio of the head, 8 h / heads, is rounded down to a whole number", sum_of(cosine, -1, true)}},
      {"", "form=symmetric", "centre=none", "first_n=0 base=100"});
}

TEST(MisreadSandwich, has_no_other_ratios_without_brackets_of_1_or_8_heads) {
  const Misreading& one = *(misreadings::sandwich.misreadings.end() - 2);
  ASSERT_NE(one.what.find("without the brackets"), std::string_view::npos);
  EXPECT_THROW(one.make(with(encoding_named("sandwich"), Case::parse("heads=1"))), Refusal);
  EXPECT_THROW(one.make(with(encoding_named("sandwich"), Case::parse("heads=8"))), Refusal);
}

TEST(MisreadSandwich, has_whole_ratios_where_others_are_no_whole_ones) {
  const Misreading& whole = misreadings::sandwich.misreadings.back();
  for (const double heads : {1., 2., 4., 8., 12.}) {
    Parameters words;
    words.set("heads", heads);
    EXPECT_THROW(whole.make(words), Refusal) << heads;
  }
}

}  // namespace
}  // namespace posproof::misreadings_sandwich_test
