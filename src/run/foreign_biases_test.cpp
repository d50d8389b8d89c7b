// Biases as released code writes them, in float32: the right ones hold and use much of what is allowed, and
// those that are wrong in one way are refuted.
#include <gtest/gtest.h>

#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/search.h"
#include "search/trial.h"
#include "subject/testing/subjects.h"

namespace posproof::foreign_biases_test {
namespace {

// The answer to each of a hundred cases of agreement, from one process.
Verdict found(const std::string& encoding, const std::string& parameters, const std::string& wrong) {
  const EncodingSpec& spec = encoding_named(encoding);
  const Parameters all = with(spec, Case::parse(parameters));
  const Encoding truth = spec.oracle(all);
  const Subject subject = open(testing::python("src/subject/testing/biases.py", wrong),
                               {.encoding = encoding, .parameters = all, .declared = {truth}});
  return search(*trial(agreement(truth), subject.encoding, subject.precision),
                {.id = std::string(agreement_id), .budget = {.cases = 100, .shrinks = 0}});
}

// `share`: of the bound, used at least. `otherwise`: other ways to form the same.
void expect(const std::string& encoding, const std::string& parameters, double share,
            const std::vector<std::string>& wrong, const std::vector<std::string>& otherwise = {}) {
  SCOPED_TRACE(encoding + " " + parameters);
  const Verdict right = found(encoding, parameters, "");
  const auto* holds = std::get_if<Holds>(&right);
  ASSERT_NE(holds, nullptr) << name(right);
  EXPECT_GE(holds->worst.error_over_bound(), share);
  for (const std::string& one : wrong) EXPECT_EQ(name(found(encoding, parameters, one)), "refuted") << one;
  for (const std::string& one : otherwise) EXPECT_EQ(name(found(encoding, parameters, one)), "holds") << one;
}

TEST(ForeignBiases, of_kerple) {
  expect("kerple", "heads=2 r1=[0.7,1.3] r2=[0.9,0.2]", 0.1,
         {"nothing", "binary_logarithm", "first_parameters", "without_1"});
  expect("kerple", "heads=2 kernel=power r1=[0.7,1.3] r2=[1.9,0.3] form=symmetric", 0.1, {"bf16_distance"});
  expect("kerple", "heads=2 kernel=log_power r1=[0.7] r2=[0.9] exponent=[1.3,0.6]", 0.1, {"no_exponent"});
}

TEST(ForeignBiases, of_sandwich) {
  expect("sandwich", "heads=3 dim=16", 0.04, {"no_cosine", "other_first", "ratios_reversed"});
  expect("sandwich", "heads=1 dim=2 base=30", 0.1, {});
}

TEST(ForeignBiases, of_fire) {
  expect("fire", "heads=2 width=32", 0.03, {"clamped_from_above", "no_threshold", "epsilon"});
  expect("fire", "heads=1 width=8 c=2 threshold=8.5 epsilon=1e-6", 0.1, {});
}

TEST(ForeignBiases, of_x_transformers) {
  expect("dynamic_position_bias", "heads=2 width=8", 0.005,
         {"no_sign", "other_sign", "clipped", "no_biases", "no_last_biases", "one_layer_is_linear",
          "other_function"},
         {"product"});
  expect("dynamic_position_bias", "heads=3 width=16 depth=1 activation=relu scale=log", 0.03,
         {"binary", "no_sign", "other_function"});
  expect("dynamic_position_bias", "heads=1 width=4 depth=3 offset=distance std=1", 0.005,
         {"no_biases", "clipped"});
}

TEST(ForeignBiases, of_windows) {
  expect("relative_table", "heads=2 height=3 width=5 table=seeded scale=5.65", 0.1,
         {"square", "axes_exchanged", "other_sign", "unscaled"});
  expect("relative_table", "heads=2 axes=line width=9 relative=key_minus_query", 0, {"other_sign"});
  expect("relative_table", "heads=2 height=3 width=5 relative=distance table=seeded scale=5.65", 0.1,
         {"signed_columns", "one_number"});
  expect("relative_table",
         "heads=2 axes=time_rows_and_columns frames=3 height=2 width=4 table=seeded scale=5.65", 0.1,
         {"own_frames", "own_rows", "other_sign", "unscaled"});
}

TEST(ForeignBiases, of_swin_v2) {
  const std::vector<std::string> wrong = {"no_sign",       "no_8",           "no_sigmoid",
                                          "no_16",         "no_relu",        "axes_exchanged",
                                          "natural_above", "no_parentheses", "over_extent"};
  expect("log_cpb", "heads=2 hidden=16 height=4 width=6 std=0.25", 0.03, wrong, {"natural", "tanh"});
  expect("log_cpb", "heads=3 hidden=16 height=7 width=3 std=0.25 pretrained=[4,6] mlp_seed=2", 0.03,
         {"own_window", "no_sign"}, {"natural", "tanh"});
  expect("log_cpb", "heads=1 hidden=8 height=5 width=9 coordinates=raw limit=none", 0.03,
         {"binary", "no_sign"});
}

// Modes `cr` and `rw` of RelPosMlp.
TEST(ForeignBiases, of_timm) {
  expect(
      "log_cpb",
      "heads=2 hidden=8 height=5 width=3 std=0.5 coordinates=raw limit=none last_biases=trained class_token=zero",
      0.03, {"no_last_biases", "class_offsets", "binary", "axes_exchanged"});
  expect("log_cpb",
         "heads=2 hidden=8 height=5 width=3 std=0.5 coordinates=edge_at_1 limit=tanh last_biases=trained",
         0.03, {"no_last_biases", "base_8", "no_tanh", "no_4", "over_extent", "no_sign"});
}

TEST(ForeignBiases, of_alibi) {
  expect("alibi", "heads=12 rule=log_linear form=symmetric", 0.1, {"geometric"});
  expect("alibi", "heads=5 biased_heads=3 head_dim=80 form=asymmetric future_factor=0.3 future_offset=1", 0.1,
         {"slopes_of_all", "added_after", "symmetric", "no_offset"});
}

TEST(ForeignBiases, of_alibi_on_a_grid) {
  expect("alibi", "heads=3 form=symmetric axes=rows_and_columns grid=[9,5]", 0.05,
         {"squared", "largest", "rows_alone", "by_number", "other_metric"});
  expect(
      "alibi",
      "heads=2 form=symmetric axes=rows_and_columns grid=[4,7] metric=manhattan class_token=zero head_dim=10",
      0.03, {"class_at_a_place", "rows_alone", "other_metric"});
  expect("alibi", "heads=3 form=symmetric axes=time_rows_and_columns grid=[3,5,4] max_bias=5", 0.08,
         {"squared", "largest"});
}

}  // namespace
}  // namespace posproof::foreign_biases_test
