#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "measure.h"

namespace posproof {
namespace {

using namespace document;
using experiments::expectations;
using experiments::Uniform;
using experiments::whole;
using Real = long double;
using Rows = std::vector<std::vector<Real>>;

Table row(std::size_t dim) {
  return std::get<Table>(
      encodings::sinusoidal.make(with(encodings::sinusoidal, Case::parse(fmt::format("dim={}", dim)))));
}

Rows rows(const Table& table, Position number) {
  std::vector<Position> all(static_cast<std::size_t>(number));
  std::iota(all.begin(), all.end(), Position{0});
  const Tensor p = table.rows(all, number);
  Rows out;
  for (std::size_t t = 0; t < p.rows(); ++t) out.emplace_back(p.row(t).begin(), p.row(t).end());
  return out;
}

// The exact frequency: the pair's own is rounded to double, and off by too much after a thousand positions.
Real frequency(const Table& table, const Pair& pair) {
  return std::pow(10000.0L, -2.0L * static_cast<Real>(pair.index) / static_cast<Real>(table.dim));
}

// M_k v: every pair (sine, cosine) by [[cos kw, sin kw], [-sin kw, cos kw]].
std::vector<Real> shifted(const Table& table, const std::vector<Real>& v, Real k) {
  std::vector<Real> out = v;
  for (const Pair& pair : table.pairs) {
    const Real angle = k * frequency(table, pair), c = std::cos(angle), s = std::sin(angle);
    out[pair.first] = c * v[pair.first] + s * v[pair.second];
    out[pair.second] = -s * v[pair.first] + c * v[pair.second];
  }
  return out;
}

Real farthest(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real worst = 0;
  for (std::size_t c = 0; c < a.size(); ++c) worst = std::max(worst, std::abs(a[c] - b[c]));
  return worst;
}

Real dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Real{0});
}

// Largest |M_k p_t - p_(t+k)| over t below 1000 and these k.
Real misses(std::size_t dim) {
  const Table table = row(dim);
  const Rows p = rows(table, 2024);
  Real worst = 0;
  for (const std::size_t k : {1u, 7u, 100u, 1024u})
    for (std::size_t t = 0; t < 1000; t += 9)
      worst = std::max(worst, farthest(shifted(table, p[t], static_cast<Real>(k)), p[t + k]));
  return worst;
}

// Of all matrices A, the one for which the rows A p_t are closest to p_(t+k) in the mean square: what it
// misses, relative to the size of the codes. Normal equations in long double; `columns` are the entries of p
// that are kept.
Real best_linear_shift(const Rows& p, const std::vector<std::size_t>& columns, std::size_t k) {
  const std::size_t d = columns.size(), n = p.size() - k;
  // Gram matrix of the codes, and beside it their products with the shifted ones.
  Rows system(d, std::vector<Real>(2 * d, 0));
  for (std::size_t t = 0; t < n; ++t)
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b) {
        system[a][b] += p[t][columns[a]] * p[t][columns[b]];
        system[a][d + b] += p[t][columns[a]] * p[t + k][columns[b]];
      }
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

std::vector<Real> times(const Rows& w, const std::vector<Real>& v) {
  std::vector<Real> out;
  for (const auto& row : w) out.push_back(dot(row, v));
  return out;
}

// Independent entries, uniform, of variance 1/d.
Rows random_matrix(std::size_t dim, std::uint64_t seed) {
  Uniform uniform(seed);
  Rows w(dim, std::vector<Real>(dim));
  for (auto& row : w)
    for (Real& x : row) x = static_cast<Real>(uniform.next()) * std::sqrt(3.0L / static_cast<Real>(dim));
  return w;
}

// The softmax weight of the next position, seen from the middle of n codes that stand for themselves (no
// content, W = I).
Real weight_of_next(std::size_t n) {
  const Rows p = rows(row(16), static_cast<Position>(n));
  const std::size_t from = n / 2 - 1;
  Real sum = 0, next = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const Real e = std::exp(dot(p[from], p[j]) / 4);
    sum += e;
    if (j == from + 1) next = e;
  }
  return next / sum;
}

struct Extent {
  Real least, most;
};

Document run() {
  // Two entries rounded once to f64 and turned: no further than 2^-53 * (1 + sqrt 2) from the third, so
  // below 2^-51.
  Grid exact{
      .columns = {"width", "M_k p_t is p_(t+k)"},
      .rows = {},
      .caption =
          "Offsets 1, 7, 100 and 1,024, positions to 1,000; `yes`: to the last bit or two of f64, 2^-51."};
  bool all_exact = true;
  for (const std::size_t width : {2u, 8u, 64u, 512u}) {
    const Real off = misses(width);
    all_exact = all_exact && off <= 0x1p-51L;
    exact.rows.push_back(
        {std::to_string(width), off <= 0x1p-51L ? "yes" : fmt::format("no, off by {}", scientific(off, 3))});
  }

  const Table eight = row(8);
  const Rows p8 = rows(eight, 2000);
  Grid group{
      .columns = {"law", "largest difference", "holds"},
      .rows = {},
      .caption =
          "On random vectors of width 8, real offsets between -1000 and 1000, 200 cases, in long double."};
  {
    Uniform uniform(1);
    Real compose = 0, inverse = 0, length = 0;
    for (int n = 0; n < 200; ++n) {
      std::vector<Real> v(8);
      for (Real& x : v) x = static_cast<Real>(uniform.next());
      const Real a = 1000 * static_cast<Real>(uniform.next()), b = 1000 * static_cast<Real>(uniform.next());
      compose =
          std::max(compose, farthest(shifted(eight, shifted(eight, v, b), a), shifted(eight, v, a + b)));
      inverse = std::max(inverse, farthest(shifted(eight, shifted(eight, v, a), -a), v));
      length = std::max(length, std::abs(std::sqrt(dot(shifted(eight, v, a), shifted(eight, v, a))) -
                                         std::sqrt(dot(v, v))));
    }
    const auto law = [&](std::string_view said, Real off) {
      group.rows.push_back({std::string(said), off < 1e-14L ? "below 1e-14" : scientific(off, 2),
                            off < 1e-14L ? "yes" : "no"});
    };
    law("M_a M_b = M_(a+b)", compose);
    law("M_(-a) undoes M_a", inverse);
    law("|M_a v| = |v|", length);
  }

  Grid halves{
      .columns = {"columns kept", "shift by 1", "shift by 5", "shift by 50"},
      .rows = {},
      .caption =
          "Width 8, 2,000 positions: what the best linear map misses, as a share of the size of the codes."};
  std::array<std::string, 3> by_five;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    const auto columns = kind == 2 ? only(8, 0, 1) : only(8, kind, 2);
    by_five[kind] = fixed(best_linear_shift(p8, columns, 5), 4);
    halves.rows.push_back({std::array{"sines only", "cosines only", "both"}[kind],
                           fixed(best_linear_shift(p8, columns, 1), 4), by_five[kind],
                           fixed(best_linear_shift(p8, columns, 50), 4)});
  }

  constexpr std::size_t dim = 64;
  const Table table = row(dim);
  const Rows p = rows(table, 201);
  Plot logits{.name = "logit_of_the_next",
              .title = "The product with the next position is constant; a logit is not",
              .description =
                  "Value of p_t W p_(t+1) against the position t from 0 to 199 at width 64. For W the "
                  "identity it is a level "
                  "line near 31; for a W that turns every pair by a fixed angle it is a level line as well; "
                  "for a random W "
                  "it wanders irregularly around zero.",
              .x = {"position t", false, {{0, 200}}},
              .y = {"p_t · W p_(t+1)", false, {{-20, 40}}},
              .curves = {}};
  Grid spread{.columns = {"W", "smallest", "largest", "the same at every position"}, .rows = {}};
  const auto see = [&](std::string_view name, auto map) {
    Curve curve{std::string(name), {}};
    Extent e{1e9L, -1e9L};
    for (std::size_t t = 0; t < 200; ++t) {
      const Real value = dot(p[t], map(p[t + 1]));
      e = {std::min(e.least, value), std::max(e.most, value)};
      curve.points.emplace_back(static_cast<double>(t), static_cast<double>(value));
    }
    logits.curves.push_back(curve);
    spread.rows.push_back(
        {std::string(name), fixed(e.least, 4), fixed(e.most, 4), e.most - e.least < 1e-12L ? "yes" : "no"});
    return e;
  };
  const Extent identity = see("identity", [](const std::vector<Real>& v) { return v; });
  see("turns every pair", [&](const std::vector<Real>& v) { return shifted(table, v, 3); });
  const Rows w = random_matrix(dim, 1);
  const Extent random = see("random", [&](const std::vector<Real>& v) { return times(w, v); });

  Grid weights{.columns = {"length", "weight of the next position"},
               .rows = {},
               .caption = "Width 16, no content, W = I, factor 1/√d, seen from the middle."};
  std::vector<std::string> weight;
  for (const std::size_t n : {6u, 10u, 100u, 1000u}) {
    weight.push_back(fixed(weight_of_next(n), n < 50 ? 3 : 4));
    weights.rows.push_back({whole(static_cast<Position>(n)), weight.back()});
  }

  Grid gap{.columns = {"pair of width 8", "frequency", "|M_1 x - x|", "|M_10 x - x|", "2 |sin(w/2)|"},
           .rows = {},
           .caption = "x is of norm 1 in that pair and 0 elsewhere."};
  bool gap_as_derived = true;
  for (const Pair& pair : eight.pairs) {
    std::vector<Real> x(8, 0);
    x[pair.first] = 0.6L;
    x[pair.second] = 0.8L;
    const auto off = [&](Real k) {
      std::vector<Real> out = shifted(eight, x, k);
      for (std::size_t c = 0; c < 8; ++c) out[c] -= x[c];
      return std::sqrt(dot(out, out));
    };
    const Real derived = 2 * std::abs(std::sin(frequency(eight, pair) / 2));
    gap_as_derived = gap_as_derived && std::abs(off(1) - derived) < 1e-15L;
    gap.rows.push_back({std::to_string(pair.index), fixed(frequency(eight, pair), 3), fixed(off(1), 6),
                        fixed(off(10), 6), fixed(derived, 6)});
  }

  return {
      .title = "Translation is a rotation",
      .finding = fmt::format(
          "Moving a sinusoidal code by k positions is one rotation for all positions; with sines alone the "
          "best linear "
          "map for a shift by 5 misses {} % of the code. It is a law of the codes, not of attention weights.",
          fixed(100 * best_linear_shift(p8, only(8, 0, 2), 5), 1)),
      .condition =
          "Interleaved sinusoidal code, base 10000, even widths; reference encoding rounded once to f64, "
          "products in long "
          "double; random matrices from seed 1.",
      .blocks = {
          Section{"The shift matrix"},
          Paragraph{"`M_k` turns every pair (sine, cosine) by `[[cos kw, sin kw], [-sin kw, cos kw]]`, "
                    "clockwise by `kw`. It does not "
                    "contain the position. In the order (cosine, sine) it is the transpose: which of the two "
                    "is right is a "
                    "matter of layout."},
          exact,
          group,
          Section{"Why both sine and cosine"},
          Paragraph{"A sine alone does not know whether it rises or falls, so no matrix moves it on. The "
                    "best one in the mean square "
                    "shows how much is missing."},
          halves,
          Section{"From codes to logits"},
          Paragraph{"`p_t · p_(t+k)` is the same for every `t`, because `M_k` is. A logit has the learned "
                    "matrices in between, "
                    "`p_t · W p_(t+k)`: it depends on the offset alone if `W` commutes with `M_1`, as "
                    "turning every pair does, and a "
                    "random `W` does not."},
          logits,
          spread,
          Paragraph{"Then the softmax divides by a sum over the whole text. Even with constant logits, the "
                    "weight of the next "
                    "position depends on the length."},
          weights,
          Section{"The token is not shifted with it"},
          Paragraph{"`M_k` maps the code of `t` to that of `t + k`, but `x + p_t` to `M_k x + p_(t+k)`: the "
                    "token is turned as well. By how "
                    "much depends on the pair."},
          gap,
          Section{"Against paper"},
          expectations({
              {"M_k p_t is p_(t+k) at every width", "yes", all_exact ? "yes" : "no"},
              {"width 64, W = I, offset 1: logit at every position", "30.917 to 30.917",
               fmt::format("{} to {}", fixed(identity.least, 3), fixed(identity.most, 3))},
              {"width 64, random W: the logit varies by more than 1", "yes",
               random.most - random.least > 1 ? "yes" : "no"},
              {"weight of the next position at lengths 6, 10, 100, 1,000", "0.190, 0.128, 0.0205, 0.0033",
               fmt::format("{}", fmt::join(weight, ", "))},
              {"sines and cosines together: nothing is missed", "0.0000", by_five[2]},
              {"|M_1 x - x| = 2 |sin(w/2)| for every pair", "yes", gap_as_derived ? "yes" : "no"},
          }),
          Verdict{"True of the codes and their products, exactly. \"So the attention weight is the same\" "
                  "does not follow: the learned "
                  "matrices, the content and the length of the text stand in between."},
      }};
}

}  // namespace

const Experiment experiments::translation_is_a_rotation{
    .question =
        "Is there one linear map that moves every sinusoidal code by k positions, and what follows for "
        "attention?",
    .method =
        "Apply the map pair by pair, check the laws of a rotation group, look for such a map for sines or "
        "cosines alone, and "
        "follow the product of two codes into the logit and the softmax.",
    .run = &run,
};

}  // namespace posproof
