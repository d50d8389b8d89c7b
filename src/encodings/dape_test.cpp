// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/dape.h"
#include <gtest/gtest.h>
#include "catalogue/encodings/alibi.h"

#include <cmath>

#include "encodings/asked.h"

namespace posproof::dape_test {
namespace {

using namespace asked;

const Places places = {{0, 0}, {3, 1}, {1, 3}, {9, 2}, {2, 60}};

TEST(Dape, has_the_golden_logits) {
  expect_logits(
      encodings::dape, "dim=2 heads=2 hidden=3", places,
      {4.5671989075349886, 4.3684447647217, 4.3684447647217, 3.8715594076884787, 2.9488883540205402});
  expect_logits(encodings::dape, "dim=2 heads=2 hidden=3", places,
                {-0.70754040332701441, -0.47452762356847162, -0.47452762356847162, 0.10800432582788537,
                 4.1377613450225013},
                1);
}

TEST(Dape, adds_the_biases_of_alibi_or_leaves_them_to_the_network) {
  const std::string_view words = "dim=2 heads=2 hidden=3";
  for (const std::size_t head : {0, 1})
    EXPECT_NEAR(logit(encodings::dape, words, q4, k4, 9, 2, head) -
                    logit(encodings::dape, "dim=2 heads=2 hidden=3 residual=logits", q4, k4, 9, 2, head),
                head == 0 ? -7.0 / 16 : -7.0 / 256, 1e-15);
}

// The network looks at all heads: a content of the second changes the first.
TEST(Dape, lets_heads_see_each_other) {
  EXPECT_NE(logit(encodings::dape, "dim=2 heads=2 hidden=3", {1, -0.5, 2, 0.25}, k4, 9, 2, 0),
            logit(encodings::dape, "dim=2 heads=2 hidden=3", {1, -0.5, 2, 0.5}, k4, 9, 2, 0));
}

TEST(Dape, refuses_heads_whose_slopes_are_roots) {
  EXPECT_EQ(message([] { encodings::dape.make(Case::parse("heads=3")); }),
            "`heads=3`; allowed: powers of two, whose slopes 2^(-8h/heads) are exact");
}

}  // namespace
}  // namespace posproof::dape_test
