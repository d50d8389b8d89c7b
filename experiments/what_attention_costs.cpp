#include <algorithm>
#include <array>
#include <cmath>

#include "catalogue/experiments/what_attention_costs.h"
#include "core/bounded.h"
#include "core/function.h"
#include "measure.h"
#include "references.h"

namespace posproof::experiments_what_attention_costs {
namespace {

using namespace document;
using experiments::joined;
using experiments::percent;
using experiments::proved;
using experiments::whole;

// ---- layers over values that know what they wait for -----------------------------------------------------

// One number of a layer: how many products had to come one after the other before it, and which tokens of the
// input it depends on (a bit each).
struct Value {
  unsigned level = 0;
  std::uint64_t reads = 0;
};

using Row = std::vector<Value>;
using Rows = std::vector<Row>;

Value both(Value a, Value b) {
  return {std::max(a.level, b.level), a.reads | b.reads};
}

Row both(const Row& a, const Row& b) {
  Row out(a.size());
  for (std::size_t c = 0; c < a.size(); ++c) out[c] = both(a[c], b[c]);
  return out;
}

struct Tally {
  std::uint64_t input = 0, hidden = 0, attention = 0;  // multiply-adds

  std::uint64_t all() const { return input + hidden + attention; }
};

// A dot product of that many terms with these: one product later than what it waits for.
Value dot(std::uint64_t& count, const Row& a) {
  Value out;
  for (const Value& one : a) out = both(out, one);
  count += a.size();
  return {out.level + 1, out.reads};
}

// A row times a matrix of weights with that many columns.
Row product(std::uint64_t& count, const Row& row, std::size_t columns) {
  Row out(columns);
  for (Value& one : out) one = dot(count, row);
  return out;
}

Rows tokens(std::size_t n, std::size_t d) {
  Rows out;
  for (std::size_t t = 0; t < n; ++t) out.push_back(Row(d, {0, std::uint64_t{1} << t}));
  return out;
}

Rows attended(Tally& tally, const Rows& x) {
  const std::size_t n = x.size(), d = x[0].size();
  Rows queries, keys, values, out;
  for (const Row& row : x) {
    queries.push_back(product(tally.input, row, d));
    keys.push_back(product(tally.input, row, d));
    values.push_back(product(tally.input, row, d));
  }
  for (std::size_t i = 0; i < n; ++i) {
    Value weight;  // all logits of the row are in each of its weights
    for (std::size_t j = 0; j < n; ++j)
      weight = both(weight, dot(tally.attention, both(queries[i], keys[j])));
    Row mean(d);
    for (std::size_t c = 0; c < d; ++c) {
      Row terms(n);
      for (std::size_t j = 0; j < n; ++j) terms[j] = both(weight, values[j][c]);
      mean[c] = dot(tally.attention, terms);
    }
    out.push_back(product(tally.input, mean, d));
  }
  return out;
}

// Elman 1990: tanh(x U + h W).
Rows recurrent(Tally& tally, const Rows& x) {
  const std::size_t d = x[0].size();
  Rows out;
  Row state(d);
  for (const Row& row : x) {
    state = both(product(tally.input, row, d), product(tally.hidden, state, d));
    out.push_back(state);
  }
  return out;
}

// Cho et al. 2014: two gates, and a candidate that reads the state after one of them.
Rows gru(Tally& tally, const Rows& x) {
  const std::size_t d = x[0].size();
  Rows out;
  Row state(d);
  for (const Row& row : x) {
    const Row update = both(product(tally.input, row, d), product(tally.hidden, state, d)),
              reset = both(product(tally.input, row, d), product(tally.hidden, state, d)),
              candidate = both(product(tally.input, row, d), product(tally.hidden, both(reset, state), d));
    state = both(both(update, candidate), state);
    out.push_back(state);
  }
  return out;
}

// Hochreiter and Schmidhuber 1997, with forget gates: four products with the state.
Rows lstm(Tally& tally, const Rows& x) {
  const std::size_t d = x[0].size();
  Rows out;
  Row state(d), cell(d);
  for (const Row& row : x) {
    Row gates(d);
    for (int g = 0; g < 4; ++g)
      gates = both(gates, both(product(tally.input, row, d), product(tally.hidden, state, d)));
    cell = both(cell, gates);
    state = both(gates, cell);
    out.push_back(state);
  }
  return out;
}

// Token t reads t, t - dilation, ..., t - (k - 1) dilation; before the first there are zeros.
Rows convolved(Tally& tally, const Rows& x, std::size_t k, std::size_t dilation) {
  const std::size_t n = x.size(), d = x[0].size();
  Rows out;
  for (std::size_t t = 0; t < n; ++t) {
    Row sum(d);
    for (std::size_t s = 0; s < k; ++s)
      sum = both(sum, product(tally.input, s * dilation <= t ? x[t - s * dilation] : Row(d), d));
    out.push_back(sum);
  }
  return out;
}

// ---- what was counted -----------------------------------------------------------------------------------

using Layer = Function<Rows(Tally&, const Rows&, std::size_t number)>;

struct Kind {
  std::string name, formula;
  Layer layer;
  Function<std::uint64_t(std::uint64_t n, std::uint64_t d)> count;  // what the formula gives
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"self-attention", "4nd² + 2n²d", [](Tally& t, const Rows& x, std::size_t) { return attended(t, x); },
       [](std::uint64_t n, std::uint64_t d) { return 4 * n * d * d + 2 * n * n * d; }},
      {"plain RNN", "2nd²", [](Tally& t, const Rows& x, std::size_t) { return recurrent(t, x); },
       [](std::uint64_t n, std::uint64_t d) { return 2 * n * d * d; }},
      {"GRU", "6nd²", [](Tally& t, const Rows& x, std::size_t) { return gru(t, x); },
       [](std::uint64_t n, std::uint64_t d) { return 6 * n * d * d; }},
      {"LSTM", "8nd²", [](Tally& t, const Rows& x, std::size_t) { return lstm(t, x); },
       [](std::uint64_t n, std::uint64_t d) { return 8 * n * d * d; }},
      {"CNN, k = 3", "3nd²", [](Tally& t, const Rows& x, std::size_t) { return convolved(t, x, 3, 1); },
       [](std::uint64_t n, std::uint64_t d) { return 3 * n * d * d; }},
      {"CNN, k = 3, dilated", "3nd²",
       [](Tally& t, const Rows& x, std::size_t number) {
         std::size_t dilation = 1;
         for (std::size_t l = 0; l < number; ++l) dilation *= 3;
         return convolved(t, x, 3, dilation);
       },
       [](std::uint64_t n, std::uint64_t d) { return 3 * n * d * d; }}};
  return all;
}

struct Run {  // of one layer
  Tally tally;
  unsigned sequential;  // products that wait for one another
};

Run run(const Kind& kind, std::size_t n, std::size_t d) {
  Run out{};
  for (const Row& row : kind.layer(out.tally, tokens(n, d), 0))
    for (const Value& one : row) out.sequential = std::max(out.sequential, one.level);
  return out;
}

// How many layers until the last output depends on the first token.
std::size_t layers(const Kind& kind, std::size_t n) {
  Tally unused;
  Rows x = tokens(n, 1);
  for (std::size_t out = 0;; ++out) {
    if ((x.back()[0].reads & 1) != 0) return out;
    x = kind.layer(unused, x, out);
  }
}

constexpr std::array<std::size_t, 3> path_lengths = {5, 16, 64};

struct Counted {
  Run at_8, at_64;  // 8 and 64 tokens of width 4
  std::array<std::size_t, path_lengths.size()> layers;
};

constexpr std::array<std::uint64_t, 3> widths = {64, 512, 4096};

// The first length at which attention takes more than the other; 0: from length 1 on.
struct Crossing {
  std::string against;
  std::string derived;
  std::array<std::uint64_t, widths.size()> at;
};

using Count = Function<std::uint64_t(std::uint64_t n, std::uint64_t d)>;

// Costs per token that do not depend on the length against one that rises with it: they cross once.
std::uint64_t first_above(const Count& rising, const Count& other, std::uint64_t d) {
  std::uint64_t below = 0, above = 1;
  while (rising(above, d) <= other(above, d)) below = above, above *= 2;
  while (above - below > 1) {
    const std::uint64_t middle = below + (above - below) / 2;
    (rising(middle, d) > other(middle, d) ? above : below) = middle;
  }
  return above;
}

std::vector<Crossing> crossings() {
  const Count attention = kinds()[0].count,
              quadratic = [](std::uint64_t n, std::uint64_t d) { return 2 * n * n * d; },
              projections = [](std::uint64_t n, std::uint64_t d) { return 4 * n * d * d; },
              table_1 = [](std::uint64_t n, std::uint64_t d) { return n * n * d; },
              table_1_rnn = [](std::uint64_t n, std::uint64_t d) { return n * d * d; },
              block = [](std::uint64_t n, std::uint64_t d) { return 12 * n * d * d; };
  const std::vector<std::tuple<std::string, std::string, Count, Count>> all = {
      {"attention, against a plain RNN", "1", attention, kinds()[1].count},
      {"attention, against a CNN of k = 3", "1", attention, kinds()[4].count},
      {"attention, against a GRU", "d + 1", attention, kinds()[2].count},
      {"attention, against an LSTM", "2d + 1", attention, kinds()[3].count},
      {"products of tokens with tokens, against the projections", "2d + 1", quadratic, projections},
      {"products of tokens with tokens, against all else in a block with a feed-forward of 4d", "6d + 1",
       quadratic, block},
      {"n²d against nd², as the table of the paper has them", "d + 1", table_1, table_1_rnn}};
  std::vector<Crossing> out;
  for (const auto& [against, derived, rising, other] : all) {
    Crossing one{against, derived, {}};
    for (std::size_t w = 0; w < widths.size(); ++w) one.at[w] = first_above(rising, other, widths[w]);
    out.push_back(std::move(one));
  }
  return out;
}

struct Measured {
  std::vector<Counted> counted;  // of each kind
  std::vector<Crossing> crossings;
};

Measured measure() {
  Measured m{.counted = {}, .crossings = crossings()};
  for (const Kind& kind : kinds()) {
    Counted one{run(kind, 8, 4), run(kind, 64, 4), {}};
    for (std::size_t l = 0; l < path_lengths.size(); ++l) one.layers[l] = layers(kind, path_lengths[l]);
    m.counted.push_back(one);
  }
  return m;
}

void prove(const Measured& m) {
  for (std::size_t k = 0; k < kinds().size(); ++k)
    for (const auto& [n, d] :
         std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {8, 4}, {5, 7}, {64, 4}})
      proved(run(kinds()[k], n, d).tally.all() == kinds()[k].count(n, d), "the count is the formula's");
  const auto& of = m.counted;
  proved(of[0].at_8.sequential == 4 && of[0].at_64.sequential == 4 && of[4].at_64.sequential == 1,
         "attention and convolutions take as many steps at every length");
  proved(of[1].at_64.sequential == 64 && of[3].at_64.sequential == 64 && of[2].at_64.sequential == 128,
         "recurrent layers take a step or two for each token");
  Tally unused;
  for (const Row& row : attended(unused, tokens(64, 1)))
    proved(row[0].reads == ~std::uint64_t{0}, "every output of attention depends on every token");
  proved(of[1].at_64.tally.input == of[1].at_64.tally.hidden,
         "half of an RNN's products do not wait for the state");
  for (std::size_t l = 0; l < path_lengths.size(); ++l) {
    const std::size_t n = path_lengths[l];
    proved(of[0].layers[l] == 1 && of[1].layers[l] == 1, "attention and recurrent layers connect all tokens");
    proved(of[4].layers[l] == n / 2,
           "a convolution of k = 3 connects the ends after (n - 1)/2 layers, rounded up");
    std::size_t dilated = 0;
    for (std::size_t reach = 1; reach < n; reach *= 3) ++dilated;
    proved(of[5].layers[l] == dilated, "dilated ones after log_k n");
  }
  const auto& at = m.crossings;
  for (std::size_t w = 0; w < widths.size(); ++w) {
    const std::uint64_t d = widths[w];
    proved(at[0].at[w] == 1 && at[1].at[w] == 1 && at[2].at[w] == d + 1 && at[3].at[w] == 2 * d + 1 &&
               at[4].at[w] == 2 * d + 1 && at[5].at[w] == 6 * d + 1 && at[6].at[w] == d + 1,
           "costs cross where was derived");
  }
}

// ---- the page -------------------------------------------------------------------------------------------

std::vector<Block> by_layer(const Measured& m) {
  Grid grid{
      .columns = {"layer", "multiply-adds", "counted, n = 8, d = 4", "n = 64, d = 4",
                  "products in sequence, n = 8", "n = 64 in sequence"},
      .rows = {},
      .caption =
          "One layer of n tokens and width d, input as wide as the state, no feed-forward; the products of the layers were counted as they were made. In sequence: the longest chain of products with a matrix or with other tokens of which each needs the one before. Exponentials and what is done entry by entry are not counted."};
  for (std::size_t k = 0; k < kinds().size(); ++k)
    grid.rows.push_back(
        {kinds()[k].name, kinds()[k].formula, whole(static_cast<std::int64_t>(m.counted[k].at_8.tally.all())),
         whole(static_cast<std::int64_t>(m.counted[k].at_64.tally.all())),
         std::to_string(m.counted[k].at_8.sequential), std::to_string(m.counted[k].at_64.sequential)});
  const Tally& rnn = m.counted[1].at_64.tally;
  return {
      Section{"Operations of one layer"},
      Paragraph{
          "Attention has four projections, 4nd² multiply-adds, and two products of tokens with tokens, 2n²d. "
          "The longest chain of its products has four links at every length; that of a recurrent layer grows with the length. "
          "A convolution sums, for each of n positions and d output channels, d channels of k positions: knd²."},
      grid,
      Paragraph{fmt::format(
          "The products of a plain RNN with its input, {} of {} multiply-adds at n = 64 and d = 4, wait for nothing and can be made at once; those with its state cannot. "
          "Both are of the order nd², which is why a table of orders may name one of them alone.",
          whole(static_cast<std::int64_t>(rnn.input)), whole(static_cast<std::int64_t>(rnn.all())))}};
}

std::vector<Block> where_they_cross(const Measured& m) {
  constexpr std::uint64_t d = 512;
  Plot plot{.name = "operations_by_length",
            .title = "Operations of one layer per token",
            .description = "",
            .x = {.label = "length n, tokens", .logarithmic = true, .log_base = 2},
            .y = {.label = "multiply-adds per token, millions", .logarithmic = true},
            .curves = {},
            .decimals = 4};
  const auto curve = [&](std::string label, const Count& count, bool dashed) {
    Curve out{std::move(label), {}, false, dashed};
    for (int power = 4; power <= 16; ++power) {
      const std::uint64_t n = std::uint64_t{1} << power;
      out.points.emplace_back(static_cast<double>(n),
                              static_cast<double>(count(n, d)) / static_cast<double>(n) * 1e-6);
    }
    plot.description += fmt::format("{}{} {}", plot.curves.empty() ? "" : "; ", out.label,
                                    fixed(out.points.back().second, 2));
    plot.curves.push_back(std::move(out));
  };
  for (const std::size_t k : {0, 1, 2, 3, 4}) curve(kinds()[k].name, kinds()[k].count, false);
  curve(
      "n²d alone", [](std::uint64_t n, std::uint64_t w) { return n * n * w; }, true);
  plot.description =
      "Multiply-adds per token in millions against the length, both logarithmic, at width 512. Attention rises from its projections on, and n²d alone in proportion to the length; the others are level. At 65,536 tokens: " +
      plot.description + ".";
  plot.caption =
      "Width 512, lengths 16 to 65,536. Dashed: n²d, which the table of Vaswani et al. 2017, section 4, has for attention.";
  Grid grid{
      .columns = {"which is more", "derived", "d = 64", "d = 512", "d = 4,096"},
      .rows = {},
      .caption = "First length n at which the one takes more multiply-adds than the other, searched over n."};
  for (const Crossing& one : m.crossings) {
    std::vector<std::string> row = {one.against, one.derived};
    for (const std::uint64_t at : one.at) row.push_back(whole(static_cast<std::int64_t>(at)));
    grid.rows.push_back(std::move(row));
  }
  const double share = 2.0 * 512 / (4.0 * 512 + 2.0 * 512);
  return {
      Section{"Where they cross"},
      Paragraph{fmt::format(
          "Vaswani et al. 2017, section 4, compare n²d for attention with nd² for a recurrent layer, so that attention takes fewer operations for n < d. "
          "Both leave something out: attention its projections, the recurrent layer its input. "
          "With them, attention takes more than a plain RNN at every length, more than a GRU from n = d + 1 on and more than an LSTM from n = 2d + 1 on. "
          "At width 512 and 512 tokens the products of tokens with tokens are {} of the layer's.",
          percent(share))},
      plot, grid};
}

std::vector<Block> paths(const Measured& m) {
  Grid grid{
      .columns = {"layer", "5 tokens", "16 tokens", "64 tokens", "derived"},
      .rows = {},
      .caption =
          "Layers until the last output depends on the first token, followed through the layers. A convolution reads its own and earlier tokens; dilated: by 1, 3, 9, ... from layer to layer."};
  const std::array<std::string_view, 6> derived = {"1", "1", "1", "1", "⌈(n - 1)/(k - 1)⌉", "⌈log_k n⌉"};
  for (std::size_t k = 0; k < kinds().size(); ++k) {
    std::vector<std::string> row = {kinds()[k].name};
    for (const std::size_t layers : m.counted[k].layers) row.push_back(std::to_string(layers));
    row.emplace_back(derived[k]);
    grid.rows.push_back(std::move(row));
  }
  return {
      Section{"How far apart the ends are"},
      Paragraph{
          "One layer of attention connects every pair of tokens, in a chain of four products. "
          "A recurrent layer connects each token to those after it, and the first to the last by a chain as long as the sequence; that of the GRU is twice as long where its reset gate acts before the product with the state, as here (Cho et al. 2014), and as long as that of the plain RNN where it acts after it. "
          "Convolutions need more layers for longer sequences: two of k = 3 reach 5 tokens. "
          "The order log_k n of the paper's table is that of dilated convolutions."},
      grid};
}

constexpr experiments::Reference cho_2014{
    "Cho et al.", "2014",
    "Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine Translation",
    "https://arxiv.org/abs/1406.1078"};
constexpr experiments::Reference hochreiter_1997{"Hochreiter and Schmidhuber", "1997",
                                                 "Long Short-Term Memory",
                                                 "https://doi.org/10.1162/neco.1997.9.8.1735"};
constexpr experiments::Reference kalchbrenner_2016{"Kalchbrenner et al.", "2016",
                                                   "Neural Machine Translation in Linear Time",
                                                   "https://arxiv.org/abs/1610.10099"};
constexpr experiments::Reference zhang_2021{"Zhang et al.", "2021", "Dive into Deep Learning",
                                            "https://arxiv.org/abs/2106.11342"};

Document written() {
  const Measured m = measure();
  prove(m);
  return {
      .title = "With its projections counted, attention never takes fewer multiply-adds than a plain RNN",
      .finding = bounded(
          "A layer of self-attention takes 4nd² + 2n²d multiply-adds in {} products that wait for one another, a plain RNN 2nd² in n; at width 512 attention takes more than a GRU from {} tokens on and more than an LSTM from {} on.",
          m.counted[0].at_64.sequential, whole(static_cast<std::int64_t>(m.crossings[2].at[1])),
          whole(static_cast<std::int64_t>(m.crossings[3].at[1]))),
      .condition =
          "One layer, n tokens of width d, input as wide as the state; multiply-adds of dense products, one head or several (the count is the same), no mask; nothing is timed.",
      .blocks = joined(
          {by_layer(m),
           where_they_cross(m),
           paths(m),
           {PageVerdict{
               "Attention buys a chain of four products and a path of one layer between any two tokens, at every length, for 2n²d multiply-adds besides those of its projections. "
               "Below n = 2d the projections take more of them than the products of tokens with tokens."}},
           experiments::references(
               {experiments::vaswani_2017, zhang_2021, cho_2014, hochreiter_1997, kalchbrenner_2016})})};
}

}  // namespace

const Experiment entry{
    .question =
        "How many operations does attention take, how many of them one after the other, and from which length on more than others?",
    .method =
        "Run attention, recurrent layers and convolutions on values that know what they wait for and which tokens they depend on, count the multiply-adds, and search the lengths at which the counts cross.",
    .run = &written,
    .asked_by = Asker::choosing,
};

}  // namespace posproof::experiments_what_attention_costs
