// Each defect is said to behave like itself, and like no other that it can be told from.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "catalogue/defects.h"
#include "diagnosis/testing/diagnosed.h"

namespace posproof::defects_told_apart_test {
namespace {

using testing::Diagnosed;
using testing::Names;

// Of these defects (of all, where none is named) that make a difference in this setting: what each is said to
// behave like, where that is not its own name alone.
std::map<std::string, Names> confused(const std::string& family, const std::string& words,
                                      const Names& only = {}) {
  std::map<std::string, Names> out;
  std::size_t asked = 0;
  for (const auto& [id, defects] : catalogue::defects())
    for (const Defect& defect : defects->defects) {
      const std::string name(defect.name);
      if (id != family || (!only.empty() && std::ranges::find(only, name) == only.end())) continue;
      const Diagnosed one{family, words, defect.make, defect.precision};
      try {
        defect.make(one.parameters());
      } catch (const Refusal&) {
        continue;
      }
      ++asked;
      if (const Names names = one.names(); names != Names{family + "/" + name}) out[name] = names;
    }
  EXPECT_GE(asked, std::max<std::size_t>(1, only.size()));
  return out;
}

using Confused = std::map<std::string, Names>;

TEST(DiagnosisOfDefects, of_rope_tells_all_apart_that_differ) {
  EXPECT_EQ(confused("rope", "dim=8 heads=3 base=500000"),
            (Confused{{"base_ignored", {"--base 10000", "rope/base_ignored"}},
                      {"pairing_swapped", {"--layout interleaved", "rope/pairing_swapped"}}}));
}

TEST(DiagnosisOfDefects, of_a_partial_rope) {
  EXPECT_EQ(confused("rope", "dim=8 rotary_dim=4 base=500000",
                     {"exponent_over_head_dim", "table_padded_over_full_head", "partial_factor_ignored",
                      "exponent_halved", "exponent_over_pairs_minus_one", "packs_of_16_shuffled"}),
            (Confused{{"exponent_halved", {"--exponent dim", "rope/exponent_halved"}},
                      {"exponent_over_pairs_minus_one",
                       {"rope/exponent_doubled", "rope/exponent_over_pairs_minus_one"}},
                      {"partial_factor_ignored", {"--rotary_dim 0", "rope/partial_factor_ignored"}}}));
  EXPECT_EQ(confused("rope", "dim=34", {"warp_shuffle_limit", "rest_of_64_tokens_left_alone"}), Confused{});
}

TEST(DiagnosisOfDefects, of_one_head_and_of_two) {
  const Names one_head = {"rope/frequencies_never_initialised", "rope/position_is_the_head"};
  EXPECT_EQ(confused("rope", "dim=4", {"frequencies_never_initialised", "position_is_the_head"}),
            (Confused{{"frequencies_never_initialised", one_head}, {"position_is_the_head", one_head}}));
  const Names two_heads = {"rope/first_head_only", "rope/last_head_left_alone"};
  EXPECT_EQ(
      confused("rope", "dim=4 heads=2", {"first_head_only", "last_head_left_alone", "position_plus_head"}),
      (Confused{{"first_head_only", two_heads}, {"last_head_left_alone", two_heads}}));
}

// Another convention is said first. One that raises in every call has no answers to compare.
TEST(DiagnosisOfDefects, of_grids) {
  EXPECT_EQ(confused("axial_rope", "dim=8"),
            (Confused{{"halves_exchanged", {"--axis_order reversed", "axial_rope/halves_exchanged"}},
                      {"ladder_half_range", {"--base 100", "axial_rope/ladder_half_range"}}}));
  EXPECT_EQ(confused("m_rope", "dim=12 sections=[2,2,2]"),
            (Confused{{"assignment_swapped", {"--assignment interleaved", "m_rope/assignment_swapped"}},
                      {"tokens_counted_three_times", {}}}));
  EXPECT_EQ(confused("sincos_2d", "dim=8 normalize=centred grid=[5,3]"), Confused{});
}

TEST(DiagnosisOfDefects, of_relatives) {
  EXPECT_EQ(confused("resized_table", "dim=2 from_height=2 from_width=3 height=3 width=5 kept_rows=1"),
            Confused{});
  EXPECT_EQ(confused("xpos", "dim=4"),
            (Confused{{"centre_of_each_call", {"--centre_at half_of_call", "xpos/centre_of_each_call"}}}));
  EXPECT_EQ(confused("shaw", "dim=2 clip=2"), Confused{});
  EXPECT_EQ(confused("transformer_xl", "dim=2 form=bidirectional"), Confused{});
}

TEST(DiagnosisOfDefects, of_scalings) {
  const Confused ignored = {{"scaling_ignored", {"--scaling none", "rope/scaling_ignored"}}};
  EXPECT_EQ(confused("rope", "dim=8 scaling=linear", {"scaling_ignored", "linear_scale_in_exponent"}),
            ignored);
  // A model that was trained on a million positions scales no frequency, either: the first setting is named.
  EXPECT_EQ(confused("rope", "dim=8 scaling=llama3 original_length=64",
                     {"scaling_ignored", "llama3_smoothing_in_wavelength"}),
            ignored);
  EXPECT_EQ(confused("rope", "dim=8 scaling=yarn original_length=512",
                     {"scaling_ignored", "yarn_attention_factor_ignored", "yarn_betas_swapped"}),
            ignored);
  EXPECT_EQ(confused("rope", "dim=8 scaling=ntk", {"scaling_ignored"}), ignored);
}

TEST(DiagnosisOfDefects, of_sinusoidal_tells_all_apart) {
  EXPECT_EQ(confused("sinusoidal", "dim=6"), Confused{});
  EXPECT_EQ(confused("sinusoidal", "dim=5 odd=zero_pad layout=sin_cos"),
            (Confused{{"odd_width_raises", {}}}));  // what raises gives nothing to compare
}

// Of a matrix that is kept the case that refuted it is right when it comes first.
TEST(DiagnosisOfDefects, of_biases_tells_all_apart_that_answer) {
  EXPECT_EQ(confused("alibi", "heads=6"),
            (Confused{{"cached_matrix_too_small", {}},
                      {"geometric_for_any_head_count",
                       {"--rule geometric", "alibi/geometric_for_any_head_count"}}}));
  EXPECT_EQ(confused("alibi", "heads=8 form=symmetric"), (Confused{{"cached_matrix_too_small", {}}}));
  EXPECT_EQ(confused("none", "dim=4"), Confused{});
  EXPECT_EQ(
      confused("t5_bias", "heads=2 direction=unidirectional"),
      (Confused{{"decoder_bidirectional", {"--direction bidirectional", "t5_bias/decoder_bidirectional"}}}));
  EXPECT_EQ(confused("t5_bias", "heads=2 table=seeded"), Confused{});
}

// Past its end a table is not compared: what it does there is for call/refuses_out_of_range.
TEST(DiagnosisOfDefects, of_learned_tells_those_apart_that_show_within_the_table) {
  const Confused past_the_end = {
      {"clamps_past_the_end", {}}, {"returns_zero_past_the_end", {}}, {"wraps_past_the_end", {}}};
  EXPECT_EQ(confused("learned", "dim=2 length=512"), past_the_end);
  EXPECT_EQ(confused("learned", "dim=2 length=512 offset=2", {"offset_missing", "offset_twice"}),
            (Confused{{"offset_missing", {"--offset 0", "learned/offset_missing"}}}));
}

}  // namespace
}  // namespace posproof::defects_told_apart_test
