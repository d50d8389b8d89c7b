#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "catalogue/encodings/axial_rope.h"
#include "catalogue/encodings/m_rope.h"
#include "catalogue/encodings/rope.h"
#include "encodings/made.h"

namespace posproof::m_rope_test {
namespace {

using Numbers = std::vector<Position>;

std::vector<double> rotated(std::string_view words, const Numbers& place) {
  return rotated(encodings::m_rope.make(Case::parse(words)), place);
}

// Whose each pair is, a letter a pair in the order of the channels: `tthhww`, `-` where it does not rotate.
std::string owners(const Encoding& encoding) {
  const auto& rotary = as<Rotary>(encoding);
  std::string out(rotary.dim / 2, '-');
  for (const Pair& pair : rotary.pairs) out[pair.first] = "thw"[pair.axis];
  return out;
}

TEST(MRope, gives_each_pair_to_the_id_of_its_section) {
  const struct {
    std::string words, all;
  } rows[] = {
      {"dim=16 sections=[2,3,3]", "tthhhwww"},
      {"dim=16 sections=[2,3,2]", "tthhhwwt"},
      {"dim=16 sections=[2,3,2] leftover=none", "tthhhww-"},
      {"dim=16 sections=[4,2,2] assignment=interleaved", "thwthwtt"},
      {"dim=16 sections=[2,2,2] assignment=interleaved", "thwthwtt"},
      {"dim=16 sections=[2,2,2] assignment=interleaved leftover=none", "thwthw--"},
      {"dim=16 sections=[3,2,2] assignment=interleaved leftover=none", "thwthwt-"},
      {"dim=16 sections=[2,3,3] assignment=alternating", "hwhwhwtt"},
      {"dim=16 sections=[1,3,3] assignment=alternating leftover=none", "hwhwhwt-"},
      {"dim=16 rotary_dim=8 sections=[2,1,1]", "tthw----"},
  };
  for (const auto& [words, all] : rows) {
    EXPECT_EQ(owners(encodings::m_rope.make(Case::parse(words))), all) << words;
    EXPECT_EQ(owners(encodings::m_rope.oracle(Case::parse(words))), all) << words;
  }
}

// timm's RotaryEmbeddingMRope, whose grid has no time: pairs 1, 4, .. by the row, 2, 5, .. by the column.
TEST(MRope, of_an_image_is_that_of_the_time_0) {
  for (const std::string words :
       {"dim=16 sections=[2,3,3]", "dim=16 sections=[2,2,2] assignment=interleaved layout=interleaved",
        "dim=16 sections=[2,3,2] leftover=none", "dim=16 sections=[2,3,3] assignment=alternating",
        "dim=16 sections=[2,2,3] ladder=restarted", "dim=16 rotary_dim=8 sections=[2,1,1]"})
    for (const bool exact : {false, true}) {
      const auto of = [&](const std::string& more) {
        const Parameters p = Case::parse(words + more);
        return exact ? encodings::m_rope.oracle(p) : encodings::m_rope.make(p);
      };
      EXPECT_EQ(rotated(of(" ids=hw"), {5, 7}), rotated(of(""), {0, 5, 7})) << words << exact;
      EXPECT_NE(rotated(of(" ids=hw"), {5, 7}), rotated(of(" ids=hw"), {7, 5})) << words << exact;
    }
  EXPECT_EQ(refused(encodings::m_rope, "dim=8 sections=[4,0,0] ids=hw"),
            "`sections=[4,0,0] ids=hw`; allowed: a section of h or of w that is not 0, where the time is");
}

// Qwen3-VL: of 64 pairs 20 are of h and 20 of w, and t has the first of each three and the last four. In ggml
// two of those four, 61 and 62, are of no section.
TEST(MRope, interleaved_as_in_qwen3_vl_leaves_two_pairs_over) {
  const std::string words = "dim=128 base=5000000 sections=[24,20,20] assignment=interleaved";
  const std::string by_t = owners(encodings::m_rope.make(Case::parse(words)));
  EXPECT_EQ(by_t.substr(54), "thwthwtttt");
  EXPECT_EQ(std::ranges::count(by_t, 't'), 24);
  EXPECT_EQ(std::ranges::count(by_t, 'h'), 20);
  EXPECT_EQ(std::ranges::count(by_t, 'w'), 20);
  EXPECT_EQ(owners(encodings::m_rope.make(Case::parse(words + " leftover=none"))).substr(54), "thwthwt--t");
}

// Golden numbers from 40-digit arithmetic, of the reference and of the oracle.
TEST(MRope, has_the_numbers_of_the_conventions_in_use) {
  const struct {
    std::string_view words;
    std::vector<double> golden;
  } all[] = {
      {"dim=8 sections=[2,1,1]",
       {-1.6955925368997816, 0.13755173828317459, 2.6463965962901504, 3.9439024577323789, -4.8088424749423601,
        6.3230593480763153, 7.1411893305767987, 8.0278037721342256}},
      {"dim=8 sections=[2,1,1] assignment=interleaved",
       {-1.6955925368997816, -1.1213881078444726, 2.5030530693971094, 3.9759820360134838, -4.8088424749423601,
        6.2243464485506423, 7.1926855437855553, 8.0119639820270081}},
  };
  for (const auto& [words, golden] : all) {
    EXPECT_EQ(rotated(encodings::m_rope.oracle(Case::parse(words)), {3, 5, 7}), golden) << words;
    const auto here = rotated(words, {3, 5, 7});
    for (std::size_t c = 0; c < 8; ++c) EXPECT_DOUBLE_EQ(here[c], golden[c]) << words << " " << c;
  }
}

// Where pairs are left over and do not rotate, equal ids are not RoPE.
TEST(MRope, of_equal_ids_is_not_rope_where_pairs_are_left_over) {
  const std::array<Position, 1> at = {1234};
  Tensor x({1, 1, 1, 16});
  std::iota(x.data.begin(), x.data.end(), 1.0);
  const auto rope = made<Rotary>(encodings::rope, "dim=16").rotate(x, at, Role::query).data;
  EXPECT_EQ(rotated("dim=16 sections=[3,2,2]", {1234, 1234, 1234}), rope);
  EXPECT_NE(rotated("dim=16 sections=[3,2,2] leftover=none", {1234, 1234, 1234}), rope);
}

TEST(MRope, of_part_of_the_channels_is_rope_of_part_of_the_channels) {
  const std::array<Position, 1> at = {77};
  Tensor x({1, 1, 1, 12});
  std::iota(x.data.begin(), x.data.end(), 1.0);
  EXPECT_EQ(rotated("dim=12 rotary_dim=8 sections=[2,1,1]", {77, 77, 77}),
            made<Rotary>(encodings::rope, "dim=12 rotary_dim=8").rotate(x, at, Role::query).data);
}

// The mode VISION of ggml: frequencies of half the width, anew in each section.
TEST(MRope, of_a_restarted_ladder_is_axial_rope) {
  const auto axial = encodings::axial_rope.make(Case::parse("dim=16"));
  EXPECT_EQ(rotated("dim=16 sections=[4,4,0] ladder=restarted", {33, 44, 5}), rotated(axial, {33, 44}));
  EXPECT_EQ(
      rotated(encodings::m_rope.oracle(Case::parse("dim=16 sections=[4,4,0] ladder=restarted")), {33, 44, 5}),
      rotated(encodings::axial_rope.oracle(Case::parse("dim=16")), {33, 44}));
  EXPECT_NE(rotated("dim=16 sections=[4,4,0]", {33, 44, 5}), rotated(axial, {33, 44}));
}

TEST(MRope, refuses_what_makes_no_sense) {
  const auto no = [](std::string_view words) { return refused(encodings::m_rope, words); };
  const std::string allowed =
      "; allowed: three whole numbers from 0, together at least 1 and at most the number of pairs";
  EXPECT_EQ(no("dim=8"), "`sections=[16,24,24] dim=8 rotary_dim=0`" + allowed);
  EXPECT_EQ(no("dim=8 sections=[1,2]"), "`sections=[1,2] dim=8 rotary_dim=0`" + allowed);
  EXPECT_EQ(no("dim=8 sections=[1,-1,2]"), "`sections=[1,-1,2] dim=8 rotary_dim=0`" + allowed);
  EXPECT_EQ(no("dim=8 sections=[1,0.5,2]"), "`sections=[1,0.5,2] dim=8 rotary_dim=0`" + allowed);
  EXPECT_EQ(no("dim=8 sections=[0,0,0]"), "`sections=[0,0,0] dim=8 rotary_dim=0`" + allowed);
  EXPECT_EQ(no("dim=8 sections=[2,2,1]"), "`sections=[2,2,1] dim=8 rotary_dim=0`" + allowed);
  EXPECT_EQ(no("dim=8 rotary_dim=4 sections=[1,1,1]"), "`sections=[1,1,1] dim=8 rotary_dim=4`" + allowed);
  EXPECT_EQ(no("dim=7 sections=[1,1,1]"),
            "`dim=7 rotary_dim=0`; allowed: even numbers of channels that rotate");
  EXPECT_EQ(no("rotary_dim=130"), "`rotary_dim=130 dim=128`; allowed: widths up to `dim`");
  EXPECT_EQ(no("heads=64 dim=16386"), "`heads=64 dim=16386`; allowed: at most 1048576 channels in all heads");
  for (const std::string assignment : {"interleaved", "alternating"})
    EXPECT_EQ(no("ladder=restarted assignment=" + assignment),
              "`ladder=restarted assignment=" + assignment +
                  "`; allowed: running ladders, where sections are not contiguous");
  EXPECT_EQ(no("dim=8 sections=[4,0,0]"), "not refused");
}

}  // namespace
}  // namespace posproof::m_rope_test
