// RoPE's family as released models write it, in float32: the right ones hold, and one that is wrong in its
// scaling alone is refuted.
#include <gtest/gtest.h>

#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/gate.h"
#include "subject/testing/subjects.h"

namespace posproof {
namespace {

std::string verdict(const std::string& parameters, const std::string& wrong) {
  const EncodingSpec& rope = encoding_named("rope");
  const GateResult found =
      gate("rope", rope, with(rope, Case::parse(parameters)),
           testing::python("src/subject/testing/scaled_rope.py", wrong),
           {.two_heads = true, .budget = {.cases = 100}, .filter = std::string(agreement_id)});
  return std::string(name(found.results.front().verdict));
}

void expect(const std::string& parameters, const std::vector<std::string>& wrong) {
  EXPECT_EQ(verdict(parameters, ""), "holds") << parameters;
  for (const std::string& one : wrong) EXPECT_EQ(verdict(parameters, one), "refuted") << one;
}

TEST(ScaledRopes, of_longrope) {
  expect("dim=16 scaling=longrope factor=32 original_length=4096 factors=[1,1.05,1.3,2.25,4.5]",
         {"one_factor", "factor_ignored"});
  expect("dim=8 scaling=longrope factors=[2,2,2,2]", {});  // one run, which its text folds
}

TEST(ScaledRopes, of_llama3_with_a_ramp_and_with_a_step) {
  expect("dim=64 base=500000 scaling=llama3", {"low_doubled"});
  expect("dim=128 base=500000 scaling=llama3 factor=16 low_freq_factor=1 high_freq_factor=1",
         {"low_doubled"});
}

TEST(ScaledRopes, of_yarn_with_two_scales) {
  expect("dim=64 scaling=yarn factor=40 original_length=4096 mscale=0.707 mscale_all_dim=1",
         {"all_dim_ignored"});
}

TEST(ScaledRopes, of_the_fastest_pairs_and_of_the_last_channels) {
  expect("dim=16 kept_pairs=3", {"one_more_kept", "halves_of_the_kept"});
  expect("dim=16 rotary_dim=8 rotary_part=last", {"other_part"});
}

}  // namespace
}  // namespace posproof
