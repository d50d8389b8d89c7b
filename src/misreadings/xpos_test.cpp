#include "catalogue/misreadings/xpos.h"

#include <gtest/gtest.h>

#include <cmath>

#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_xpos_test {
namespace {

using testing::Real, testing::StretchFormula;

StretchFormula with_zeta(Real (*zeta)(Real i, Real dim, Real gamma)) {
  return [zeta](const Arguments& p, std::size_t pair, Real t, Role role) {
    const Real exponent = (t - p.real("centre")) / p.real("scale_base"),
               of_pair = zeta(Real(pair), Real(p.whole("dim")), p.real("gamma"));
    return std::exp((role == Role::query ? exponent : -exponent) * std::log(of_pair));
  };
}

TEST(MisreadXpos, stretches_as_the_sentence_says) {
  testing::expect_stretches(
      "xpos", misreadings::xpos,
      {{"zeta is (i/dim + gamma) / (1 + gamma): i is divided by dim, not by dim/2",
        with_zeta([](Real i, Real dim, Real g) { return (i / dim + g) / (1 + g); })},
       {"zeta is 2i/dim + gamma: it is not divided by 1 + gamma",
        with_zeta([](Real i, Real dim, Real g) { return 2 * i / dim + g; })},
       {"zeta is 2i/dim / (1 + gamma) + gamma: gamma is not divided",
        with_zeta([](Real i, Real dim, Real g) { return 2 * i / (dim * (1 + g)) + g; })},
       {"zeta is 2i/dim + gamma / (1 + gamma): 2i/dim is not divided",
        with_zeta([](Real i, Real dim, Real g) { return 2 * i / dim + g / (1 + g); })},
       {"zeta is gamma + (1 - gamma) 2i/dim, not (2i/dim + gamma) / (1 + gamma)",
        with_zeta([](Real i, Real dim, Real g) { return 2 * i / dim + g - g * 2 * i / dim; })},
       {"zeta is (1 - 2i/dim + gamma) / (1 + gamma): it falls from pair to pair",
        with_zeta([](Real i, Real dim, Real g) { return 1 - 2 * i / (dim * (1 + g)); })}},
      {"", "centre=16 heads=3 gamma=1 scale_base=64"});
}

}  // namespace
}  // namespace posproof::misreadings_xpos_test
