#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "attention/encoder.h"
#include "attention/generator.h"
#include "attention/mask.h"
#include "attention/multi_head.h"
#include "attention/order.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "measure.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::whole;

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
  const auto table = std::get<Table>(
      encodings::sinusoidal.make(with(encodings::sinusoidal, Case::parse(fmt::format("dim={}", dim)))));
  std::vector<Position> all(x.rows());
  std::iota(all.begin(), all.end(), Position{0});
  const Tensor p = table.rows(all, static_cast<Position>(x.rows()));
  for (std::size_t e = 0; e < x.data.size(); ++e) x.data[e] += p.data[e];
  return x;
}

// That many encoder blocks with random weights, each with its own.
Tensor encoder(Tensor x, const Mask& mask, std::size_t depth, bool rows) {
  if (rows) x = with_rows(std::move(x));
  const Attention heads = attention::heads(dim, 2);
  for (std::size_t layer = 0; layer < depth; ++layer)
    x = attention::encode(attention::random_block(dim, seed + layer), heads, x, mask);
  return x;
}

Mask mask_of(bool causal, std::size_t n) {
  return causal ? mask::causal(n) : mask::none(n);
}

double farthest(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t c = 0; c < a.size(); ++c) worst = std::max(worst, std::abs(a[c] - b[c]));
  return worst;
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

struct Differences {
  double last, mean;
};

Differences differences(const Sentence& one, const Sentence& two, bool causal, std::size_t depth, bool rows) {
  const Tensor a = encoder(embedded(one), mask_of(causal, one.size()), depth, rows);
  const Tensor b = encoder(embedded(two), mask_of(causal, two.size()), depth, rows);
  return {farthest(a.row(a.rows() - 1), b.row(b.rows() - 1)), farthest(pooled(a), pooled(b))};
}

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

// Largest |f(P x) - P f(x)| for the order that reverses the tokens.
double not_equivariant(bool causal, std::size_t depth, bool rows) {
  const Tensor x = attention::Generator(7).normal({6, dim}, 1);
  std::vector<std::size_t> order(6);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  const Tensor there = encoder(attention::reordered(x, order), mask_of(causal, 6), depth, rows);
  const Tensor here = attention::reordered(encoder(x, mask_of(causal, 6), depth, rows), order);
  return farthest(there.data, here.data);
}

// How far the outputs of a sequence of equal tokens are from that of its first, at most.
double spread_of_constant(std::size_t depth, bool rows) {
  const Tensor out = encoder(embedded(Sentence(12, "again")), mask::causal(12), depth, rows);
  double worst = 0;
  for (std::size_t t = 1; t < out.rows(); ++t) worst = std::max(worst, farthest(out.row(t), out.row(0)));
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

Plot by_depth() {
  Plot plot{
      .name = "difference_by_depth",
      .title = "Which last output can tell \"3 oranges and 4 bananas\" from \"4 oranges and 3 bananas\"?",
      .description =
          "Difference of the last token's outputs for the two sentences against the number of blocks, 0 to "
          "6. Without mask "
          "and encoding it is 0 throughout. Under a causal mask without encoding it is 0 up to one block and "
          "clearly "
          "positive from two on. With the sinusoidal code it is positive from one block on, masked or not.",
      .x = {"blocks", false, {{0, 6}}},
      .y = {"largest difference of an output", false, {{-0.02, 0.6}}},
      .curves = {}};
  double top = 0;
  for (const bool rows : {true, false})
    for (const bool causal : {true, false}) {
      Curve curve{fmt::format("{}, {}", causal ? "causal" : "no mask", rows ? "sinusoidal" : "no encoding"),
                  {}};
      for (std::size_t depth = 0; depth <= 6; ++depth) {
        const double off = differences(duos()[0].one, duos()[0].two, causal, depth, rows).last;
        top = std::max(top, off);
        curve.points.emplace_back(static_cast<double>(depth), off < same ? 0 : off);
      }
      plot.curves.push_back(curve);
    }
  plot.y.range = {{-0.02 * top, 1.1 * top}};
  return plot;
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

Document run() {
  Grid sentences{.columns = {"sentences", "mask", "encoding", "last token, 1 block", "2 blocks",
                             "mean, 1 block", "2 blocks "},
                 .rows = {},
                 .caption =
                     "Largest difference of an output between the two sentences, at the last token and in "
                     "the mean of all "
                     "tokens. `same`: below 1e-12, which is rounding."};
  for (const Duo& duo : duos())
    for (const bool rows : {false, true})
      for (const bool causal : {false, true}) {
        const Differences one = differences(duo.one, duo.two, causal, 1, rows),
                          two = differences(duo.one, duo.two, causal, 2, rows);
        sentences.rows.push_back({std::string(duo.name), causal ? "causal" : "none",
                                  rows ? "sinusoidal" : "none", size_of(one.last), size_of(two.last),
                                  size_of(one.mean), size_of(two.mean)});
      }

  Grid equivariance{
      .columns = {"mask", "encoding", "1 block", "2 blocks", "6 blocks"},
      .rows = {},
      .caption =
          "Largest difference between the outputs of six reordered tokens and the reordered outputs. `same`: "
          "below 1e-12."};
  for (const bool rows : {false, true})
    for (const bool causal : {false, true})
      equivariance.rows.push_back({causal ? "causal" : "none", rows ? "sinusoidal" : "none",
                                   size_of(not_equivariant(causal, 1, rows)),
                                   size_of(not_equivariant(causal, 2, rows)),
                                   size_of(not_equivariant(causal, 6, rows))});

  Grid symmetry{
      .columns = {"mask on 6 tokens", "orders that leave the mask as it is", "orders that attention follows"},
      .rows = {},
      .caption =
          "Of all 720 orders. Attention follows an order if reordering the tokens reorders the outputs and "
          "does nothing "
          "else."};
  std::vector<experiments::Expectation> paper;
  const Tensor x = attention::Generator(3).normal({6, dim}, 1);
  bool law = true;
  for (const Family& family : families()) {
    const std::size_t mask = attention::symmetries(family.mask);
    const std::size_t followed = attention::equivariant_orders(attention::heads(dim, 2), x, family.mask);
    law = law && mask == followed;
    symmetry.rows.push_back({family.name, std::to_string(mask), std::to_string(followed)});
    paper.push_back({fmt::format("mask `{}`: orders that attention follows", family.name), family.derived,
                     std::to_string(followed)});
  }

  Grid constant{.columns = {"blocks", "no encoding", "sinusoidal"},
                .rows = {},
                .caption = "Twelve equal tokens under a causal mask: how far any output is from the first."};
  for (const std::size_t depth : {1u, 2u, 4u, 12u})
    constant.rows.push_back({std::to_string(depth), size_of(spread_of_constant(depth, false)),
                             size_of(spread_of_constant(depth, true))});

  const auto last = [&](std::size_t duo, bool causal, std::size_t depth, bool rows) {
    const Differences d = differences(duos()[duo].one, duos()[duo].two, causal, depth, rows);
    return std::string(d.last < same ? "same" : "differs");
  };
  const auto mean = [&](std::size_t duo, bool causal, std::size_t depth, bool rows) {
    const Differences d = differences(duos()[duo].one, duos()[duo].two, causal, depth, rows);
    return std::string(d.mean < same ? "same" : "differs");
  };
  paper.push_back({"oranges, no mask, no encoding: last token and mean", "same, same",
                   fmt::format("{}, {}", last(0, false, 2, false), mean(0, false, 2, false))});
  paper.push_back({"oranges, causal, no encoding: last token after 1 and 2 blocks", "same, differs",
                   fmt::format("{}, {}", last(0, true, 1, false), last(0, true, 2, false))});
  paper.push_back({"forest fires, no mask, no encoding: last token and mean", "differs, same",
                   fmt::format("{}, {}", last(1, false, 2, false), mean(1, false, 2, false))});
  paper.push_back({"tom and the dog, no mask, no encoding: mean", "same", mean(2, false, 2, false)});
  paper.push_back({"the same with capitals: mean", "differs", mean(3, false, 2, false)});
  paper.push_back({"causal, one marked first token: position read off 1/(t+1), positions 0 to 999", "0 wrong",
                   counting_error(1000) == 0 ? "0 wrong" : "some wrong"});
  const std::string oranges = size_of(differences(duos()[0].one, duos()[0].two, true, 2, false).last);

  return {.title = "Attention without encodings",
          .finding = fmt::format("Without mask and encoding, attention gives \"3 oranges and 4 bananas\" and "
                                 "\"4 oranges and 3 bananas\" the same last "
                                 "output at every depth; a causal mask does so for one block, and tells them "
                                 "apart ({}) from the second on.",
                                 oranges),
          .condition = fmt::format("Encoder blocks of width {}, 2 heads, feed-forward, LayerNorm and "
                                   "residual, random weights from seed {}; one random "
                                   "vector for each word; f64.",
                                   dim, seed),
          .blocks = {
              Paragraph{"Row numbers label the outputs, but no operation reads them: projections, "
                        "feed-forward and normalisation act on each "
                        "token alone, and the sum over keys does not know their order. So if the tokens are "
                        "reordered, the outputs are "
                        "reordered, for *every* weight: training cannot change it."},
              Section{"Two sentences of the same words"},
              by_depth(),
              sentences,
              Paragraph{"The sentences about forest fires end in different words, so their last outputs "
                        "differ in any case: only the mean "
                        "is a fair witness. With capitals, \"Tom bit a dog\" and \"A dog bit Tom\" are not "
                        "the same words at all."},
              Section{"Reordered in, reordered out"},
              equivariance,
              Section{"What a mask leaves of the symmetry"},
              Paragraph{fmt::format("A mask takes part in the order. Attention follows exactly those orders "
                                    "that leave the mask as it is{}.",
                                    law ? ", in every family tried" : " - but not in every family tried")},
              symmetry,
              Section{"Can a causal model count?"},
              Paragraph{"Only if there is something to count. Equal tokens stay equal at every depth: each "
                        "output is an average of "
                        "identical values. But with one marked token at the start, uniform attention reads "
                        "`1/(t+1)` from it, and that is "
                        "the position."},
              constant,
              Section{"Against paper"},
              expectations(paper),
              Verdict{"Order is not hidden in the rows, and more training does not find it. Without a mask "
                      "an encoding is the only source of "
                      "order; a causal mask is a second one, from two blocks on or with something to count."},
          }};
}

}  // namespace

const Experiment experiments::attention_without_encodings{
    .question = "Does attention know the order of its tokens without a positional encoding?",
    .method =
        "Run an encoder with random weights on pairs of sentences of the same words, with and without causal "
        "mask and "
        "encoding, and try all 720 orders of six tokens under several masks.",
    .run = &run,
};

}  // namespace posproof
