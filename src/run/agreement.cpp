#include "run/agreement.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "attention/reference_attention.h"
#include "core/error.h"
#include "run/claims.h"
#include "run/narrowed.h"
#include "search/trial.h"

namespace posproof {
namespace {

// Names of the drawn positions: at most four in one call are enough to see a call that is right for one row
// only.
constexpr std::array<std::string_view, 4> places = {"t", "t1", "t2", "t3"};
constexpr std::array<std::string_view, 4> queries = {"i", "i1", "i2", "i3"};
constexpr std::array<std::string_view, 4> keys = {"j", "j1", "j2", "j3"};

std::vector<Position> positions(Draw& draw, std::size_t n, const std::array<std::string_view, 4>& names,
                                const Domain& within) {
  std::vector<Position> out;
  for (std::size_t r = 0; r < n; ++r) out.push_back(draw.position(names.at(r), within));
  return out;
}

using Each = std::function<void(const Residual&)>;

// Whoever listens compares a subject with what may be wrong, too: there NaN is what was expected where NaN
// is.
Residual entry(const Each& each, double there, double here, double bound, double ceiling = no_ceiling) {
  const bool both = each && std::isnan(there) && std::isnan(here);
  const Residual residual = both ? holds_if(true) : difference(there, here, bound, ceiling);
  if (each) each(residual);
  return residual;
}

// The position whose error a token may have: its own; where something wrong is compared, which may take one
// token for another, the farthest of the call.
Position blamed(const Each& each, Position own, std::span<const Position> call) {
  return each ? *std::max_element(call.begin(), call.end()) : own;
}

// The truth's own values are rounded once to double.
double own_rounding(double value) {
  return unit_f64 * std::abs(value);
}

Residual rows_agree(const Table& truth, const Table& subject, Precision p, Draw& draw, const Each& each) {
  const Domain domain = overlap(subject.positions, truth.positions);
  const auto n = static_cast<std::size_t>(draw.integer("rows", 1, 4));
  const auto at = positions(draw, n, places, domain);
  const Position last = *std::max_element(at.begin(), at.end());
  const Position length = draw.position("n", domain, last + 1, std::max(last + 1, domain.hi + 1));

  const Tensor there = subject.rows(at, length);
  const Tensor here = truth.rows(at, length);
  // A table with a ladder cannot be further off than from -A to A; the others have no bound.
  const double ceiling = truth.pairs.empty() ? no_ceiling : 2 * truth.amplitude;
  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < n; ++r) {
    const auto bound = row_error(truth, p, blamed(each, at[r], at), here.row(r));
    for (std::size_t c = 0; c < bound.size(); ++c) {
      const double one = bound[c] + own_rounding(here.at(r, c));
      worst = worse(entry(each, there.at(r, c), here.at(r, c), one, ceiling), worst);
    }
  }
  return worst;
}

Residual turns_agree(const Rotary& truth, const Rotary& subject, Precision p, Draw& draw, const Each& each) {
  const Domain domain = overlap(subject.positions, truth.positions);
  const auto batch = static_cast<std::size_t>(draw.integer("batch", 1, 2));
  const auto n = static_cast<std::size_t>(draw.integer("tokens", 1, 2));
  const auto at = positions(draw, batch * n, places, domain);
  const Role role =
      std::get<std::string>(draw.one_of("role", {"query", "key"})) == "query" ? Role::query : Role::key;
  const auto content = draw.content("x", truth.dim);

  const Tensor x = contents_of_tokens(truth, batch, n, content);
  const Tensor there = subject.rotate(x, at, role);
  const Tensor here = truth.rotate(x, at, role);
  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < x.rows(); ++r) {
    const Position t = blamed(each, at[r / (truth.heads * n) * n + r % n], at);
    const auto bound = rotated_error(truth, p, t, x.row(r));
    std::vector<double> ceiling(truth.dim, no_ceiling);
    for (const Pair& pair : truth.pairs)
      ceiling[pair.first] = ceiling[pair.second] =
          2 * truth.amplitude * std::hypot(x.at(r, pair.first), x.at(r, pair.second));
    for (std::size_t c = 0; c < truth.dim; ++c)
      worst = worse(
          entry(each, there.at(r, c), here.at(r, c), bound[c] + own_rounding(here.at(r, c)), ceiling[c]),
          worst);
  }
  return worst;
}

Residual biases_agree(const Bias& truth, const Bias& subject, Precision p, Draw& draw, const Each& each) {
  const Domain domain = overlap(subject.positions, truth.positions);
  const auto nq = static_cast<std::size_t>(draw.integer("nq", 1, 4));
  const auto nk = static_cast<std::size_t>(draw.integer("nk", 1, 4));
  const auto i = positions(draw, nq, queries, domain);
  const auto j = positions(draw, nk, keys, domain);

  const Tensor there = subject.bias(i, j);
  const Tensor here = truth.bias(i, j);
  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < truth.heads * nq; ++r)
    for (std::size_t c = 0; c < nk; ++c) {
      if (truth.causal && j[c] > i[r % nq]) continue;  // masked: whatever stands there is never seen
      const double slope = truth.slopes.empty() ? 0.0 : truth.slopes[r / nq];
      const double b = here.at(r, c);
      worst =
          worse(entry(each, there.at(r, c), b, bias_error(p, b, slope, r / nq + 1) + own_rounding(b)), worst);
    }
  return worst;
}

Residual logits_agree(const Contextual& truth, const Contextual& subject, Precision p, Draw& draw,
                      const Each& each, bool causal) {
  const Domain domain = overlap(subject.positions, truth.positions);
  const auto nq = static_cast<std::size_t>(draw.integer("nq", 1, 2));
  const auto nk = static_cast<std::size_t>(draw.integer("nk", 1, 2));
  const auto i = positions(draw, nq, queries, domain);
  const auto j = positions(draw, nk, keys, domain);
  const Tensor q = draw.content("q", Shape{nq, truth.dim});
  const Tensor k = draw.content("k", Shape{nk, truth.dim});

  const Tensor there = subject.logits(q, k, i, j);
  const Tensor here = truth.logits(q, k, i, j);
  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < truth.heads * nq; ++r)
    for (std::size_t c = 0; c < nk; ++c) {
      if (causal && j[c] > i[r % nq]) continue;  // masked: whatever stands there is never seen
      const double bound = truth.error(q.row(r % nq), k.row(c), i[r % nq], j[c], p);
      const bool empty = here.at(r, c) == 0 && bound == 0;
      worst = worse(entry(each, there.at(r, c), here.at(r, c), bound, empty ? 0 : no_ceiling), worst);
    }
  return worst;
}

Residual operators_agree(const Attention& truth, const Attention& subject, Precision p, Draw& draw,
                         const Each& each, bool causal_only) {
  const auto n = static_cast<std::size_t>(draw.integer("tokens", 1, 5));
  const std::vector<Value> masks =
      causal_only ? std::vector<Value>{"causal"} : std::vector<Value>{"none", "causal"};
  const auto causal = std::get<std::string>(draw.one_of("mask", masks)) == "causal";
  const Tensor q = draw.content("q", Shape{n, truth.dim});
  const Tensor k = draw.content("k", Shape{n, truth.dim});
  const Tensor v = draw.content("v", Shape{n, truth.value_dim});
  Mask mask({n, n}, std::vector<double>(n * n, 1));
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = r + 1; causal && c < n; ++c) mask.at(r, c) = 0;

  const double bound = truth.error(q, k, v, mask, p);
  // The output is an average of values: it cannot be further off than their spread.
  const auto [least, most] = std::minmax_element(v.data.begin(), v.data.end());
  const Residual residual =
      difference(subject.attend(q, k, v, mask).data, truth.attend(q, k, v, mask).data, bound, *most - *least);
  if (each) each(residual);
  return residual;
}

template <class Kind, class Compare>
Check compared(const Kind& truth, Compare compare, const Each& each) {
  return CheckOf<Kind>([truth, compare, each](const Kind& subject, Precision p, Draw& draw) {
    return compare(truth, subject, p, draw, each);
  });
}

}  // namespace

Case case_of_rows(const Domain& domain, Position t) {
  Case one;
  one.set("rows", 1.0);
  one.set("t", static_cast<double>(t));
  one.set("n", static_cast<double>(domain.hi + 1));
  return one;
}

Case case_of_rotation(Position t, Role role, std::vector<double> x) {
  Case one;
  one.set("batch", 1.0);
  one.set("tokens", 1.0);
  one.set("t", static_cast<double>(t));
  one.set("role", role == Role::query ? "query" : "key");
  one.set("x", std::move(x));
  return one;
}

Tensor contents_of_tokens(const Rotary& truth, std::size_t batch, std::size_t n,
                          std::span<const double> content) {
  Tensor x({batch, truth.heads, n, truth.dim});
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < truth.dim; ++c) x.at(r, c) = std::ldexp(content[c], static_cast<int>(r % 4));
  return x;
}

Case case_of_pair(Position i, Position j) {
  Case one;
  one.set("nq", 1.0);
  one.set("nk", 1.0);
  one.set("i", static_cast<double>(i));
  one.set("j", static_cast<double>(j));
  return one;
}

Property agreement(const Encoding& truth, const std::function<void(const Residual&)>& each) {
  Property property{.statement = "Every value is the exact one, rounded.",
                    .formula = "f(t) = the paper's f(t)",
                    .source = "the encoding's own paper, computed exactly: oracle/",
                    .checks = {},
                    .must_reject = {}};
  if (const auto* table = std::get_if<Table>(&truth))
    property.checks.push_back(compared(*table, &rows_agree, each));
  if (const auto* rotary = std::get_if<Rotary>(&truth))
    property.checks.push_back(compared(*rotary, &turns_agree, each));
  if (const auto* bias = std::get_if<Bias>(&truth))
    property.checks.push_back(compared(*bias, &biases_agree, each));
  // A causal encoding says nothing of keys after the query, whatever kind the subject answers in.
  const auto* declared = std::get_if<Bias>(&truth);
  const bool causal = declared != nullptr && declared->causal;
  const auto knowing = [causal](auto compare) {
    return [causal, compare](const auto& right, const auto& subject, const Precision& p, Draw& draw,
                             const Each& heard) { return compare(right, subject, p, draw, heard, causal); };
  };
  if (const auto logits = attention::to_logits(truth))
    property.checks.push_back(compared(*logits, knowing(&logits_agree), each));
  property.checks.push_back(compared(attention::reference_attention(truth), knowing(&operators_agree), each));
  return property;
}

Trial agreement_over_grid(const EncodingSpec& spec) {
  return over_grid(spec, {}, [&spec](const Parameters& parameters) {
    return trial(agreement(spec.oracle(parameters)), spec.make(parameters), all_f64);
  });
}

}  // namespace posproof
