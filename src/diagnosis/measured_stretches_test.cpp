#include "diagnosis/measured_stretches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/call.h"
#include "diagnosis/testing/misread.h"

namespace posproof::measured_stretches_test {
namespace {

using testing::Sentences;

// What is measured of xPos with zeta = (2i/r + added) / divisor, rounded to f32.
std::vector<OtherZeta> measured(double added, double divisor, const std::string& words = "dim=8") {
  const Parameters parameters = testing::parameters_of("xpos", words);
  const Rotary truth = as<Rotary>(encoding_named("xpos").oracle(parameters));
  Rotary subject = truth;
  subject.rotate = [=, pairs = truth.pairs](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = x;
    const std::size_t heads = x.shape[1], n = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double t = positions.at(r / n / heads * n + r % n), e = t / 512,
                     zeta = (static_cast<double>(pair.index) / static_cast<double>(pairs.size()) + added) /
                            divisor,
                     by = std::pow(zeta, role == Role::query ? e : -e), c = by * std::cos(t * pair.frequency),
                     s = by * std::sin(t * pair.frequency), a = x.at(r, pair.first), b = x.at(r, pair.second);
        y.at(r, pair.first) = static_cast<float>(a * c - b * s);
        y.at(r, pair.second) = static_cast<float>(a * s + b * c);
      }
    return y;
  };
  return measured_zetas(subject, truth, parameters, all_f32);
}

Sentences words_of(const std::vector<OtherZeta>& all) {
  Sentences out;
  for (const OtherZeta& one : all) out.push_back(one.words);
  return out;
}

TEST(MeasuredStretches, have_another_number_in_the_place_of_one_gamma) {
  EXPECT_EQ(words_of(measured(0.4, 1.5)),
            Sentences{"zeta is (2i/r + gamma) / 1.5: it is not divided by 1 + gamma, 1.4"});
  EXPECT_EQ(words_of(measured(0.25, 1.4, "dim=8 gamma=0.25")),
            Sentences{"zeta is (2i/r + gamma) / 1.4: it is not divided by 1 + gamma, 1.25"});
  const auto added = measured(0.2, 1.4);
  EXPECT_EQ(words_of(added),
            Sentences{"zeta is (2i/r + 0.2) / (1 + gamma): it is not gamma, 0.4, that is added"});
  ASSERT_EQ(added.size(), 1u);
  ASSERT_EQ(added.front().of_pair.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_DOUBLE_EQ(added.front().of_pair[i], (static_cast<double>(i) / 4 + 0.2) / 1.4);
}

TEST(MeasuredStretches, have_none_where_both_or_neither_differ) {
  EXPECT_EQ(words_of(measured(0.4, 1.4)), Sentences{});
  EXPECT_EQ(words_of(measured(0.3, 1.5)), Sentences{});
  EXPECT_EQ(words_of(measured(0.5, 1.5)), Sentences{});
}

}  // namespace
}  // namespace posproof::measured_stretches_test
