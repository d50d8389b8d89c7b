#include "gate/zeros_agree.h"

#include <gtest/gtest.h>

#include "catalogue/encodings.h"
#include "gate/testing/gated.h"
#include "run/agreement.h"

namespace posproof::zeros_agree_test {
namespace {

using namespace gated;

constexpr Precision half{unit_f32, unit_bf16};

GateResult agreement_of(const std::string& parameters, const Precision& precision) {
  Gated one{"dynamic_position_bias", parameters};
  one.change = [&](Subject& subject) { subject.precision = precision; };
  return one(20, std::string(agreement_id));
}

bool agree(const EncodingSpec& spec, const Parameters& parameters, const Precision& precision) {
  return zeros_agree(spec.oracle(parameters), spec.make(parameters), precision, {.budget = {.cases = 20}});
}

// Three layers of 64 units in bf16: what rounding may do is larger than the bias, and right code and zeros
// are one.
TEST(ZerosAgree, where_rounding_may_be_as_large_as_the_bias) {
  const GateResult found = agreement_of("heads=1 width=64 depth=3", half);
  EXPECT_FALSE(found.refuted());
  EXPECT_EQ(
      verdict<Undecided>(found, agreement_id).why,
      "says nothing: an answer of 0 everywhere is within rounding in bf16 over f32, too, which may be as "
      "large as what is compared");
  const EncodingSpec& spec = encoding_named("dynamic_position_bias");
  EXPECT_FALSE(agree(spec, with(spec, Case::parse("heads=1 width=64 depth=3")), all_f32));
}

TEST(ZerosAgree, with_no_encoding_of_standard_parameters_in_16_bits) {
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Precision& precision : {half, Precision{unit_f32, unit_f16}, all_f32})
      EXPECT_FALSE(agree(*spec, with(*spec, {}), precision)) << id << " in " << precision.text();
}

TEST(ZerosAgree, with_nothing_of_another_kind) {
  const EncodingSpec& spec = encoding_named("alibi");
  EXPECT_FALSE(zeros_agree(spec.oracle(with(spec, {})), Table{.dim = 4}, half, {.budget = {.cases = 20}}));
}

// Every distance is 0 at one position alone, and every entry is.
TEST(ZerosAgree, and_say_what_there_is_where_the_truth_is_0) {
  Gated one{"alibi", "heads=2"};
  one.change = [](Subject& subject) {
    Domain positions(5, 5);
    positions.ends = true;
    subject.encoding = with_positions(subject.encoding, positions);
  };
  const GateResult found = one(5, std::string(agreement_id));
  EXPECT_TRUE(std::holds_alternative<Holds>(asking(found, agreement_id)->verdict));
}

}  // namespace
}  // namespace posproof::zeros_agree_test
