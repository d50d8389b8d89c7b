#include "readings_of_tables_and_logits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/bounded.h"
#include "core/call.h"
#include "measure.h"

namespace posproof::experiments::contested {

using document::fixed;

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
      bounded(
          "At width 512 and positions 0 to 511 rows differ by up to {}: only d/2 - 1 reaches the wavelength 2 pi 10000. "
          "The order of the columns is a second choice (`--layout interleaved`, `sin_cos`, `cos_sin`; {}): interleaved and "
          "sin_cos differ by up to {}, and by a permutation of columns alone.",
          three(most), github("fairseq#4648", "facebookresearch/fairseq/issues/4648"), three(layout)),
      std::min(most, layout)};
}

Conflict first_positions() {
  const std::vector<Reading> readings = {
      {"sinusoidal", "dim=512", "the first token is at position 0",
       github("tensor2tensor",
              "tensorflow/tensor2tensor/blob/master/tensor2tensor/layers/common_attention.py") +
           "; its paper, " + arxiv("Vaswani et al. 2017", "1706.03762") + ", does not say"},
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
      bounded(
          "Over 512 tokens of width 512 a table from 2 on differs from one from 0 by up to {}, a reversed one by up to {}. Dot products of "
          "rows see neither, as they depend on offsets alone.",
          three(two), three(back)),
      std::min(two, back)};
}

Conflict odd_widths() {
  const std::vector<Reading> readings = {
      {"sinusoidal", "dim=7 odd=zero_pad", "a column of zeros is added, 2i/6 by the paper's divisor",
       github("tensor2tensor", "tensorflow/tensor2tensor") +
           " adds the column; its own divisor makes it 2i/4"},
      {"sinusoidal", "dim=7 odd=truncate", "the last cosine is cut off, 2i/7",
       github("Keras",
              "keras-team/keras-hub/blob/master/keras_hub/src/layers/modeling/sine_position_encoding.py") +
           ", by a mask over all columns, and repairs of the tutorials' program, as that in " +
           github("BERT-pytorch#78", "codertimo/BERT-pytorch/issues/78")},
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
      bounded(
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
       github("mlx before #3071", "ml-explore/mlx/pull/3071") + ", " +
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
  const Reading log_linear_eight{"alibi", "heads=8 rule=log_linear", "", ""};
  proved(apart(eight, geometric_eight, at) == 0 && apart(eight, log_linear_eight, at) == 0,
         "the three rules agree with 8 heads");
  return {
      "Slopes of ALiBi where the heads are no power of two",
      "--rule, --head_dim, --form",
      readings,
      "12 heads, distance 100",
      fmt::format("{} and {} in a logit", three(geometric), three(log_linear)),
      bounded(
          "With 12 heads, at distance 100, the geometric rule differs from the official one by up to {} and the log-linear one by up to {}; with 8 heads "
          "all three agree. Falcon divides the bias by the root of the head width with the product (`--head_dim 64`: up to {} at that "
          "distance); and bidirectional models count later keys by their distance (`--form symmetric`: a bias down to -{} for a key that the causal form masks, and counts as 0 here).",
          three(geometric), three(log_linear), three(by_root), three(later)),
      std::min({geometric, log_linear, by_root, later})};
}

namespace {

// Distances whose bucket changes where the machine epsilon of f32 is added inside the logarithm.
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

}  // namespace

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
          "At offset 1 the two read entries that lie {} apart. T5X adds 2^-23, the machine epsilon of f32, inside the logarithm: with 32 buckets and distance 128, of all "
          "distances up to 2^20, in both directions, it changes {} buckets in exact arithmetic, so it is no parameter.",
          fixed(most, 0), changed),
      most};
}

Conflict deberta_directions() {
  const std::vector<Reading> readings = {
      {"deberta", "dim=2 span=4 p2c=code", "the position-to-content term reads Q_r(delta(m, n))",
       github("disentangled_attention.py",
              "microsoft/DeBERTa/blob/master/DeBERTa/deberta/disentangled_attention.py") +
           " of Microsoft; transformers, which gathers at the negative offset and transposes"},
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
      bounded(
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
      bounded(
          "On a grid of 2 x 3 at width 8 columns first differs by up to {}, counting from 1 by up to {}, and DETR's normalisation from that by up to {}. On a square grid "
          "swapped axes are the transposed table, which a test of shapes does not see.",
          three(swap), three(from_1), three(normalised)),
      std::min({swap, from_1, normalised})};
}

Conflict counting() {
  const std::vector<Reading> readings = {
      {"cope", "dim=1 length=8", "the key's own gate counts: the query is at 1",
       arxiv("Golovneva et al. 2024, section 4", "2405.18719")},
      {"cope", "dim=1 length=8 counting=exclusive", "distances, or gates, between the two: the query is at 0",
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

}  // namespace posproof::experiments::contested
