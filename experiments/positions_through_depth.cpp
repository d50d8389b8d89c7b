#include <algorithm>
#include <array>
#include <cmath>

#include "answers.h"
#include "catalogue/experiments/positions_through_depth.h"
#include "depth_probe.h"
#include "draws.h"
#include "measure.h"
#include "references.h"

namespace posproof::experiments_positions_through_depth {
namespace {

using namespace document;
using experiments::Drawn;
using experiments::draws;
using experiments::expectations;
using experiments::Index;
using experiments::joined;
using experiments::Layer;
using experiments::Matrix;
using experiments::proved;

constexpr experiments::Reference dong_2021{
    "Dong, Cordonnier and Loukas", "2021",
    "Attention is Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth",
    "https://arxiv.org/abs/2103.03404"};

constexpr std::size_t dim = 16, deepest = 24, fitted = 6, sequences = 9;
constexpr std::array<std::size_t, 11> listed = {0, 1, 2, 3, 4, 5, 6, 8, 12, 16, deepest};  // layers
constexpr Index length = 32;
constexpr double scale = 0.5;  // of the tokens

struct Setting {
  std::string_view name;
  bool encoding, residual;
};

constexpr std::array<Setting, 3> settings = {
    {{"with residual", true, true}, {"without residual", true, false}, {"no encoding", false, true}}};

struct ByDepth {                        // of the layers listed
  std::array<Drawn, deepest + 1> read;  // R^2 from the tokens less the mean of their sequence
  std::array<Drawn, deepest + 1> read_as_they_are;
  std::array<Drawn, deepest + 1> spread;  // of the tokens of a sequence about their mean, as a part of them
};

constexpr std::array<std::size_t, 4> examples = {1, 2, 4, 6};

using ByExamples =
    std::array<Drawn, examples.size()>;  // by the number of sequences that the probe is fitted to

struct Causal {  // after two layers under a causal mask
  ByExamples with, without;
};

// How much depends on the number of sequences that the probe is fitted to: with more of them, and fewer
// draws.
constexpr std::array<std::size_t, 3> more_examples = {fitted, 12, 50};
constexpr std::uint64_t more_draws = 40;

struct More {
  std::array<Drawn, more_examples.size()> after_16, after_24,  // with residual, the tokens as they are
      after_1, after_2,                                        // without, less the mean of their sequence
      causal_with, causal_without;  // the same first token, with and without encoding
};

struct Pooled {  // mean outputs for two tokens in either order: largest difference of an entry
  Drawn without, with;
};

struct Measured {
  std::array<ByDepth, settings.size()> depth;
  Causal causal;   // all tokens drawn
  Causal started;  // the first token is the same in every sequence
  Pooled pooled;
  More more;
};

// Root mean square of the tokens less their mean, over that of the tokens; mean over the sequences.
double spread(const std::vector<Matrix>& all) {
  double sum = 0;
  for (const Matrix& x : all) sum += (x.rowwise() - x.colwise().mean()).norm() / x.norm();
  return sum / static_cast<double>(all.size());
}

void see(Measured& m, std::uint64_t seed, const Matrix& rows) {
  attention::Generator numbers(seed);
  std::vector<Matrix> tokens;
  for (std::size_t s = 0; s < sequences; ++s)
    tokens.push_back(scale * experiments::normal(numbers, length, static_cast<Index>(dim)));
  std::vector<Layer> layers;
  for (std::size_t depth = 0; depth < deepest; ++depth)
    layers.push_back(experiments::random_layer(numbers, static_cast<Index>(dim)));
  const auto start = [&](bool encoding) {
    std::vector<Matrix> out = tokens;
    for (Matrix& x : out)
      if (encoding) x += rows;
    return out;
  };
  for (std::size_t n = 0; n < settings.size(); ++n) {
    std::vector<Matrix> x = start(settings[n].encoding);
    for (std::size_t depth = 0; depth <= deepest; ++depth) {
      if (std::ranges::find(listed, depth) != listed.end()) {
        // What is left of one vector is rounding, which is another one on another machine.
        const double apart = spread(x);
        const bool one_vector = apart < 1e-12;
        m.depth[n].read[depth].see(
            one_vector ? 0
                       : experiments::position_read(experiments::less_their_means(x), fitted, fitted, false));
        m.depth[n].read_as_they_are[depth].see(one_vector ? 0
                                                          : experiments::position_read(x, fitted, fitted));
        m.depth[n].spread[depth].see(apart);
      }
      for (Matrix& one : x)
        if (depth < deepest) one = experiments::layer_output(layers[depth], one, settings[n].residual, false);
    }
  }
  const Matrix first = scale * experiments::normal(numbers, 1, static_cast<Index>(dim));
  for (const bool encoding : {true, false}) {
    for (Causal* causal : {&m.causal, &m.started}) {
      std::vector<Matrix> x = start(encoding);
      for (Matrix& one : x)
        if (causal == &m.started) one.row(0) = encoding ? Matrix(first + rows.row(0)) : first;
      for (std::size_t depth = 0; depth < 2; ++depth)
        for (Matrix& one : x) one = experiments::layer_output(layers[depth], one, true, true);
      for (std::size_t n = 0; n < examples.size(); ++n)
        (encoding ? causal->with : causal->without)[n].see(
            experiments::position_read(x, examples[n], fitted));
    }
    const Matrix two = tokens[0].topRows(2), swapped = two.colwise().reverse();
    const auto pooled = [&](const Matrix& pair) -> Matrix {
      const Matrix y = encoding ? Matrix(pair + rows.topRows(2)) : pair;
      return experiments::layer_output(layers[0], y, true, false).colwise().mean();
    };
    (encoding ? m.pooled.with : m.pooled.without).see((pooled(two) - pooled(swapped)).cwiseAbs().maxCoeff());
  }
}

void see(More& more, std::uint64_t seed, const Matrix& rows) {
  constexpr std::size_t most = more_examples.back(), all = most + sequences - fitted;
  attention::Generator numbers(seed);
  const auto drawn = [&](Index n) -> Matrix {
    return scale * experiments::normal(numbers, n, static_cast<Index>(dim));
  };
  std::vector<Matrix> tokens;
  for (std::size_t s = 0; s < all; ++s) tokens.push_back(drawn(length));
  const Matrix first = drawn(1);
  std::vector<Layer> layers;
  for (std::size_t depth = 0; depth < deepest; ++depth)
    layers.push_back(experiments::random_layer(numbers, static_cast<Index>(dim)));
  const auto read = [&](std::array<Drawn, more_examples.size()>& to, const std::vector<Matrix>& x,
                        bool constant) {
    for (std::size_t n = 0; n < more_examples.size(); ++n)
      to[n].see(experiments::position_read(x, more_examples[n], most, constant));
  };
  for (const bool residual : {true, false}) {
    std::vector<Matrix> x = tokens;
    for (Matrix& one : x) one += rows;
    for (std::size_t depth = 1; depth <= (residual ? deepest : 2); ++depth) {
      for (Matrix& one : x) one = experiments::layer_output(layers[depth - 1], one, residual, false);
      if (!residual) read(depth == 1 ? more.after_1 : more.after_2, experiments::less_their_means(x), false);
      if (residual && depth == 16) read(more.after_16, x, true);
      if (residual && depth == deepest) read(more.after_24, x, true);
    }
  }
  for (const bool encoding : {true, false}) {
    std::vector<Matrix> x = tokens;
    for (Matrix& one : x) {
      one.row(0) = first;
      if (encoding) one += rows;
      for (std::size_t depth = 0; depth < 2; ++depth)
        one = experiments::layer_output(layers[depth], one, true, true);
    }
    read(encoding ? more.causal_with : more.causal_without, x, true);
  }
}

void prove(const More& more) {
  for (const auto* read : {&more.after_16, &more.after_24})
    proved(read->front().median() < 0.05 && read->back().of_median().first > 0.1,
           "a probe of the tokens as they are reads them where it is fitted to more sequences");
  proved(more.after_1.back().median() > more.after_1.front().median() && more.after_2.back().median() < 0.15,
         "without residual more sequences show more after one layer, and little after two");
  for (std::size_t n = 0; n < more_examples.size(); ++n)
    proved(more.causal_with[n].of_median().first > more.causal_without[n].of_median().second,
           "under a causal mask the encoding helps the probe at every number of sequences");
}

void prove(const Measured& m) {
  const auto &with = m.depth[0], &without = m.depth[1], &control = m.depth[2];
  for (std::size_t at = 1; at < listed.size(); ++at) {
    const std::size_t depth = listed[at];
    proved(with.read[depth].of_median().first > without.read[depth].of_median().second,
           "with residual more is read than without, at every depth");
    proved(depth == 1 || without.read[depth].median() < 0.05, "without residual it is gone after two layers");
    proved(control.read[depth].median() < 0.05, "without encoding there is nothing to read");
    proved(with.spread[depth].median() < with.spread[listed[at - 1]].median(),
           "with residual the tokens of a sequence become more alike");
  }
  proved(with.read[deepest].of_median().first > 0.75 * with.read[0].of_median().second,
         "with residual most of it is read after the last layer");
  for (const std::size_t depth : {16U, 24U})
    proved(with.read_as_they_are[depth].of_median().second < 0.05,
           "the same probe of the tokens as they are reads nothing there");
  proved(without.spread[4].most() < 1e-3, "without residual the tokens become one vector");
  proved(with.spread[deepest].of_median().second < 1e-3, "with residual what is read is a small share");
  proved(m.pooled.without.most() < 1e-13 && m.pooled.with.least() > 1e-4,
         "pooled outputs of two orders are the same without encoding and differ with one");
  for (std::size_t n = 0; n < examples.size(); ++n) {
    for (const Causal& one : {m.causal, m.started})
      proved(one.with[n].of_median().first >= one.without[n].of_median().second,
             "under a causal mask the encoding helps the probe");
    proved(m.causal.without[n].median() < 0.005, "of drawn tokens alone the probe reads nothing without it");
  }
  proved(m.started.without.back().of_median().first > m.causal.without.back().of_median().second,
         "with the same first token something is read without an encoding");
}

Measured measure() {
  Measured m{};
  const Matrix rows = experiments::sinusoidal_rows(dim, length);
  for (std::uint64_t seed = 1; seed <= draws; ++seed) see(m, seed, rows);
  for (std::uint64_t seed = 1; seed <= more_draws; ++seed) see(m.more, seed, rows);
  prove(m);
  prove(m.more);
  return m;
}

std::string band(const Drawn& of) {
  const auto [low, high] = of.band();
  return fmt::format("{} ({} to {})", fixed(of.median(), 2), fixed(low, 2), fixed(high, 2));
}

std::vector<Block> through(const Measured& m) {
  const auto &with = m.depth[0], &without = m.depth[1], &control = m.depth[2];
  Plot plot{
      .name = "position_read_by_depth",
      .title = "With a residual stream a linear probe reads the position after 24 random layers",
      .description = fmt::format(
          "R² of a linear probe for the position against the number of layers, 0 to {}, median and band of {} draws. From tokens less the mean of their sequence the median with residual is {} before the first layer and {} after the last; without residual it is {} after one layer and {} after two; without encoding it is {} after the last. From the tokens as they are, with residual, it is {} after the last.",
          deepest, draws, fixed(with.read[0].median(), 2), fixed(with.read[deepest].median(), 2),
          fixed(without.read[1].median(), 2), fixed(without.read[2].median(), 2),
          fixed(control.read[deepest].median(), 2), fixed(with.read_as_they_are[deepest].median(), 2)),
      .x = {"layers", false, {{0, static_cast<double>(deepest)}}},
      .y = {"R² of a linear probe for the position", false, {{-0.02, 1}}},
      .curves = {},
      .caption = fmt::format(
          "Median of {} draws after as many layers as the table lists; bands: 5th to 95th percentile. A probe that is worse than the mean counts as 0, and so does one of tokens that are one vector, within 1e-12 of their size. Probes read the tokens less the mean of their sequence, but for that of the tokens as they are.",
          draws)};
  Grid grid{
      .columns = {"layers", "with residual", "without residual", "no encoding",
                  "with residual, tokens as they are", "spread with", "spread without"},
      .rows = {},
      .caption = fmt::format(
          "R²: median of {} draws (5 to 95 %). Spread: the tokens of a sequence less their mean, root mean square, as a part of the tokens; median.",
          draws)};
  const auto draw = [&](std::string name, const std::array<Drawn, deepest + 1>& read) {
    Curve curve{std::move(name), {}};
    for (const std::size_t depth : listed) {
      curve.points.emplace_back(static_cast<double>(depth), read[depth].median());
      curve.band.push_back(read[depth].band());
    }
    plot.curves.push_back(std::move(curve));
  };
  for (std::size_t n = 0; n < settings.size(); ++n) draw(std::string(settings[n].name), m.depth[n].read);
  draw("with residual, tokens as they are", with.read_as_they_are);
  for (const std::size_t depth : listed) {
    std::vector<std::string> row = {std::to_string(depth)};
    for (const ByDepth& one : m.depth) row.push_back(band(one.read[depth]));
    row.push_back(band(with.read_as_they_are[depth]));
    for (const std::size_t n : {0, 1}) {
      const double median = m.depth[n].spread[depth].median();
      row.push_back(median < 1e-12 ? "below 1e-12" : scientific(median, 2));
    }
    grid.rows.push_back(row);
  }
  const auto interval = [&](std::size_t depth) {
    const auto [low, high] = with.read[depth].of_median();
    return fmt::format("{} to {}", fixed(low, 2), fixed(high, 2));
  };
  return {
      Section{"With and without the residual stream"},
      Paragraph{
          "Positions are added once, before the first layer. Every layer adds its output to what it was given, so the row stays in the sum, beside a growing sum of averages; LayerNorm rescales both, so what tells the tokens of a sequence apart becomes a smaller part of them: in the median it shrinks from each depth listed to the next. "
          "It stays readable all the same, where the mean of the sequence is taken away first. "
          "Without that sum a layer passes on averages alone, and the tokens of a sequence become one vector (Dong et al. 2021), and the position is lost."},
      plot, grid,
      Paragraph{fmt::format(
          "With residual the median itself is known to within its 95 % interval (order statistics of the {} draws): {} before the first layer, {} after 12 layers and {} after {}.",
          draws, interval(0), interval(12), interval(deepest), deepest)}};
}

std::vector<Block> by_sequences(const More& m) {
  Grid grid{.columns = {"sequences fitted to", "16 layers with residual, as they are",
                        "24 layers with residual, as they are", "1 layer without residual, less the mean",
                        "2 layers without residual, less the mean"},
            .rows = {},
            .caption = fmt::format(
                "R² on three other sequences; median of {} draws of their own (5 to 95 %).", more_draws)};
  for (std::size_t n = 0; n < more_examples.size(); ++n)
    grid.rows.push_back({std::to_string(more_examples[n]), band(m.after_16[n]), band(m.after_24[n]),
                         band(m.after_1[n]), band(m.after_2[n])});
  return {
      Section{"How many sequences the probe is fitted to"},
      Paragraph{fmt::format(
          "The mean of a sequence is another one in every sequence, and {} of them are too few to learn to pass over it: from 16 layers on a probe of the tokens as they are reads nothing then, in the median. Fitted to {} sequences it reads {} after 16 layers and {} after {}. "
          "Without residual, too, more sequences show more.",
          fitted, more_examples.back(), fixed(m.after_16.back().median(), 2),
          fixed(m.after_24.back().median(), 2), deepest)},
      grid};
}

std::vector<Block> causal(const Measured& m) {
  Grid grid{
      .columns = {"sequences fitted to", "with encoding", "without", "same first token, with encoding",
                  "same first token, without"},
      .rows = {},
      .caption = fmt::format(
          "R² of the probe on three other sequences after two layers under a causal mask, with residual, from the tokens as they are; median of {} draws (5 to 95 %).",
          draws)};
  for (std::size_t n = 0; n < examples.size(); ++n)
    grid.rows.push_back({std::to_string(examples[n]), band(m.causal.with[n]), band(m.causal.without[n]),
                         band(m.started.with[n]), band(m.started.without[n])});
  return {
      Section{"Does an encoding help a causal model?"},
      Paragraph{
          "A causal mask is a source of order by itself, so the question is how easily the position is read. "
          "Of these layers a linear probe reads more with the encoding than without, in the median at every number of sequences tried. "
          "Where all tokens are drawn it reads nothing without one, in the median, and that says nothing of causal models: without shift and feed-forward, -x in gives -f(x) out, and a token is as likely as its negative, so that over all draws of the tokens the outputs have mean 0 at every position, whatever the weights. "
          "A first token that is the same in every sequence, as a start token is, ends that: the further back it lies, the smaller its share of an average. "
          "How much it helps a trained model is a matter of training."},
      grid,
      Paragraph{fmt::format(
          "Fitted to {} sequences with the same first token the probe reads {} with the encoding and {} without (medians of {} draws of their own).",
          more_examples.back(), fixed(m.more.causal_with.back().median(), 2),
          fixed(m.more.causal_without.back().median(), 2), more_draws)}};
}

std::vector<Block> ability(const Measured& m) {
  return {
      Section{"A load, or an ability?"},
      Paragraph{fmt::format(
          "Two tokens in either order, one layer without mask and with residual, outputs averaged: without encoding the two averages are the same within 1e-13 in all {} draws, so no reader of the average does better than 50 % on which token came first, whatever the weights. "
          "With the encoding the entry that differs most differs by {} (median; 5 to 95 %: {} to {}), and a threshold on that entry separates the two. "
          "So an unmasked network is not relieved of a task; it is given an ability that it lacks.",
          draws, fixed(m.pooled.with.median(), 3), fixed(m.pooled.with.band().first, 3),
          fixed(m.pooled.with.band().second, 3))}};
}

std::vector<Block> derived(const Measured& m) {
  const auto order = [&](bool holds) { return holds ? "yes" : "no"; };
  return expectations({
      {fmt::format("after {} layers: with residual more than without", deepest), "yes",
       order(m.depth[0].read[deepest].of_median().first > m.depth[1].read[deepest].of_median().second)},
      {"without residual after four layers: one vector, within 1e-3 in every draw", "yes",
       order(m.depth[1].spread[4].most() < 1e-3)},
      {"no encoding: R², median", "0.00", fixed(m.depth[2].read[deepest].median(), 2)},
      {"two orders pooled without encoding: the same", "yes", order(m.pooled.without.most() < 1e-13)},
  });
}

std::vector<Block> answered(const Measured& m) {
  const auto &with = m.depth[0], &without = m.depth[1];
  return experiments::answers({
      {"How do positions survive many layers?",
       "through the residual stream, in a shrinking share of the tokens",
       fmt::format("R² after {} layers: {} with residual, {} without; spread of the tokens {}", deepest,
                   fixed(with.read[deepest].median(), 2), fixed(without.read[deepest].median(), 2),
                   scientific(with.spread[deepest].median(), 2))},
      {"Encodings only take a load off attention.", "false without a mask: the ability is missing",
       "two orders pooled: difference below 1e-13 without, above 1e-4 with"},
      {"Explicit encodings relieve causal models, too.", "the probe reads more; needs training",
       fmt::format("two layers, same first token, probe fitted to {} sequences: R² {} with, {} without",
                   more_examples.back(), fixed(m.more.causal_with.back().median(), 2),
                   fixed(m.more.causal_without.back().median(), 2))},
  });
}

Document run() {
  const Measured m = measure();
  const auto &with = m.depth[0], &without = m.depth[1];
  const std::string answer = fmt::format(
      "From tokens less the mean of their sequence a linear probe fitted to {} sequences reads the position with R² {} before and {} (5 to 95 %: {} to {}) after {} random attention layers with residual (medians of {} draws, width {}), though what tells the tokens of a sequence apart falls from {} to {} times their size. From the tokens as they are it reads {} there, and {} fitted to {} sequences. Without residual a probe of tokens less the mean reads {} after one layer and {} after two (fitted to {}: {} and {}), and after four the tokens of a sequence are one vector, within 1e-3 of their size, in every draw.",
      fitted, fixed(with.read[0].median(), 2), fixed(with.read[deepest].median(), 2),
      fixed(with.read[deepest].band().first, 2), fixed(with.read[deepest].band().second, 2), deepest, draws,
      dim, fixed(with.spread[0].median(), 2), scientific(with.spread[deepest].median(), 2),
      fixed(with.read_as_they_are[deepest].median(), 2), fixed(m.more.after_24.back().median(), 2),
      more_examples.back(), fixed(without.read[1].median(), 2), fixed(without.read[2].median(), 2),
      more_examples.back(), fixed(m.more.after_1.back().median(), 2),
      fixed(m.more.after_2.back().median(), 2));
  return {
      .title = fmt::format(
          "After the mean of a sequence is taken away, a linear probe reads the position after {} random layers with a residual stream; without one it reads almost nothing after two",
          deepest),
      .finding = answer,
      .condition = fmt::format(
          "Sinusoidal encoding, base 10000, divisor d, width {}, {} positions, amplitude 1; tokens with independent normal entries of standard deviation {}; attention layers of one head with independent normal weights of variance 1/d, LayerNorm after each, no feed-forward, untrained; probe fitted by least squares to {} sequences where nothing else is said, without directions below 1e-4 of the strongest (of the tokens as they are the constant is one), and read on {} others; {} draws (seeds 1 to {}); f64.",
          dim, length, scale, fitted, sequences - fitted, draws, draws),
      .blocks = joined({through(m),
                        by_sequences(m.more),
                        causal(m),
                        ability(m),
                        derived(m),
                        answered(m),
                        {PageVerdict{answer}},
                        experiments::references({experiments::vaswani_2017, dong_2021})})};
}

}  // namespace

const Experiment entry{
    .question = "Do positions survive many layers?",
    .method =
        "Fit a linear probe for the position to the outputs of random attention layers, less the mean of their sequence and as they are, by depth, with and without residual, encoding and causal mask.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_positions_through_depth
