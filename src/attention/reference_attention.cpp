#include "attention/reference_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "attention/dot_product.h"
#include "attention/mask.h"
#include "attention/to_logits.h"
#include "core/error.h"
#include "core/function.h"
#include "core/term.h"

namespace posproof::attention {
namespace {

// Where the first token stands: at 0, or at the first position where those begin later.
Position first_of(const Domain& domain) {
  return domain.axes == 1 ? std::max(Position{0}, domain.lo) : 0;
}

std::vector<Position> from(Position first, std::size_t n) {
  std::vector<Position> rows(n);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

void need(const Attention& attention, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
  const auto is = [](const Tensor& x, std::size_t rows, std::size_t width) {
    return x.shape.size() == 2 && x.shape[0] == rows && x.shape[1] == width;
  };
  if (is(q, q.rows(), attention.dim) && is(k, k.rows(), attention.dim) &&
      is(v, k.rows(), attention.value_dim) && is(mask, q.rows(), k.rows()))
    return;
  const Shape queries = {q.rows(), attention.dim}, keys = {k.rows(), attention.dim},
              values = {k.rows(), attention.value_dim}, shown = {q.rows(), k.rows()};
  throw std::invalid_argument(
      fmt::format("attention over {} and {} with values {} and a mask of {}; {}, {}, {} and "
                  "{} were expected",
                  text(q.shape), text(k.shape), text(v.shape), text(mask.shape), text(queries), text(keys),
                  text(values), text(shown)));
}

// Tokens follow each other from the first one on. Where a grid ends on the axis that they stand along, there
// are no more: what an implementation answers for places outside is its own affair.
void need_room(const Domain& domain, std::size_t tokens) {
  if (domain.axes == 1 && first_of(domain) + static_cast<Position>(tokens) - 1 > domain.hi)
    throw Refusal(fmt::format("{} tokens; there are positions up to {}", tokens, domain.hi));
}

// What the softmax of one call sees, and what is averaged. Where a precision is asked about, how far rounding
// may put them, too.
struct Operands {
  Tensor logits, values;     // [heads, nq, nk], [nk, value_dim]
  Tensor logits_error = {};  // [heads, nq, nk]
  double values_error = 0;   // the worst of all
};
using Operate = Function<Operands(const Tensor& q, const Tensor& k, const Tensor& v, const Precision*)>;

// A table adds its rows to queries, keys and values: they are asked for once.
Operate of_table(const Table& table) {
  const Position first = first_of(table.positions);
  return [table, first](const Tensor& q, const Tensor& k, const Tensor& v, const Precision* p) {
    const auto at = from(first, std::max(q.rows(), k.rows()));
    const Tensor rows = table.rows(at, first + static_cast<Position>(at.size()));
    const Tensor a = sum(q, rows), b = sum(k, rows);
    Operands out{.logits = scaled_logits(a, b), .values = sum(v, rows)};
    if (p == nullptr) return out;
    const Tensor off = row_errors(table, rows, at, *p);
    out.logits_error = scaled_error(a, sum_error(a, off, *p), b, sum_error(b, off, *p), *p);
    for (std::size_t e = 0; e < out.values.data.size(); ++e)
      out.values_error =
          std::max(out.values_error, off.data[e] + term(Term::sum, p->result * std::abs(out.values.data[e])));
    return out;
  };
}

Operate of_logits(const Logits& logits, Position first) {
  return [logits, first](const Tensor& q, const Tensor& k, const Tensor& v, const Precision* p) {
    const auto queries = from(first, q.rows()), keys = from(first, k.rows());
    if (p == nullptr) return Operands{.logits = logits.at(q, k, queries, keys), .values = v};
    Logits::Bounded bounded = logits.bounded(q, k, queries, keys, *p);
    return Operands{
        .logits = std::move(bounded.logits), .values = v, .logits_error = std::move(bounded.error)};
  };
}

// The mask of every head.
Mask repeated(const Mask& mask, std::size_t heads) {
  Mask all({heads * mask.rows(), mask.width()});
  for (std::size_t e = 0; e < all.data.size(); ++e) all.data[e] = mask.data[e % mask.data.size()];
  return all;
}

bool finite(const Tensor& values) {
  return std::ranges::all_of(values.data, [](double x) { return std::isfinite(x); });
}

Tensor attend(const Operands& of, std::size_t heads, const Mask& mask) {
  const std::size_t queries = mask.rows(), width = of.values.width() / heads;
  Tensor scores = of.logits;
  scores.shape = {heads * queries, mask.width()};
  const Tensor weights = heads == 1 ? softmax(scores, mask) : softmax(scores, repeated(mask, heads));
  Tensor out({queries, of.values.width()});
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < queries; ++i)
      average(weights.row(h * queries + i), of.values, h * width, out.row(i).subspan(h * width, width));
  return out;
}

// Least and largest value of each channel of one head, over some keys.
struct Ranges {
  std::vector<double> lo, hi;

  void widen(std::span<const double> value) {
    if (lo.empty()) lo.assign(value.begin(), value.end()), hi = lo;
    for (std::size_t c = 0; c < value.size(); ++c) {
      lo[c] = std::min(lo[c], value[c]);
      hi[c] = std::max(hi[c], value[c]);
    }
  }

  // The largest of moved (hi - lo) / 2 + least + share max(|lo|, |hi|) over all channels, in channels
  // abreast; NaN where one is no finite number.
  double largest(double moved, double least, double share) const {
    constexpr std::size_t abreast = 8;
    double most[abreast] = {}, none[abreast] = {};
    for (std::size_t c = 0; c < lo.size(); c += abreast)
      for (std::size_t n = 0; n < std::min(abreast, lo.size() - c); ++n) {
        const double below = lo[c + n], above = hi[c + n];
        const double entry =
            moved * (above - below) / 2 + least + share * std::max(std::abs(below), std::abs(above));
        most[n] = entry > most[n] ? entry : most[n];
        none[n] += 0 * entry;
      }
    return *std::max_element(most, most + abreast) + std::accumulate(none, none + abreast, 0.0);
  }
};

// How far a row o_i = sum_j w_j v_j may be off, where w = softmax(l) over the n keys that it sees.
//
// 1. Logits off by delta_j, |delta_j| <= e. Along the straight way from l to l + delta the weights move by
//    w_j (delta_j - sum w delta), so sum_j |dw_j| is the mean absolute deviation of a variable that lies in
//    [-e, e]: at most e. Hence sum_j |w'_j - w_j| <= e, and never more than 2. Both sum to 1, so the middle c
//    of the values may be taken off: |sum (w' - w) v| = |sum (w' - w)(v - c)| <= min(e, 2) * range(v) / 2. To
//    all orders. e is the logit's own error, plus one rounding of l_j - max l, plus 4 units for an
//    exponential within 2 ulp (a factor 1 + 4u of the power is 4u in the logit).
// 2. Values off by dv: at most dv, because the weights are positive and sum to 1.
// 3. The normaliser and the answer are sums of n terms each, which run in the wider of the two formats (as in
//    scaled_error): n - 1 of its units each, and 2 for the quotient and the product. The normaliser (1), the
//    weight (1), each product (1) and the answer (1) may be stored in the result's: 4. All of max|v|, to
//    first order. A weight that underflows is less than one unit.
double error(const Operands& of, std::size_t heads, const Mask& mask, const Precision& p) {
  const std::size_t queries = mask.rows(), width = of.values.width() / heads;
  if (queries == 0) return 0;
  const bool all_finite = finite(of.values);
  double worst = 0;
  std::vector<std::size_t> seen, next;
  for (std::size_t h = 0; h < heads; ++h) {
    const auto of_head = [&](std::size_t j) { return of.values.row(j).subspan(h * width, width); };
    Ranges ranges;
    double e = 0;
    seen.clear();
    mask::seen(mask, 0, next);
    for (std::size_t i = 0; i < queries; ++i) {
      // A query mostly sees what the one before it saw, and perhaps further keys.
      if (seen.size() > next.size() || !std::equal(seen.begin(), seen.end(), next.begin())) {
        ranges = {};
        seen.clear();
      }
      for (std::size_t n = seen.size(); n < next.size(); ++n) {
        // What is not a number is allowed nothing, so that a comparison with it refutes instead of ending the
        // run.
        const auto value = of_head(next[n]);
        if (!all_finite && !std::ranges::all_of(value, [](double x) { return std::isfinite(x); })) return 0;
        ranges.widen(value);
      }
      std::swap(seen, next);
      const auto l = of.logits.row(h * queries + i), dl = of.logits_error.row(h * queries + i);
      double most = l[seen.front()];
      for (const std::size_t j : seen) most = std::max(most, l[j]);
      for (const std::size_t j : seen)
        // NaN stays: no later comparison with it is true.
        if (const double ej = dl[j] + term(Term::softmax, p.result * (most - l[j]) + 4 * p.result);
            ej > e || std::isnan(ej))
          e = ej;
      // The bound grows with e: of queries that see the same, the one with the largest is the worst.
      if (i + 1 < queries) mask::seen(mask, i + 1, next);
      if (i + 1 < queries && seen == next) continue;
      const double roundings =
          term(Term::mean, 2 * static_cast<double>(seen.size()) * std::min(p.angle, p.result)) +
          term(Term::result, 4 * p.result);
      const double largest = ranges.largest(std::min(e, 2.0), of.values_error, roundings);
      if (!std::isfinite(largest)) return 0;
      worst = std::max(worst, largest);
      e = 0;
    }
  }
  return worst;
}

}  // namespace

Attention reference_attention(const Encoding& encoding) {
  if (const auto* already = std::get_if<Attention>(&encoding)) return *already;
  const Logits seen = *logits(encoding);
  const auto* table = std::get_if<Table>(&encoding);
  Attention attention{.dim = seen.dim, .value_dim = (seen.dim + seen.heads - 1) / seen.heads * seen.heads};
  attention.only_logits = table == nullptr;
  attention.positional = seen.positional;
  attention.causal = seen.causal;
  attention.any_mask = !seen.causal;
  const Attention declared = attention;
  const Operate operands = table ? of_table(*table) : of_logits(seen, first_of(positions_of(encoding)));
  attention.attend = [operands, declared, heads = seen.heads, domain = positions_of(encoding)](
                         const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    need(declared, q, k, v, mask);
    need_room(domain, std::max(q.rows(), k.rows()));
    return attend(operands(q, k, v, nullptr), heads, mask);
  };
  attention.error = [operands, declared, heads = seen.heads](const Tensor& q, const Tensor& k,
                                                             const Tensor& v, const Mask& mask,
                                                             const Precision& p) {
    need(declared, q, k, v, mask);
    return error(operands(q, k, v, &p), heads, mask, p);
  };
  return attention;
}

std::vector<Encoding> in_every_kind(const Encoding& encoding) {
  std::vector<Encoding> kinds = {encoding};
  kinds.reserve(3);
  if (!std::holds_alternative<Contextual>(encoding))
    if (const auto seen = to_logits(encoding)) kinds.emplace_back(*seen);
  if (!std::holds_alternative<Attention>(encoding)) kinds.emplace_back(reference_attention(encoding));
  return kinds;
}

const Encoding* same_kind(const std::vector<Encoding>& kinds, const Encoding& subject) {
  const auto same = std::ranges::find(kinds, subject.index(), &Encoding::index);
  return same == kinds.end() ? nullptr : &*same;
}

}  // namespace posproof::attention
