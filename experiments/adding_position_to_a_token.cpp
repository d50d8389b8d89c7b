#include <algorithm>
#include <array>
#include <cmath>

#include "answers.h"
#include "catalogue/experiments/adding_position_to_a_token.h"
#include "confidence.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "draws.h"
#include "measure.h"
#include "nearest_token.h"
#include "references.h"
#include "tables.h"

namespace posproof::experiments_adding_position_to_a_token {
namespace {

using namespace document;
using experiments::Estimate;
using experiments::expectations;
using experiments::Index;
using experiments::joined;
using experiments::Matrix;
using experiments::percent;
using experiments::proved;
using experiments::Vector;
using experiments::whole;

constexpr std::size_t vocabulary = 32000;  // of the exact probabilities
constexpr std::array<std::size_t, 4> widths = {2, 16, 64, 512};

constexpr experiments::Reference radford_2018{
    "Radford et al.", "2018", "Improving Language Understanding by Generative Pre-Training",
    "https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf"};
double error(double scale, std::size_t dim) {
  return experiments::confusion(experiments::sinusoidal_ratio(scale, dim), dim, vocabulary);
}

struct Curves {
  std::size_t dim;
  std::vector<std::pair<double, double>> tokens;  // scale, probability of a wrong token
};

// 16 random tokens a draw, at positions 0 to 15.
constexpr Index tokens = 16;
constexpr std::size_t draws = 200;
constexpr std::size_t rare = 20;  // counts below have no normal distribution
constexpr std::array<double, 5> scales = {0.05, 0.1, 0.2, 0.5, 1};

struct Decoded {
  std::size_t dim;
  double scale;
  Estimate wrong;  // share of the tokens
  double exact;
  std::size_t count;  // wrong of all
};

struct Jointly {  // tokens and positions 0 to 63 together
  std::size_t dim;
  double scale;
  experiments::Drawn nearest_other = {};  // distance of the nearest sum of another token or position
};

struct Positions {  // which of 512 positions, by somebody who does not know the token
  std::size_t dim;
  std::vector<double> lost_above = {};  // scales, rising

  Estimate wrong(double scale) const {
    const auto lost = std::ranges::lower_bound(lost_above, scale) - lost_above.begin();
    return experiments::share(static_cast<std::size_t>(lost), lost_above.size());
  }
};

struct Needed {
  std::size_t dim;
  double scale;  // for one token of a hundred to be wrong
  double pair;   // confusion with one given token, scale 0.1
};

struct Difference {
  std::size_t dim;
  double residual;  // |p_0 - p_1 + p_2 - p_3|
  double same = 0;  // largest entry of the change of a difference at one position, in units of 2^-53
};

struct Measured {
  std::vector<Curves> curves;
  std::vector<Decoded> decoded;
  std::vector<Jointly> jointly;
  std::vector<Positions> positions;
  std::vector<Needed> needed;
  std::vector<Difference> differences;
  double circle = 0;   // largest ||y - x| - 1| in the first two channels
  double residue = 0;  // largest |(x + p) - p - x|, in units of 2^-53
};

// The sum x_b + p_s nearest to the sum of token 0 and a position, other than itself.
double nearest_other_sum(const Matrix& x, const Matrix& p, Index own) {
  double out = std::numeric_limits<double>::infinity();
  for (Index b = 0; b < x.rows(); ++b)
    for (Index s = 0; s < p.rows(); ++s)
      if (b != 0 || s != own) out = std::min(out, (x.row(0) + p.row(own) - x.row(b) - p.row(s)).norm());
  return out;
}

void decode(Measured& m, std::size_t dim) {
  constexpr Index length = 64;  // of least squares
  const Matrix all = experiments::sinusoidal_rows(dim, length), p = all.topRows(tokens);
  std::array<Jointly, 2> jointly = {Jointly{dim, 0.02}, Jointly{dim, 1}};
  std::array<std::vector<double>, scales.size()> shares;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    attention::Generator numbers(seed);
    const Matrix z = experiments::normal(numbers, tokens, static_cast<Index>(dim));
    std::array<double, scales.size()> wrong{};
    for (Index own = 0; own < tokens; ++own) {
      const double lost = experiments::token_lost_below(z, own, p.row(own).transpose());
      for (std::size_t s = 0; s < scales.size(); ++s) wrong[s] += scales[s] < lost;
    }
    for (std::size_t s = 0; s < scales.size(); ++s)
      shares[s].push_back(wrong[s] / static_cast<double>(tokens));
    const Matrix sum = z + p, off = sum - p - z;
    m.residue = std::max(m.residue, off.cwiseAbs().maxCoeff() / 0x1p-53);
    for (Index t = 0; t < tokens; ++t)
      m.circle = std::max(m.circle, std::abs((sum - z).row(t).head(2).norm() - 1));
    for (Jointly& one : jointly)
      one.nearest_other.see(nearest_other_sum(one.scale * z, all, static_cast<Index>(seed) % length));
  }
  m.jointly.insert(m.jointly.end(), jointly.begin(), jointly.end());
  for (std::size_t s = 0; s < scales.size(); ++s) {
    const Estimate by_draw = experiments::mean(shares[s]);
    const auto count =
        static_cast<std::size_t>(std::lround(by_draw.value * static_cast<double>(tokens * draws)));
    m.decoded.push_back({dim, scales[s], count < rare ? experiments::share(count, tokens * draws) : by_draw,
                         experiments::confusion(experiments::sinusoidal_ratio(scales[s], dim), dim, tokens),
                         count});
  }
}

Positions positions(std::size_t dim) {
  constexpr Index length = 512;
  const Matrix p = experiments::sinusoidal_rows(dim, length);
  Positions out{dim};
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    attention::Generator numbers(seed);
    const Matrix z = experiments::normal(numbers, 1, static_cast<Index>(dim));
    out.lost_above.push_back(experiments::position_lost_above(p, static_cast<Index>(numbers.next() % length),
                                                              z.row(0).transpose()));
  }
  std::ranges::sort(out.lost_above);
  return out;
}

Difference difference(std::size_t dim) {
  const Matrix p = experiments::sinusoidal_rows(dim, 4);
  Difference out{dim, (p.row(0) - p.row(1) + p.row(2) - p.row(3)).norm()};
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    attention::Generator numbers(seed);
    const Matrix x = experiments::normal(numbers, 2, static_cast<Index>(dim));
    const Vector before = (x.row(0) - x.row(1)).transpose(),
                 after = ((x.row(0) + p.row(3)) - (x.row(1) + p.row(3))).transpose();
    out.same = std::max(out.same, (after - before).cwiseAbs().maxCoeff() / 0x1p-53);
  }
  return out;
}

const Needed& needed(const Measured& m, std::size_t dim) {
  return *std::ranges::find(m.needed, dim, &Needed::dim);
}

// What the page says in words.
void prove(const Measured& m) {
  proved(error(1, 512) < 1e-80 && error(0.02, 512) > 0.999,
         "at width 512 the nearest token is right at scale 1 and wrong at scale 0.02");
  for (const Curves& one : m.curves)
    proved(std::ranges::is_sorted(one.tokens, std::greater{}, &std::pair<double, double>::second),
           "the error falls with the scale");
  for (const Decoded& one : m.decoded)
    proved(one.count == 0 ? one.exact < 1e-3
                          : std::abs(one.wrong.value - one.exact) <= 2 * (one.wrong.high - one.wrong.value),
           "what was decoded agrees with the probability, within twice the interval");
  for (const Jointly& one : m.jointly) proved(one.nearest_other.least() > 1e-6, "no other sum is the same");
  for (std::size_t n = 1; n < m.needed.size(); ++n)
    proved(m.needed[n].scale < m.needed[n - 1].scale, "the scale that is needed falls with the width");
  const auto scaled = [](const Needed& one) { return one.scale * std::sqrt(static_cast<double>(one.dim)); };
  for (std::size_t n = 1; n < m.needed.size(); ++n)
    proved(m.needed[n].dim >= 64 && scaled(m.needed[1]) / scaled(m.needed[n]) < 1.08,
           "from width 64 on it falls as the root of the width, within 8 %");
  proved(m.circle < 1e-14 && m.residue <= 8, "the sum moves the first two channels by a vector of length 1");
}

Measured measure() {
  Measured m{};
  for (const std::size_t dim : widths) {
    Curves curve{dim, {}};
    for (int step = 0; step <= 20; ++step) {
      const double scale = 0.02 * std::pow(100.0, step / 20.0);
      curve.tokens.emplace_back(scale, error(scale, dim));
    }
    m.curves.push_back(curve);
    decode(m, dim);
    m.differences.push_back(difference(dim));
  }
  for (const std::size_t dim : {64, 512}) m.positions.push_back(positions(dim));
  for (const std::size_t dim : {16, 64, 128, 256, 384, 512, 768, 1024})
    m.needed.push_back({dim, experiments::scale_of_error(0.01, dim, vocabulary),
                        experiments::confusion(experiments::sinusoidal_ratio(0.1, dim), dim)});
  prove(m);
  return m;
}

// `1.6e-89` for what is small, `0.172` else.
std::string probability(double p) {
  return p < 1e-3 ? scientific(p, 2) : fixed(p, p > 0.999 ? 5 : 3);
}

std::vector<Block> sum(const Measured& m) {
  return {
      Section{"What is added"},
      Paragraph{bounded(
          "The input of the encoder is the sum `y = x + p_t` of a token's embedding and a row (Vaswani et al. 2017, section 3.5; x is multiplied by √d before, section 3.4, and dropout follows, section 5.4). "
          "In the two channels of a pair, `p_t` is a point of the unit circle, so the sum lies on a circle of radius 1 around the token: in {} random tokens of each width {}, the distance in the first two channels is 1 within 1e-14. "
          "A step of (-0.7, 0.9) is therefore impossible in one pair: its length is √{} = {}, not 1. "
          "If the position is known, subtracting the row gives the token back, in f64 within {} units of 2^-53 for tokens of scale 1.",
          whole(static_cast<Position>(tokens * draws)), fmt::format("{}", fmt::join(widths, ", ")),
          fixed(0.49 + 0.81, 2), fixed(std::sqrt(0.49 + 0.81), 3), fixed_up(m.residue, 0))}};
}

std::vector<Block> recipes() {
  struct Recipe {
    std::string name;
    double scale;
  };
  Grid grid{
      .columns = {"embedding at initialisation", "scale", "entries beyond 1",
                  "length of token / length of row", "nearest token wrong"},
      .rows = {},
      .caption = fmt::format(
          "Width 512, independent normal entries; the last column is the exact probability among {} tokens when an unscaled sinusoidal row is added.",
          whole(static_cast<Position>(vocabulary)))};
  for (const Recipe& one :
       {Recipe{"N(0, 1/d), times √d (Tensor2Tensor)", 1},
        Recipe{"N(0, 1/d), without the factor", 1 / std::sqrt(512.0)}, Recipe{"N(0, 0.02²) (GPT)", 0.02}}) {
    const double beyond = std::erfc(1 / one.scale / std::sqrt(2.0));
    grid.rows.push_back({one.name, fixed(one.scale, 4), beyond < 1e-9 ? "below 1e-9" : percent(beyond),
                         fixed(one.scale * std::sqrt(2.0), 3), probability(error(one.scale, 512))});
  }
  return {
      Section{"How large tokens are"},
      Paragraph{
          "Embeddings are not normalised to entries within 1; their scale, the standard deviation of an entry, depends on the recipe. "
          "Vaswani et al. 2017 multiply embeddings by √d (section 3.4); with the N(0, 1/d) of their code (Tensor2Tensor) that makes the scale 1. "
          "GPT initialises with N(0, 0.02²) and learns its positions (Radford et al. 2018, section 4.1), so nothing of amplitude 1 is added there."},
      grid};
}

std::vector<Block> nearest(const Measured& m) {
  Plot plot{
      .name = "wrong_token_by_scale",
      .title = "Whether the nearest token is the right one depends on scale and width",
      .description = fmt::format(
          "Probability that another of {} tokens is nearer to the sum than the token itself, against the scale of the tokens from 0.02 to 2, logarithmic. "
          "At widths 16, 64 and 512 it falls from nearly 1 to below 1 %, at scales {}, {} and {} in this order. At width 2 it is still {} at scale 2.",
          whole(static_cast<Position>(vocabulary)), fixed(needed(m, 16).scale, 3),
          fixed(needed(m, 64).scale, 3), fixed(needed(m, 512).scale, 3),
          fixed(m.curves[0].tokens.back().second, 4)),
      .x = {"scale of the tokens (standard deviation of an entry)", true, {{0.02, 2}}},
      .y = {"probability of a wrong token", false, {{-0.02, 1.05}}},
      .curves = {},
      .caption = fmt::format(
          "Exact probability (noncentral chi-squared) among {} independent normal tokens, row of amplitude 1 and unknown position.",
          whole(static_cast<Position>(vocabulary)))};
  for (const Curves& one : m.curves) plot.curves.push_back({fmt::format("width {}", one.dim), one.tokens});
  Grid grid{
      .columns = {"width", "scale", "exact", "decoded wrong", "95 % interval"},
      .rows = {},
      .caption = bounded(
          "The same among {} tokens: exact, and the share that was decoded wrong in {} draws of {} tokens at positions 0 to {}; Student's t over the draws, and where fewer than {} of {} were wrong Clopper and Pearson, as if the tokens of a draw were independent.",
          tokens, draws, tokens, tokens - 1, rare, whole(static_cast<Position>(tokens * draws)))};
  for (const Decoded& one : m.decoded)
    grid.rows.push_back({std::to_string(one.dim), fixed(one.scale, 2), probability(one.exact),
                         one.count == 0 ? "none" : fixed(one.wrong.value, 4),
                         fmt::format("{} to {}", fixed(one.wrong.low, 4), fixed(one.wrong.high, 4))});
  for (const Decoded& one : m.decoded)
    proved(one.wrong.low >= 0 && one.wrong.high <= 1, "an interval of a share is one of numbers from 0 to 1");
  return {
      Section{"The nearest token, position unknown"},
      Paragraph{
          "A given other token x' is nearer to `x + p` than x with probability P(χ²(d, λ) < λ), where χ² is noncentral and λ = |p|²/(2σ²) = d/(4σ²) for tokens of scale σ. "
          "For large d and σ well below 1 that is about Φ(-σ√d): the row is one direction, and a random difference of tokens has little of any one direction. "
          "Given x, the other tokens are independent, which gives the probability among many."},
      plot, grid};
}

std::vector<Block> width(const Measured& m) {
  Grid grid{
      .columns = {"width d", "scale for 1 % wrong of 32,000", "that scale · √d", "one given token, scale 0.1",
                  "Φ(-0.1 √d)"},
      .rows = {},
      .caption =
          "Exact; row of amplitude 1. Amplitude A at scale σ is amplitude 1 at scale σ/A: only |p|/σ enters."};
  for (const Needed& one : m.needed) {
    const double root = std::sqrt(static_cast<double>(one.dim));
    grid.rows.push_back({std::to_string(one.dim), fixed(one.scale, 3), fixed(one.scale * root, 2),
                         scientific(one.pair, 3), scientific(std::erfc(0.1 * root / std::sqrt(2.0)) / 2, 3)});
  }
  return {
      Section{"More channels, smaller tokens"},
      Paragraph{fmt::format(
          "The error is about Φ(-σ√d) for σ well below 1, so its exponent has the leading term σ²d/2, which grows with the width: at scale 0.1 one given token is confused with probability {} at width 384 and {} at 768. "
          "The scale that a vocabulary of {} tokens needs falls from {} at width 16 to {} at width 512, from width 64 on as 1/√d to within 8 % (next column). "
          "A token table that is trained can reach any scale; that it does is a matter of training.",
          scientific(needed(m, 384).pair, 2), scientific(needed(m, 768).pair, 2),
          whole(static_cast<Position>(vocabulary)), fixed(needed(m, 16).scale, 2),
          fixed(needed(m, 512).scale, 2))},
      grid};
}

// The scales between which both are wrong in less than 5 % of cases, at a grid of 1/100 of a decade; none: 0.
std::pair<double, double> both_below(const Positions& one, double limit) {
  std::pair<double, double> out{0, 0};
  bool ended = false;
  for (int step = 0; step <= 200; ++step) {
    const double scale = 0.02 * std::pow(100.0, step / 200.0);
    if (one.wrong(scale).value >= limit || error(scale, one.dim) >= limit) {
      ended = out.first > 0;
      continue;
    }
    proved(!ended, "both are below the limit at every scale from the first to the last");
    if (out.first == 0) out.first = scale;
    out.second = scale;
  }
  return out;
}

std::vector<Block> against_position(const Measured& m) {
  const auto narrow = both_below(m.positions[0], 0.05), wide = both_below(m.positions[1], 0.05);
  proved(narrow.first == 0 && wide.first > 0 && wide.second > wide.first,
         "at width 512 there are scales at which both are found, at width 64 none");
  Plot plot{
      .name = "token_against_position",
      .title = "A small token is decoded wrong, and the position of a large one",
      .description = fmt::format(
          "Probability of a wrong token and share of wrong positions against the scale of the tokens, 0.02 to 2, logarithmic, widths 64 and 512. "
          "The token's error falls from 1 to 0, the position's rises from 0; at width 512 both are below 5 % from scale {} to {}, at width 64 nowhere.",
          fixed_up(wide.first, 2), fixed_down(wide.second, 2)),
      .x = {"scale of the tokens (standard deviation of an entry)", true, {{0.02, 2}}},
      .y = {"share decoded wrong", false, {{-0.02, 1.05}}},
      .curves = {},
      .caption =
          "Token: exact probability among 32,000 tokens, position unknown. "
          "Position: share of 1,000 draws of a token and a position for which another of the positions 0 to 511 is nearer, token unknown; the band is the 95 % interval of Clopper and Pearson."};
  for (const Positions& one : m.positions) {
    const Curves& known = *std::ranges::find(m.curves, one.dim, &Curves::dim);
    plot.curves.push_back({fmt::format("token, width {}", one.dim), known.tokens});
    Curve curve{fmt::format("position, width {}", one.dim), {}};
    for (const auto& [scale, unused] : known.tokens) {
      const Estimate wrong = one.wrong(scale);
      curve.points.emplace_back(scale, wrong.value);
      curve.band.emplace_back(wrong.low, wrong.high);
    }
    plot.curves.push_back(curve);
  }
  const Estimate at_end = m.positions[1].wrong(wide.second);
  const auto at_1 = [&](std::size_t n) { return m.positions[n].wrong(1); };
  return {
      Section{"Token against position"},
      Paragraph{fmt::format(
          "An amplitude A below 1 does what tokens larger by 1/A do: the token is found more often, the position less often. "
          "At width 512 both are decoded with less than 5 % errors at scales from {} to {}, at width 64 at none of 201 scales from 0.02 to 2. The lower end is exact; the upper one is the point estimate of 1,000 draws, where the position's 95 % interval is {} to {}. "
          "At scale 1 the nearest of 512 positions is the wrong one in {} of draws at width 512 (95 % interval {} to {}) and in {} at width 64 ({} to {}).",
          fixed_up(wide.first, 2), fixed_down(wide.second, 2), percent(at_end.low), percent(at_end.high),
          percent(at_1(1).value), percent(at_1(1).low), percent(at_1(1).high), percent(at_1(0).value),
          percent(at_1(0).low), percent(at_1(0).high))},
      plot};
}

std::vector<Block> least_squares(const Measured& m) {
  Grid grid{
      .columns = {"width", "scale", "wrong", "nearest other sum"},
      .rows = {},
      .caption = fmt::format(
          "{} draws of {} tokens, positions 0 to 63: the pair (token, position) whose sum is nearest to `x + p_t`, and the distance of the nearest other pair's sum, median of the draws (5 to 95 %).",
          draws, tokens)};
  for (const Jointly& one : m.jointly) {
    const auto [low, high] = one.nearest_other.band();
    grid.rows.push_back({std::to_string(one.dim), fixed(one.scale, 2), "none",
                         fmt::format("{} ({} to {})", scientific(one.nearest_other.median(), 2),
                                     scientific(low, 2), scientific(high, 2))});
  }
  return {
      Section{"Least squares for token and position together"},
      Paragraph{
          "Nothing is lost by the addition itself: `x_a + p_t = x_b + p_s` needs a difference of two tokens that is exactly a difference of two rows. "
          "Least squares over all pairs, `min |y - x_b - p_s|`, finds the token and the position with residual 0. "
          "How far the next pair is says how much noise that decoder tolerates: little at width 2."},
      grid};
}

std::vector<Block> differences(const Measured& m) {
  Grid grid{
      .columns = {"width", "|p_0 - p_1 + p_2 - p_3|", "typical distance of two tokens, scale 1", "ratio"},
      .rows = {},
      .caption = "Typical: root mean square, √(2d)."};
  double same = 0;
  for (const Difference& one : m.differences) {
    const double typical = std::sqrt(2 * static_cast<double>(one.dim));
    grid.rows.push_back({std::to_string(one.dim), fixed(one.residual, 3), fixed(typical, 3),
                         fixed(one.residual / typical, 3)});
    same = std::max(same, one.same);
  }
  return {
      Section{"Differences of tokens"},
      Paragraph{bounded(
          "Adding one row to every token is a translation: distances and differences of tokens at the same position stay what they were ({} pairs, within {} units of 2^-53). "
          "At different positions the difference changes by the difference of the rows. "
          "`king - man + woman - queen`, if it was 0, is `p_s - p_t + p_u - p_v` then: 0 at equal positions, and not 0 at positions 0 to 3.",
          whole(static_cast<Position>(draws)), fixed_up(same, 0))},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  const auto pair = [](double scale, std::size_t dim) {
    return fixed(experiments::confusion(experiments::sinusoidal_ratio(scale, dim), dim), 4);
  };
  return expectations({
      {"one given token, scale 0.3, width 64", "0.0091", pair(0.3, 64)},
      {"scale 0.1, width 512", "0.0120", pair(0.1, 512)},
      {"scale 0.02, width 512", "0.3258", pair(0.02, 512)},
      {"scale 1, width 2", "0.1775", pair(1, 2)},
      {"entries beyond 1 at scale 1", "31.7 %", percent(std::erfc(std::sqrt(0.5)))},
      {"length of (-0.7, 0.9), squared", "1.30", fixed(0.49 + 0.81, 2)},
      {"another token and position with the same sum", "none",
       std::ranges::all_of(m.jointly, [](const Jointly& one) { return one.nearest_other.least() > 1e-6; })
           ? "none"
           : "some"},
  });
}

std::vector<Block> answered(const Measured& m) {
  return experiments::answers({
      {"The encoder's input is exactly the sum of token and row.", "true, before dropout; tokens times √d",
       bounded("y - p = x within {} units of 2^-53 for tokens of scale 1", fixed_up(m.residue, 0))},
      {"The entries of embeddings are at most 1.", "false",
       fmt::format("{} of the entries are beyond 1 at scale 1", percent(std::erfc(std::sqrt(0.5))))},
      {"A row of comparable size can ruin the token.", "depends on scale and width",
       fmt::format("width 512: wrong with probability {} at scale 1, {} at scale 0.02",
                   probability(error(1, 512)), probability(error(0.02, 512)))},
      {"Adding (-0.7, 0.9) changes a token completely.", "no row has that pair",
       fmt::format("length {}, must be 1", fixed(std::sqrt(1.3), 3))},
      {"An amplitude well below 1 would be safer.", "true for the token, at the position's cost",
       fmt::format("width 512: 1 % of tokens wrong at scale {}; positions at scale 1: {} wrong",
                   fixed(needed(m, 512).scale, 3), percent(m.positions[1].wrong(1).value))},
      {"768 channels give twice the freedom of 384.",
       "true of the leading term of the error's exponent, σ²d/2, which doubles",
       fmt::format("scale 0.1: {} and {}", scientific(needed(m, 384).pair, 2),
                   scientific(needed(m, 768).pair, 2))},
      {"The first two channels of the row put the token on a unit circle around itself.",
       "true of each sine-cosine pair", "1 within 1e-14"},
      {"The embedding can rescale itself.", "possible; needs training",
       fmt::format("scale {} is enough at width 512", fixed(needed(m, 512).scale, 3))},
      {"Vectors start at the origin.", "definition", "the row moves the end point from x to x + p_t"},
      {"Meaning may lie in differences.", "unchanged at equal positions, changed by p_s - p_t otherwise",
       fmt::format("width 512: 0, and {} at positions 0 to 3", fixed(m.differences.back().residual, 3))},
  });
}

Document run() {
  const Measured m = measure();
  const std::string answer = fmt::format(
      "At width 512 the nearest of {} tokens to token plus position is the wrong one with probability {} for tokens of scale 1 and {} for scale 0.02; least squares for token and position together finds both in all {} draws at each of the widths 2 to 512 tried and the scales 0.02 and 1, among 16 tokens and 64 positions without noise.",
      whole(static_cast<Position>(vocabulary)), probability(error(1, 512)), probability(error(0.02, 512)),
      draws);
  return {
      .title =
          "At width 512 the nearest token to token plus position is the wrong one for small tokens, not for tokens of scale 1",
      .finding = answer,
      .condition =
          "Sinusoidal encoding, base 10000, divisor d, amplitude 1; tokens with independent normal entries of standard deviation `scale`, untrained; 200 draws (seeds 1 to 200) and 1,000 for positions; f64.",
      .blocks = joined({sum(m),
                        recipes(),
                        nearest(m),
                        width(m),
                        against_position(m),
                        least_squares(m),
                        differences(m),
                        derived(m),
                        answered(m),
                        {PageVerdict{answer}},
                        experiments::references(
                            {experiments::vaswani_2017, experiments::tensor2tensor_2018, radford_2018})})};
}

}  // namespace

const Experiment entry{
    .question = "Does adding a position destroy the token?",
    .method =
        "Decode the token from the sum by the nearest token and by least squares, over scale and width, with exact probabilities and with random tokens.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_adding_position_to_a_token
