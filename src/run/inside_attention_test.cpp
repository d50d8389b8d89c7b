// What acts inside attention as models write it, in float32: the right ones hold, and use some of what they
// are allowed; ones that are wrong in one way are refuted.
#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/search.h"
#include "search/trial.h"
#include "subject/testing/subjects.h"

namespace posproof::inside_attention_test {
namespace {

Verdict verdict(const std::string& encoding, const std::string& words, const std::string& wrong) {
  const EncodingSpec& spec = encoding_named(encoding);
  const Parameters parameters = with(spec, Case::parse(words));
  const Subject subject =
      open(testing::python("src/subject/testing/inside_attention.py", wrong),
           {.encoding = encoding, .parameters = parameters, .declared = {spec.make(parameters)}});
  const auto one = trial(agreement(spec.oracle(parameters)), subject.encoding, subject.precision);
  return search(*one, {.id = encoding + wrong, .budget = {.cases = 1000, .shrinks = 0}});
}

// By an answer that is another number, not by an error or another shape.
bool answers_wrongly(const Verdict& found) {
  const auto* refuted = std::get_if<Refuted>(&found);
  return refuted != nullptr && refuted->residual.bound > 0 && std::isfinite(refuted->residual.error);
}

void expect(const std::string& encoding, const std::string& parameters,
            const std::vector<std::string>& wrong = {}) {
  const Verdict right = verdict(encoding, parameters, "");
  ASSERT_TRUE(std::holds_alternative<Holds>(right)) << encoding << " " << parameters << ": " << name(right);
  const double used = std::get<Holds>(right).worst.error_over_bound();
  EXPECT_GT(used, 0.05) << encoding << " " << parameters << ": the bound is too wide";
  for (const std::string& one : wrong)
    EXPECT_TRUE(answers_wrongly(verdict(encoding, parameters, one))) << encoding << " " << one;
}

TEST(InsideAttention, of_shaw) {
  expect("shaw", "dim=4 clip=5", {"mirrored", "one_less"});
  expect("shaw", "dim=2 clip=2 relative=query_minus_key", {"mirrored"});
  expect("shaw_values", "dim=4 clip=3", {"values_mirrored", "one_table"});
  expect("shaw", "dim=4 clip=5 beyond=zero", {"mirrored", "one_less", "window_less"});
  // Of a key of zeros, whose logit beyond the window is exactly 0.
  EXPECT_EQ(name(verdict("shaw", "dim=4 clip=5 beyond=zero", "window_more")), "refuted");
  expect("shaw_values", "dim=4 clip=3 beyond=zero", {"window_less", "window_more", "values_clipped"});
  expect("shaw", "dim=4 clip=5 clip_right=2", {"mirrored", "sides_swapped", "right_less"});
  expect("shaw", "dim=4 clip=3 clip_right=0 relative=query_minus_key beyond=zero", {"sides_swapped"});
  expect("shaw_values", "dim=4 clip=3 clip_right=1", {"sides_swapped", "right_less"});
}

TEST(InsideAttention, of_decomposed_relative) {
  expect("decomposed_relative", "dim=4 grid=[5,3]",
         {"mirrored", "swapped", "square", "one_axis", "one_less", "other_scale"});
  expect("decomposed_relative", "dim=2 grid=[2,5,3] query=scaled relative=key_minus_query",
         {"mirrored", "other_scale"});
  expect("decomposed_relative", "dim=4 grid=[4,6] class_token=apart", {"class_meets"});
  expect("decomposed_relative", "dim=4 grid=[6,4] key_grid=[2,8]",
         {"unscaled", "from_the_middle", "mirrored", "one_less"});
  expect("decomposed_relative", "dim=2 grid=[5,3] key_grid=[3,5] class_token=apart",
         {"nearest", "class_meets"});
  expect("decomposed_relative", "dim=4 grid=[8,6] key_grid=[6,6]", {"in_f32"});
  expect("decomposed_relative", "dim=2 grid=[2,3,4] key_grid=[1,6,5] relative=key_minus_query");
  expect("decomposed_relative", "dim=4 grid=[5,3] table=linear table_rows=[7,13]", {"corners", "one_less"});
  expect("decomposed_relative", "dim=4 grid=[5,3] key_grid=[2,6] table=first_rows table_rows=[11,13]",
         {"last_rows", "unscaled"});
}

TEST(InsideAttention, of_whole_sequences) {
  const auto expect_of_all = [](const std::string& encoding, const std::string& parameters,
                                const std::vector<std::string>& wrong) {
    EXPECT_EQ(name(verdict(encoding, parameters, "'' whole")), "holds") << encoding << " " << parameters;
    for (const std::string& one : wrong)
      EXPECT_TRUE(answers_wrongly(verdict(encoding, parameters, one + " whole"))) << parameters << " " << one;
  };
  expect_of_all("decomposed_relative", "dim=4 grid=[5,3]", {"columns_first", "swapped"});
  expect_of_all("decomposed_relative", "dim=4 grid=[3,4] class_token=apart",
                {"columns_first", "class_meets"});
  expect_of_all("decomposed_relative", "dim=4 grid=[6,4] key_grid=[2,4]", {"columns_first", "one_less"});
  expect_of_all("music_transformer", "dim=4 length=6", {"shifted"});
}

TEST(InsideAttention, of_music_transformer) {
  expect("music_transformer", "dim=4 length=6", {"shifted", "wraps", "met_unscaled"});
  expect("music_transformer", "dim=2 length=6 beyond=repeat");
}

TEST(InsideAttention, of_transformer_xl) {
  expect("transformer_xl", "dim=4 base=10 clamp_len=3", {"other_layout", "one_vector"});
  expect("transformer_xl", "dim=4 base=10 clamp_len=9 form=bidirectional layout=interleaved", {"no_clamp"});
}

TEST(InsideAttention, of_deberta) {
  expect("deberta", "dim=4 span=8", {"other_direction", "scale_of_one_less"});
  expect("deberta", "dim=4 span=16 offsets=log_buckets max_position=64 p2c=paper", {"floor"});
  expect("deberta", "dim=2 terms=c2p");
}

TEST(InsideAttention, of_pope) {
  expect("pope", "dim=4 base=100", {"relu", "exponents_of_pairs"});
  expect("pope", "dim=4 phase=trained scale=one", {"phase_doubled"});
}

TEST(InsideAttention, of_tupe) {
  expect("tupe", "dim=4 length=20", {"one_theta", "row_tied"});
  expect("tupe", "dim=4 length=40 relative=t5", {"cls_has_offsets"});
}

TEST(InsideAttention, of_dape) {
  expect("dape", "dim=2 heads=2 hidden=4", {"relu", "biases_unseen"});
}

TEST(InsideAttention, of_what_forgets) {
  expect("forgetting_transformer", "dim=4", {"own_gate_too", "gates_not_logarithms"});
  expect("cable", "dim=4", {"relu", "other_scale"});
}

TEST(InsideAttention, of_cope) {
  expect("cope", "dim=4 length=4", {"nearest", "not_flipped", "other_counting", "other_gate"});
}

TEST(InsideAttention, of_selective_rope) {
  expect("selective_rope", "dim=4 base=10", {"one_temperature", "own_increment_later", "other_gate"});
}

}  // namespace
}  // namespace posproof::inside_attention_test
