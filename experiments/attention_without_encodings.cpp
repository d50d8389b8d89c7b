#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "attention/encoder.h"
#include "attention/generator.h"
#include "attention/mask.h"
#include "attention/multi_head.h"
#include "attention/order.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/attention_without_encodings.h"
#include "measure.h"
#include "tables.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::joined;
using experiments::largest_difference;

constexpr std::size_t dim = 16;
constexpr std::uint64_t seed = 1;

// Sums over keys in another order differ in the last bits; below this they are the same output. Outputs are
// normalised, so of size 1, and twelve blocks of a few hundred operations each lose less than 10^4 units of
// 2^-53.
constexpr double same = 1e-12;

using Sentence = std::vector<std::string>;

// One random vector for each word, the same wherever it stands.
Tensor embedded(const Sentence& words) {
  static std::map<std::string, std::vector<double>> vectors;
  Tensor out({words.size(), dim});
  for (std::size_t t = 0; t < words.size(); ++t) {
    auto& vector = vectors[words[t]];
    if (vector.empty()) {
      // Seeded by the word itself, so that the order of asking does not matter (FNV-1a).
      std::uint64_t hash = 14695981039346656037u;
      for (const char c : words[t]) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
      vector = attention::Generator(hash).normal({dim}, 1).data;
    }
    std::copy(vector.begin(), vector.end(), out.row(t).begin());
  }
  return out;
}

Tensor with_rows(Tensor x) {
  const Table table = experiments::table(encodings::sinusoidal, fmt::format("dim={}", dim));
  const Tensor p = experiments::rows(table, static_cast<Position>(x.rows()));
  for (std::size_t e = 0; e < x.data.size(); ++e) x.data[e] += p.data[e];
  return x;
}

struct MaskAndEncoding {
  bool causal, sinusoidal;

  std::string mask() const { return causal ? "causal" : "none"; }
  std::string encoding() const { return sinusoidal ? "sinusoidal" : "none"; }
};

constexpr std::array<MaskAndEncoding, 4> settings = {
    {{false, false}, {true, false}, {false, true}, {true, true}}};

// That many encoder blocks with random weights, each with its own.
Tensor encoder(Tensor x, MaskAndEncoding setting, std::size_t depth) {
  const Mask mask = setting.causal ? mask::causal(x.rows()) : mask::none(x.rows());
  if (setting.sinusoidal) x = with_rows(std::move(x));
  const Attention heads = attention::heads(dim, 2);
  for (std::size_t layer = 0; layer < depth; ++layer)
    x = attention::encode(attention::random_block(dim, seed + layer), heads, x, mask);
  return x;
}

std::vector<double> pooled(const Tensor& x) {
  std::vector<double> out(x.width(), 0.0);
  for (std::size_t t = 0; t < x.rows(); ++t)
    for (std::size_t c = 0; c < x.width(); ++c) out[c] += x.at(t, c) / static_cast<double>(x.rows());
  return out;
}

std::string size_of(double off) {
  return off < same ? "same" : fixed(off, 4);
}

struct Differences {  // of the outputs for two sentences
  double last, mean;  // at the last token; of the mean over all tokens
};

struct Duo {
  std::string_view name;
  Sentence one, two;
};

const std::vector<Duo>& duos() {
  static const std::vector<Duo> all = {
      {"3 oranges, 4 bananas / 4 oranges, 3 bananas",
       {"i", "would", "like", "3", "oranges", "and", "4", "bananas", "."},
       {"i", "would", "like", "4", "oranges", "and", "3", "bananas", "."}},
      {"only who can prevent forest fires / who can prevent forest fires only",
       {"only", "who", "can", "prevent", "forest", "fires"},
       {"who", "can", "prevent", "forest", "fires", "only"}},
      {"tom bit a dog / a dog bit tom", {"tom", "bit", "a", "dog", "."}, {"a", "dog", "bit", "tom", "."}},
      {"Tom bit a dog / A dog bit Tom (with capitals: other words)",
       {"Tom", "bit", "a", "dog", "."},
       {"A", "dog", "bit", "Tom", "."}},
  };
  return all;
}

Differences differences(const Duo& duo, MaskAndEncoding setting, std::size_t depth) {
  const Tensor a = encoder(embedded(duo.one), setting, depth), b = encoder(embedded(duo.two), setting, depth);
  return {largest_difference(a.row(a.rows() - 1), b.row(b.rows() - 1)),
          largest_difference(pooled(a), pooled(b))};
}

// Largest |f(P x) - P f(x)| for the order that reverses the tokens.
double not_equivariant(MaskAndEncoding setting, std::size_t depth) {
  const Tensor x = attention::Generator(7).normal({6, dim}, 1);
  std::vector<std::size_t> order(6);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  const Tensor there = encoder(attention::reordered(x, order), setting, depth);
  const Tensor here = attention::reordered(encoder(x, setting, depth), order);
  return largest_difference(there.data, here.data);
}

// How far the outputs of a sequence of equal tokens are from that of its first, at most.
double spread_of_constant(std::size_t depth, bool sinusoidal) {
  const Tensor out =
      encoder(embedded(Sentence(12, "again")), {.causal = true, .sinusoidal = sinusoidal}, depth);
  double worst = 0;
  for (std::size_t t = 1; t < out.rows(); ++t)
    worst = std::max(worst, largest_difference(out.row(t), out.row(0)));
  return worst;
}

// Uniform causal attention over values 1, 0, 0, ...: position t reads 1/(t+1). The farthest that the decoded
// position is from t, over that many positions.
double counting_error(std::size_t n) {
  const Attention one = attention::heads(1, 1);
  Tensor q({n, 1}), v({n, 1});
  v.data[0] = 1;
  const Tensor out = one.attend(q, q, v, mask::causal(n));
  double worst = 0;
  for (std::size_t t = 0; t < n; ++t)
    worst = std::max(worst, std::abs(std::round(1 / out.data[t] - 1) - static_cast<double>(t)));
  return worst;
}

struct Family {
  std::string name;
  Mask mask;
  std::string derived;  // the number of its symmetries
};

std::vector<Family> families() {
  const std::size_t pairs[] = {2, 2, 2}, uneven[] = {1, 2, 3};
  return {{"none", mask::none(6), "720"},
          {"causal", mask::causal(6), "1"},
          {"blocks 2 + 2 + 2", mask::block(pairs), "48"},
          {"blocks 1 + 2 + 3", mask::block(uneven), "12"},
          {"key padding, 4 of 6 kept", mask::padding(6, {true, true, true, true, false, false}), "48"},
          {"sliding window of 2", mask::sliding_window(6, 2), "2"}};
}

constexpr std::size_t deepest = 6;
constexpr std::array<std::size_t, 3> equivariance_depths = {1, 2, 6};
constexpr std::array<std::size_t, 4> constant_depths = {1, 2, 4, 12};

struct Compared {
  Duo duo;
  MaskAndEncoding setting;
  Differences one_block, two_blocks;
};

struct ByDepth {
  MaskAndEncoding setting;
  std::array<double, deepest + 1> last;  // difference of the last token's outputs after 0, 1, ... blocks
};

struct Equivariance {
  MaskAndEncoding setting;
  std::array<double, equivariance_depths.size()> off;
};

struct Symmetry {
  Family family;
  std::size_t of_mask, followed;  // how many orders
};

struct Constant {
  std::size_t depth;
  double none, sinusoidal;
};

struct Measured {
  std::vector<Compared> sentences;
  std::vector<ByDepth> by_depth;  // of the first two sentences
  std::vector<Equivariance> equivariance;
  std::vector<Symmetry> symmetries;
  std::vector<Constant> constants;
  double counting_error;  // positions, over the first 1000

  const Compared& of(std::size_t duo, MaskAndEncoding setting) const {
    return *std::find_if(sentences.begin(), sentences.end(), [&](const Compared& one) {
      return one.duo.name == duos()[duo].name && one.setting.causal == setting.causal &&
             one.setting.sinusoidal == setting.sinusoidal;
    });
  }
};

ByDepth by_depth(MaskAndEncoding setting) {
  ByDepth out{setting, {}};
  for (std::size_t depth = 0; depth <= deepest; ++depth)
    out.last[depth] = differences(duos()[0], setting, depth).last;
  return out;
}

Equivariance equivariance(MaskAndEncoding setting) {
  Equivariance out{setting, {}};
  for (std::size_t n = 0; n < equivariance_depths.size(); ++n)
    out.off[n] = not_equivariant(setting, equivariance_depths[n]);
  return out;
}

Measured measure() {
  Measured m{};
  for (const Duo& duo : duos())
    for (const MaskAndEncoding setting : settings)
      m.sentences.push_back({duo, setting, differences(duo, setting, 1), differences(duo, setting, 2)});
  for (std::size_t n = settings.size(); n-- > 0;) m.by_depth.push_back(by_depth(settings[n]));
  for (const MaskAndEncoding setting : settings) m.equivariance.push_back(equivariance(setting));
  const Tensor x = attention::Generator(3).normal({6, dim}, 1);
  for (const Family& family : families())
    m.symmetries.push_back({family, attention::symmetries(family.mask),
                            attention::equivariant_orders(attention::heads(dim, 2), x, family.mask)});
  for (const std::size_t depth : constant_depths)
    m.constants.push_back({depth, spread_of_constant(depth, false), spread_of_constant(depth, true)});
  m.counting_error = counting_error(1000);
  return m;
}

Plot difference_by_depth(const Measured& m) {
  Plot plot{
      .name = "difference_by_depth",
      .title = "Difference of the last outputs for the two orders of oranges and bananas",
      .description =
          "Difference of the last token's outputs for the two sentences against the number of blocks, 0 to 6. Without mask and encoding it is 0 throughout. "
          "Under a causal mask without encoding it is 0 up to one block and clearly positive from two on. "
          "With the sinusoidal encoding it is positive from one block on, masked or not.",
      .x = {"blocks", false, {{0, static_cast<double>(deepest)}}},
      .y = {"largest difference of an output"},
      .curves = {}};
  double top = 0;
  for (const ByDepth& one : m.by_depth) {
    Curve curve{fmt::format("{}, {}", one.setting.causal ? "causal" : "no mask",
                            one.setting.sinusoidal ? "sinusoidal" : "no encoding"),
                {}};
    for (std::size_t depth = 0; depth <= deepest; ++depth) {
      top = std::max(top, one.last[depth]);
      curve.points.emplace_back(static_cast<double>(depth), one.last[depth] < same ? 0 : one.last[depth]);
    }
    plot.curves.push_back(curve);
  }
  plot.y.range = {{-0.02 * top, 1.1 * top}};
  return plot;
}

Grid sentences(const Measured& m) {
  Grid grid{
      .columns = {"sentences", "mask", "encoding", "last token, 1 block", "last token, 2 blocks",
                  "mean, 1 block", "mean, 2 blocks"},
      .rows = {},
      .caption =
          "Largest difference of an output between the two sentences, at the last token and in the mean of all tokens. "
          "`same`: below 1e-12, which is rounding."};
  for (const Compared& one : m.sentences)
    grid.rows.push_back({std::string(one.duo.name), one.setting.mask(), one.setting.encoding(),
                         size_of(one.one_block.last), size_of(one.two_blocks.last),
                         size_of(one.one_block.mean), size_of(one.two_blocks.mean)});
  return grid;
}

Grid equivariance_grid(const Measured& m) {
  Grid grid{.columns = {"mask", "encoding"},
            .rows = {},
            .caption =
                "Largest difference between the outputs of six reordered tokens and the reordered outputs. "
                "`same`: below 1e-12."};
  for (const std::size_t depth : equivariance_depths)
    grid.columns.push_back(fmt::format("{} block{}", depth, depth == 1 ? "" : "s"));
  for (const Equivariance& one : m.equivariance) {
    std::vector<std::string> row = {one.setting.mask(), one.setting.encoding()};
    for (const double off : one.off) row.push_back(size_of(off));
    grid.rows.push_back(row);
  }
  return grid;
}

std::vector<Block> symmetries(const Measured& m) {
  Grid grid{
      .columns = {"mask on 6 tokens", "orders that leave the mask as it is", "orders that attention follows"},
      .rows = {},
      .caption =
          "Of all 720 orders. "
          "Attention follows an order if reordering the tokens reorders the outputs and does nothing else."};
  bool law = true;
  for (const Symmetry& one : m.symmetries) {
    law = law && one.of_mask == one.followed;
    grid.rows.push_back({one.family.name, std::to_string(one.of_mask), std::to_string(one.followed)});
  }
  return {Section{"Which orders attention follows under a mask"},
          Paragraph{fmt::format("A mask depends on the order of the tokens. "
                                "Attention follows exactly those orders that leave the mask as it is{}.",
                                law ? ", for each mask tried" : " - but not for each mask tried")},
          grid};
}

std::vector<Block> counting(const Measured& m) {
  Grid grid{
      .columns = {"blocks", "no encoding", "sinusoidal"},
      .rows = {},
      .caption = "Twelve equal tokens under a causal mask: largest difference of any output from the first."};
  for (const Constant& one : m.constants)
    grid.rows.push_back({std::to_string(one.depth), size_of(one.none), size_of(one.sinusoidal)});
  return {
      Section{"Can a causal model count?"},
      Paragraph{
          "Only if the tokens differ. "
          "Equal tokens have equal outputs at every depth, because each output is an average of identical values. "
          "With one marked token at the start, uniform attention reads `1/(t+1)` from it, which determines the position `t`."},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  const auto word = [](double off) { return std::string(off < same ? "same" : "differs"); };
  const auto both = [&](const Differences& d) { return fmt::format("{}, {}", word(d.last), word(d.mean)); };
  const MaskAndEncoding bare{false, false}, causal{true, false};
  std::vector<experiments::Expectation> all;
  for (const Symmetry& one : m.symmetries)
    all.push_back({fmt::format("mask `{}`: orders that attention follows", one.family.name),
                   one.family.derived, std::to_string(one.followed)});
  all.push_back(
      {"oranges, no mask, no encoding: last token and mean", "same, same", both(m.of(0, bare).two_blocks)});
  all.push_back(
      {"oranges, causal, no encoding: last token after 1 and 2 blocks", "same, differs",
       fmt::format("{}, {}", word(m.of(0, causal).one_block.last), word(m.of(0, causal).two_blocks.last))});
  all.push_back({"forest fires, no mask, no encoding: last token and mean", "differs, same",
                 both(m.of(1, bare).two_blocks)});
  all.push_back({"tom and the dog, no mask, no encoding: mean", "same", word(m.of(2, bare).two_blocks.mean)});
  all.push_back({"the same with capitals: mean", "differs", word(m.of(3, bare).two_blocks.mean)});
  all.push_back({"causal, one marked first token: position read off 1/(t+1), positions 0 to 999", "0 wrong",
                 m.counting_error == 0 ? "0 wrong" : "some wrong"});
  return expectations(all);
}

std::vector<Block> two_sentences(const Measured& m) {
  return {
      Paragraph{
          "The outputs are numbered, but no operation reads the number: projections, feed-forward and normalisation act on each token alone, and the sum over keys does not depend on their order. "
          "Reordered tokens therefore give reordered outputs for *every* weight, and training cannot change that."},
      Section{"Two sentences of the same words"},
      difference_by_depth(m),
      sentences(m),
      Paragraph{
          "The sentences about forest fires end in different words, so their last outputs differ in any case, and only the mean is a fair comparison. "
          "With capitals, \"Tom bit a dog\" and \"A dog bit Tom\" do not consist of the same words."},
      Section{"Reordered inputs, reordered outputs"},
      equivariance_grid(m)};
}

Document run() {
  const Measured m = measure();
  return {
      .title = "Attention without encodings",
      .finding = fmt::format(
          "Without mask and encoding, attention gives \"3 oranges and 4 bananas\" and \"4 oranges and 3 bananas\" the same last output at every depth; under a causal mask the outputs are the same after one block and differ (by {}) from the second on.",
          size_of(m.of(0, {true, false}).two_blocks.last)),
      .condition = fmt::format(
          "Encoder blocks of width {}, 2 heads, feed-forward, LayerNorm and residual, random weights from seed {}; one random vector for each word; f64.",
          dim, seed),
      .blocks = joined(
          {two_sentences(m),
           symmetries(m),
           counting(m),
           derived(m),
           {Verdict{
               "Without mask and encoding the outputs do not depend on the order of the tokens, and training cannot change that. "
               "Without a mask an encoding is the only source of order; a causal mask is a second one, from two blocks on or where one token is marked."}}})};
}

}  // namespace

const Experiment experiments::attention_without_encodings{
    .question = "Does attention know the order of its tokens without a positional encoding?",
    .method =
        "Run an encoder with random weights on pairs of sentences of the same words, with and without causal mask and encoding, and try all 720 orders of six tokens under several masks.",
    .run = &run,
};

}  // namespace posproof
