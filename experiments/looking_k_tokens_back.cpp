#include <algorithm>
#include <array>
#include <cmath>

#include "answers.h"
#include "catalogue/experiments/looking_k_tokens_back.h"
#include "confidence.h"
#include "draws.h"
#include "logits_by_term.h"
#include "measure.h"
#include "references.h"
#include "subspace.h"

namespace posproof::experiments_looking_k_tokens_back {
namespace {

using namespace document;
using experiments::Drawn;
using experiments::draws;
using experiments::Estimate;
using experiments::expectations;
using experiments::Index;
using experiments::joined;
using experiments::Matrix;
using experiments::percent;
using experiments::proved;
using experiments::Terms;
using experiments::Vector;

constexpr std::array<std::size_t, 3> widths = {16, 64, 512};
constexpr std::array<Index, 4> offsets = {1, 2, 5, 50};
constexpr std::array<double, 4> sharpness = {1, 4, 16, 64};
constexpr Index length = 128;      // positions alone
constexpr Index back = 3, n = 32;  // with tokens

struct Alone {
  std::size_t dim;
  double right = 1;                                  // share of queries, all offsets
  std::array<double, sharpness.size()> weight = {};  // smallest on the key 5 back, over the queries
};

constexpr std::array<std::string_view, 3> heads = {"rotation", "position only", "content only"};

struct Head {
  std::string_view name;
  std::array<Drawn, 4> deviation;                             // of the four terms, over queries and keys
  std::vector<std::pair<double, std::vector<double>>> right;  // scale, share of the queries, by draw
};

struct ByWidth {
  std::size_t dim;
  Index held, above;  // directions: 99.9 % of the energy, above 1e-6
  std::vector<Head> heads;
};

struct Bilinear {
  std::string form;
  double range;  // largest less smallest value for neighbours, over the positions
  bool random = false;
  Drawn drawn = {};
};

struct Measured {
  std::vector<Alone> alone;
  Matrix map;  // attention weights, width 64, 3 back
  std::vector<ByWidth> with_tokens;
  std::vector<Bilinear> forms;
  double same_key = 0;        // range of the scores of one key at all distances, without rows
  Drawn same_key_with;        // and with rows
  double there_and_back = 0;  // |W_-k W_k x - x|, largest
};

Matrix softmax(Matrix logits) {
  logits.colwise() -= Vector(logits.rowwise().maxCoeff());
  const Matrix weights = logits.array().exp();
  return weights.array().colwise() / weights.rowwise().sum().array();
}

Alone alone(std::size_t dim) {
  const Matrix p = experiments::sinusoidal_rows(dim, length);
  Alone out{dim};
  for (const Index k : offsets) {
    const Matrix logits = p * experiments::shift(dim, static_cast<double>(k)) * p.transpose();
    out.right = std::min(out.right, experiments::looking_back(logits, k));
    for (std::size_t c = 0; c < sharpness.size() && k == 5; ++c) {
      const Matrix weights = softmax(sharpness[c] / std::sqrt(static_cast<double>(dim)) * logits);
      out.weight[c] = weights.diagonal(-k).minCoeff();
    }
  }
  return out;
}

ByWidth with_tokens(std::size_t dim) {
  const Matrix p = experiments::sinusoidal_rows(dim, n), w = experiments::shift(dim, back);
  const experiments::Directions of = experiments::directions(p);
  ByWidth out{dim, of.holding(0.999), of.above(1e-6), {}};
  const Matrix held = of.basis.leftCols(out.held), above = of.basis.leftCols(out.above),
               inside = held * held.transpose(),
               outside = Matrix::Identity(w.rows(), w.cols()) - above * above.transpose();
  const std::array<Matrix, heads.size()> matrices = {w, inside * w * inside, outside};
  for (const std::string_view name : heads) out.heads.push_back({name, {}, {}});
  for (Head& head : out.heads)
    for (int step = 0; step <= 10; ++step)
      head.right.emplace_back(0.02 * std::pow(100.0, step / 10.0), std::vector<double>{});
  for (Head& head : out.heads) head.right.emplace_back(1.0, std::vector<double>{});
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    attention::Generator numbers(seed);
    const Matrix x = experiments::normal(numbers, n, static_cast<Index>(dim));
    for (std::size_t h = 0; h < heads.size(); ++h) {
      const Terms terms = experiments::terms(x, p, matrices[h]);
      std::size_t at = 0;
      for (const Matrix* term :
           {&terms.content, &terms.content_position, &terms.position_content, &terms.position})
        out.heads[h].deviation[at++].see(std::sqrt((term->array() - term->mean()).square().mean()));
      for (auto& [scale, right] : out.heads[h].right)
        right.push_back(experiments::looking_back(terms.logits(scale), back));
    }
  }
  return out;
}

// The value for neighbours, the query first, at every position below 200: how far it varies.
double range(const Matrix& rows, const Matrix& w) {
  const Vector values = (rows * w * rows.transpose()).diagonal(1);
  return values.maxCoeff() - values.minCoeff();
}

std::vector<Bilinear> forms() {
  const Matrix p = experiments::sinusoidal_rows(64, 200);
  Matrix index(200, 2), turn(2, 2), product = Matrix::Zero(2, 2);
  for (Index t = 0; t < 200; ++t) index.row(t) << static_cast<double>(t), 1;
  turn << 0, 1, -1, 0;
  product(0, 0) = 1;
  std::vector<Bilinear> out = {
      {"sinusoidal rows, W = I", range(p, Matrix::Identity(64, 64))},
      {"sinusoidal rows, W rotates every pair", range(p, experiments::shift(64, 3))},
      {"sinusoidal rows, W random", 0, true},
      {"index, i · j", range(index, product)},
      {"index and a constant, [i, 1] [[0, 1], [-1, 0]] [j, 1]ᵀ = i - j", range(index, turn)},
  };
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    attention::Generator numbers(seed);
    out[2].drawn.see(range(p, experiments::normal(numbers, 64, 64) / 8));
  }
  return out;
}

// A query against the same key at distances 1 to 31: how far the scores differ.
void same_key(Measured& m) {
  const Matrix p = experiments::sinusoidal_rows(64, n);
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    attention::Generator numbers(seed);
    const Matrix x = experiments::normal(numbers, 2, 64), w = experiments::normal(numbers, 64, 64) / 8;
    Matrix tokens = x.row(1).replicate(n, 1);
    tokens.row(0) = x.row(0);
    const auto spread = [&](const Matrix& y) {
      const Vector scores = (y.row(0) * w * y.bottomRows(n - 1).transpose() / 8).transpose();
      return scores.maxCoeff() - scores.minCoeff();
    };
    m.same_key = std::max(m.same_key, spread(tokens));
    m.same_key_with.see(spread(tokens + p));
    const Vector v = x.row(0).transpose();
    m.there_and_back =
        std::max(m.there_and_back,
                 (experiments::shift(64, -7) * (experiments::shift(64, 7) * v) - v).cwiseAbs().maxCoeff());
  }
}

Estimate right(const Measured& m, std::size_t width, std::size_t head, std::size_t step) {
  const Estimate of = experiments::mean(m.with_tokens[width].heads[head].right[step].second);
  return {of.value, std::max(0.0, of.low), std::min(1.0, of.high)};  // of a share
}

constexpr std::size_t small = 0, large = 1;  // widths 64 and 256
constexpr std::size_t rotation = 0, position_only = 1, content_only = 2;
constexpr std::size_t least_scale = 0, scale_02 = 5, scale_1 = 11;  // steps: 0.02, 0.2, and 1 behind them

void prove(const Measured& m) {
  for (const Alone& one : m.alone) {
    proved(one.right == 1, "positions alone: the key k back has the largest logit at every query");
    proved(std::ranges::is_sorted(one.weight), "its weight grows with the length of W");
  }
  for (const std::size_t width : {small, large}) {
    proved(right(m, width, rotation, least_scale).value == 1 &&
               right(m, width, position_only, least_scale).value == 1,
           "with small tokens both matrices look back at every query");
    for (const std::size_t step : {std::size_t{10}, scale_1})
      proved(right(m, width, rotation, step).value < 0.01, "with large tokens at hardly any");
    for (std::size_t step = 0; step <= 10; ++step)
      proved(right(m, width, position_only, step).high >= right(m, width, rotation, step).low,
             "position only is not worse than the rotation");
    const auto& without = m.with_tokens[width].heads[content_only].deviation;
    proved(without[0].least() > 5 && without[1].most() < 1e-3 && without[2].most() < 1e-3 &&
               without[3].most() < 1e-6,
           "content only: the terms with positions are nearly nothing");
  }
  proved(m.forms[0].range < 1e-12 && m.forms[1].range < 1e-12 && m.forms[4].range == 0, "offset only");
  proved(m.forms[2].drawn.least() > 1 && m.forms[3].range > 1, "not offset only");
  proved(m.same_key < 1e-13 && m.same_key_with.least() > 0.1, "the same key has the same score without rows");
  proved(m.there_and_back < 1e-13, "a rotation is undone");
}

Measured measure() {
  Measured m{};
  for (const std::size_t dim : widths) m.alone.push_back(alone(dim));
  const Matrix p = experiments::sinusoidal_rows(64, n);
  m.map = softmax(16.0 / 8 * p * experiments::shift(64, back) * p.transpose());
  for (const std::size_t dim : {64, 256}) m.with_tokens.push_back(with_tokens(dim));
  m.forms = forms();
  same_key(m);
  prove(m);
  return m;
}

std::vector<Block> positions(const Measured& m) {
  HeatMap map{
      .name = "attention_map",
      .title = "The head that looks three back, positions alone",
      .description = fmt::format(
          "Heat map of the attention weights of 32 queries, downwards, and 32 keys. The largest weight of each query from the fourth on is three columns left of the diagonal, {} at the last query; the first three queries have no such key.",
          fixed(m.map(n - 1, n - 1 - back), 2)),
      .x = {"key"},
      .y = {"query"},
      .values = {},
      .lo = 0,
      .hi = 1,
      .caption =
          "Width 64, W = 16 times the rotation of every pair by three positions, factor 1/√d, no mask, no tokens."};
  for (Index t = 0; t < n; ++t) map.values.emplace_back(m.map.row(t).begin(), m.map.row(t).end());
  Grid grid{.columns = {"width", "queries that look k back"}, .rows = {}, .caption = ""};
  for (const double c : sharpness) grid.columns.push_back(fmt::format("weight at k = 5, {} W", c));
  for (const Alone& one : m.alone) {
    std::vector<std::string> row = {std::to_string(one.dim), percent(one.right)};
    for (const double weight : one.weight) row.push_back(fixed(weight, 3));
    grid.rows.push_back(row);
  }
  grid.caption = fmt::format(
      "128 positions, no mask, no tokens; offsets k = {}; every query t ≥ k. Weight: the smallest over the queries, factor 1/√d.",
      fmt::join(offsets, ", "));
  return {
      Section{"Positions alone"},
      Paragraph{
          "If W rotates every pair by k positions, `p_t W p_s` is `p_t · p_(s+k)`, which is largest at s = t - k and nowhere else. "
          "Vaswani et al. 2017 (section 3.5) give this as the reason for sine and cosine. "
          "Neighbours have similar rows, so the weight of that key depends on the scale of W, which is free. "
          "W acts on queries and keys; it does not change what is passed on. A rotation loses nothing: rotated by 7 positions and back, random tokens are the same within 1e-13."},
      grid, map};
}

std::string band(const Drawn& of) {
  const auto [low, high] = of.band();
  if (of.most() < 1e-3) return "below 1e-3";
  return fmt::format("{} ({} to {})", fixed(of.median(), 2), fixed(low, 2), fixed(high, 2));
}

std::vector<Block> four_terms(const Measured& m) {
  Grid grid{
      .columns = {"width", "W", "x W x'", "x W p'", "p W x'", "p W p'"},
      .rows = {},
      .caption = fmt::format(
          "Standard deviation over 32 queries and 32 keys, without the factor 1/√d; tokens of scale 1; median of {} draws (5 to 95 %). The last column has no tokens in it. "
          "Position only: the rotation, between projections onto the directions that hold 99.9 % of 32 rows ({} at width 64, {} at 256). Content only: the projection off the directions whose singular values are above 1e-6 of the largest ({} and {}).",
          draws, m.with_tokens[small].held, m.with_tokens[large].held, m.with_tokens[small].above,
          m.with_tokens[large].above)};
  for (const ByWidth& width : m.with_tokens)
    for (const Head& head : width.heads) {
      std::vector<std::string> row = {std::to_string(width.dim), std::string(head.name)};
      for (std::size_t term = 0; term < 4; ++term)
        row.push_back(term == 3 && head.deviation[term].most() >= 1e-3
                          ? fixed(head.deviation[term].median(), 2)
                          : band(head.deviation[term]));
      grid.rows.push_back(row);
    }
  return {
      Section{"The four terms of a logit"},
      Paragraph{
          "With tokens, `(x + p) W (x' + p')` has four terms. A head can be made to keep some of them: between projections onto the directions of position, W reads positions and what of the tokens lies there; off these directions it reads tokens alone. "
          "A sum of the two is a head that does both. "
          "For as many positions as channels the rows span all directions, and no W ≠ 0 has `p W x' = 0` for all p exactly; for fewer it is a matter of the projection."},
      grid};
}

std::vector<Block> with_content(const Measured& m) {
  Plot plot{
      .name = "looking_back_by_scale",
      .title = "Tokens get in the way of the head that looks back",
      .description = fmt::format(
          "Share of the queries whose largest logit is that of the key three back, against the scale of the tokens, 0.02 to 2, logarithmic. It falls from 1. With the rotation it is {} and {} at scale 0.2 and below 1 % at scale 2 (widths 64 and 256); between projections it is {} and {} at scale 2.",
          percent(right(m, small, rotation, scale_02).value),
          percent(right(m, large, rotation, scale_02).value),
          percent(right(m, small, position_only, 10).value),
          percent(right(m, large, position_only, 10).value)),
      .x = {"scale of the tokens (standard deviation of an entry)", true, {{0.02, 2}}},
      .y = {"share of the queries that look three back", false, {{-0.02, 1.05}}},
      .curves = {},
      .caption = fmt::format(
          "32 tokens at positions 0 to 31, queries from position 3 on, no mask; mean of {} draws, the band is its 95 % interval (Student's t).",
          draws)};
  for (std::size_t width = 0; width < 2; ++width)
    for (const std::size_t head : {rotation, position_only}) {
      const ByWidth& by = m.with_tokens[width];
      Curve curve{fmt::format("{}, width {}", heads[head], by.dim), {}};
      for (std::size_t step = 0; step <= 10; ++step) {
        const Estimate of = right(m, width, head, step);
        curve.points.emplace_back(by.heads[head].right[step].first, of.value);
        curve.band.emplace_back(of.low, of.high);
      }
      plot.curves.push_back(curve);
    }
  return {
      Section{"With tokens"},
      Paragraph{fmt::format(
          "The logit of the key k back has to stand out among the other three terms. At scale 0.02 it does at every query that has one, in all draws and with both matrices. "
          "At scale 0.2 the rotation looks back at {} of the queries at width 64 (95 % interval {} to {}) and at {} at width 256 ({} to {}); at scales 1 and 2 at less than 1 %, because a token's product with itself, nearly unrotated in the slow pairs, is larger. "
          "The projections remove most of that: at scale 1 the head still looks back at {} and {}, at scale 2 at {} and {}; at scale 0.2, where other terms are in the way, they help little ({} and {}). "
          "These are the limits of the two matrices that are constructed here. Other W can do better; the best was not sought.",
          percent(right(m, small, rotation, scale_02).value),
          percent(right(m, small, rotation, scale_02).low), percent(right(m, small, rotation, scale_02).high),
          percent(right(m, large, rotation, scale_02).value),
          percent(right(m, large, rotation, scale_02).low), percent(right(m, large, rotation, scale_02).high),
          percent(right(m, small, position_only, scale_1).value),
          percent(right(m, large, position_only, scale_1).value),
          percent(right(m, small, position_only, 10).value),
          percent(right(m, large, position_only, 10).value),
          percent(right(m, small, position_only, scale_02).value),
          percent(right(m, large, position_only, scale_02).value))},
      plot};
}

std::vector<Block> same_key_at_every_distance(const Measured& m) {
  return {
      Section{"The same key at every distance"},
      Paragraph{fmt::format(
          "Attention reaches every pair of tokens in one step, and without positions it gives the same key the same score at every distance: over distances 1 to 31 the scores differ by less than 1e-13 in {} draws. With rows added they differ by {} (median; 5 to 95 %: {} to {}; width 64, random W of variance 1/64, factor 1/√d, tokens of scale 1).",
          draws, fixed(m.same_key_with.median(), 2), fixed(m.same_key_with.band().first, 2),
          fixed(m.same_key_with.band().second, 2))}};
}

std::vector<Block> relative(const Measured& m) {
  Grid grid{
      .columns = {"form", "largest less smallest value"},
      .rows = {},
      .caption = fmt::format(
          "Value for positions t and t + 1, t from 0 to 198; sinusoidal: width 64. Random: independent normal entries of variance 1/64, median of {} draws (5 to 95 %).",
          draws)};
  for (const Bilinear& one : m.forms)
    grid.rows.push_back({one.form, one.random          ? band(one.drawn)
                                   : one.range < 1e-12 ? "0"
                                                       : fixed(one.range, 0)});
  return {
      Section{"Which rows give the relative position directly"},
      Paragraph{
          "The dot product of sinusoidal rows depends on the offset alone, that of indices does not. "
          "With a learned W neither is an advantage by itself: a W that does not commute with the shift loses it for sinusoidal rows, and the index with a constant channel gives i - j at once."},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  return expectations({
      {"positions alone: queries that look k back, every width and offset", "100.0 %",
       percent(std::ranges::min_element(m.alone, {}, &Alone::right)->right)},
      {"the same key without rows: the same score", "yes", m.same_key < 1e-13 ? "yes" : "no"},
      {"[i, 1] [[0, 1], [-1, 0]] [j, 1]ᵀ for neighbours: range", "0", fixed(m.forms[4].range, 0)},
      {"index, i · j for neighbours: range, 198 · 199", "39402", fixed(m.forms[3].range, 0)},
  });
}

std::vector<Block> answered(const Measured& m) {
  return experiments::answers({
      {"The linear map between rows mixes the directions of the embedding.",
       "no: it acts on a query or key, and is undone", "rotated and back: within 1e-13"},
      {"The linear relation holds for rows only; why look at them?",
       "a head can nearly isolate the term p W p' while tokens are small",
       fmt::format("positions alone: 100 % of queries look k back; with tokens of scale 0.2, width 256: {}",
                   percent(right(m, large, rotation, scale_02).value))},
      {"Attention adjusts the weight of token and position.",
       "true for suitable W, to within 1e-3 for 32 positions",
       fmt::format("content only, width 256: terms {}, 0, 0, 0 (below 1e-3)",
                   fixed(m.with_tokens[large].heads[content_only].deviation[0].median(), 1))},
      {"Attention alone is capable of short and long dependencies.",
       "true, and blind to the distance without positions",
       fmt::format("same key at 31 distances: scores differ by less than 1e-13, with rows by {}",
                   fixed(m.same_key_with.median(), 2))},
      {"Sinusoidal rows describe relative position directly, an index does not.",
       "true of dot products; false with a learned W",
       "i - j exactly from [i, 1]; a random W loses it for rows"},
  });
}

Document run() {
  const Measured m = measure();
  const std::string answer = fmt::format(
      "One head whose W rotates every pair by k positions looks k tokens back at every query that has a token k back, if it sees positions alone. At width 256 and k = 3, with 32 tokens and no mask, it does so at every one of these queries for tokens of scale 0.02, at {} for tokens of scale 0.2 and at less than 1 % for tokens of scale 1; projections onto the directions of position raise the last to {}. Other W can do better; the best was not sought.",
      percent(right(m, large, rotation, scale_02).value),
      percent(right(m, large, position_only, scale_1).value));
  return {
      .title = "A head that rotates by k looks k tokens back, as long as tokens are small",
      .finding = answer,
      .condition = fmt::format(
          "Sinusoidal encoding, base 10000, divisor d, amplitude 1; constructed heads, nothing trained; tokens with independent normal entries; {} draws (seeds 1 to {}); widths and positions as stated; f64.",
          draws, draws),
      .blocks = joined({positions(m),
                        four_terms(m),
                        with_content(m),
                        same_key_at_every_distance(m),
                        relative(m),
                        derived(m),
                        answered(m),
                        {PageVerdict{answer}},
                        experiments::references({experiments::vaswani_2017})})};
}

}  // namespace

const Experiment entry{
    .question = "Can one head look k tokens back?",
    .method =
        "Build W from rotations and projections, compute the four terms of the logit with random tokens, and count the queries whose largest logit is k back.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_looking_k_tokens_back
