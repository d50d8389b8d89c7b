#include "experiments/encoding_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "attention/mask.h"
#include "catalogue/encodings.h"
#include "catalogue/identities.h"
#include "core/error.h"
#include "core/spec.h"
#include "experiments/encoding_curve.h"
#include "experiments/encoding_errors.h"
#include "run/catalogued.h"

namespace posproof::experiments::encoding_page_test {
namespace {

using namespace document;

Plot curve_of(std::string_view id, const std::string& words = "") {
  const EncodingSpec& spec = encoding_named(id);
  return encoding_curve(id, spec.oracle(with(spec, Case::parse(words))), "words").value();
}

double value_at(const Curve& curve, double t) {
  for (const auto& [x, y] : curve.points)
    if (x == t) return y;
  throw std::out_of_range(fmt::format("no point at {}", t));
}

// Of a placeholder a slope is no result, and of a seed a shape is none.
TEST(EncodingCurve, says_what_stands_for_trained_numbers) {
  const auto said = [](std::string_view id, const std::string& words = "") {
    const EncodingSpec& spec = encoding_named(id);
    return of_stand_ins(id, spec, with(spec, Case::parse(words)), curve_of(id, words));
  };
  for (const char* id : {"learned", "t5_bias", "relative_table", "resized_table"})
    EXPECT_NE(said(id).find("`table=index`"), std::string::npos) << id;
  EXPECT_EQ(said("learned", "table=seeded"), said("shaw"));
  for (const char* id : {"shaw", "fire", "log_cpb", "transformer_xl", "gaussian_fourier", "mixed_rope"})
    EXPECT_NE(said(id).find("another seed"), std::string::npos) << id;
  // Their seeds change nothing at these parameters, or they have none.
  for (const char* id : {"pope", "complex_order", "rope", "alibi", "sinusoidal"})
    EXPECT_EQ(said(id), "") << id;
}

// What was worked out by hand, or with numpy from the formula.
struct Known {
  std::string id, words, label;
  double first, last, t, value;  // both ends of the curve, and a point
};

TEST(EncodingCurve, is_what_the_formula_says) {
  const double ln2 = std::log(2.0), root2 = std::sqrt(2.0);
  for (const Known& one : std::vector<Known>{
           {"alibi", "", "head 0", -128, 0, -128, -64},
           {"alibi", "", "head 7", -128, 0, -128, -0.5},
           {"alibi", "form=symmetric", "head 4", -128, 128, 3, -3.0 / 32},
           {"kerple", "", "every head", -128, 0, -1, -ln2},
           {"relative_table", "", "axis 0, head 0", -6, 6, 0, 84},
           {"rope", "dim=2", "dot product", -128, 0, -3, 2 * std::cos(3.0)},
           {"rope", "dim=4", "dot product", -128, 0, -3, 2 * std::cos(3.0) + 2 * std::cos(0.03)},
           {"xpos", "dim=2", "dot product", -128, 0, -64, 2 * std::pow(2.0 / 7, 0.125) * std::cos(64.0)},
           {"axial_rope", "dim=4", "every axis", -128, 0, -3, 2 * std::cos(3.0) + 2},
           {"m_rope", "", "axis 2", -128, 0, 0, 128},
           {"attention_temperature", "", "dot product", -65536, 0, -7936, 64},
           {"attention_temperature", "", "dot product", -65536, 0, -8192, 64 * (1 + 0.1 * ln2)},
           {"sinusoidal", "dim=2", "kernel", 0, 128, 5, std::cos(5.0)},
           {"sincos_2d", "dim=4", "every axis", 0, 128, 5, std::cos(5.0) + 1},
           {"nerf", "frequencies=1", "kernel", 0, 1, 0.5, 0},
           {"learned", "", "distance", 0, 128, 3, 3 * 64 * 8},
           {"one_hot", "dim=4", "distance", 0, 3, 2, root2},
           {"binary", "", "distance", 0, 64, 31, std::sqrt(5.0)},
           {"normalized_index", "", "distance", 0, 128, 64, 0.5},
           {"none", "", "logit", -128, 128, 7, 8},
           {"pope", "dim=1", "logit", -128, 128, -2, std::pow(std::log1p(std::exp(1.0)), 2) * std::cos(2.0)},
       }) {
    const Plot plot = curve_of(one.id, one.words);
    const auto found = std::ranges::find(plot.curves, one.label, &Curve::label);
    ASSERT_NE(found, plot.curves.end()) << one.id << " " << one.label;
    EXPECT_EQ(found->points.front().first, one.first) << one.id;
    EXPECT_EQ(found->points.back().first, one.last) << one.id;
    EXPECT_NEAR(value_at(*found, one.t), one.value, 1e-12 * std::max(1.0, std::abs(one.value))) << one.id;
  }
}

// The positions of tokens that are no class token; trained numbers are the encoding's own.
TEST(EncodingCurve, of_logits_with_content_begins_behind_the_first_token) {
  const EncodingSpec& spec = encoding_named("tupe");
  const Encoding exact = spec.oracle(with(spec, {}));
  const Tensor ones({1, 64}, std::vector<double>(64, 1));
  const std::vector<Position> one = {1}, four = {4};
  const Plot plot = curve_of("tupe");
  const auto& logits = as<Contextual>(exact).logits;
  EXPECT_EQ(value_at(plot.curves[0], 3), logits(ones, ones, one, four).data[0]);
  EXPECT_EQ(value_at(plot.curves[0], -3), logits(ones, ones, four, one).data[0]);
}

std::vector<std::string> labels(const Plot& plot) {
  std::vector<std::string> out;
  for (const Curve& curve : plot.curves) out.push_back(curve.label);
  return out;
}

TEST(EncodingCurve, merges_what_lies_on_one_another_and_shows_four_heads) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels(curve_of("alibi")), (Labels{"head 0", "head 1", "head 4", "head 7"}));
  EXPECT_EQ(labels(curve_of("alibi", "heads=3")), (Labels{"head 0", "head 1", "head 2"}));
  EXPECT_EQ(labels(curve_of("alibi", "heads=4 biased_heads=2")),
            (Labels{"head 0", "head 1", "head 2, head 3"}));
  EXPECT_EQ(labels(curve_of("axial_rope", "axes=3 dim=12")), (Labels{"every axis"}));
  EXPECT_EQ(labels(curve_of("mixed_rope")), (Labels{"axis 0", "axis 1"}));
  EXPECT_EQ(labels(curve_of("alibi", "heads=1")), (Labels{"head 0"}));
  EXPECT_EQ(labels(curve_of("log_cpb")), (Labels{"axis 0, head 0", "axis 1, head 0"}));
  EXPECT_EQ(labels(curve_of("log_cpb", "heads=1")), (Labels{"axis 0", "axis 1"}));
}

// Equal tokens: every weight is e^(-distance times what the gate adds), over their sum.
TEST(EncodingCurve, of_attention_is_the_weights_of_the_last_token) {
  for (const std::string_view id :
       {"cable", "cope", "forgetting_transformer", "selective_rope", "shaw_values"}) {
    const Plot plot = curve_of(id);
    ASSERT_EQ(plot.curves.size(), 1u);
    ASSERT_EQ(plot.curves[0].points.size(), 32u) << id;
    double sum = 0;
    for (std::size_t n = 0; n < 32; ++n) {
      EXPECT_EQ(plot.curves[0].points[n].first, static_cast<double>(n) - 31) << id;
      sum += plot.curves[0].points[n].second;
    }
    EXPECT_NEAR(sum, 1, 1e-12) << id;
  }
  const Curve cable = curve_of("cable").curves[0];
  const double step = value_at(cable, -1) / value_at(cable, 0);
  EXPECT_LT(step, 1);
  EXPECT_NEAR(value_at(cable, -31) / value_at(cable, -30), step, 1e-12);
  // Fewer channels than tokens are read some at a time.
  EXPECT_EQ(curve_of("cable", "dim=3").curves[0].points.size(), 32u);
}

TEST(EncodingCurve, says_what_it_shows) {
  const Plot plot = curve_of("alibi", "heads=1");
  EXPECT_EQ(plot.name, "curve");
  EXPECT_EQ(plot.title, "Bias of alibi");
  EXPECT_EQ(plot.x.label, "key's position less the query's");
  EXPECT_EQ(plot.y.label, "bias");
  EXPECT_EQ(
      plot.description,
      "Bias between a query and a key, the earlier of the two at position 0, by the key's position less the query's. head 0: -0.5000 at -128, 0.0000 at 0; of the 129 points shown the smallest is -0.5000, the largest 0.0000.");
  EXPECT_EQ(plot.caption, "Bias between a query and a key, the earlier of the two at position 0; words.");
  EXPECT_EQ(
      curve_of("one_hot", "dim=2").description,
      "Distance of the row of position t from that of 0, by position t. distance: 0.0000 at 0, 1.4142 at 1; of the 2 points shown the smallest is 0.0000, the largest 1.4142.");
  EXPECT_EQ(curve_of("sinusoidal").title, "Kernel of sinusoidal");
  EXPECT_EQ(curve_of("learned").title, "Distance of learned");
  EXPECT_EQ(curve_of("rope").title, "Dot product of rope");
  EXPECT_EQ(
      curve_of("rope").caption,
      "Dot product, not divided by sqrt(dim), of a rotated query and a rotated key whose channels are all 1, the key at position 0; words.");
  EXPECT_EQ(curve_of("normalized_index").caption,
            "Distance of the row of position t from that of 0, in a sequence of 129 tokens; words.");
  EXPECT_EQ(curve_of("learned").caption, "Distance of the row of position t from that of 0; words.");
  EXPECT_EQ(curve_of("shaw").title, "Logit of shaw");
  EXPECT_EQ(curve_of("cope").title, "Weight of cope");
  EXPECT_EQ(encoding_curve("x", encoding_named("one_hot").oracle(Case::parse("dim=1")), ""), std::nullopt);
}

EncodingErrors errors_of(std::string_view id, const std::string& words = "") {
  const EncodingSpec& spec = encoding_named(id);
  const Parameters parameters = with(spec, Case::parse(words));
  return encoding_errors(spec.make(parameters), spec.oracle(parameters));
}

std::vector<Position> positions(const EncodingErrors& errors) {
  std::vector<Position> out;
  for (const EntriesAt& one : errors.at) out.push_back(one.position);
  return out;
}

TEST(EncodingErrors, are_asked_as_far_as_the_encoding_goes) {
  using Asked = std::vector<Position>;
  EXPECT_EQ(positions(errors_of("rope")), (Asked{1, 100, 10'000, 1'000'000}));
  EXPECT_EQ(positions(errors_of("learned")), (Asked{1, 100, 511}));
  EXPECT_EQ(positions(errors_of("one_hot", "dim=2")), (Asked{1}));
  EXPECT_EQ(positions(errors_of("cope")), (Asked{2, 8, 32}));
  Table zeros{.dim = 1};
  zeros.positions = Domain(0, 100);  // the last one that is searched, not an end
  zeros.rows = [](const Positions& at, Position) { return Tensor({at.size(), 1}); };
  EXPECT_EQ(positions(encoding_errors(zeros, zeros)), (Asked{1, 100}));
}

// Slopes 1/2 to 1/256 are exact in every format: of an entry of 50, 4.5e-14 is 4 units.
TEST(EncodingErrors, are_those_that_a_gate_allows) {
  const EncodingErrors alibi = errors_of("alibi");
  EXPECT_EQ(alibi.at[1].largest, 50);
  EXPECT_EQ(alibi.largest_error(), 0);
  EXPECT_EQ(alibi.at[0].angle_in_f32, std::nullopt);
  const std::vector<Precision> all = {all_f64, all_f32, Precision::parse("f16"), Precision::parse("bf16"),
                                      Precision::parse("bf16/bf16")};
  const EncodingSpec& spec = encoding_named("alibi");
  const auto bias = spec.oracle<Bias>(with(spec, {}));
  for (std::size_t p = 0; p < all.size(); ++p)
    EXPECT_EQ(alibi.at[1].allowed[p], bias_error(all[p], -50, bias, 0)) << all[p].text();
}

// One pair of 1 radian a position: 1,000,000 is exact. At base 4 the second is half as fast; at base 10 the
// frequency 10^-0.5 is rounded, and so is its product with the position. Both differences are numbers of f64:
// of the frequency's 24 and 53 digits, and of two products, 24 digits and 64, of 2^18 and more.
TEST(EncodingErrors, of_angles_in_f32) {
  EXPECT_EQ(errors_of("rope", "dim=2").at[3].angle_in_f32, 0);
  EXPECT_EQ(errors_of("rope", "dim=4 base=4").at[3].angle_in_f32, 0);
  const EncodingErrors ten = errors_of("rope", "dim=4 base=10");
  EXPECT_EQ(ten.at[0].angle_in_f32, 2.1256178484030386e-09);
  EXPECT_EQ(ten.at[3].angle_in_f32, 0.01601683794118003);
  EXPECT_GT(ten.largest_error(), 0);
  EXPECT_LT(ten.largest_share(), 1e-3);
  EXPECT_EQ(errors_of("sinusoidal", "dim=4 base=10").at[3].angle_in_f32, ten.at[3].angle_in_f32);
}

TEST(EncodingErrors, of_what_the_format_has_no_number_for_are_infinite) {
  const EncodingErrors index = errors_of("raw_index");
  for (std::size_t p = 0; p < 5; ++p) {
    EXPECT_TRUE(std::isfinite(index.at[2].allowed[p])) << p;        // 10,000
    EXPECT_EQ(std::isfinite(index.at[3].allowed[p]), p != 2) << p;  // 1,000,000 is no f16
  }
  EXPECT_EQ(grid(index, false).rows[3][4], "overflow");
  EXPECT_EQ(grid(index, false).rows[2][4], "9.8e+00");
}

// Queries of xPos shrink by zeta^(t/B), its keys grow by as much: with gamma = 1 the first pair's zeta is
// 1/2.
TEST(EncodingErrors, are_those_of_keys_too) {
  const EncodingErrors xpos = errors_of("xpos", "dim=2 gamma=1 scale_base=100");
  EXPECT_NEAR(xpos.at[1].largest, 2 * (std::abs(std::cos(100.0)) + std::abs(std::sin(100.0))), 1e-12);
  EXPECT_EQ(grid(xpos, false).rows[2][4], "overflow");  // 2^100
}

// At a place (t, t + 3) the second axis has the larger angle; a pair of mixed_rope has a sum of two.
TEST(EncodingErrors, are_of_an_angle_where_it_is_one_product) {
  const auto of_first = [](const char* name, const char* words) {
    const EncodingSpec& spec = encoding_named(name);
    const Parameters parameters = with(spec, Case::parse(words));
    return encoding_errors(spec.make(parameters), spec.oracle(parameters)).at.front();
  };
  const double w = to_f32(0.1);  // base 100: 1 and 1/10 on each axis
  const EntriesAt axial = of_first("axial_rope", "dim=8 base=100");
  EXPECT_EQ(axial.position, 1);
  EXPECT_EQ(axial.angle_in_f32, std::abs(to_f32(w * 4) - 0.4));
  EXPECT_EQ(of_first("mixed_rope", "dim=4").angle_in_f32, std::nullopt);
}

// A whole operator is asked for tokens, each of which sees those up to its own where it is causal.
TEST(EncodingErrors, of_a_causal_operator_are_those_behind_its_mask) {
  const EncodingSpec& spec = encoding_named("cope");
  auto operate = spec.make<Attention>(with(spec, {}));
  std::vector<Mask> seen;
  operate.attend = [&seen, own = operate.attend](const Tensor& q, const Tensor& k, const Tensor& v,
                                                 const Mask& mask) {
    seen.push_back(mask);
    return own(q, k, v, mask);
  };
  encoding_errors(operate, operate);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front(), mask::causal(2));
  EXPECT_EQ(seen.back(), mask::causal(32));
}

TEST(EncodingErrors, are_written_a_row_for_each_position) {
  const EncodingErrors some{.at = {{.position = 1000, .largest = 1.5, .allowed = {1, 2, 3, 4, 0.0625}}}};
  EXPECT_EQ(grid(some, false).columns, (std::vector<std::string>{"position", "largest entry", "`f64`",
                                                                 "`f32`", "`f16`", "`bf16`", "`bf16/bf16`"}));
  EXPECT_EQ(grid(some, true).columns[0], "tokens");
  EXPECT_EQ(grid(some, false).rows[0], (std::vector<std::string>{"1,000", "1.5", "1.0e+00", "2.0e+00",
                                                                 "3.0e+00", "4.0e+00", "6.3e-02"}));
  EncodingErrors of_angles = some;
  of_angles.at[0].angle_in_f32 = 0.5;
  EXPECT_EQ(grid(of_angles, false).columns.back(), "angle in f32, rad");
  EXPECT_EQ(grid(of_angles, false).rows[0].back(), "5.0e-01");
}

std::vector<std::string> sections(const Document& document) {
  std::vector<std::string> out;
  for (const Block& block : document.blocks)
    if (const auto* section = std::get_if<Section>(&block)) out.push_back(section->heading);
  return out;
}

const Grid& grid_under(const Document& document, std::string_view heading) {
  bool under = false;
  for (const Block& block : document.blocks) {
    if (const auto* section = std::get_if<Section>(&block)) under = section->heading == heading;
    if (const auto* found = std::get_if<Grid>(&block); found != nullptr && under) return *found;
  }
  throw std::out_of_range(std::string(heading));
}

TEST(EncodingPage, says_all_that_is_known) {
  const Document rope = encoding_page("rope");
  EXPECT_EQ(rope.title, "`rope`: query and key rotated pair by pair, by angles proportional to the position");
  EXPECT_EQ(sections(rope), (std::vector<std::string>{
                                "Formula", "Conventions", "What holds", "What fails, and why", "By distance",
                                "Accuracy by precision", "Identities", "Known defects", "Commands"}));
  const EncodingSpec& spec = encoding_named("rope");
  const Grid& conventions = grid_under(rope, "Conventions");
  ASSERT_EQ(conventions.rows.size(), spec.parameters.all.size());
  EXPECT_EQ(
      conventions.rows[3],
      (std::vector<std::string>{
          "`layout`",
          "channels that rotate together, of the r of rotary_dim: half_split (i, i + r/2), interleaved (2i, 2i + 1)",
          "half_split, interleaved", "`half_split`", "`half_split` `interleaved`", "", "yes", ""}));
  EXPECT_EQ(conventions.rows[0][4], "`2` `4` `6` `8` `64`");
  EXPECT_EQ(conventions.rows[0][5], "channels");
  EXPECT_EQ(conventions.rows[0][6], "no");
  const auto& held = grid_under(rope, "What holds").rows;
  EXPECT_EQ(held[0],
            (std::vector<std::string>{"`agrees_with_its_oracle`",
                                      "Its reference and its oracle give the same values, within rounding.",
                                      "", "is an encoding"}));
  EXPECT_EQ(held[1][0], "`attention/is_causal`");
  EXPECT_EQ(held[1][3], "is an encoding");
  const auto& failed = grid_under(rope, "What fails, and why").rows;
  const auto decays =
      std::ranges::find_if(failed, [](const auto& row) { return row[0] == "`score/decays_with_distance`"; });
  ASSERT_NE(decays, failed.end());
  EXPECT_EQ((*decays)[2],
            "cos 6 > cos 3: one pair is periodic; what decays is a bound on the sum over many pairs");
  EXPECT_EQ((*decays)[3], "1.95");
  EXPECT_EQ(grid_under(rope, "Known defects").rows[0][0], "`positions_in_bf16`");
}

TEST(EncodingPage, counts_what_it_lists) {
  for (const std::string_view id : {"alibi", "cope"}) {
    const Document page = encoding_page(id);
    std::size_t defects = 0;
    if (id == "alibi") defects = grid_under(page, "Known defects").rows.size();
    EXPECT_EQ(
        page.finding,
        fmt::format(
            "Claimed to hold: {}, each searched for a counterexample. Recorded failures: {}, each with a witness and the reason. Known wrong implementations: {}.",
            grid_under(page, "What holds").rows.size(), grid_under(page, "What fails, and why").rows.size(),
            defects));
  }
  EXPECT_THROW(encoding_page("no_such"), std::invalid_argument);
}

// The second paragraph of the formula.
std::string kind_of(const Document& document) {
  return std::get<Paragraph>(document.blocks.at(2)).text;
}

TEST(EncodingPage, says_for_which_positions) {
  EXPECT_EQ(
      kind_of(encoding_page("learned")),
      "Kind: table. Positions: whole numbers, 0 to 511, at the standard parameters; others are refused. "
      "Source: Gehring et al. 2017; Devlin et al. 2018, BERT, section 3; Radford et al. 2019, GPT-2.");
  const auto says = [](std::string_view id, std::string_view words) {
    return kind_of(encoding_page(id)).find(words) != std::string::npos;
  };
  EXPECT_TRUE(
      says("relative_table", " Positions: 2 whole numbers each, 0 to 6, at the standard parameters; "));
  EXPECT_TRUE(says(
      "binary",
      " Positions: whole numbers, 0 to 65,535, at the standard parameters; claims are searched over those of their own parameters. "));
  EXPECT_TRUE(says("nerf", " Positions: numbers, "));
  EXPECT_FALSE(says("cope", "Positions"));
}

std::string last_paragraph(const Document& document) {
  return std::get<Paragraph>(document.blocks.back()).text;
}

// A position of several numbers is no range, and the cosines and sines of xPos are scaled.
TEST(EncodingPage, names_the_command_that_writes_exact_numbers_where_there_is_one) {
  for (const std::string id : {"rope", "alibi", "sinusoidal", "one_hot"})
    EXPECT_NE(
        last_paragraph(encoding_page(id)).find("`posproof oracle " + id + " --positions 0:15 --dtype f32"),
        std::string::npos)
        << id;
  for (const std::string id :
       {"xpos", "attention_temperature", "sincos_2d", "m_rope", "log_cpb", "none", "cope"})
    EXPECT_EQ(last_paragraph(encoding_page(id)).find("posproof oracle"), std::string::npos) << id;
}

std::string caption_under(const Document& document, std::string_view heading) {
  return grid_under(document, heading).caption;
}

TEST(EncodingPage, says_which_tokens_of_a_grid_its_errors_are_of) {
  EXPECT_NE(caption_under(encoding_page("rope"), "Accuracy by precision")
                .find("a call at position 0 and this one,"),
            std::string::npos);
  EXPECT_NE(caption_under(encoding_page("sincos_2d"), "Accuracy by precision")
                .find("a call at (0, 3) and (t, t + 3) for this position t, "),
            std::string::npos);
  EXPECT_NE(caption_under(encoding_page("m_rope"), "Accuracy by precision")
                .find("a call at (0, 3, 6) and (t, t + 3, t + 6) for this position t, "),
            std::string::npos);
}

TEST(EncodingPage, says_what_is_in_16_bits) {
  for (const std::string id : {"learned", "rope", "fire"})
    EXPECT_NE(caption_under(encoding_page(id), "Accuracy by precision")
                  .find("(16-bit formats: everything in f32, and the answer rounded once; "),
              std::string::npos)
        << id;
  for (const std::string id : {"shaw", "cope"})
    EXPECT_NE(caption_under(encoding_page(id), "Accuracy by precision")
                  .find("(16-bit formats: trained numbers and what is stored are in that format, angles, "),
              std::string::npos)
        << id;
}

// Both sides name it, and link to the other one; a form of the encoding itself is no link.
TEST(EncodingPage, names_the_identities_of_an_encoding) {
  const auto row_of = [](std::string_view encoding, std::string_view identity) {
    const auto page = encoding_page(encoding);
    const auto& rows = grid_under(page, "Identities").rows;
    const auto found = std::ranges::find_if(rows, [&](const auto& row) { return row[0] == identity; });
    return found == rows.end() ? std::vector<std::string>() : *found;
  };
  const std::vector<std::string> left = row_of("alibi", "`alibi_is_kerple_of_power_1`"),
                                 right = row_of("kerple", "`alibi_is_kerple_of_power_1`");
  ASSERT_EQ(left.size(), 5u);
  ASSERT_EQ(right.size(), 5u);
  EXPECT_EQ(left[3], "[`kerple`](kerple.md)");
  EXPECT_EQ(right[3], "[`alibi`](alibi.md)");
  EXPECT_EQ(left[1], right[1]);
  EXPECT_EQ(row_of("rope", "`scaling_by_1_is_rope`").at(3), "`rope`");
  std::size_t named = 0;
  for (const auto& [id, spec] : catalogue::encodings()) named += identities_of(*spec).size();
  std::size_t sides = 0;
  for (const auto& [id, one] : catalogue::identities()) sides += one->left == one->right ? 1 : 2;
  EXPECT_EQ(named, sides);
  EXPECT_TRUE(identities_of(encoding_named("cable")).empty());
}

}  // namespace
}  // namespace posproof::experiments::encoding_page_test
