// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/selective_rope.h"
#include <gtest/gtest.h>
#include "attention/reference_attention.h"
#include "catalogue/encodings/rope.h"

#include <cmath>

#include "encodings/asked.h"

namespace posproof::selective_rope_test {
namespace {

using namespace asked;

TEST(SelectiveRope, has_the_golden_answers) {
  expect_answers(encodings::selective_rope, "dim=2",
                 {1, 0, 0.46097076686708239, 0.53902923313291761, -0.1946106844691107, 1.1946106844691107});
  expect_answers(encodings::selective_rope, "dim=2 gate=sigmoid",
                 {1, 0, 0.48992794837442926, 0.51007205162557074, -0.174467660800859, 1.174467660800859});
}

TEST(SelectiveRope, is_rope_where_all_increments_are_one) {
  Tensor q({3, 4}), k({3, 4}), v({3, 4});
  for (std::size_t e = 0; e < 12; ++e) {
    q.data[e] = static_cast<double>(e * 5 % 7) - 3;
    k.data[e] = static_cast<double>(e * 3 % 8) / 4 - 1;
    v.data[e] = static_cast<double>(e % 5);
  }
  for (const std::string layout : {"half_split", "interleaved"}) {
    const Encoding rope = encodings::rope.make(Case::parse("dim=4 base=10 layout=" + layout));
    expect_near(answers(encodings::selective_rope, "dim=4 base=10 increment_std=0 layout=" + layout, q, k, v),
                answers(attention::reference_attention(rope), q, k, v), 5e-15, layout);
  }
}

TEST(SelectiveRope, has_no_position_without_increments) {
  const Numbers y = answers(encodings::selective_rope, "dim=2 increment_std=0 step=0");
  double whole = 0, first = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    const double weight = std::exp((2 * k3.at(j, 0) + k3.at(j, 1)) / std::sqrt(2.0));
    whole += weight, first += weight * v3.at(j, 0);
  }
  EXPECT_NEAR(y[4], first / whole, 1e-15);
}

}  // namespace
}  // namespace posproof::selective_rope_test
