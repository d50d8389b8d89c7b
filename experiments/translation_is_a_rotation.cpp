#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/experiments/translation_is_a_rotation.h"
#include "draws.h"
#include "matrices.h"
#include "measure.h"
#include "references.h"
#include "tables.h"

namespace posproof::experiments_translation_is_a_rotation {
namespace {

using namespace document;
using experiments::Drawn;
using experiments::draws;
using experiments::expectations;
using experiments::Extent;
using experiments::joined;
using experiments::largest_difference;
using experiments::norm;
using experiments::percent;
using experiments::proved;
using experiments::Uniform;
using experiments::whole;
using experiments::yes_no;
using Real = long double;
using RealVector = std::vector<Real>;
using Rows = std::vector<RealVector>;

Table sinusoidal(std::size_t dim) {
  return experiments::table(encodings::sinusoidal, fmt::format("dim={}", dim));
}

Rows rows(const Table& table, Position number) {
  const Tensor p = experiments::rows(table, number);
  Rows out;
  for (std::size_t t = 0; t < p.rows(); ++t) out.emplace_back(p.row(t).begin(), p.row(t).end());
  return out;
}

// The exact frequency: the pair's own is rounded to double, and off by too much after a thousand positions.
Real frequency(const Table& table, const Pair& pair) {
  return std::pow(10000.0L, -2.0L * static_cast<Real>(pair.index) / static_cast<Real>(table.dim));
}

// M_k: every pair (sine, cosine) by [[cos kw, sin kw], [-sin kw, cos kw]].
struct Shift {
  struct Block {
    Pair pair;
    Real c, s;
  };
  std::vector<Block> blocks;

  Shift(const Table& table, Real k) {
    for (const Pair& pair : table.pairs) {
      const Real angle = k * frequency(table, pair);
      blocks.push_back({pair, std::cos(angle), std::sin(angle)});
    }
  }
  RealVector operator()(const RealVector& v) const {
    RealVector out = v;
    for (const auto& [pair, c, s] : blocks) {
      out[pair.first] = c * v[pair.first] + s * v[pair.second];
      out[pair.second] = -s * v[pair.first] + c * v[pair.second];
    }
    return out;
  }
};

RealVector shifted(const Table& table, const RealVector& v, Real k) {
  return Shift(table, k)(v);
}

Real dot(const RealVector& a, const RealVector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Real{0});
}

// Largest |M_k p_t - p_(t+k)| over t below 1000 and these k.
Real misses(std::size_t dim) {
  const Table table = sinusoidal(dim);
  const Rows p = rows(table, 2024);
  Real worst = 0;
  for (const std::size_t k : {1u, 7u, 100u, 1024u}) {
    const Shift shift(table, static_cast<Real>(k));
    for (std::size_t t = 0; t < 1000; ++t) worst = std::max(worst, largest_difference(shift(p[t]), p[t + k]));
  }
  return worst;
}

// Gauss-Jordan with pivots: afterwards x = system[a][d + b] / system[a][a] solves it.
void eliminate(Rows& system) {
  const std::size_t d = system.size();
  for (std::size_t at = 0; at < d; ++at) {
    std::size_t pivot = at;
    for (std::size_t r = at; r < d; ++r)
      if (std::abs(system[r][at]) > std::abs(system[pivot][at])) pivot = r;
    std::swap(system[at], system[pivot]);
    for (std::size_t r = 0; r < d; ++r) {
      if (r == at) continue;
      const Real factor = system[r][at] / system[at][at];
      for (std::size_t c = at; c < 2 * d; ++c) system[r][c] -= factor * system[at][c];
    }
  }
}

// Of all matrices A, the one for which the rows A p_t are closest to p_(t+k) in the mean square: what it
// misses, relative to the size of the rows. Normal equations in long double; `columns` are the entries of p
// that are kept.
Real best_linear_shift(const Rows& p, const std::vector<std::size_t>& columns, std::size_t k) {
  const std::size_t d = columns.size(), n = p.size() - k;
  // Gram matrix of the rows, and beside it their products with the shifted ones.
  Rows system(d, std::vector<Real>(2 * d, 0));
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b) {
        system[a][b] += p[t][columns[a]] * p[t][columns[b]];
        system[a][d + b] += p[t][columns[a]] * p[t + k][columns[b]];
      }
  eliminate(system);
  Real missed = 0, size = 0;
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t b = 0; b < d; ++b) {
      Real made = 0;
      for (std::size_t a = 0; a < d; ++a) made += p[t][columns[a]] * system[a][d + b] / system[a][a];
      const Real right = p[t + k][columns[b]];
      missed += (made - right) * (made - right);
      size += right * right;
    }
  return std::sqrt(missed / size);
}

std::vector<std::size_t> only(std::size_t dim, std::size_t first, std::size_t step) {
  std::vector<std::size_t> out;
  for (std::size_t c = first; c < dim; c += step) out.push_back(c);
  return out;
}

RealVector times(const Rows& w, const RealVector& v) {
  RealVector out;
  for (const auto& row : w) out.push_back(dot(row, v));
  return out;
}

// Independent entries, uniform, of variance 1/d.
Rows random_matrix(std::size_t dim, std::uint64_t seed) {
  Uniform uniform(seed);
  Rows w(dim, RealVector(dim));
  for (auto& row : w)
    for (Real& x : row) x = static_cast<Real>(uniform.next()) * std::sqrt(3.0L / static_cast<Real>(dim));
  return w;
}

// The softmax weight of the next position, seen from the middle of a sequence of n tokens without content (W
// = I), at width 16.
Real weight_of_next(std::size_t n) {
  const Rows p = rows(sinusoidal(16), static_cast<Position>(n));
  const std::size_t from = n / 2 - 1;
  Real sum = 0, next = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const Real e = std::exp(dot(p[from], p[j]) / 4);
    sum += e;
    if (j == from + 1) next = e;
  }
  return next / sum;
}

struct Exact {
  std::size_t dim;
  Real off;  // largest |M_k p_t - p_(t+k)|

  // Two entries rounded once to f64 and rotated: no further than 2^-53 * (1 + sqrt 2) from the third, so
  // below 2^-51.
  bool holds() const { return off <= 0x1p-51L; }
};

struct Group {  // largest differences over random vectors
  Real compose = 0, inverse = 0, length = 0;
};

constexpr std::array<std::size_t, 3> shifts = {1, 5, 50};

struct Halves {
  std::string columns;
  std::array<Real, shifts.size()> missed;  // by the best map, as a share of the size of the rows
};

// What the best map of sines (or of cosines) alone misses in the limit of ever more positions: frequencies
// below pi that differ are orthogonal in the mean, so the best map multiplies each column by cos(kw), and
// misses sin(kw) of it.
Real missed_in_the_limit(std::size_t dim, std::size_t k) {
  Real sum = 0;
  const std::vector<Real> w = experiments::ladder(dim);
  for (const Real one : w) sum += std::pow(std::sin(static_cast<Real>(k) * one), 2.0L);
  return std::sqrt(sum / static_cast<Real>(w.size()));
}

struct Logits {
  std::string name;  // of W
  Curve curve;       // p_t . W p_(t+1) against t
  Extent range;

  bool level() const { return range.width() < 1e-12L; }
};

// Of random matrices W, one for each draw.
struct RandomLogits {
  Logits first;  // of the first draw, with the band of all
  Drawn width;   // largest less smallest logit, over the positions, of `many_draws`
};

struct Weight {
  std::size_t length;
  Real next;

  std::string text() const { return fixed(next, length < 50 ? 3 : 4); }
};

struct Gap {
  std::size_t pair;
  Real frequency;    // radians per position
  Real by_1, by_10;  // |M_k x - x|
  Real derived() const { return 2 * std::abs(std::sin(frequency / 2)); }
};

struct Measured {
  std::vector<Exact> exact;
  Group group;
  std::vector<Halves> halves;  // of width 8 at 2,000 positions: sines, cosines, both
  Real sines_at_many;          // shift by 5, at 30,000 positions
  std::vector<Logits> logits;  // identity, a rotation
  RandomLogits random;
  Position peak;  // offset at which W = M_(-1) has its largest product
  std::vector<Weight> weights;
  std::vector<Gap> gaps;
};

Group group(const Table& eight) {
  Uniform uniform(1);
  Group out;
  for (int n = 0; n < 200; ++n) {
    RealVector v(8);
    for (Real& x : v) x = static_cast<Real>(uniform.next());
    const Real a = 1000 * static_cast<Real>(uniform.next()), b = 1000 * static_cast<Real>(uniform.next());
    const RealVector moved = shifted(eight, v, a);
    out.compose = std::max(
        out.compose, largest_difference(shifted(eight, shifted(eight, v, b), a), shifted(eight, v, a + b)));
    out.inverse = std::max(out.inverse, largest_difference(shifted(eight, moved, -a), v));
    out.length = std::max(out.length, std::abs(norm(moved) - norm(v)));
  }
  return out;
}

std::vector<Halves> halves(const Table& eight) {
  const Rows p = rows(eight, 2000);
  std::vector<Halves> out;
  for (const auto& [name, columns] :
       {std::pair{"sines only", only(8, 0, 2)}, std::pair{"cosines only", only(8, 1, 2)},
        std::pair{"both", only(8, 0, 1)}})
    out.push_back({name,
                   {best_linear_shift(p, columns, shifts[0]), best_linear_shift(p, columns, shifts[1]),
                    best_linear_shift(p, columns, shifts[2])}});
  return out;
}

template <class Map>
Logits logits_of(std::string name, const Rows& p, const Map& map) {
  Logits out{name, {name, {}}, {}};
  for (std::size_t t = 0; t < 200; ++t) {
    const Real value = dot(p[t], map(p[t + 1]));
    out.range.see(value);
    out.curve.points.emplace_back(static_cast<double>(t), static_cast<double>(value));
  }
  return out;
}

std::vector<Logits> logits() {
  constexpr std::size_t dim = 64;
  const Table table = sinusoidal(dim);
  const Rows p = rows(table, 201);
  return {logits_of("identity", p, [](const RealVector& v) { return v; }),
          logits_of("rotates every pair by three steps", p, Shift(table, 3))};
}

constexpr std::uint64_t many_draws = 5000;

// Largest less smallest p_t . W p_(t+1) over the positions 0 to 199, in double.
double width_of_logits(const experiments::Matrix& p, std::uint64_t seed) {
  Uniform uniform(seed);
  experiments::Matrix w(p.cols(), p.cols());
  for (double& x : w.reshaped<Eigen::RowMajor>())
    x = uniform.next() * std::sqrt(3 / static_cast<double>(p.cols()));
  const experiments::Matrix mapped = p.topRows(200) * w;
  const experiments::Vector logits = mapped.cwiseProduct(p.bottomRows(200)).rowwise().sum();
  return logits.maxCoeff() - logits.minCoeff();
}

RandomLogits random_logits() {
  constexpr std::size_t dim = 64;
  const Rows p = rows(sinusoidal(dim), 201);
  const experiments::Matrix as_matrix = experiments::sinusoidal_rows(dim, 201);
  RandomLogits out;
  for (std::uint64_t seed = 1; seed <= many_draws; ++seed) out.width.see(width_of_logits(as_matrix, seed));
  std::vector<Drawn> by_position(200);
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const Rows w = random_matrix(dim, seed);
    Logits one = logits_of("random, draw 1", p, [&](const RealVector& v) { return times(w, v); });
    proved(std::abs(static_cast<double>(one.range.width()) - width_of_logits(as_matrix, seed)) < 1e-10,
           "in double the logits have the same width");
    for (std::size_t t = 0; t < by_position.size(); ++t) by_position[t].see(one.curve.points[t].second);
    if (seed == 1) out.first = std::move(one);
  }
  for (const Drawn& here : by_position) out.first.curve.band.push_back(here.band());
  return out;
}

Gap gap(const Table& eight, const Pair& pair) {
  RealVector x(8, 0);
  x[pair.first] = 0.6L;
  x[pair.second] = 0.8L;
  const auto off = [&](Real k) {
    RealVector out = shifted(eight, x, k);
    for (std::size_t c = 0; c < 8; ++c) out[c] -= x[c];
    return norm(out);
  };
  return {pair.index, frequency(eight, pair), off(1), off(10)};
}

// The offset from position 100 at which p_t . M_(-1) p_(t+k) is largest, k from -100 to 100, width 64.
Position peak() {
  const Table table = sinusoidal(64);
  const Rows p = rows(table, 201);
  std::size_t best = 0;
  const auto product = [&, shift = Shift(table, -1)](std::size_t s) { return dot(p[100], shift(p[s])); };
  for (std::size_t s = 1; s <= 200; ++s)
    if (product(s) > product(best)) best = s;
  return static_cast<Position>(best) - 100;
}

// What the page says in words.
void prove(const Measured& m) {
  for (const Exact& one : m.exact) proved(one.holds(), "M_k p_t is p_(t+k)");
  for (const Logits& one : m.logits) proved(one.level(), "the logit is level for W = I and for a rotation");
  proved(m.random.width.least() > 1, "the logit varies by more than 1 for every random W");
  for (std::size_t n = 1; n < m.weights.size(); ++n)
    proved(m.weights[n].next < m.weights[n - 1].next, "the weight of the next falls with the length");
}

Measured measure() {
  const Table eight = sinusoidal(8);
  Measured m;
  for (const std::size_t dim : {2u, 8u, 64u, 512u}) m.exact.push_back({dim, misses(dim)});
  m.group = group(eight);
  m.halves = halves(eight);
  m.sines_at_many = best_linear_shift(rows(eight, 30000), only(8, 0, 2), 5);
  m.logits = logits();
  m.random = random_logits();
  m.peak = peak();
  for (const std::size_t n : {6u, 10u, 100u, 1000u}) m.weights.push_back({n, weight_of_next(n)});
  for (const Pair& pair : eight.pairs) m.gaps.push_back(gap(eight, pair));
  prove(m);
  return m;
}

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
      .description = fmt::format(
          "Value of p_t W p_(t+1) against the position t from 0 to 199 at width 64. "
          "For W the identity it is a level line at {}, for a W that rotates every pair by three steps a level line at {}. "
          "For the first of {} random W it varies between {} and {}; the band from the 5th to the 95th percentile of all of them is drawn around it.",
          fixed(m.logits[0].range.most, 1), fixed(m.logits[1].range.most, 1), draws,
          fixed(m.random.first.range.least, 1), fixed(m.random.first.range.most, 1)),
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
      Paragraph{"Then the softmax divides by a sum over the whole sequence. "
                "Even with constant logits, the weight of the next position depends on the length."},
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
          "One rotation, the same for all positions, moves a sinusoidal row by k positions, so the dot product of two rows depends on their offset alone; an attention weight does not. With sines alone the best linear map for a shift by 5 misses {} of the row at width 512, in the limit of ever more positions.",
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
           experiments::references({experiments::vaswani_2017, experiments::su_2021})})};
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
