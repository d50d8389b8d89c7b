#include "readings_of_rotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/bounded.h"
#include "core/bounds.h"
#include "core/formats.h"
#include "core/view.h"
#include "measure.h"

namespace posproof::experiments::contested {

using document::fixed;

Conflict layouts() {
  const std::vector<Reading> readings = {
      {"rope", "dim=128 layout=interleaved", "channels 2i and 2i + 1 are a pair",
       arxiv("Su et al. 2021, eq. 34", "2104.09864") + ", " +
           github("Meta's llama", "meta-llama/llama/blob/main/llama/model.py") + ", ggml NORMAL; " +
           github("rotary-embedding-torch", "lucidrains/rotary-embedding-torch") +
           ", whose `rotate_half` is this one"},
      {"rope", "dim=128 layout=half_split", "channels i and i + d/2 are a pair",
       github("GPT-NeoX", "EleutherAI/gpt-neox") + ", " + github("transformers", "huggingface/transformers") +
           " (`rotate_half`), ggml NEOX"}};
  const double most = apart(readings[0], readings[1], {1});
  const Reading two{"rope", "dim=2 layout=interleaved", "", ""},
      other{"rope", "dim=2 layout=half_split", "", ""};
  proved(apart(two, other, {1}) == 0, "both layouts are one at width 2");
  return {
      "Which channels are a pair",
      "--layout",
      readings,
      "width 128, position 1",
      three(most) + " in an entry of the rotation",
      bounded(
          "At width 128 and position 1 entries of both rotations differ by up to {}; at width 2 they are the same. After one permutation "
          "of the channels of queries and keys both give the same logits (`posproof explain "
          "interleaved_rope_is_half_split_permuted`), so the choice matters to trained weights alone.",
          three(most)),
      most};
}

Conflict ramps() {
  const std::vector<Reading> readings = {
      {"rope", "dim=128 scaling=yarn factor=10 original_length=2048 attention_factor=1",
       "ramp over the pair's index i, between floor(corr(32)) and ceil(corr(1))",
       github("the authors' code", "jquesnelle/yarn/issues/60") + ", transformers, vLLM, ggml"},
      {"rope", "dim=128 scaling=by_parts factor=10 original_length=2048",
       "ramp over the rotations L0 w_i / 2 pi, between 1 and 32",
       arxiv("Peng et al. 2023, section 3.2", "2309.00071") + "; Llama 3.1 with 1 and 4"},
      {"rope", "dim=128 scaling=yarn factor=10 original_length=2048 attention_factor=1 truncate=false",
       "ramp over i, whose ends are not rounded",
       github("gpt-oss", "openai/gpt-oss") + ", foundation-model-stack"}};
  const Ratio paper = ratio(readings[0], readings[1]), rounded = ratio(readings[0], readings[2]);
  // The fastest pair makes 326 rotations in 2048 positions, and base^(2/d) times as many are 376.
  const Reading just_above{
      "rope",
      "dim=128 scaling=yarn factor=10 original_length=2048 attention_factor=1 beta_slow=330 beta_fast=340",
      "", ""},
      far_above{
          "rope",
          "dim=128 scaling=yarn factor=10 original_length=2048 attention_factor=1 beta_slow=380 beta_fast=390",
          "", ""};
  proved(pairs_that_differ(far_above, {"rope", "dim=128", "", ""}).empty(),
         "with both bounds far above all rotations the code's YaRN is RoPE");
  proved(pairs_that_differ(just_above, {"rope", "dim=128 scaling=linear factor=10", "", ""}) ==
             std::vector<std::size_t>{0},
         "with both just above them it is interpolation of every pair but the first");
  const Ratio at_32 =
      ratio({"rope", "dim=128 scaling=yarn factor=32 original_length=2048 attention_factor=1", "", ""},
            {"rope", "dim=128 scaling=by_parts factor=32 original_length=2048", "", ""});
  return {
      "The ramp of YaRN",
      "--scaling, --truncate",
      readings,
      "width 128, factor 10, trained on 2048",
      fmt::format("a factor of {} in a frequency", fixed(paper.most, 2)),
      bounded(
          "At width 128, factor 10 and 2048 trained positions the code's frequency of pair {} is {} times the paper's (at factor 32, pair {}: {} times); rounding the ends "
          "of the ramp changes a frequency by up to a factor of {}, of pair {}. The code clamps the ramp's low end at 0 and its high end at d - 1 alone: "
          "with both bounds at more than base^(2/d) times the rotations of the fastest pair it is RoPE, where the paper's is interpolation (`posproof explain "
          "yarn_above_all_rotations_is_rope`); with both between the rotations of the fastest pair and that number it interpolates every pair but the first, as ggml's, whose ramp is at least 0.001 wide, does for larger bounds, too.",
          paper.pair, fixed(paper.most, 2), at_32.pair, fixed(at_32.most, 2), fixed_up(rounded.most, 3),
          rounded.pair),
      std::min(paper.most, rounded.most) - 1};
}

Conflict magnitudes() {
  const std::vector<Reading> readings = {
      {"rope", "dim=64 scaling=yarn factor=40 original_length=4096",
       "cosine and sine times 0.1 ln s + 1: logits times its square",
       arxiv("Peng et al. 2023, definition 3", "2309.00071") + ", transformers"},
      {"rope", "dim=64 scaling=yarn factor=40 original_length=4096 mscale=1 mscale_all_dim=1",
       "cosine and sine times (0.1 mscale ln s + 1)/(0.1 mscale_all_dim ln s + 1), and the softmax scale times (0.1 mscale_all_dim ln s + 1)^2",
       link("DeepSeek-V3, modeling_deepseek.py",
            "huggingface.co/deepseek-ai/DeepSeek-V3/blob/main/modeling_deepseek.py") +
           "; " + github("inference/model.py", "deepseek-ai/DeepSeek-V3/blob/main/inference/model.py") +
           " has the softmax factor alone"}};
  const double own = as<Rotary>(oracle(readings[0])).amplitude,
               ratio = as<Rotary>(oracle(readings[1])).amplitude;
  proved(ratio == 1, "equal scales leave cosine and sine alone");
  return {
      "Where YaRN's magnitude is applied",
      "--attention_factor, --mscale, --mscale_all_dim",
      readings,
      "factor 40",
      fmt::format("{} or {} times cosine and sine", fixed(own, 4), fixed(ratio, 0)),
      fmt::format(
          "At factor 40 cosine and sine are multiplied by {} or by {}; logits of rotated channels by {} or, in the softmax, all logits by that. Both are one "
          "where every channel rotates, and differ where some do not, as in DeepSeek's heads. The softmax scale is the operator's, not the encoding's: "
          "a gate of the rotation tells them apart by the amplitude.",
          fixed(own, 4), fixed(ratio, 0), fixed(own * own, 4)),
      own - ratio};
}

Conflict lengths() {
  const std::vector<Reading> readings = {
      {"rope", "dim=128 scaling=dynamic_ntk factor=8 original_length=2048",
       "the base of each call's own length",
       link("bloc97 and emozilla 2023",
            "www.reddit.com/r/LocalLLaMA/comments/14mrgpr/dynamically_scaled_rope_further_increases/") +
           ", " + github("transformers", "huggingface/transformers")},
      {"rope", "dim=128 scaling=dynamic_ntk factor=8 original_length=2048 length=16384",
       "the base of one length, factor x trained length, once",
       github("vLLM#3488", "vllm-project/vllm/issues/3488")}};
  const double most = apart(readings[0], readings[1], {1000});
  const double at_length = apart(readings[0], readings[1], {16383});
  proved(at_length == 0, "at the length itself both are the same");
  return {
      "When a scaling by length changes",
      "--length",
      readings,
      "width 128, a call of 1001 tokens, factor 8, trained on 2048",
      three(most) + " in an entry of the rotation",
      bounded(
          "In a call whose last position is 1000 the two differ by up to {} in an entry of the rotation at that position; at position 16383 they are the same. "
          "LongRoPE has the same choice between its two lists. What keeps the largest base for later calls is refuted: `rope/dynamic_base_is_kept`.",
          three(most)),
      most};
}

Conflict centres() {
  const std::vector<Reading> readings = {
      {"xpos", "dim=64 centre=0", "zeta_i^(t/B)", arxiv("Sun et al. 2022, section 3.2", "2212.10554")},
      {"xpos", "dim=64 centre=256", "zeta_i^((t - c)/B), c half of the length of a cache", "flash-attention"},
      {"xpos", "dim=64 centre_at=half_of_call", "c half of the length of each call, rounded down",
       github("x-transformers", "lucidrains/x-transformers") + ", " +
           github("rotary-embedding-torch#27", "lucidrains/rotary-embedding-torch/issues/27") + ", " +
           github("local-attention", "lucidrains/local-attention")},
      {"xpos", "dim=64 centre_at=half_of_call_rounded_up", "c half of the length of each call, rounded up",
       github("torchscale", "microsoft/torchscale")}};
  const double most = apart(readings[0], readings[1], {512});
  const double rounded = apart(readings[2], readings[3], {512});
  proved(apart(readings[1], readings[2], {512}) == 0, "a call of 513 tokens has the centre 256");
  proved(apart(readings[2], readings[3], {511}) == 0, "half of an even length is not rounded");
  const Score a = *score(oracle(readings[0])), b = *score(oracle(readings[1]));
  const std::vector<double> ones(64, 1.0);
  const double logit = std::abs(a.at(ones, ones, 512, 500) - b.at(ones, ones, 512, 500));
  proved(logit < 1e-12, "one centre for queries and keys does not show in logits");
  const auto mixed = [](double length) { return std::pow(0.4 / 1.4, length / 2 / 512); };
  return {
      "The centre of xPos",
      "--centre, --centre_at",
      readings,
      "width 64, position 512",
      three(most) + " in an entry of the rotation of a query",
      bounded(
          "At width 64 and position 512 rotations of a query differ by up to {}; logits are the same as long as queries and keys have one centre. "
          "Where a query's is half of one length and a cached key's half of another, the fastest pair is off by the factor zeta_0^(L/2/512): {}, {} and {} for "
          "a difference L of the two lengths of 128, 512 and 2048 (defect `xpos/centre_of_each_call`, unless it is declared). Half of a call of 513 tokens is "
          "256 or 257: queries at 512 differ by up to {}.",
          three(most), fixed(mixed(128), 3), fixed(mixed(512), 3), fixed(mixed(2048), 3), three(rounded)),
      std::min(most, rounded)};
}

Conflict sections() {
  const std::vector<Reading> readings = {
      {"m_rope", "dim=128 base=5000000 sections=[24,20,20] assignment=contiguous",
       "t for 24 pairs, then h, then w",
       arxiv("Qwen2-VL, section 2.1", "2409.12191") + ", whose own sections are [16,24,24]"},
      {"m_rope", "dim=128 base=5000000 sections=[24,20,20] assignment=interleaved",
       "t, h, w in turn, leftover pairs t",
       github("Qwen3-VL in transformers",
              "huggingface/transformers/tree/main/src/transformers/models/qwen3_vl")},
      {"m_rope", "dim=128 base=5000000 sections=[24,20,20] assignment=interleaved leftover=none",
       "leftover pairs take a fourth id, 0 for text", github("llama.cpp, ggml", "ggml-org/llama.cpp")}};
  const double image = apart(readings[0], readings[1], {0, 3, 7}, 3),
               text = apart(readings[0], readings[1], {7, 7, 7}, 3);
  proved(text == 0, "text does not tell the assignments apart");
  const double near = apart(readings[1], readings[2], {32768, 32768, 32768}, 3),
               far = apart(readings[1], readings[2], {262144, 262144, 262144}, 3);
  return {
      "Whose id a pair of M-RoPE takes",
      "--assignment, --leftover",
      readings,
      "sections [24,20,20], place (0, 3, 7)",
      three(image) + " in an entry of the rotation",
      bounded(
          "Sections and base are Qwen3-VL's. At the place (0, 3, 7) the assignments differ by up to {}, for text by nothing. Pairs 61 and 62 of 64 are in no section where they are interleaved: with a fourth "
          "id of 0 they do not rotate, which at text position 32,768 is off by {} and at 262,144 by {}, so short tests do not see it.",
          three(image), fmt::format("{:.3g}", near), fmt::format("{:.3g}", far)),
      std::min(image, near)};
}

Conflict partial_exponents() {
  const std::vector<Reading> readings = {
      {"rope", "dim=128 rotary_dim=32", "w_i = b^(-2i/r), r the channels that rotate",
       github("GPT-J, GPT-NeoX", "EleutherAI/gpt-neox")},
      {"rope", "dim=128 rotary_dim=32 exponent=dim", "w_i = b^(-2i/d), d the width of the head",
       arxiv("p-RoPE, Barbero et al. 2024", "2410.06205") + ", and ports by mistake"}};
  const double most = apart(readings[0], readings[1], {100});
  const Ratio slowest = ratio(readings[0], readings[1]);
  return {
      "The exponent of a partial rotation",
      "--exponent",
      readings,
      "32 of 128 channels, position 100",
      three(most) + " in an entry of the rotation",
      bounded(
          "Where 32 of 128 channels rotate, the frequency of pair {} differs by a factor of {}, and entries of the rotation at position 100 by up to {}.",
          slowest.pair, fixed(slowest.most, 0), three(most)),
      most};
}

Conflict factors() {
  const std::vector<Reading> readings = {
      {"rope", "dim=128 scaling=longrope attention_factor=1 factors=[8]", "w_i / f_i",
       arxiv("Ding et al. 2024, LongRoPE", "2402.13753") + ", ggml `freq_factors`"},
      {"rope", "dim=128 scaling=longrope attention_factor=1 factors=[0.125]", "w_i f_i",
       std::string(nobody) + ": the reading to look for where a file names factors"}};
  const Ratio most = ratio(readings[0], readings[1]);
  return {
      "Whether factors of frequencies divide or multiply",
      "--factors",
      readings,
      "factors of 8",
      fmt::format("a factor of {} in every frequency", fixed(most.most, 0)),
      fmt::format(
          "Factors of 8, multiplied where they are meant to divide, put every frequency off by a factor of {}: 8 squared.",
          fixed(most.most, 0)),
      most.most - 1};
}

namespace {

// Of all positions below 4096 and all 64 pairs: how far an angle is off in which the position, or position
// and product, are kept in bf16, with frequencies in f32; and with frequencies in bf16 as well.
struct Angles {
  double position = 0, both = 0, all = 0;
};
Angles in_bf16() {
  Angles out;
  const auto bf16 = [](double x) { return nearest(Format::bf16, x); };
  for (const long double w : ladder(128))
    for (Position t = 0; t < 4096; ++t) {
      const auto exact = static_cast<double>(static_cast<long double>(t) * w);
      const double w32 = nearest(Format::f32, static_cast<double>(w)),
                   rounded = bf16(static_cast<double>(t)) * w32;
      out.position = std::max(out.position, std::abs(rounded - exact));
      out.both = std::max(out.both, std::abs(bf16(rounded) - exact));
      const double narrow = bf16(bf16(static_cast<double>(t)) * bf16(w32));
      out.all = std::max(out.all, std::abs(narrow - exact));
    }
  return out;
}

}  // namespace

Conflict formats() {
  const std::vector<Reading> readings = {
      {"rope", "dim=128", "angles in f32",
       github("transformers, modeling_llama.py",
              "huggingface/transformers/blob/main/src/transformers/models/llama/modeling_llama.py"),
       "@bf16"},
      {"rope", "dim=128", "positions, frequencies and angles in bf16",
       github("transformers#25681", "huggingface/transformers/issues/25681") + ", " +
           github("gpt-neox#1003", "EleutherAI/gpt-neox/issues/1003"),
       "@bf16/bf16"}};
  const Angles off = in_bf16();
  return {
      "In which format an angle is formed",
      "@precision of the subject",
      readings,
      "width 128, positions below 4096",
      fmt::format("{} rad in an angle", fixed_up(off.all, 1)),
      bounded(
          "At width 128, of all pairs and positions below 4,096, with frequencies in f32, positions in bf16 put an angle off by up to {} rad, products in bf16 as well by up to {} rad; with frequencies in bf16, too, as in both threads, by up to {} rad, whole turns included: beyond half a turn a pair may point anywhere. "
          "A result in 16 bits has its angles in f32 unless the subject says otherwise.",
          fixed_up(off.position, 1), fixed_up(off.both, 1), fixed_up(off.all, 1)),
      off.all};
}

Conflict crops() {
  // 768 x 1280 pixels are 48 x 80 tokens, whose place among 32 x 32 is the crop of rows 6 to 25 and of all
  // columns.
  const std::string of =
      "dim=88 layout=interleaved axis_order=reversed coordinates=cropped grid=[48,80] crop_start=[6,0] crop_stop=[25,32]";
  const std::string code = "huggingface/diffusers/blob/main/src/diffusers/models/embeddings.py";
  const std::vector<Reading> readings = {
      {"axial_rope", of, "row p of E is at a + p (b - a) / E",
       github("diffusers, `_get_2d_rotary_pos_embed_np`", code) +
           ": NumPy's `linspace` without its endpoint"},
      {"axial_rope", of + " crop_spacing=stop_scaled", "E rows run evenly from a to b (E - 1) / E",
       github("diffusers, `get_2d_rotary_pos_embed`", code) + " and " +
           github("`get_3d_rotary_pos_embed`", "huggingface/diffusers/pull/10161") + " in PyTorch"}};
  const auto row = [&](Position p) { return apart(readings[0], readings[1], {p, 0}, 2); };
  const auto column = [&](Position p) { return apart(readings[0], readings[1], {0, p}, 2); };
  constexpr Position rows = 48, columns = 80;
  for (Position p = 0; p < columns; ++p)
    proved(column(p) == 0, "columns, whose crop begins at 0, are the same");
  const double first = 6, after = 25, share = static_cast<double>(rows - 1) / rows;
  return {
      "The rows of a crop",
      "--crop_spacing",
      readings,
      "48 x 80 tokens in 32 x 32, the last row",
      three(row(rows - 1)) + " in an entry of the rotation",
      bounded(
          "An image of HunyuanDiT with 768 x 1280 pixels has 48 x 80 tokens, which stand for the rows 6 to 25 and the columns 0 to 32 of a square of 32 x 32. "
          "Its last row is at {} in the first reading and at {} in the second, and entries of the rotation differ there by up to {}. The comment beside the second says that it "
          "matches the first; that is so where a crop begins at 0, as for these columns.",
          fixed(first + share * (after - first), 3), fixed(after * share, 3), three(row(rows - 1))),
      row(rows - 1)};
}

}  // namespace posproof::experiments::contested
