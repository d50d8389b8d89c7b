#include <array>
#include <cmath>

#include "catalogue/experiments/translation_is_a_rotation.h"
#include "core/bounded.h"
#include "core/bounds.h"
#include "draws.h"
#include "matrices.h"
#include "measure.h"
#include "moved_rows.h"
#include "references.h"

namespace posproof::experiments_translation_is_a_rotation {
namespace {

using namespace document;
using namespace experiments::moved_rows;
using experiments::draws;
using experiments::expectations;
using experiments::Extent;
using experiments::joined;
using experiments::percent;
using experiments::whole;
using experiments::yes_no;

std::vector<Block> shift_matrix(const Measured& m) {
  Grid exact{
      .columns = {"width", "M_k p_t is p_(t+k)"},
      .rows = {},
      .caption =
          "Offsets 1, 7, 100 and 1,024 from every position from 0 to 999; `yes`: to the last bit or two of f64, 2^-51."};
  for (const Exact& one : m.exact)
    exact.rows.push_back({std::to_string(one.dim),
                          one.holds() ? "yes" : fmt::format("no, off by {}", scientific(one.off, 3))});
  Grid laws{
      .columns = {"law", "largest difference", "holds"},
      .rows = {},
      .caption =
          "On random vectors of width 8, real offsets between -1000 and 1000, 200 cases, in long double."};
  for (const auto& [law, off] :
       {std::pair{"M_a M_b = M_(a+b)", m.group.compose}, std::pair{"M_(-a) undoes M_a", m.group.inverse},
        std::pair{"|M_a v| = |v|", m.group.length}})
    laws.rows.push_back({law, off < 1e-14L ? "below 1e-14" : scientific(off, 2), yes_no(off < 1e-14L)});
  return {
      Section{"The shift matrix"},
      Paragraph{
          "`M_k` rotates every pair (sine, cosine) by `[[cos kw, sin kw], [-sin kw, cos kw]]`, clockwise by `kw`. "
          "It does not contain the position (Vaswani et al. 2017, section 3.5: `PE_(pos+k)` is \"a linear function of `PE_pos`\"). "
          "In the order (cosine, sine) it is the transpose; which of the two is right depends on the layout."},
      exact, laws};
}

std::vector<Block> why_both(const Measured& m) {
  Grid grid{
      .columns = {"columns kept", "shift by 1", "shift by 5", "shift by 50"},
      .rows = {},
      .caption =
          "Width 8, rows and shifted rows among 2,000 positions: what the best linear map misses, root mean square, as a share of that of the shifted rows."};
  Grid limit{
      .columns = {"width", "shift by 1", "shift by 5", "shift by 50"},
      .rows = {},
      .caption =
          "Sines alone or cosines alone, in the limit of ever more positions: √(mean of sin²(kw) over the frequencies)."};
  for (const std::size_t dim : {8u, 64u, 128u, 512u}) {
    std::vector<std::string> row = {std::to_string(dim)};
    for (const std::size_t k : shifts) row.push_back(fixed(missed_in_the_limit(dim, k), 4));
    limit.rows.push_back(std::move(row));
  }
  for (const Halves& one : m.halves)
    grid.rows.push_back(
        {one.columns, fixed(one.missed[0], 4), fixed(one.missed[1], 4), fixed(one.missed[2], 4)});
  return {
      Section{"Why both sine and cosine"},
      Paragraph{
          "The sine of `(t + k)w` is `cos(kw) sin(tw) + sin(kw) cos(tw)`, and `cos(tw)` is no sum of multiples of sines: over ever more positions the sines and cosines of all frequencies are orthogonal in the mean. "
          "So no matrix maps the sines of `t` to those of `t + k` at every `t`. "
          "The best matrix in the mean square shows how much is missing."},
      grid,
      Paragraph{
          "For wide rows and few positions the slowest sines are nearly proportional to one another, and the fit depends on how many of them count as independent. "
          "In the limit of ever more positions it does not: columns of different frequencies are orthogonal in the mean, so the best map multiplies each column by `cos(kw)` and misses `sin(kw)` of it."},
      limit};
}

std::vector<Block> to_logits(const Measured& m) {
  const auto [low, high] = m.random.width.band();
  Plot plot{
      .name = "logit_of_the_next",
      .title = "The logit is level for W = I and for a rotation, not for a random W",
      .description = bounded(
          "Value of p_t W p_(t+1) against the position t from 0 to 199 at width 64. "
          "For W the identity it is a level line at {}, for a W that rotates every pair by three steps a level line at {}. "
          "For the first of {} random W it varies between {} and {}; the band from the 5th to the 95th percentile of all of them is drawn around it.",
          fixed(m.logits[0].range.most, 1), fixed(m.logits[1].range.most, 1), draws,
          fixed_down(m.random.first.range.least, 1), fixed_up(m.random.first.range.most, 1)),
      .x = {"position t", false, {{0, 200}}},
      .y = {"p_t · W p_(t+1)", false, {{-20, 40}}},
      .curves = {},
      .caption = fmt::format(
          "Width 64, base 10000, positions 0 to 199. Random W: independent uniform entries of variance 1/64; the line is draw 1, the band the 5th to the 95th percentile of {} draws at each position.",
          draws)};
  Grid spread{
      .columns = {"W", "smallest", "largest", "largest less smallest", "the same at every position"},
      .rows = {},
      .caption = fmt::format(
          "Over positions 0 to 199. Random: median of {} draws, 5th and 95th percentile; the logit varies in every one of them.",
          whole(many_draws))};
  for (const Logits& one : m.logits) {
    plot.curves.push_back(one.curve);
    spread.rows.push_back(
        {one.name, fixed(one.range.least, 4), fixed(one.range.most, 4), "0.0000", yes_no(one.level())});
  }
  plot.curves.push_back(m.random.first.curve);
  spread.rows.push_back(
      {"random", "", "",
       fmt::format("{} ({} to {})", fixed(m.random.width.median(), 1), fixed(low, 1), fixed(high, 1)),
       yes_no(false)});
  Grid weights{.columns = {"length", "weight of the next position"},
               .rows = {},
               .caption = "Width 16, no content, W = I, factor 1/√d, seen from the middle of the sequence."};
  for (const Weight& one : m.weights)
    weights.rows.push_back({whole(static_cast<Position>(one.length)), one.text()});
  return {
      Section{"From rows to logits"},
      Paragraph{
          "`p_t · p_(t+k)` is the same for every `t`: every pair has norm 1, and `M_k` rotates it by the same angle at every `t`. "
          "A logit has the learned matrices in between, `p_t · W p_(t+k)`: it depends on the offset alone if `W` commutes with `M_1`, as a rotation of every pair does and none of the random `W` here does. "
          "`W = M_(-1)` gives the product of `p_t` and `p_(t+k-1)`, which is largest at k = 1: such a head looks at the next position."},
      plot,
      spread,
      Paragraph{
          "Then the softmax divides by a sum over the whole sequence. "
          "Even where the logits of an offset are the same at every position, the weight of the next position depends on the length."},
      weights};
}

std::vector<Block> token(const Measured& m) {
  Grid grid{.columns = {"pair of width 8", "frequency", "|M_1 x - x|", "|M_10 x - x|", "2 |sin(w/2)|"},
            .rows = {},
            .caption = "x is of norm 1 in that pair and 0 elsewhere."};
  for (const Gap& one : m.gaps)
    grid.rows.push_back({std::to_string(one.pair), fixed(one.frequency, 3), fixed(one.by_1, 6),
                         fixed(one.by_10, 6), fixed(one.derived(), 6)});
  return {
      Section{"The map rotates the token as well"},
      Paragraph{
          "`M_k` maps the row of `t` to that of `t + k`, but `x + p_t` to `M_k x + p_(t+k)`: the token is rotated as well. "
          "By how much depends on the pair."},
      grid};
}

std::vector<Block> derived(const Measured& m) {
  const auto all = [](const auto& of, auto is) { return yes_no(std::all_of(of.begin(), of.end(), is)); };
  const Extent& identity = m.logits[0].range;
  std::vector<std::string> weights;
  for (const Weight& one : m.weights) weights.push_back(one.text());
  return expectations({
      {"M_k p_t is p_(t+k) at every width", "yes",
       all(m.exact, [](const Exact& one) { return one.holds(); })},
      {"width 64, W = I, offset 1: logit at every position", "30.917 to 30.917",
       fmt::format("{} to {}", fixed(identity.least, 3), fixed(identity.most, 3))},
      {fmt::format("width 64, each of {} random W: the logit varies by more than 1", whole(many_draws)),
       "yes", yes_no(m.random.width.least() > 1)},
      {"width 64, W = M_(-1): offset of the largest product, of -100 to 100", "1", std::to_string(m.peak)},
      {"width 8, sines only, shift by 5, 30,000 positions: missed, to two digits",
       fixed(missed_in_the_limit(8, 5), 2), fixed(m.sines_at_many, 2)},
      {"weight of the next position at lengths 6, 10, 100, 1,000", "0.190, 0.128, 0.0205, 0.0033",
       fmt::format("{}", fmt::join(weights, ", "))},
      {"sines and cosines together: nothing is missed", "0.0000", fixed(m.halves[2].missed[1], 4)},
      {"|M_1 x - x| = 2 |sin(w/2)| for every pair", "yes",
       all(m.gaps, [](const Gap& one) { return std::abs(one.by_1 - one.derived()) < 1e-15L; })},
  });
}

Document run() {
  const Measured m = measure();
  return {
      .title = "Translation is a rotation",
      .finding = fmt::format(
          "One rotation, the same for all positions, moves a sinusoidal row by k positions, so the dot product of two rows depends on their offset alone; an attention weight does not. With sines alone the best linear map for a shift by 5 misses {} of the row at width 512 (root mean square), in the limit of ever more positions.",
          percent(missed_in_the_limit(512, 5))),
      .condition =
          "Interleaved sinusoidal encoding, base 10000, divisor d, widths as stated; reference encoding rounded once to f64, products in long double; 200 draws of what is random, seeds 1 to 200, and 5,000 for the range of the logits.",
      .blocks = joined(
          {shift_matrix(m),
           why_both(m),
           to_logits(m),
           token(m),
           derived(m),
           {PageVerdict{
               "There is one such map, a rotation of every pair, and it makes dot products of rows depend on the offset alone. "
               "It does not follow that the attention weight depends on the offset alone: the weight also depends on the learned matrices, the content and the length of the sequence."}},
           experiments::references({experiments::vaswani_2017})})};
}

}  // namespace

const Experiment entry{
    .question =
        "Is there one linear map that moves every sinusoidal row by k positions, and what follows for attention?",
    .method =
        "Apply the map pair by pair, check the laws of a rotation group, look for such a map for sines or cosines alone, and follow the dot product of two rows into the logit and the softmax.",
    .run = &run,
    .asked_by = Asker::understanding,
};

}  // namespace posproof::experiments_translation_is_a_rotation
