// RoPE's family as released models write it, in float32: the right ones hold, and one that is wrong in its
// scaling alone is refuted.
#include <gtest/gtest.h>

#include "gate/gate.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "subject/testing/subjects.h"

namespace posproof::scaled_ropes_test {
namespace {

std::string verdict(const std::string& encoding, const std::string& program, const std::string& parameters,
                    const std::string& wrong) {
  const EncodingSpec& spec = encoding_named(encoding);
  const GateResult found =
      gate(encoding, spec, with(spec, Case::parse(parameters)), testing::python(program, wrong),
           {.two_heads = true, .budget = {.cases = 100}, .filter = std::string(agreement_id)});
  return std::string(name(found.results.front().verdict));
}

void expect(const std::string& parameters, const std::vector<std::string>& wrong,
            const std::string& encoding = "rope",
            const std::string& program = "src/subject/testing/scaled_rope.py") {
  EXPECT_EQ(verdict(encoding, program, parameters, ""), "holds") << parameters;
  for (const std::string& one : wrong)
    EXPECT_EQ(verdict(encoding, program, parameters, one), "refuted") << one;
}

void expect_relative(const std::string& encoding, const std::string& parameters,
                     const std::vector<std::string>& wrong) {
  expect(parameters, wrong, encoding, "src/subject/testing/rope_relatives.py");
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

TEST(ScaledRopes, of_dynamic_ntk_by_the_length_of_each_call) {
  expect_relative("rope", "dim=16 scaling=dynamic_ntk factor=4 original_length=2048",
                  {"last_position", "one_forgotten", "plain_power", "tokens_counted"});
  expect_relative("rope", "dim=16 scaling=dynamic_ntk factor=8 original_length=2048 length=8192",
                  {"one_forgotten"});
}

// The length is that of the longest row of a batch, or each row's own: declared as the other, it is refuted.
// In whatever way the program takes positions, it is asked calls of that length.
TEST(ScaledRopes, of_a_length_of_the_batch_and_of_each_row) {
  const std::string dynamic = "dim=8 scaling=dynamic_ntk factor=4 original_length=64 length_of=";
  expect_relative("rope", dynamic + "batch", {"other_rows"});
  expect_relative("rope", dynamic + "row", {"other_rows"});
  expect_relative("rope",
                  "dim=8 scaling=longrope original_length=64 short_factors=[1,1.05] factors=[1.5,2,4,9] "
                  "length_of=row",
                  {"other_rows"});
  for (const std::string way : {"shared", "ascending", "offset", "sequence", "one_row"})
    for (const std::string of : {"batch", "row"})
      EXPECT_EQ(verdict("rope", "src/subject/testing/rope_relatives.py", dynamic + of, way), "holds")
          << of << " " << way;
}

TEST(ScaledRopes, of_longrope_with_a_list_for_short_calls) {
  expect_relative("rope",
                  "dim=8 scaling=longrope original_length=4096 short_factors=[1,1.05] factors=[1.5,2,4,9]",
                  {"below"});
}

TEST(ScaledRopes, of_neighbours_that_are_written_as_halves) {
  expect_relative("rope", "dim=16 layout=interleaved output_layout=half_split", {});
  EXPECT_EQ(verdict("rope", "src/subject/testing/rope_relatives.py", "dim=16 layout=interleaved", ""),
            "holds");
}

TEST(ScaledRopes, of_xpos) {
  expect_relative("xpos", "dim=8", {"zeta_over_half", "centre_one_off", "keys_as_queries"});
  expect_relative("xpos", "dim=8 layout=half_split centre=1024", {});
  // x-transformers rotates 32 channels of a head of 64.
  for (const std::string layout : {"half_split", "interleaved"})
    expect_relative("xpos", "dim=12 rotary_dim=4 layout=" + layout, {"zeta_over_the_head", "kept_scaled"});
}

// torchscale: from -n // 2, which is -(n + 1) // 2 of an odd n. x-transformers and others: t - n // 2.
TEST(ScaledRopes, of_xpos_about_the_middle_of_each_call) {
  const std::string down = "dim=8 centre_at=half_of_call",
                    up = "dim=8 scale_base=64 layout=half_split centre_at=half_of_call_rounded_up";
  expect_relative("xpos", down, {"rounded_otherwise", "half_of_the_last", "other_rows", "keys_as_queries"});
  expect_relative("xpos", down + " length_of=row", {"other_rows"});
  expect_relative("xpos", up, {"rounded_otherwise", "half_of_the_last"});
  for (const std::string way : {"offset", "sequence"})
    EXPECT_EQ(verdict("xpos", "src/subject/testing/rope_relatives.py", up, way), "holds") << way;
  // What is not compared with an oracle: sums far from the centre of a long call, by products in f32.
  const EncodingSpec& spec = encoding_named("xpos");
  const GateResult linear =
      gate("xpos", spec, with(spec, Case::parse("dim=8 scale_base=64 centre_at=half_of_call")),
           testing::python("src/subject/testing/rope_relatives.py"),
           {.two_heads = true, .budget = {.cases = 100}, .filter = "rotary/is_linear"});
  EXPECT_EQ(name(linear.results.front().verdict), "holds");
}

TEST(ScaledRopes, of_queries_with_a_temperature) {
  expect_relative("attention_temperature", "dim=8", {"keys_too", "offset_forgotten", "without_floor"});
  expect_relative("attention_temperature", "dim=8 form=logarithm original_length=2048", {"offset_forgotten"});
}

}  // namespace
}  // namespace posproof::scaled_ropes_test
