#include <fmt/ranges.h>

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
#include "draws.h"
#include "measure.h"
#include "references.h"
#include "tables.h"

namespace posproof::experiments_attention_without_encodings {
namespace {

using namespace document;
using experiments::Drawn;
using experiments::draws;
using experiments::expectations;
using experiments::joined;
using experiments::largest_difference;
using experiments::proved;

constexpr std::size_t dim = 16;

// Sums over keys in another order differ in the last bits; below this they are the same output. Outputs are
// normalised, so of size 1, and twelve blocks of a few hundred operations each lose less than 10^4 units of
// 2^-53.
constexpr double same = 1e-12;

using Sentence = std::vector<std::string>;

// One random vector for each word, the same wherever it stands.
Tensor embedded(const Sentence& words, std::uint64_t seed) {
  Tensor out({words.size(), dim});
  for (std::size_t t = 0; t < words.size(); ++t) {
    // Seeded by the word itself, so that the order of asking does not matter (FNV-1a).
    std::uint64_t hash = (14695981039346656037u ^ seed) * 1099511628211u;
    for (const char c : words[t]) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    const std::vector<double> vector = attention::Generator(hash).normal({dim}, 1).data;
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

constexpr std::size_t deepest = 6, deepest_constant = 12;  // blocks

// Encoder blocks with random weights, each with its own.
std::vector<attention::Block> blocks(std::uint64_t seed) {
  std::vector<attention::Block> out;
  for (std::size_t layer = 0; layer < deepest_constant; ++layer)
    out.push_back(attention::random_block(dim, 1000 * seed + layer));
  return out;
}

// The outputs after 0, 1, ... of them.
std::vector<Tensor> encoder(const std::vector<attention::Block>& blocks, Tensor x, MaskAndEncoding setting,
                            std::size_t depth) {
  const Mask mask = setting.causal ? mask::causal(x.rows()) : mask::none(x.rows());
  if (setting.sinusoidal) x = with_rows(std::move(x));
  const Attention heads = attention::heads(dim, 2);
  std::vector<Tensor> out = {std::move(x)};
  for (std::size_t layer = 0; layer < depth; ++layer)
    out.push_back(attention::encode(blocks[layer], heads, out.back(), mask));
  return out;
}

std::vector<double> pooled(const Tensor& x) {
  std::vector<double> out(x.width(), 0.0);
  for (std::size_t t = 0; t < x.rows(); ++t)
    for (std::size_t c = 0; c < x.width(); ++c) out[c] += x.at(t, c) / static_cast<double>(x.rows());
  return out;
}

// Below rounding in every draw, or above it in every draw: what is between is no result.
bool is_same(const Drawn& off) {
  proved(off.most() < same || off.least() > same, "a difference is 0 in all draws or in none");
  return off.most() < same;
}

// `0.175 (0.058 to 0.470)`: median and the middle nine tenths.
std::string size_of(const Drawn& off) {
  if (is_same(off)) return "same";
  const auto [low, high] = off.band();
  return fmt::format("{} ({} to {})", fixed(off.median(), 3), fixed(low, 3), fixed(high, 3));
}

struct Differences {  // of the outputs for two sentences
  Drawn last, mean;   // at the last token; of the mean over all tokens
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

// After 0, 1, ..., `deepest` blocks.
using ByDepth = std::array<Differences, deepest + 1>;

void see(ByDepth& all, const Duo& duo, MaskAndEncoding setting, const std::vector<attention::Block>& blocks,
         std::uint64_t seed) {
  const std::vector<Tensor> a = encoder(blocks, embedded(duo.one, seed), setting, deepest),
                            b = encoder(blocks, embedded(duo.two, seed), setting, deepest);
  for (std::size_t depth = 0; depth <= deepest; ++depth) {
    const std::size_t last = a[depth].rows() - 1;
    all[depth].last.see(largest_difference(a[depth].row(last), b[depth].row(last)));
    all[depth].mean.see(largest_difference(pooled(a[depth]), pooled(b[depth])));
  }
}

constexpr std::array<std::size_t, 3> equivariance_depths = {1, 2, 6};
constexpr std::array<std::size_t, 4> constant_depths = {1, 2, 4, deepest_constant};

// Largest |f(P x) - P f(x)| for the order that reverses six tokens, at each of the depths.
void see(std::array<Drawn, equivariance_depths.size()>& all, MaskAndEncoding setting,
         const std::vector<attention::Block>& blocks, std::uint64_t seed) {
  const Tensor x = attention::Generator(seed).normal({6, dim}, 1);
  std::vector<std::size_t> order(6);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  const std::vector<Tensor> there = encoder(blocks, attention::reordered(x, order), setting, deepest),
                            here = encoder(blocks, x, setting, deepest);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::size_t depth = equivariance_depths[n];
    all[n].see(largest_difference(there[depth].data, attention::reordered(here[depth], order).data));
  }
}

// How far the outputs of a sequence of twelve equal tokens are from that of its first, at most, at each of
// the depths.
void see(std::array<Drawn, constant_depths.size()>& all, bool sinusoidal,
         const std::vector<attention::Block>& blocks, std::uint64_t seed) {
  const std::vector<Tensor> out = encoder(blocks, embedded(Sentence(12, "again"), seed),
                                          {.causal = true, .sinusoidal = sinusoidal}, deepest_constant);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Tensor& x = out[constant_depths[n]];
    double worst = 0;
    for (std::size_t t = 1; t < x.rows(); ++t)
      worst = std::max(worst, largest_difference(x.row(t), x.row(0)));
    all[n].see(worst);
  }
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
          {"sliding window, |i - j| < 2", mask::sliding_window(6, 2), "2"}};
}

struct Symmetry {
  Family family;
  std::size_t of_mask, followed, of_queries, of_keys;  // how many orders
};

std::size_t factorial(std::size_t n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}

// How many orders exchange equal rows alone.
std::size_t exchanges_of_equal_rows(const Mask& mask) {
  std::map<std::vector<double>, std::size_t> equal;
  for (std::size_t r = 0; r < mask.rows(); ++r) ++equal[{mask.row(r).begin(), mask.row(r).end()}];
  std::size_t out = 1;
  for (const auto& [row, n] : equal) out *= factorial(n);
  return out;
}

Mask transposed(const Mask& mask) {
  Mask out({mask.width(), mask.rows()});
  for (std::size_t r = 0; r < mask.rows(); ++r)
    for (std::size_t c = 0; c < mask.width(); ++c) out.at(c, r) = mask.at(r, c);
  return out;
}

template <class What>
using BySetting = std::array<What, settings.size()>;

struct Measured {
  std::vector<BySetting<ByDepth>> sentences;  // of each duo
  BySetting<std::array<Drawn, equivariance_depths.size()>> equivariance;
  std::array<Drawn, constant_depths.size()> constant_without, constant_sinusoidal;
  std::vector<Symmetry> symmetries;
  double counting_error;  // positions, over the first 1000

  const ByDepth& of(std::size_t duo, MaskAndEncoding setting) const {
    const auto at = std::ranges::find_if(settings, [&](const MaskAndEncoding& one) {
      return one.causal == setting.causal && one.sinusoidal == setting.sinusoidal;
    });
    return sentences[duo][static_cast<std::size_t>(at - settings.begin())];
  }
};

void see(Measured& m, std::uint64_t seed) {
  const std::vector<attention::Block> weights = blocks(seed);
  for (std::size_t n = 0; n < settings.size(); ++n) {
    for (std::size_t duo = 0; duo < duos().size(); ++duo)
      see(m.sentences[duo][n], duos()[duo], settings[n], weights, seed);
    see(m.equivariance[n], settings[n], weights, seed);
  }
  see(m.constant_without, false, weights, seed);
  see(m.constant_sinusoidal, true, weights, seed);
}

constexpr MaskAndEncoding bare{false, false}, causal{true, false};

// What the page says in words; `same` and its contrary are proved where they are printed.
void prove(const Measured& m) {
  const ByDepth &without = m.of(0, bare), &masked = m.of(0, causal);
  for (std::size_t depth = 0; depth <= deepest; ++depth) {
    proved(is_same(without[depth].last), "without mask and encoding the last output is the same");
    proved(is_same(masked[depth].last) == (depth < 2), "under a causal mask it differs from two blocks on");
    proved(is_same(masked[depth].mean) == (depth < 1),
           "under a causal mask the mean differs from one block on");
    for (const bool is_masked : {false, true})
      proved(is_same(m.of(0, {is_masked, true})[depth].last) == (depth < 1),
             "with the encoding it differs from one block on");
  }
  for (const Drawn& one : m.constant_without) proved(is_same(one), "equal tokens have equal outputs");
  for (const Symmetry& one : m.symmetries) {
    proved(one.of_mask == one.followed, "attention follows the orders that leave the mask as it is");
    proved(one.of_queries == exchanges_of_equal_rows(one.family.mask),
           "of queries alone those that exchange equal rows of the mask");
    proved(one.of_keys == exchanges_of_equal_rows(transposed(one.family.mask)),
           "of keys and values alone those that exchange equal columns");
  }
}

Measured measure() {
  Measured m{};
  m.sentences.resize(duos().size());
  for (std::uint64_t seed = 1; seed <= draws; ++seed) see(m, seed);
  const Tensor x = attention::Generator(3).normal({6, dim}, 1);
  for (const Family& family : families()) {
    const auto followed = [&](attention::Reordered what) {
      return attention::equivariant_orders(attention::heads(dim, 2), x, family.mask, what);
    };
    m.symmetries.push_back({family, attention::symmetries(family.mask),
                            followed(attention::Reordered::tokens), followed(attention::Reordered::queries),
                            followed(attention::Reordered::keys_and_values)});
  }
  m.counting_error = counting_error(1000);
  prove(m);
  return m;
}

Plot difference_by_depth(const Measured& m) {
  const Drawn& two = m.of(0, causal)[2].last;
  Plot plot{
      .name = "difference_by_depth",
      .title = "Causal mask, no encoding: order reaches the last output from the second block on",
      .description = fmt::format(
          "Difference of the last token's outputs for the two sentences about oranges and bananas against the number of blocks, 0 to {}, as median and band of {} draws. "
          "Without mask and encoding it is 0 throughout. "
          "Under a causal mask without encoding it is 0 up to one block; at two the median is {}. "
          "With the sinusoidal encoding it is positive from one block on, masked or not: at one block the median is {}.",
          deepest, draws, fixed(two.median(), 3), fixed(m.of(0, {true, true})[1].last.median(), 3)),
      .x = {"blocks", false, {{0, static_cast<double>(deepest)}}},
      .y = {"largest difference of an entry of the last output"},
      .curves = {},
      .caption = fmt::format(
          "Lines: median of {} draws of weights and word vectors. Bands: from the 5th to the 95th percentile of the draws.",
          draws)};
  double top = 0;
  for (std::size_t n = settings.size(); n-- > 0;) {
    const MaskAndEncoding& setting = settings[n];
    Curve curve{fmt::format("{}, {}", setting.causal ? "causal" : "no mask",
                            setting.sinusoidal ? "sinusoidal" : "no encoding"),
                {}};
    for (std::size_t depth = 0; depth <= deepest; ++depth) {
      const Drawn& off = m.of(0, setting)[depth].last;
      const bool none = is_same(off);
      curve.points.emplace_back(static_cast<double>(depth), none ? 0 : off.median());
      curve.band.push_back(none ? std::pair{0.0, 0.0} : off.band());
      top = std::max(top, curve.band.back().second);
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
      .caption = fmt::format(
          "Largest difference of an entry of the output between the two sentences, at the last token and in the mean of all tokens: median of {} draws and, in brackets, their 5th and 95th percentile. "
          "`same`: below 1e-12, which is rounding, in all {} draws; the other differences are above it in all. The sentences about oranges are \"i would like 3 oranges and 4 bananas .\", nine tokens; those with a dog end in a full stop, too.",
          draws, draws)};
  for (std::size_t duo = 0; duo < duos().size(); ++duo)
    for (const MaskAndEncoding setting : settings) {
      const ByDepth& one = m.of(duo, setting);
      grid.rows.push_back({std::string(duos()[duo].name), setting.mask(), setting.encoding(),
                           size_of(one[1].last), size_of(one[2].last), size_of(one[1].mean),
                           size_of(one[2].mean)});
    }
  return grid;
}

Grid equivariance_grid(const Measured& m) {
  Grid grid{
      .columns = {"mask", "encoding"},
      .rows = {},
      .caption = fmt::format(
          "Largest difference between the outputs of six tokens in reverse order and the reversed outputs: median of {} draws, 5th and 95th percentile. "
          "`same`: below 1e-12 in all draws.",
          draws)};
  for (const std::size_t depth : equivariance_depths)
    grid.columns.push_back(fmt::format("{} block{}", depth, depth == 1 ? "" : "s"));
  for (std::size_t n = 0; n < settings.size(); ++n) {
    std::vector<std::string> row = {settings[n].mask(), settings[n].encoding()};
    for (const Drawn& off : m.equivariance[n]) row.push_back(size_of(off));
    grid.rows.push_back(row);
  }
  return grid;
}

std::vector<Block> symmetries(const Measured& m) {
  Grid grid{
      .columns = {"mask on 6 tokens", "orders that leave the mask as it is", "orders that attention follows",
                  "of queries alone", "of keys and values alone"},
      .rows = {},
      .caption =
          "Of all 720 orders, for one draw of six tokens (an order is followed or is not, whatever the size of the difference). "
          "Attention follows an order if reordering the tokens reorders the outputs and does nothing else; of queries alone the same, of keys and values alone if the outputs stay as they are."};
  for (const Symmetry& one : m.symmetries)
    grid.rows.push_back({one.family.name, std::to_string(one.of_mask), std::to_string(one.followed),
                         std::to_string(one.of_queries), std::to_string(one.of_keys)});
  return {
      Section{"Which orders attention follows under a mask"},
      Paragraph{
          "A mask depends on the order of the tokens. "
          "For each of the six masks tried, attention follows as many orders as leave the mask as it is; of queries alone as many as exchange equal rows of the mask, of keys and values alone as many as exchange equal columns."},
      grid};
}

std::vector<Block> counting(const Measured& m) {
  Grid grid{
      .columns = {"blocks", "no encoding", "sinusoidal"},
      .rows = {},
      .caption = fmt::format(
          "Twelve equal tokens under a causal mask: largest difference of any output from the first, median of {} draws, 5th and 95th percentile.",
          draws)};
  for (std::size_t n = 0; n < constant_depths.size(); ++n)
    grid.rows.push_back({std::to_string(constant_depths[n]), size_of(m.constant_without[n]),
                         size_of(m.constant_sinusoidal[n])});
  return {
      Section{"Can a causal model count?"},
      Paragraph{
          "Without an encoding, only if the tokens differ. "
          "Equal tokens have equal outputs at every depth, because each output is an average of identical values. "
          "With one marked token at the start, attention with equal weights reads `1/(t+1)` from it, which determines the position `t`: rounded to a whole number it is right for every position from 0 to 999 in f64."},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  const auto word = [](const Drawn& off) { return std::string(is_same(off) ? "same" : "differs"); };
  const auto both = [&](const Differences& d) { return fmt::format("{}, {}", word(d.last), word(d.mean)); };
  std::vector<experiments::Expectation> all;
  for (const Symmetry& one : m.symmetries)
    all.push_back({fmt::format("mask `{}`: orders that attention follows", one.family.name),
                   one.family.derived, std::to_string(one.followed)});
  all.push_back({"oranges, no mask, no encoding: last token and mean after 2 blocks", "same, same",
                 both(m.of(0, bare)[2])});
  all.push_back({"oranges, causal, no encoding: last token after 1 and 2 blocks", "same, differs",
                 fmt::format("{}, {}", word(m.of(0, causal)[1].last), word(m.of(0, causal)[2].last))});
  all.push_back(
      {"oranges, causal, no encoding: mean after 1 block", "differs", word(m.of(0, causal)[1].mean)});
  all.push_back({"forest fires, no mask, no encoding: last token and mean after 2 blocks", "differs, same",
                 both(m.of(1, bare)[2])});
  all.push_back(
      {"tom and the dog, no mask, no encoding: mean after 2 blocks", "same", word(m.of(2, bare)[2].mean)});
  all.push_back({"the same with capitals: mean after 2 blocks", "differs", word(m.of(3, bare)[2].mean)});
  all.push_back({"causal, one marked first token: position read off 1/(t+1), positions 0 to 999", "0 wrong",
                 m.counting_error == 0 ? "0 wrong" : "some wrong"});
  return expectations(all);
}

// `3, 4, 5, 6`: where the two sentences differ in the token or in the tokens before it, in any order.
std::string differ_at(const Duo& duo) {
  std::vector<std::size_t> out;
  for (std::size_t t = 0; t < duo.one.size(); ++t) {
    Sentence a(duo.one.begin(), duo.one.begin() + static_cast<std::ptrdiff_t>(t)),
        b(duo.two.begin(), duo.two.begin() + static_cast<std::ptrdiff_t>(t));
    std::ranges::sort(a);
    std::ranges::sort(b);
    if (a != b || duo.one[t] != duo.two[t]) out.push_back(t);
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

std::vector<Block> two_sentences(const Measured& m) {
  const auto [low, high] = m.of(0, causal)[2].last.of_median();
  return {
      Paragraph{
          "The outputs are numbered, but without mask and encoding no operation reads the number: projections, feed-forward and normalisation act on each token alone, and the sum over keys does not depend on their order (Vaswani et al. 2017, section 3.5, add encodings for this reason; Yun et al. 2020 prove that the block is permutation equivariant). "
          "Reordered tokens therefore give reordered outputs for *every* weight, and training cannot change that."},
      Section{"Two sentences of the same words"},
      difference_by_depth(m),
      Paragraph{fmt::format(
          "The causal mask without an encoding, two blocks: the median difference of the last outputs is {}, with a 95 % confidence interval of {} to {} ({} draws, order statistics).",
          fixed(m.of(0, causal)[2].last.median(), 3), fixed(low, 3), fixed(high, 3), draws)},
      sentences(m),
      Paragraph{fmt::format(
          "Under a causal mask the last token sees all others. Without an encoding one block does not see their order, so the last outputs are the same if sentences of the same words end in the same one. "
          "A token before it sees itself and those before it. Where the two sentences differ in these words or in the token itself, its output differs after one block, and with it the mean: in the sentences about oranges at positions {}. "
          "The sentences about forest fires end in different words, so their last outputs differ in any case, and only the mean is a fair comparison. "
          "With capitals, \"Tom bit a dog\" and \"A dog bit Tom\" do not consist of the same words.",
          differ_at(duos()[0]))},
      Section{"Reordered inputs, reordered outputs"},
      equivariance_grid(m)};
}

Document run() {
  const Measured m = measure();
  const Drawn& two = m.of(0, causal)[2].last;
  return {
      .title = "Attention without encodings",
      .finding = fmt::format(
          "Without mask and encoding, attention gives \"3 oranges and 4 bananas\" and \"4 oranges and 3 bananas\" the same last output at every depth; under a causal mask the last outputs are the same after one block and differ from the second on: after two the largest difference of an entry is {} (median of {} random draws, untrained, width 16; 5 to 95 %: {} to {}).",
          fixed(two.median(), 3), draws, fixed(two.band().first, 3), fixed(two.band().second, 3)),
      .condition = fmt::format(
          "Encoder blocks of width {}, 2 heads, feed-forward of 64 channels, residual and LayerNorm after each sublayer; {} draws (seeds 1 to {}) of the weights, normal with the variance 1 over the number of inputs, and of one random vector for each word, normal entries of variance 1; sinusoidal rows: base 10000, divisor d; untrained; f64.",
          dim, draws, draws),
      .blocks = joined(
          {two_sentences(m),
           symmetries(m),
           counting(m),
           derived(m),
           {PageVerdict{
               "Without mask and encoding the output of a token does not depend on the order of the tokens, whatever the weights. "
               "A causal mask is a source of order without any encoding: after one block an output depends on its own token and on which tokens stand before it, from the second block on also on their order. "
               "Tokens that are all equal stay equal under it."}},
           experiments::references({experiments::vaswani_2017, experiments::yun_2020})})};
}

}  // namespace

const Experiment entry{
    .question = "Does attention know the order of its tokens without a positional encoding?",
    .method =
        "Run encoders with random weights on pairs of sentences, with and without causal mask and encoding, and try all 720 orders of six tokens under six masks.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_attention_without_encodings
