#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catalogue/experiments/conventions.h"
#include "core/call.h"
#include "core/formats.h"
#include "measure.h"
#include "run/catalogued.h"

namespace posproof::experiments_conventions {
namespace {

using namespace document;
using experiments::proved;

constexpr std::string_view nobody = "not found in released code";

// One of the ways in which a convention is read: the encoding with these parameters.
struct Reading {
  std::string encoding, words;
  std::string formula, who;    // Markdown
  std::string precision = "";  // behind the subject, where that is what differs
};

// `posproof gate rope --dim 128 --layout half_split SUBJECT`
std::string command(const Reading& of) {
  std::string out = "posproof gate " + of.encoding;
  const Case words = Case::parse(of.words);
  for (const auto& [name, value] : words.fields()) out += fmt::format(" --{} {}", name, text(value));
  return out + " SUBJECT" + of.precision;
}

Encoding oracle(const Reading& of) {
  return encoding_named(of.encoding).oracle(Case::parse(of.words));
}

// Positions [n, axes], and contents: of a rotation each unit vector at each position, so that answers are
// columns of its matrix; of others ones.
Call call_of(const Encoding& encoding, const std::vector<Position>& at, std::size_t axes) {
  Call call{.positions = {.whole = at, .axes = axes}};
  call.length = *last_of(call.positions) + 1;
  if (const auto* rotary = std::get_if<Rotary>(&encoding)) {
    const std::size_t n = at.size() / axes;
    call.batch = n;
    call.positions.whole.clear();
    Tensor x({n, rotary->heads, rotary->dim, rotary->dim});
    for (std::size_t row = 0; row < x.rows(); ++row) x.at(row, row % rotary->dim) = 1;
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t c = 0; c < rotary->dim; ++c)
        for (std::size_t axis = 0; axis < axes; ++axis) call.positions.whole.push_back(at[b * axes + axis]);
    call.contents = {x};
    return call;
  }
  if (signature(encoding).has(posproof::Axis::key)) call.keys = call.positions;
  for (std::size_t n = 0; n < signature(encoding).takes.size(); ++n) {
    call.contents.emplace_back(shape_of_content(encoding, call, n));
    std::ranges::fill(call.contents.back().data, 1.0);
  }
  return call;
}

// The largest difference of any two entries of both answers.
double apart(const Reading& a, const Reading& b, const std::vector<Position>& at, std::size_t axes = 1) {
  const Encoding one = oracle(a), other = oracle(b);
  const Call call = call_of(one, at, axes);
  const Tensor x = answer(one, call), y = answer(other, call);
  double most = 0;
  for (std::size_t n = 0; n < x.data.size(); ++n) most = std::max(most, std::abs(x.data[n] - y.data[n]));
  return most;
}

std::vector<Position> up_to(Position n) {
  std::vector<Position> out;
  for (Position t = 0; t < n; ++t) out.push_back(t);
  return out;
}

struct Conflict {
  std::string title;      // of the section
  std::string parameter;  // that tells the readings apart
  std::vector<Reading> readings;
  std::string setting, difference;  // of the table: where, and by how much
  std::string found;                // a paragraph
  double least = 0;                 // of the differences
};

std::string link(std::string_view name, std::string_view where) {
  return fmt::format("[{}](https://{})", name, where);
}
std::string arxiv(std::string_view name, std::string_view number) {
  return link(name, fmt::format("arxiv.org/abs/{}", number));
}
std::string github(std::string_view name, std::string_view path) {
  return link(name, fmt::format("github.com/{}", path));
}

// `0.841`, three significant digits.
std::string three(double x) {
  return fmt::format("{:.3g}", x);
}

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
      fmt::format(
          "At width 128 and position 1 entries of both rotations differ by up to {}; at width 2 they are the same. After one permutation "
          "of the channels of queries and keys both give the same logits (`posproof explain "
          "interleaved_rope_is_half_split_permuted`), so the choice binds weights, not mathematics.",
          three(most)),
      most};
}

Conflict divisors() {
  const std::vector<Reading> readings = {
      {"sinusoidal", "dim=512 divisor=half", "w_i = 10000^(-i/(d/2))",
       arxiv("Vaswani et al. 2017, section 3.5", "1706.03762") + ", Transformer-XL"},
      {"sinusoidal", "dim=512 divisor=half_minus_one", "w_i = 10000^(-i/(d/2 - 1))",
       github("tensor2tensor", "tensorflow/tensor2tensor/issues/1423") + ", " +
           github("fairseq",
                  "facebookresearch/fairseq/blob/main/fairseq/modules/sinusoidal_positional_embedding.py") +
           ", DDPM"}};
  const double most = apart(readings[0], readings[1], up_to(512));
  const Reading sines_first{"sinusoidal", "dim=512 layout=sin_cos", "", ""};
  const double layout = apart(readings[0], sines_first, up_to(512));
  return {
      "What the exponent of a frequency is divided by",
      "--divisor, --layout",
      readings,
      "width 512, positions 0 to 511",
      three(most) + " in an entry",
      fmt::format(
          "At width 512 and positions 0 to 511 rows differ by up to {}: only d/2 - 1 reaches the wavelength 2 pi 10000. "
          "The order of the columns is a second choice (`--layout interleaved`, `sin_cos`, `cos_sin`; {}): interleaved and "
          "sin_cos differ by up to {}, and by a permutation of columns alone.",
          three(most), github("fairseq#4648", "facebookresearch/fairseq/issues/4648"), three(layout)),
      std::min(most, layout)};
}

Conflict first_positions() {
  const std::vector<Reading> readings = {
      {"sinusoidal", "dim=512", "the first token is at position 0",
       arxiv("Vaswani et al. 2017", "1706.03762")},
      {"sinusoidal", "dim=512 offset=2", "at padding_idx + 1, 2 by default",
       github("fairseq", "facebookresearch/fairseq") + ", OPT (a learned table, " +
           github("transformers#20761", "huggingface/transformers/issues/20761") + ")"},
      {"sinusoidal", "dim=512 direction=backward offset=511", "the last is at 0, the first at klen - 1",
       github("Transformer-XL", "kimiyoung/transformer-xl")}};
  const double two = apart(readings[0], readings[1], up_to(512));
  const double back = apart(readings[0], readings[2], up_to(512));
  return {
      "Where the first token stands",
      "--offset, --direction",
      readings,
      "width 512, 512 tokens",
      fmt::format("{} (from 2), {} (backward)", three(two), three(back)),
      fmt::format(
          "Over 512 tokens of width 512 a table from 2 on differs from one from 0 by up to {}, a reversed one by up to {}. Dot products of "
          "rows see neither, as they depend on offsets alone.",
          three(two), three(back)),
      std::min(two, back)};
}

Conflict odd_widths() {
  const std::vector<Reading> readings = {
      {"sinusoidal", "dim=7 odd=zero_pad", "a column of zeros is added, 2i/6",
       github("tensor2tensor", "tensorflow/tensor2tensor")},
      {"sinusoidal", "dim=7 odd=truncate", "the last cosine is cut off, 2i/7",
       github("Informer2020#224", "zhouhaoyi/Informer2020/issues/224") + " and others"},
      {"sinusoidal", "dim=7 odd=round_up", "as width 8, cut: 2i/8",
       github("multidim-positional-encoding", "tatp22/multidim-positional-encoding")}};
  const double pad = apart(readings[0], readings[1], up_to(512)),
               up = apart(readings[1], readings[2], up_to(512));
  return {
      "What an odd width does",
      "--odd",
      readings,
      "width 7, positions 0 to 511",
      fmt::format("{} and {} in an entry", three(pad), three(up)),
      fmt::format(
          "At width 7 and positions 0 to 511 a column of zeros (and 2i/6) and a cut cosine (and 2i/7) differ by up to {}, a cut cosine of width 7 and of width 8 by up to {}. "
          "Many programs refuse an odd width, which is the standard here (`--odd refuse`).",
          three(pad), three(up)),
      std::min(pad, up)};
}

Conflict slopes() {
  const std::vector<Reading> readings = {
      {"alibi", "heads=12 rule=official", "slopes of 8 heads, then every other one of 16",
       github("Press et al., fairseq code", "ofirpress/attention_with_linear_biases") + ", Bloom, MPT"},
      {"alibi", "heads=12 rule=geometric", "m_h = 2^(-8h/12)",
       github("Baichuan2#225", "baichuan-inc/Baichuan2/issues/225") + ", " +
           arxiv("the paper read literally", "2108.12409")},
      {"alibi", "heads=12 rule=log_linear", "from 1/2 to 2^-8 in equal ratios",
       github("foundation-model-stack", "foundation-model-stack/foundation-model-stack")}};
  const std::vector<Position> at = {0, 100};
  const double geometric = apart(readings[0], readings[1], at),
               log_linear = apart(readings[0], readings[2], at);
  const Reading scaled{"alibi", "heads=12 head_dim=64", "", ""},
      symmetric{"alibi", "heads=12 form=symmetric", "", ""};
  const double by_root = apart(readings[0], scaled, at), later = apart(readings[0], symmetric, at);
  const Reading eight{"alibi", "heads=8", "", ""}, geometric_eight{"alibi", "heads=8 rule=geometric", "", ""};
  proved(apart(eight, geometric_eight, at) == 0, "the rules agree where the heads are a power of two");
  return {
      "Slopes of ALiBi where the heads are no power of two",
      "--rule, --head_dim, --form",
      readings,
      "12 heads, distance 100",
      fmt::format("{} and {} in a logit", three(geometric), three(log_linear)),
      fmt::format(
          "With 12 heads, at distance 100, the geometric rule differs from the official one by up to {} and the log-linear one by up to {}; with 8 heads "
          "the first two agree. Falcon divides the bias by the root of the head width with the product (`--head_dim 64`: up to {} at that "
          "distance); and bidirectional models count later keys by their distance (`--form symmetric`: up to {}).",
          three(geometric), three(log_linear), three(by_root), three(later)),
      std::min({geometric, log_linear, by_root, later})};
}

// Of a pair: the larger frequency over the smaller one.
struct Ratio {
  double most = 0;
  std::size_t pair = 0;
};
Ratio ratio(const Reading& a, const Reading& b) {
  const auto x = std::get<Rotary>(oracle(a)).pairs, y = std::get<Rotary>(oracle(b)).pairs;
  Ratio out;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const double one = x[i].frequency / y[i].frequency; std::max(one, 1 / one) > out.most)
      out = {std::max(one, 1 / one), i};
  return out;
}

Conflict ramps() {
  const std::vector<Reading> readings = {
      {"rope", "dim=128 scaling=yarn factor=10 original_length=2048 attention_factor=1",
       "ramp over the pair's index i, between floor(corr(32)) and ceil(corr(1))",
       github("the authors' code", "jquesnelle/yarn/issues/60") + ", transformers, vLLM, ggml"},
      {"rope", "dim=128 scaling=by_parts factor=10 original_length=2048",
       "ramp over the rotations L0 w_i / 2 pi, between 1 and 32",
       arxiv("Peng et al. 2023, eq. 17 to 19", "2309.00071") + "; Llama 3.1 with 1 and 4"},
      {"rope", "dim=128 scaling=yarn factor=10 original_length=2048 attention_factor=1 truncate=false",
       "ramp over i, whose ends are not rounded",
       github("gpt-oss", "openai/gpt-oss") + ", foundation-model-stack"}};
  const Ratio paper = ratio(readings[0], readings[1]), rounded = ratio(readings[0], readings[2]);
  const Ratio at_32 =
      ratio({"rope", "dim=128 scaling=yarn factor=32 original_length=2048 attention_factor=1", "", ""},
            {"rope", "dim=128 scaling=by_parts factor=32 original_length=2048", "", ""});
  return {
      "The ramp of YaRN",
      "--scaling, --truncate",
      readings,
      "width 128, factor 10, trained on 2048",
      fmt::format("a factor of {} in a frequency", fixed(paper.most, 2)),
      fmt::format(
          "At width 128, factor 10 and 2048 trained positions the code's frequency of pair {} is {} times the paper's (at factor 32, pair {}: {} times); rounding the ends "
          "of the ramp changes a frequency by up to a factor of {}, of pair {}. The code clamps the ramp's low end at 0 and its high end at d - 1 alone: "
          "with both bounds above the rotations of every pair it is RoPE, where the paper's is interpolation (`posproof explain "
          "yarn_above_all_rotations_is_rope`).",
          paper.pair, fixed(paper.most, 2), at_32.pair, fixed(at_32.most, 2), fixed(rounded.most, 3),
          rounded.pair),
      std::min(paper.most, rounded.most) - 1};
}

Conflict magnitudes() {
  const std::vector<Reading> readings = {
      {"rope", "dim=64 scaling=yarn factor=40 original_length=4096",
       "cosine and sine times 0.1 ln s + 1: logits times its square",
       arxiv("Peng et al. 2023, eq. 22", "2309.00071") + ", transformers"},
      {"rope", "dim=64 scaling=yarn factor=40 original_length=4096 mscale=1 mscale_all_dim=1",
       "cosine and sine times (0.1 mscale ln s + 1)/(0.1 mscale_all_dim ln s + 1), and the softmax scale times (0.1 mscale_all_dim ln s + 1)^2",
       link("DeepSeek-V3, modeling_deepseek.py",
            "huggingface.co/deepseek-ai/DeepSeek-V3/blob/main/modeling_deepseek.py") +
           "; " + github("inference/model.py", "deepseek-ai/DeepSeek-V3/blob/main/inference/model.py") +
           " has the softmax factor alone"}};
  const double own = std::get<Rotary>(oracle(readings[0])).amplitude,
               ratio = std::get<Rotary>(oracle(readings[1])).amplitude;
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
      fmt::format(
          "In a call whose last position is 1000 the two differ by up to {} in an entry of the rotation at that position; at position 16383 they are the same. "
          "LongRoPE has the same choice between its two lists. What keeps the largest base for later calls is refuted: `rope/dynamic_base_is_kept`.",
          three(most)),
      most};
}

Conflict centres() {
  const std::vector<Reading> readings = {
      {"xpos", "dim=64 centre=0", "zeta_i^(t/B)", arxiv("Sun et al. 2022, section 3.2", "2212.10554")},
      {"xpos", "dim=64 centre=256", "zeta_i^((t - c)/B), c half of some length",
       github("torchscale", "microsoft/torchscale") + ", " +
           github("rotary-embedding-torch#27", "lucidrains/rotary-embedding-torch/issues/27") +
           ", flash-attention"}};
  const double most = apart(readings[0], readings[1], {512});
  const Score a = *score(oracle(readings[0])), b = *score(oracle(readings[1]));
  const std::vector<double> ones(64, 1.0);
  const double logit = std::abs(a.at(ones, ones, 512, 500) - b.at(ones, ones, 512, 500));
  proved(logit < 1e-12, "one centre for queries and keys does not show in logits");
  const auto mixed = [](double length) { return std::pow(0.4 / 1.4, length / 2 / 512); };
  return {
      "The centre of xPos",
      "--centre",
      readings,
      "width 64, position 512",
      three(most) + " in an entry of the rotation of a query",
      fmt::format(
          "At width 64 and position 512 rotations of a query differ by up to {}; logits are the same as long as queries and keys have one centre. "
          "Where a query's is half of one length and a cached key's half of another, the fastest pair is off by the factor zeta_0^(L/2/512): {}, {} and {} for "
          "a difference L of the two lengths of 128, 512 and 2048 (defect `xpos/centre_of_each_call`).",
          three(most), fixed(mixed(128), 3), fixed(mixed(512), 3), fixed(mixed(2048), 3)),
      most};
}

// Distances whose bucket changes where the smallest step of f32 is added inside the logarithm.
std::size_t changed_by_epsilon() {
  std::size_t changed = 0;
  for (const long double exact : {8.0L, 16.0L})
    for (Position n = static_cast<Position>(exact); n <= Position{1} << 20; ++n) {
      const auto bucket = [&](long double more) {
        const long double share =
            std::log(static_cast<long double>(n) / exact + more) / std::log(128 / exact);
        // An edge that is met exactly is above it.
        return std::min(exact - 1, std::floor(share * exact + 1e-15L));
      };
      changed += bucket(0) != bucket(0x1p-23L) ? 1 : 0;
    }
  return changed;
}

Conflict t5_signs() {
  const std::vector<Reading> readings = {
      {"t5_bias", "heads=1", "bucket(key - query)",
       arxiv("Raffel et al. 2020, section 2.1", "1910.10683") + ", mesh-tensorflow"},
      {"t5_bias", "heads=1 relative=query_minus_key", "bucket(query - key)",
       std::string(nobody) + ": the sign to look for in a port"}};
  const double most = apart(readings[0], readings[1], {0, 1});
  const std::size_t changed = changed_by_epsilon();
  proved(changed == 0, "an epsilon inside the logarithm changes no bucket");
  return {
      "The sign of T5's offset",
      "--relative",
      readings,
      "32 buckets, offset 1",
      fmt::format("{} buckets", fixed(most, 0)),
      fmt::format(
          "At offset 1 the two read entries that lie {} apart. T5X adds the smallest step of f32 inside the logarithm: with 32 buckets and distance 128, of all "
          "distances up to 2^20, in both directions, it changes {} buckets in exact arithmetic, so it is no parameter.",
          fixed(most, 0), changed),
      most};
}

Conflict deberta_directions() {
  const std::vector<Reading> readings = {
      {"deberta", "dim=2 span=4 p2c=code", "the position-to-content term reads Q_r(delta(m, n))",
       github("microsoft/DeBERTa, disentangled_attention.py", "microsoft/DeBERTa/issues/162") +
           ", transformers"},
      {"deberta", "dim=2 span=4 p2c=paper", "it reads Q_r(delta(n, m))",
       arxiv("He et al. 2020, eq. 4", "2006.03654")}};
  const double most = apart(readings[0], readings[1], up_to(6)), same = apart(readings[0], readings[1], {3});
  proved(same == 0, "at offset 0 both read the same row");
  return {
      "The direction of DeBERTa's third term",
      "--p2c",
      readings,
      "width 2, span 4, 6 tokens of ones, the tables of seed 1",
      three(most) + " in a logit",
      fmt::format(
          "Among 6 tokens of ones, with the tables of seed 1 for the trained ones, logits differ by up to {}, and by nothing at offset 0.",
          three(most)),
      most};
}

Conflict grids() {
  const std::vector<Reading> readings = {
      {"sincos_2d", "dim=8", "rows first, from 0",
       "what the names `emb_h`, `emb_w` say in " + github("MAE's code", "facebookresearch/mae")},
      {"sincos_2d", "dim=8 axis_order=reversed", "columns first",
       arxiv("MAE", "2111.06377") + " (" + github("mae#18", "facebookresearch/mae/issues/18") +
           "), simple ViT"},
      {"sincos_2d", "dim=8 offset=1", "rows first, from 1", arxiv("DETR", "2005.12872")},
      {"sincos_2d", "dim=8 offset=1 normalize=detr grid=[2,3]", "(y + 1)/(h + 1e-6) 2 pi",
       arxiv("DETR, normalised", "2005.12872")}};
  const std::vector<Position> places = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
  const double swap = apart(readings[0], readings[1], places, 2),
               from_1 = apart(readings[0], readings[2], places, 2),
               normalised = apart(readings[2], readings[3], places, 2);
  return {
      "Axes, first place and normalisation of a grid",
      "--axis_order, --offset, --normalize",
      readings,
      "width 8, grid of 2 x 3",
      fmt::format("{}, {} and {} in an entry", three(swap), three(from_1), three(normalised)),
      fmt::format(
          "On a grid of 2 x 3 at width 8 columns first differs by up to {}, counting from 1 by up to {}, and DETR's normalisation from that by up to {}. On a square grid "
          "swapped axes are the transposed table, which a test of shapes does not see.",
          three(swap), three(from_1), three(normalised)),
      std::min({swap, from_1, normalised})};
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
      fmt::format(
          "Sections and base are Qwen3-VL's. At the place (0, 3, 7) the assignments differ by up to {}, for text by nothing. Pairs 61 and 62 of 64 are in no section where they are interleaved: with a fourth "
          "id of 0 they do not rotate, which at text position 32,768 is off by {} and at 262,144 by {}, so short tests do not see it.",
          three(image), three(near), three(far)),
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
      fmt::format(
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

// Of all positions below 4096 and all 64 pairs: how far an angle is off in which the position, or position
// and product, are kept in bf16, with frequencies in f32; and with frequencies in bf16 as well.
struct Angles {
  double position = 0, both = 0, all = 0;
};
Angles in_bf16() {
  Angles out;
  const auto bf16 = [](double x) { return nearest(Format::bf16, x); };
  for (const long double w : experiments::ladder(128))
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

Conflict formats() {
  const std::vector<Reading> readings = {
      {"rope", "dim=128", "angles in f32",
       github("transformers, modeling_llama.py",
              "huggingface/transformers/blob/main/src/transformers/models/llama/modeling_llama.py"),
       "@bf16"},
      {"rope", "dim=128", "positions and angles in bf16",
       github("transformers#25681", "huggingface/transformers/issues/25681") + ", " +
           github("gpt-neox#1003", "EleutherAI/gpt-neox/issues/1003"),
       "@bf16/bf16"}};
  const Angles off = in_bf16();
  return {
      "In which format an angle is formed",
      "@precision of the subject",
      readings,
      "width 128, positions below 4096",
      fmt::format("{} rad in an angle", fixed(off.both, 1)),
      fmt::format(
          "At width 128, of all pairs and positions below 4,096, with frequencies in f32, positions in bf16 put an angle off by up to {} rad, products in bf16 as well by up to {} rad; with frequencies in bf16, too, as in gpt-neox#1003, by up to {} rad. "
          "A result in 16 bits has its angles in f32 unless the subject says otherwise.",
          fixed(off.position, 1), fixed(off.both, 1), fixed(off.all, 1)),
      off.position};
}

Conflict counting() {
  const std::vector<Reading> readings = {
      {"cope", "dim=1 length=8", "the key's own gate counts: the query is at 1",
       arxiv("Golovneva et al. 2024, section 4", "2405.18719")},
      {"cope", "dim=1 length=8 counting=exclusive", "gates between the two: the query is at 0",
       arxiv("Shaw et al. 2018", "1803.02155") + ", " + arxiv("Music Transformer", "1809.04281")}};
  // Tokens of 60 open every gate, and differ in their positions alone.
  const std::size_t n = 4;
  Call call{.contents = {Tensor({n, 1}, {1, 1, 1, 1}), Tensor({n, 1}, {60, 60, 60, 60}),
                         Tensor({n, 1}, {0, 0, 0, 1})}};
  call.mask = Tensor({n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) call.mask.at(i, j) = 1;
  const double most =
      std::abs(answer(oracle(readings[0]), call).data.back() - answer(oracle(readings[1]), call).data.back());
  return {
      "Whether a query counts itself",
      "--counting",
      readings,
      "4 tokens whose gates are open, the table of seed 1",
      three(most) + " in a weight",
      fmt::format(
          "Of 4 tokens whose gates are open, with the table of seed 1 for the trained one, the last weighs itself by {} more or less. With gates open inclusive counting is a relative "
          "table shifted by one (`posproof explain cope_of_open_gates_is_shaw_shifted_by_one`); Music Transformer's table begins at distance 0.",
          three(most)),
      most};
}

std::vector<Conflict> measure() {
  return {layouts(),
          divisors(),
          first_positions(),
          odd_widths(),
          slopes(),
          ramps(),
          magnitudes(),
          lengths(),
          centres(),
          t5_signs(),
          deberta_directions(),
          grids(),
          sections(),
          partial_exponents(),
          factors(),
          formats(),
          counting()};
}

std::vector<Block> overview(const std::vector<Conflict>& all) {
  Grid grid{
      .columns = {"no.", "convention", "parameter", "where", "difference"},
      .rows = {},
      .caption =
          "How far the readings are apart at that setting. The sections below say which of more than two is compared with which."};
  for (std::size_t n = 0; n < all.size(); ++n)
    grid.rows.push_back({std::to_string(n + 1), all[n].title, fmt::format("`{}`", all[n].parameter),
                         all[n].setting, all[n].difference});
  return {Section{"All of them"}, grid};
}

std::vector<Block> section_of(const Conflict& one, std::size_t number) {
  Grid grid{.columns = {"formula", "who", "declared as"}, .rows = {}};
  for (const Reading& reading : one.readings)
    grid.rows.push_back({reading.formula, reading.who, fmt::format("`{}`", command(reading))});
  return {Section{fmt::format("{}. {}", number, one.title)}, grid, Paragraph{one.found}};
}

// What was known from reading alone, and what came of running it. Programs of others do not run here: these
// are notes, not measurements.
std::vector<Block> read_and_run() {
  return {
      Section{"What had been read and not run"},
      Paragraph{
          "These were known from reading code. The lines in question were run by hand in Python, outside of this page:"},
      Grid{
          .columns = {"statement", "what was done", "found"},
          .rows = {
              {"DeBERTa's position-to-content term reads delta(m, n)",
               "the gather and the transposition of " +
                   github("disentangled_attention.py",
                          "microsoft/DeBERTa/blob/master/DeBERTa/deberta/disentangled_attention.py") +
                   " on indices, 5 tokens, span 3",
               "so it is: every entry is delta(m, n), and not every one delta(n, m)"},
              {"MoCo v3's codes do not line up with patches on a grid that is not square",
               "the meshgrid and the flattening of " +
                   github("vits.py", "facebookresearch/moco-v3/blob/main/vits.py") + " on 2 x 3",
               "4 of 6 tokens have the code of another place; on 3 x 3 the axes are swapped"},
              {"ggml gives the leftover pairs of interleaved sections a fourth id",
               "its selection of ids for [24,20,20] of 64 pairs, and what llama.cpp fills the fourth id of text with",
               "pairs 61 and 62 take it, and it is 0"},
              {"transformers keeps the longest length of dynamic NTK under another name",
               "`dynamic_frequency_update` without a layer type, for lengths 8192, 6000 and 100 after 4096",
               "it writes `None_max_seq_len_cached` and reads `max_seq_len_cached`: the base follows each call that is longer than the trained length, and the reset never comes, so that the call of 100 has the base of 6000"},
              {"a version of NeMo rescales ALiBi's slopes in place",
               "the file of the repository that is to be had, alibi_relative_position.py",
               "not found: that version multiplies into a new tensor"},
              {"CoPE beyond its formula, Cable, the Forgetting Transformer, mixed 2-D RoPE",
               "each has an encoding here, derived twice from its paper",
               "agreement with other people's code is in the tests of foreign subjects, as far as there is such code"}}}};
}

Document run() {
  const std::vector<Conflict> all = measure();
  proved(all.size() == 17, "there are seventeen");
  for (const Conflict& one : all)
    proved(one.least > 1e-3, "the readings differ by far more than rounding: " + one.title);
  std::vector<std::string> only_possible;  // sections with a reading that nobody ships
  for (std::size_t n = 0; n < all.size(); ++n)
    if (std::ranges::any_of(all[n].readings, [](const Reading& one) { return one.who.starts_with(nobody); }))
      only_possible.push_back(std::to_string(n + 1));
  const std::size_t contested = all.size() - only_possible.size();
  std::vector<Block> blocks = {Paragraph{fmt::format(
      "Papers and programs, and programs among each other, read {} of these {} conventions in more than one way; of those in sections {} a second reading was not found in released code. "
      "Most readings are not wrong by themselves; what is wrong is a model that was trained with one and runs with another. "
      "Each is declared here: by a parameter that is spelled out, by one that is left at its printed standard, or by the precision of the subject. "
      "The differences are of the exact encodings, by their oracles, but for the angles of section {}; `posproof gate` with either declaration tells which one a subject has, and `posproof identify` finds it without one.",
      contested, all.size(), fmt::join(only_possible, " and "),
      1 + std::ranges::distance(all.begin(),
                                std::ranges::find(all, "@precision of the subject", &Conflict::parameter)))}};
  const auto add = [&](std::vector<Block> more) { blocks.insert(blocks.end(), more.begin(), more.end()); };
  add(overview(all));
  for (std::size_t n = 0; n < all.size(); ++n) add(section_of(all[n], n + 1));
  add(read_and_run());
  const std::string answer = fmt::format(
      "Each of the {} conventions is declared, by a parameter or by the precision of the subject, and at the setting given for it the readings differ by far more than rounding. On {} of them papers and code disagree; of the other {} the second reading was not found in released code.",
      all.size(), contested, only_possible.size());
  blocks.push_back(PageVerdict{answer});
  return {
      .title = "Seventeen conventions that can be read in more than one way",
      .finding = answer,
      .condition =
          "Exact encodings (oracles, rounded once to double; in section 16 angles in number formats); widths, positions and factors in each section; trained tables are those of seed 1.",
      .blocks = std::move(blocks)};
}

}  // namespace

const Experiment entry{
    .question =
        "On which conventions do papers and programs disagree, by how much do the readings differ, and what tells them apart?",
    .method =
        "Declare each reading by its parameters, compare the oracles entry by entry at one setting each, and print the declarations.",
    .run = &run,
    .asked_by = Asker::implementing,
};

}  // namespace posproof::experiments_conventions
