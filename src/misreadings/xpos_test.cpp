#include "catalogue/misreadings/xpos.h"

#include <gtest/gtest.h>

#include <cmath>

#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_xpos_test {
namespace {

using testing::Real, testing::StretchFormula;

StretchFormula with_zeta(Real (*zeta)(Real i, Real dim, Real gamma), bool of_the_head = false) {
  return [zeta, of_the_head](const Arguments& p, std::size_t pair, Real t, Role role) {
    const auto some = p.whole("rotary_dim"), width = some == 0 || of_the_head ? p.whole("dim") : some;
    const Real exponent = (t - p.real("centre")) / p.real("scale_base"),
               of_pair = zeta(Real(pair), Real(width), p.real("gamma"));
    return std::exp((role == Role::query ? exponent : -exponent) * std::log(of_pair));
  };
}

TEST(MisreadXpos, stretches_as_the_sentence_says) {
  testing::expect_stretches(
      "xpos", misreadings::xpos,
      {{"zeta is (i/r + gamma) / (1 + gamma): i is divided by r, not by r/2",
        with_zeta([](Real i, Real dim, Real g) { return (i / dim + g) / (1 + g); })},
       {"zeta is (i/(r/2 - 1) + gamma) / (1 + gamma): i is divided by r/2 - 1, not by r/2",
        with_zeta([](Real i, Real dim, Real g) { return (2 * i / (dim - 2) + g) / (1 + g); })},
       {"zeta is 2i/r + gamma: it is not divided by 1 + gamma",
        with_zeta([](Real i, Real dim, Real g) { return 2 * i / dim + g; })},
       {"zeta is 2i/r / (1 + gamma) + gamma: gamma is not divided",
        with_zeta([](Real i, Real dim, Real g) { return 2 * i / (dim * (1 + g)) + g; })},
       {"zeta is 2i/r + gamma / (1 + gamma): 2i/r is not divided",
        with_zeta([](Real i, Real dim, Real g) { return 2 * i / dim + g / (1 + g); })},
       {"zeta is gamma + (1 - gamma) 2i/r, not (2i/r + gamma) / (1 + gamma)",
        with_zeta([](Real i, Real dim, Real g) { return 2 * i / dim + g - g * 2 * i / dim; })},
       {"zeta is (1 - 2i/r + gamma) / (1 + gamma): it falls from pair to pair",
        with_zeta([](Real i, Real dim, Real g) { return 1 - 2 * i / (dim * (1 + g)); })},
       {"zeta is over the channels of the head, where those of rotary_dim rotate",
        with_zeta([](Real i, Real dim, Real g) { return (2 * i / dim + g) / (1 + g); }, true)}},
      {"", "centre=16 heads=3 gamma=1 scale_base=64", "rotary_dim=4 gamma=1"});
}

TEST(MisreadXpos, runs_to_1_in_more_pairs_than_one) {
  Parameters words;
  words.set("dim", 2.0);
  for (const Misreading& one : misreadings::xpos.misreadings)
    if (one.what.find("r/2 - 1") != std::string_view::npos) {
      EXPECT_THROW(one.make(words), Refusal);
    }
}

// A call of 9 tokens is about 4, or 5.
TEST(MisreadXpos, stretches_about_the_middle_of_a_call_as_about_a_position) {
  const std::vector<Position> positions = {8, 0, 3};
  const Tensor x({1, 1, 3, 8}, std::vector<double>(24, 1));
  for (const Misreading& one : misreadings::xpos.misreadings)
    for (const auto& [half, centre] : {std::pair{"half_of_call", 4.0}, {"half_of_call_rounded_up", 5.0}}) {
      Parameters of_call, of_position;
      of_call.set("dim", 8.0), of_position.set("dim", 8.0);
      of_call.set("rotary_dim", 4.0), of_position.set("rotary_dim", 4.0);
      of_call.set("centre_at", std::string(half)), of_position.set("centre", centre);
      EXPECT_EQ(as<Rotary>(one.make(of_call)).rotate(x, positions, Role::key).data,
                as<Rotary>(one.make(of_position)).rotate(x, positions, Role::key).data)
          << one.what;
    }
}

}  // namespace
}  // namespace posproof::misreadings_xpos_test
