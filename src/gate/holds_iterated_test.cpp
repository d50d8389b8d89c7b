#include "gate/holds_iterated.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gate/testing/gated.h"
#include "run/agreement.h"

namespace posproof::holds_iterated_test {
namespace {

using namespace gated;

constexpr std::size_t pairs = 32;

// A rotation in f32 whose angles are, as ggml has them, the position and each the one before times a ratio;
// the last pair's is `last` times that.
Rotary by_steps(Rotary rope, float last) {
  rope.rotate = [last](const Tensor& x, const Positions& positions, Role) {
    const float ratio = std::pow(10000.0F, -1.0F / pairs);
    const std::size_t n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      float angle = static_cast<float>(positions.at(r / (x.shape[1] * n) * n + r % n));
      for (std::size_t i = 0; i < pairs; ++i, angle *= ratio) {
        const float turned = i + 1 == pairs ? angle * last : angle;
        const float c = std::cos(turned), s = std::sin(turned);
        const auto a = static_cast<float>(x.at(r, i)), b = static_cast<float>(x.at(r, i + pairs));
        y.at(r, i) = a * c - b * s;
        y.at(r, i + pairs) = a * s + b * c;
      }
    }
    return y;
  };
  return rope;
}

GateResult of_steps(float last, const Precision& precision, const std::string& filter = "") {
  Gated steps{"rope", "dim=64 heads=2"};
  steps.change = [=](Subject& subject) {
    subject.encoding = by_steps(as<Rotary>(subject.encoding), last);
    subject.precision = precision;
  };
  return steps(60, filter);
}

// What ggml answers is right as `f32+iterated`; as f32 its entries agree, and two rotations are not that by
// their sum.
TEST(HoldsIterated, explains_a_rotation_whose_angles_are_made_one_from_another) {
  const GateResult found = of_steps(1, all_f32);
  ASSERT_TRUE(found.refuted());
  EXPECT_TRUE(std::holds_alternative<Holds>(asking(found, std::string(agreement_id))->verdict));
  EXPECT_EQ(found.holds_as, "f32+iterated");
  Precision iterated = all_f32;
  iterated.how = Precision::Angles::iterated;
  const GateResult declared = of_steps(1, iterated);
  EXPECT_FALSE(declared.refuted()) << not_holding(declared);
  EXPECT_EQ(declared.holds_as, "");
}

// Too fast by 2^-16 in one pair: an entry disagrees, or something else is off by more than steps make.
TEST(HoldsIterated, explains_no_wrong_frequency) {
  const GateResult found = of_steps(1 + 0x1p-16F, all_f32);
  EXPECT_TRUE(found.refuted());
  EXPECT_EQ(found.holds_as, "");
}

// That two rotations are not that by their sum, and the subject by itself.
GateResult one_refuted() {
  GateResult found = of_steps(1, all_f32, "rotary/composes");
  EXPECT_EQ(found.results.size(), 1u);
  EXPECT_TRUE(found.refuted());
  const EncodingSpec& spec = encoding_named("rope");
  found.subject.encoding = by_steps(spec.make<Rotary>(with(spec, Case::parse("dim=64 heads=2"))), 1);
  return found;
}

std::string explained(const GateResult& found) {
  const EncodingSpec& spec = encoding_named("rope");
  return holds_iterated(found, spec.oracle(with(spec, Case::parse("dim=64 heads=2"))), 1,
                        std::chrono::seconds(10));
}

// Nor what does not fail again, or fails by what was asked before; of several properties any.
TEST(HoldsIterated, explains_what_repeats_and_needs_no_history) {
  GateResult found = one_refuted();
  EXPECT_EQ(explained(found), "f32+iterated");
  found.results.push_back(found.results.front());
  found.results.back().needs_history = true;
  EXPECT_EQ(explained(found), "");
  found.results.back().needs_history = false;
  std::get<Refuted>(found.results.back().verdict).repeats = false;
  EXPECT_EQ(explained(found), "");
}

// The counterexample is within what steps make, and what is searched for beside it, twice as large, is not.
TEST(HoldsIterated, asks_more_than_the_counterexample) {
  GateResult found = one_refuted();
  const auto calls = std::make_shared<int>(0);
  found.subject.encoding =
      answered_by(found.subject.encoding, [calls, steps = found.subject.encoding](const Call& call) {
        Tensor out = answer(steps, call);
        const double size = ++*calls > 20 ? 2 : 1;
        for (double& entry : out.data) entry *= size;
        return out;
      });
  EXPECT_EQ(explained(found), "");
  EXPECT_GT(*calls, 20);
}

// Every entry 2^-10 too large: norms are off by more than steps make, and agreement was not asked.
TEST(HoldsIterated, explains_nothing_that_is_off_by_more) {
  Gated turned{"rope", "dim=4 heads=1"};
  turned.change = [](Subject& subject) {
    auto& rope = as<Rotary>(subject.encoding);
    rope.rotate = [](const Tensor& x, const Positions&, Role) {
      Tensor y = x;
      for (double& entry : y.data) entry *= 1 + 0x1p-10;
      return y;
    };
    subject.precision = all_f32;
  };
  const GateResult found = turned(20, "rotary/preserves_norm");
  ASSERT_TRUE(found.refuted());
  EXPECT_EQ(found.holds_as, "");
}

}  // namespace
}  // namespace posproof::holds_iterated_test
