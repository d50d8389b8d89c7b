#include <algorithm>
#include <cmath>

#include "answers.h"
#include "catalogue/experiments/directions_of_position.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "draws.h"
#include "measure.h"
#include "nearest_token.h"
#include "position_subspace.h"
#include "references.h"

namespace posproof::experiments_directions_of_position {
namespace {

using namespace document;
using namespace experiments::position_subspace;
using experiments::Drawn;
using experiments::draws;
using experiments::expectations;
using experiments::Index;
using experiments::joined;
using experiments::percent;
using experiments::proved;
using experiments::whole;

constexpr experiments::Reference slepian_1961{
    "Slepian and Pollak", "1961", "Prolate Spheroidal Wave Functions, Fourier Analysis and Uncertainty I",
    "https://doi.org/10.1002/j.1538-7305.1961.tb03976.x"};

constexpr experiments::Reference elhage_2023{
    "Elhage et al.", "2023", "Privileged Bases in the Transformer Residual Stream",
    "https://transformer-circuits.pub/2023/privileged-basis/index.html"};

std::vector<Block> spectra(const Measured& m) {
  Plot plot{
      .name = "singular_values",
      .title = "Beyond a number that grows with n, the singular values are nearly 0",
      .description = "",
      .x = {"number of the singular value", false, {{0, 256}}},
      .y = {"log10 of the singular value, as a part of the largest", false, {{-6.6, 0.2}}},
      .curves = {},
      .caption =
          "Width 256, base 10000, positions 0 to n - 1; not centred; values below 1e-6 of the largest are left out."};
  std::string ends;
  for (const Spectrum& one : m.spectra) {
    plot.curves.push_back({fmt::format("n = {}", whole(one.length)), one.strength});
    ends += fmt::format("{}{} for n = {}", ends.empty() ? "" : ", ", one.strength.size(), whole(one.length));
  }
  plot.description = fmt::format(
      "Logarithm of the singular values of the table of width 256 for three numbers of positions n, in falling order. Each curve falls slowly, then steeply; the number of values above 1e-6 of the largest is {}.",
      ends);
  Grid grid{
      .columns = {"width d", "positions n", "90 %", "99 %", "99.9 %", "99.99 %", "above 1e-4", "above 1e-5",
                  "exact rank"},
      .rows = {},
      .caption =
          "How many directions hold that share of the energy (sum of squares), and how many singular values are above that part of the largest. Exact rank: min(n, d)."};
  experiments::Extent weak;  // singular values below 1e-5 of the largest, as a share of the rank
  for (const Counted& one : m.counted) {
    std::vector<std::string> row = {std::to_string(one.dim), whole(one.length)};
    for (const Index number : one.holding) row.push_back(std::to_string(number));
    row.push_back(std::to_string(one.above_1e4));
    row.push_back(std::to_string(one.above_1e5));
    row.push_back(std::to_string(one.rank()));
    grid.rows.push_back(row);
    weak.see(1 - static_cast<double>(one.above_1e5) / static_cast<double>(one.rank()));
  }
  return {
      Section{"Singular values of the table"},
      Paragraph{bounded(
          "The rows of n positions span min(n, d) directions, because the numbers exp(±iω) are d different ones (a Vandermonde matrix is regular). "
          "Many of these directions hold next to nothing: in the rows of the table, between {} and {} of the singular values are below 1e-5 of the largest.",
          percent_at_least(weak.least), AtMost(fixed_up(100 * weak.most, 1) + " %"))},
      plot, grid,
      Paragraph{fmt::format(
          "In f64 the full rank is lost at width 12 at the latest: for as many positions as channels the smallest singular value is, as a part of the largest, {} at width 4, {} at 6, {} at 8, and at 12 it is below 2^-53 (in long double).",
          scientific(m.squares[0].weakest, 2), scientific(m.squares[1].weakest, 2),
          scientific(m.squares[2].weakest, 2))}};
}

std::vector<Block> growing(const Measured& m) {
  Plot plot{
      .name = "directions_by_length",
      .title = "The number of directions grows with the length at first, then with its logarithm",
      .description = "",
      .x = {"positions", true, {{16, 2048}}, 2},
      .y = {"directions that hold 99.9 % of the energy"},
      .curves = {},
      .caption =
          "Lines: counted at 16, 32, ..., 2,048 positions. Dashed: d ln(n c / 2π) / ln T + 2 / c, c = 1 - T^(-2/d), T = 10000, where n c > 2π."};
  std::string ends;
  for (const Growth& one : m.growth) {
    plot.curves.push_back({fmt::format("width {}", one.dim), one.counted});
    ends += fmt::format("{}from {} to {} at width {}", ends.empty() ? "" : ", ", one.counted.front().second,
                        one.counted.back().second, one.dim);
  }
  for (const Growth& one : m.growth)
    plot.curves.push_back({.label = "",
                           .points = one.predicted,
                           .dashed = true,
                           .name = fmt::format("predicted, width {}", one.dim)});
  plot.description = fmt::format(
      "Number of directions that hold 99.9 % of the energy against the number of positions, 16 to 2,048, logarithmic: {}. The dashed predictions run along the right part of each line.",
      ends);
  for (const Growth& one : m.growth) {
    const auto at = [&](std::size_t n) { return one.counted[n].second; };
    const std::size_t last = one.counted.size() - 1;
    // From 16 to 32 positions nearly twice as many; the last doublings add about d ln 2 / ln T each.
    proved(
        at(1) > 1.5 * at(0) && std::abs(at(last) - at(last - 1) - static_cast<double>(one.dim) * 0.07526) < 3,
        "directions grow with the length, then with its logarithm");
  }
  return {
      Section{"How many directions n positions take"},
      Paragraph{
          "Two neighbouring frequencies differ by a factor 1 - c, with c = 1 - T^(-2/d). "
          "Within n positions they are told apart if they are 2π/n apart, so pairs faster than ω = 2π/(nc) take two directions each. "
          "All slower pairs lie in the band below ω, and n positions of a band of that width have nω/π = 2/c directions (Slepian and Pollak 1961). "
          "The sum, d ln(nc/2π)/ln T + 2/c, is within 3 of every number counted where nc > 2π. Shorter windows see one band from 0 to 1, with about n/π directions."},
      plot};
}

std::vector<Block> projector(const Measured& m) {
  Plot plot{
      .name = "wrong_token_by_directions_removed",
      .title = "A projection gives small tokens back",
      .description = "",
      .x = {"directions removed, strongest first", false, {{0, 160}}},
      .y = {"probability of a wrong token", false, {{-0.02, 1.05}}},
      .curves = {},
      .caption =
          "Width 512, 512 positions, nearest of 32,000 tokens, all seen outside the removed directions; exact probability at the position that keeps most of its row."};
  std::string ends;
  for (const Removed& one : m.removed) {
    plot.curves.push_back({fmt::format("scale {}", fixed(one.scale, 2)), one.wrong});
    const auto at = std::ranges::find_if(one.wrong, [](const auto& point) { return point.second < 0.01; });
    ends +=
        fmt::format("{}{} directions at scale {}", ends.empty() ? "" : ", ", at->first, fixed(one.scale, 2));
  }
  plot.description = fmt::format(
      "Probability of a wrong token against the number of directions removed, 0 to 160, for tokens of scale 0.02, 0.05 and 0.1. All end at 0; the error is below 1 % first, of every eighth number, at {}.",
      ends);
  return {
      Section{"A fixed projector separates token and position"},
      Paragraph{fmt::format(
          "At width 512 the {} strongest directions hold 99.9 % of the energy of the rows of a window of 512 positions; what is left is uneven: most at both ends of the window, which keep {} of their squared length 256. "
          "Outside the {} directions whose singular values are above 1e-6 of the largest, less than 1e-6 of the squared length of any row of that window is left. "
          "A linear map that removes these {} directions removes the position, as long as it is one of 0 to 511, and keeps the token's other {}. "
          "That is enough: of {} random tokens of scale 0.02 at positions 0, 32, ..., 480, none was then decoded wrong among 16, without noise; without the map {} are, by the exact probability. "
          "Later positions have other directions: the map leaves {} of the squared length of the row of position {}, {} of that of {}, {} of that of {} and {} of that of {}.",
          m.kept, fixed(m.most_kept, 2), m.ranked, m.ranked, static_cast<Index>(wide) - m.ranked,
          whole(static_cast<std::int64_t>(16 * draws)),
          percent(experiments::confusion(experiments::sinusoidal_ratio(0.02, wide), wide, 16)),
          scientific(m.later[0].second, 2), m.later[0].first, percent(m.later[1].second), m.later[1].first,
          percent(m.later[2].second), whole(m.later[2].first), percent(m.later[3].second),
          whole(m.later[3].first))},
      plot};
}

std::string band(const Drawn& of) {
  const auto [low, high] = of.band();
  return fmt::format("{} ({} to {})", fixed(of.median(), 3), fixed(low, 3), fixed(high, 3));
}

std::vector<Block> overlaps(const Measured& m) {
  Grid grid{
      .columns = {"share in the directions of position", "median (5 to 95 %)"},
      .rows = {{"energy of tokens, all equally frequent", band(m.overlap.uniform)},
               {"energy of tokens, frequency 1/rank (Zipf)", band(m.overlap.zipf)},
               {"strongest direction of the tokens weighted by 1/rank", band(m.overlap.strongest)},
               {"directions of position / width", fixed(m.overlap.expected, 3)}},
      .caption = fmt::format(
          "Width 64, the directions that hold 99.9 % of 512 rows; 128 tokens with independent normal entries, {} draws.",
          draws)};
  return {
      Section{"Overlap with tokens"},
      Paragraph{
          "Random tokens do not avoid the directions of position: their energy there is the share that those directions have of the width. "
          "Weighting tokens by a Zipf law changes the spread, since few tokens make up most of a text, and not the mean. "
          "Where trained embeddings lie is a matter of training."},
      grid};
}

std::vector<Block> basis(const Measured& m) {
  Grid grid{
      .columns = {"what is rotated", "largest difference of an entry of the output"},
      .rows = {{"tokens, rows and weights", "below 1e-11 in all draws"},
               {"tokens and weights, not the rows", band(m.rotated.without_table)},
               {"tokens, rows and weights, with LayerNorm", band(m.rotated.layer_norm)}},
      .caption = fmt::format(
          "Encoder block of width 16, 2 heads, feed-forward and residual, 12 tokens at positions 0 to 11; median of {} draws (5 to 95 %).",
          draws)};
  return {
      Section{"Without LayerNorm the computation singles out no basis"},
      Paragraph{
          "If tokens `x` become `xQ` and rows `p` become `pQ` for an orthogonal Q, readers `W` become `QᵀW` and writers `WQ`, a network without LayerNorm computes the same, in the other basis. "
          "So its computation gives a channel of an embedding no meaning of its own. "
          "A table that is not rotated with the rest does single out a basis, and so does LayerNorm, whose mean and gains are those of channels. "
          "Training with an optimiser that works channel by channel, such as Adam, singles one out as well (Elhage et al. 2023)."},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  const auto held = [&](std::size_t dim, Index length) {
    return std::to_string(m.at(dim, length).holding[2]);
  };
  return expectations({
      {"directions for 99.9 %, width 256, 128 positions", "40", held(256, 128)},
      {"width 256, 512 positions", "78", held(256, 512)},
      {"width 64, 512 positions", "31", held(64, 512)},
      {"singular values above 1e-5 of the largest, the same three", "45, 83, 34",
       fmt::format("{}, {}, {}", m.at(256, 128).above_1e5, m.at(256, 512).above_1e5,
                   m.at(64, 512).above_1e5)},
      {"random tokens: share in the directions of position", fixed(m.overlap.expected, 2),
       fixed(m.overlap.uniform.median(), 2)},
      {"everything rotated: same output", "yes", m.rotated.all.most() < 1e-11 ? "yes" : "no"},
  });
}

std::vector<Block> answered(const Measured& m) {
  return experiments::answers({
      {"Entries of an embedding are amounts of meanings.",
       "not by the computation without LayerNorm; by training perhaps",
       fmt::format("rotated network: difference below 1e-11 in {} draws", draws)},
      {"The row may hide the token.", "in few directions only",
       fmt::format("99.9 % of the energy of 512 rows of width 512 lies in {} directions", m.kept)},
      {"Training learns to weigh token and position.", "possible by a fixed linear map; needs training",
       fmt::format("{} of {} tokens of scale 0.02 wrong after the projection", m.wrong,
                   whole(static_cast<std::int64_t>(16 * draws)))},
      {"Attention can attend to token alone or position alone.",
       "token alone: nearly, outside those directions, and exactly only for fewer positions than channels; position alone: only as far as tokens are small, which have a part inside them",
       fmt::format(
           "squared length of a row outside {} of 512 directions: below 256e-6; that of a token of scale σ inside them, in the mean: {} σ², and of a row 256",
           m.ranked, m.ranked)},
      {"It is amazing that token and position are not mixed up.", "explained by the dimension",
       fmt::format("{} of 512 directions are nearly free of positions 0 to 511",
                   static_cast<Index>(wide) - m.ranked)},
  });
}

Document run() {
  const Measured m = measure();
  const std::string answer = fmt::format(
      "{} of 512 directions hold 99.9 % of the energy of the rows of positions 0 to 511, sinusoidal and of width 512; a fixed projection that removes {} leaves less than 1e-6 of the squared length of each of these rows, and enough of the token to find it among 16 at scale 0.02 without noise. Of the row of position {} it leaves {}.",
      m.kept, m.ranked, m.later[1].first, percent(m.later[1].second));
  return {
      .title = fmt::format("{} of 512 directions hold 99.9 % of the energy of 512 positions", m.kept),
      .finding = answer,
      .condition = fmt::format(
          "Sinusoidal encoding, base 10000, divisor d, widths and numbers of positions as stated; tokens with independent normal entries, untrained; {} draws (seeds 1 to {}); f64.",
          draws, draws),
      .blocks = joined({spectra(m),
                        growing(m),
                        projector(m),
                        overlaps(m),
                        basis(m),
                        derived(m),
                        answered(m),
                        {PageVerdict{answer}},
                        experiments::references({experiments::vaswani_2017, slepian_1961, elhage_2023})})};
}

}  // namespace

const Experiment entry{
    .question = "How many directions does position take?",
    .method =
        "Compute the singular values of the table, project them out, decode tokens outside them, and compare them with the directions of random tokens.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_directions_of_position
