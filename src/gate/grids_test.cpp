// Encodings of tokens on a grid as projects write them, in float32: the right ones hold and use a good part
// of what they are allowed, and one that is wrong in one convention is refuted.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gate/gate.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/search.h"
#include "search/trial.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::gate_grids_test {
namespace {

Verdict verdict(const std::string& encoding, const std::string& parameters, const std::string& words) {
  const EncodingSpec& spec = encoding_named(encoding);
  GateResult found = gate(encoding, spec, with(spec, Case::parse(parameters)),
                          testing::python("src/subject/testing/grids.py", words),
                          {.two_heads = true, .budget = {.cases = 100}, .filter = std::string(agreement_id)});
  return std::move(found.results.front().verdict);
}

void expect(const std::string& encoding, const std::string& parameters, const std::string& project,
            const std::vector<std::string>& wrong) {
  const Verdict right = verdict(encoding, parameters, project);
  const auto* holds = std::get_if<Holds>(&right);
  ASSERT_NE(holds, nullptr) << project << ": " << name(right);
  EXPECT_GT(holds->worst.error_over_bound(), 0.1) << project;
  for (const std::string& one : wrong)
    EXPECT_EQ(name(verdict(encoding, parameters, project + " " + one)), "refuted") << project << " " << one;
}

TEST(Grids, rotated_by_rows_and_columns) {
  expect("axial_rope", "dim=16", "qwen2_vl_vit", {"swapped", "over_dim", "neighbours"});
  expect("axial_rope", "dim=16 layout=interleaved ladder=strided", "pixtral", {"swapped", "even_twice"});
  expect("axial_rope", "dim=16 base=100 layout=interleaved axis_order=reversed", "rope_vit", {"down_first"});
  expect("axial_rope", "dim=16 layout=interleaved order=alternating axis_order=reversed", "moonvit",
         {"in_blocks"});
  expect("axial_rope", "dim=16 base=100 layout=half_split_by_axis", "dust3r", {"halves_of_all"});
  expect("axial_rope", "dim=16 layout=interleaved factor=1.5", "eva02", {"multiplied"});
  expect("axial_rope", "dim=16 layout=interleaved coordinates=resized trained_grid=[16,14] grid=[24,18]",
         "eva02_resized", {"swapped", "one_shape"});
  expect("axial_rope", "dim=16 layout=interleaved axis_order=reversed offset=1", "llama4_vision",
         {"swapped", "from_0", "columns_alone"});
  expect("axial_rope",
         "dim=16 layout=interleaved axis_order=reversed offset=1 coordinates=resized trained_grid=[16,14] "
         "grid=[24,18]",
         "perception_resized", {"swapped", "offset_behind"});
  const std::string of_dinov3 = "dim=16 base=100 coordinates=cells grid=[14,9]";
  expect("axial_rope", of_dinov3, "dinov3",
         {"swapped", "one_extent", "from_the_edge", "from_0", "half_a_turn"});
  expect("axial_rope", of_dinov3 + " extent=largest", "dinov3", {"swapped"});
  expect("axial_rope", of_dinov3 + " extent=smallest", "dinov3", {"one_extent"});
  expect("axial_rope", "dim=16 layout=interleaved coordinates=corners unit=radians grid=[14,9]", "corners",
         {"open"});
  expect("axial_rope", of_dinov3, "dinov3_sequence", {"from_the_edge"});
  const std::string periods =
      "dim=16 coordinates=cells frequencies=periods min_period=0.3 max_period=70 grid=[14,9]";
  expect("axial_rope", periods, "dinov3", {"end_left_out"});
  const std::string bands = "dim=16 layout=interleaved coordinates=corners grid=[14,9] frequencies=";
  expect("axial_rope", bands + "linear_bands max_resolution=10", "pixels", {"not_halved"});
  expect("axial_rope", bands + "log_bands", "pixels", {"turns"});
  expect("mixed_rope", "dim=8 layout=interleaved table=given frequencies=[1,0.3,0.01,0.7,0.2,-0.9,0.03,-0.4]",
         "rope_mixed", {"swapped", "one_sign"});
}

const std::string frequencies_by_head =
    "heads=3 dim=4 layout=interleaved shared=false table=given frequencies=[1,0.3,0.01,0.7,0.2,-0.9,0.03,-0.4,0.6,0.5,-1,0.05]";

TEST(Grids, rotated_by_frequencies_of_each_head) {
  expect(
      "mixed_rope",
      "heads=2 dim=4 layout=interleaved shared=false table=given frequencies=[1,0.3,0.01,0.7,0.2,-0.9,0.03,-0.4]",
      "rope_mixed_by_head", {"swapped", "first_head"});
}

// Key heads that stand for several of ours would be rotated by the frequencies of another head.
TEST(Grids, of_frequencies_of_each_head_have_all_key_heads) {
  const EncodingSpec& spec = encoding_named("mixed_rope");
  const auto said = [&](const std::string& words, const std::string& parameters) -> std::string {
    const Parameters all = with(spec, Case::parse(parameters));
    try {
      open(testing::python("src/subject/testing/grids.py", "rope_mixed_by_head " + words),
           {.encoding = "mixed_rope", .parameters = all, .declared = {spec.oracle(all)}});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "started";
  };
  const std::string why =
      "; with shared=false each of the 3 heads has frequencies of its own, so allowed are ";
  EXPECT_NE(said("one_key_head", frequencies_by_head).find("heads=`(3, 1)`" + why + "(3, 3)"),
            std::string::npos);
  EXPECT_NE(said("one_at_a_time", frequencies_by_head).find("axes=`bnd`" + why + "those with h"),
            std::string::npos);
  EXPECT_EQ(said("", frequencies_by_head), "started");
  EXPECT_EQ(said("one_key_head", "heads=3 dim=4"), "started") << "all heads have the same frequencies";
  EXPECT_EQ(said("one_at_a_time", "heads=1 dim=4 shared=false"), "started");
}

TEST(Grids, rotated_by_time_rows_and_columns) {
  expect("axial_rope", "dim=16 axes=3 layout=interleaved parts=[4,6,6]", "flux",
         {"swapped", "parts_reversed"});
  expect("axial_rope", "dim=16 axes=4 base=2000 layout=interleaved parts=[4,4,4,4]", "flux", {"swapped"});
  expect("axial_rope", "dim=16 axes=3 layout=interleaved", "vjepa2", {"rest_scaled"});
}

TEST(Grids, rotated_by_three_ids) {
  expect("m_rope", "dim=16 sections=[2,3,3]", "qwen2_vl", {"swapped", "restarted"});
  expect("m_rope", "dim=24 sections=[6,3,3] assignment=interleaved", "qwen3_vl", {"one_more"});
  expect("m_rope", "dim=16 sections=[2,2,2] assignment=interleaved leftover=none", "ggml_imrope",
         {"leftover_by_t"});
  expect("m_rope", "dim=16 layout=interleaved sections=[2,3,3] assignment=alternating", "ernie", {"w_first"});
  expect("m_rope", "dim=16 sections=[4,4,0] ladder=restarted", "ggml_vision", {"over_dim"});
}

TEST(Grids, of_sines_and_cosines) {
  expect("sincos_2d", "dim=16 axis_order=reversed", "mae", {"swapped", "minus_one"});
  expect("sincos_2d", "dim=64 axis_order=reversed offset=64 factor=3", "sd3",
         {"swapped", "unscaled", "offset_unscaled"});
  expect("sincos_2d", "dim=16 axis_order=reversed divisor=half_minus_one", "big_vision", {"half"});
  expect("sincos_2d", "dim=16 layout=interleaved offset=1", "detr", {"from_0"});
  expect("sincos_2d", "dim=16 layout=alternating axis_order=reversed offset=1", "loftr",
         {"rows_first", "divided", "sines_of_both"});
  expect("sincos_2d", "dim=16 layout=interleaved offset=1 normalize=detr grid=[50,67]", "detr",
         {"from_0", "one_extent"});
  expect("sincos_2d", "dim=16 layout=interleaved offset=1 normalize=centred grid=[50,67]", "detr",
         {"not_centred"});
  for (const std::string grid : {"normalize=detr grid=[5,7]", "grid=[6,5]"})
    expect("sincos_2d", "dim=16 layout=interleaved offset=1 " + grid, "detr_sequence", {"swapped", "from_0"});
  expect("sincos_2d", "dim=14 layout=interleaved uneven=round_up", "tatp22", {"rounded_down"});
}

TEST(Grids, of_images) {
  expect("sincos_2d", "dim=14 axes=3 axis_order=reversed divisor=half_minus_one uneven=zero_pad",
         "simple_vit_3d", {"padded"});
  expect("sincos_2d", "dim=16 axes=3 parts=[8,4,4]", "vjepa_3d", {"uniform"});
  expect("sincos_2d", "dim=28 axes=3 uneven=truncate", "vjepa_3d_uniform", {"rounded_down", "last_sine"});
}

// In f32 the effect of one place shows beside rounding in few channels only: they are some of those that
// move.
TEST(Grids, change_a_logit_in_the_channels_of_their_axis) {
  const Property property = property_named("score/depends_on_order");
  const struct {
    std::string_view encoding;
    const char* words;
  } all[] = {{"axial_rope", "dim=16 base=100 layout=half_split_by_axis"},
             {"axial_rope", "dim=16 layout=interleaved order=alternating axis_order=reversed"},
             {"rope", "dim=16 rotary_dim=8 rotary_part=last"}};
  for (const auto& [encoding, words] : all) {
    const EncodingSpec& spec = encoding_named(encoding);
    const auto one = trial(property, spec.make(with(spec, Case::parse(words))), all_f32);
    const Verdict verdict =
        search(*one, {.id = "score/depends_on_order", .budget = {.cases = 100, .shrinks = 0}});
    EXPECT_EQ(name(verdict), "holds") << words;
  }
}

// The table of a grid as it lies in a file, row by row, with changes.
struct InFile {
  std::size_t rows, columns;
  bool columns_first = false;
  std::size_t class_tokens = 0;
  double last_entry_off = 0;

  Tensor values(const Table& table) const {
    Tensor out({class_tokens + rows * columns, table.dim});
    for (std::size_t r = 0; r < rows * columns; ++r) {
      const std::size_t y = columns_first ? r % rows : r / columns,
                        x = columns_first ? r / rows : r % columns;
      const std::vector<Position> place = {static_cast<Position>(y), static_cast<Position>(x)};
      std::ranges::copy(table.rows({place, 2}, 1).data, out.row(class_tokens + r).begin());
    }
    out.data.back() += last_entry_off;
    return out;
  }
};

PropertyResult agreement_of_file(const InFile& file, const std::string& words) {
  const EncodingSpec& spec = encoding_named("sincos_2d");
  const Parameters parameters = with(spec, Case::parse(words));
  const testing::Written written("pos_embed.npy", file.values(spec.make<Table>(parameters)), true);
  GateResult found = gate("sincos_2d", spec, parameters, written.subject(),
                          {.budget = {.cases = 20, .shrinks = 0}, .filter = std::string(agreement_id)});
  return std::move(found.results.front());
}

TEST(Grids, in_a_file_are_compared_at_every_place) {
  const std::string words = "dim=8 grid=[3,5]";
  for (const InFile& right : {InFile{3, 5}, InFile{3, 5, false, 1}}) {
    const Verdict verdict = agreement_of_file(right, words).verdict;
    const auto* holds = std::get_if<Holds>(&verdict);
    ASSERT_NE(holds, nullptr) << name(verdict);
    EXPECT_EQ(holds->cases, 15u);
  }
  EXPECT_EQ(name(agreement_of_file({3, 5, true}, words).verdict), "refuted");
  EXPECT_EQ(name(agreement_of_file({5, 3}, words).verdict), "refuted");
  const Verdict last = agreement_of_file({3, 5, false, 0, 1e-5}, words).verdict;
  ASSERT_TRUE(std::holds_alternative<Refuted>(last));
  EXPECT_EQ(std::get<Refuted>(last).counterexample.text(), "rows=1 t=2 t_1=4 n=5");
}

}  // namespace
}  // namespace posproof::gate_grids_test
