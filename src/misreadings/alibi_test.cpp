// The slopes of each head, by a recurrence of their own, in the bits of a format.
#include "catalogue/misreadings/alibi.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_alibi_test {
namespace {

using testing::EntryFormula, testing::Real;

// Of the official rule: 2^(-8 k / n) with k = 1, 2, .. of the largest power of 2, n, and of 2n then k = 1, 3,
// ..
Real slope_of(std::size_t heads, std::size_t head) {
  const std::size_t n = std::bit_floor(heads);
  const auto k = static_cast<Real>(head < n ? 2 * (head + 1) : 2 * (head - n) + 1);
  return std::pow(Real{2}, -8 * k / static_cast<Real>(2 * n));
}

EntryFormula in_bits(int bits) {
  return [bits](const Arguments& p, std::size_t head, Position i, Position j) {
    int exponent = 0;
    const Real fraction = std::frexp(slope_of(p.width("heads"), head), &exponent);
    const Real kept = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
    return j > i && p.is("form", "causal") ? 0 : -kept * static_cast<Real>(std::abs(i - j));
  };
}

TEST(MisreadAlibi, is_what_the_sentence_says) {
  testing::expect_biases("alibi", misreadings::alibi,
                         {{"slopes are rounded to f16", in_bits(11)},
                          {"slopes are rounded to bf16", in_bits(8)},
                          {"slopes are rounded to bf16 or f16", in_bits(8)}},
                         {"", "form=symmetric"});
}

// Powers of 2 are numbers of every format.
TEST(MisreadAlibi, is_none_where_slopes_stay) {
  for (const Misreading& one : misreadings::alibi.misreadings)
    EXPECT_THROW(one.make(Case::parse("heads=8")), Refusal) << one.what;
  EXPECT_THROW(misreadings::alibi.misreadings.front().make(Case::parse("heads=12")), Refusal);
  EXPECT_THROW(misreadings::alibi.misreadings.back().make(Case::parse("heads=24")), Refusal);
}

}  // namespace
}  // namespace posproof::misreadings_alibi_test
