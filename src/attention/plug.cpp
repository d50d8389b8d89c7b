#include "attention/plug.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "attention/dot_product.h"
#include "attention/lift.h"
#include "attention/mask.h"
#include "core/error.h"

namespace posproof::attention {
namespace {

std::vector<Position> row_numbers(std::size_t n) {
  std::vector<Position> rows(n);
  std::iota(rows.begin(), rows.end(), Position{0});
  return rows;
}

void need(const Attention& attention, const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
  const Shape queries = {q.rows(), attention.dim}, keys = {k.rows(), attention.dim},
              values = {k.rows(), attention.value_dim}, shown = {q.rows(), k.rows()};
  if (q.shape != queries || k.shape != keys || v.shape != values || mask.shape != shown)
    throw std::invalid_argument(
        fmt::format("attention over {} and {} with values {} and a mask of {}; {}, {}, {} and "
                    "{} were expected",
                    text(q.shape), text(k.shape), text(v.shape), text(mask.shape), text(queries), text(keys),
                    text(values), text(shown)));
}

// The values that are averaged: a table has added its codes to them.
Tensor placed_values(const Encoding& encoding, const Tensor& v, std::size_t queries) {
  const auto* table = std::get_if<Table>(&encoding);
  if (table == nullptr) return v;
  Tensor out = v;
  const auto length = static_cast<Position>(std::max(queries, v.rows()));
  const Tensor codes = table->rows(row_numbers(v.rows()), length);
  for (std::size_t e = 0; e < out.data.size(); ++e) out.data[e] += codes.data.at(e);
  return out;
}

// The code's own error and one rounding of the sum, the worst of all values.
double values_error(const Encoding& encoding, const Tensor& v, const Tensor& placed, const Precision& p) {
  const auto* table = std::get_if<Table>(&encoding);
  if (table == nullptr) return 0;
  double worst = 0;
  for (std::size_t r = 0; r < v.rows(); ++r) {
    std::vector<double> code(v.width());
    for (std::size_t c = 0; c < v.width(); ++c) code[c] = placed.at(r, c) - v.at(r, c);
    const auto of_row = row_error(*table, p, static_cast<Position>(r), code);
    for (std::size_t c = 0; c < v.width(); ++c)
      worst = std::max(worst, of_row[c] + p.result * std::abs(placed.at(r, c)));
  }
  return worst;
}

Tensor attend(const Logits& logits, const Encoding& encoding, const Tensor& q, const Tensor& k,
              const Tensor& v, const Mask& mask) {
  const Tensor all = logits.at(q, k, row_numbers(q.rows()), row_numbers(k.rows()));
  const Tensor values = placed_values(encoding, v, q.rows());
  const std::size_t per_head = q.rows() * k.rows(), width = v.width() / logits.heads;
  Tensor out({q.rows(), v.width()});
  for (std::size_t h = 0; h < logits.heads; ++h) {
    const auto first = all.data.begin() + static_cast<std::ptrdiff_t>(h * per_head);
    const Tensor weights =
        softmax(Tensor({q.rows(), k.rows()},
                       std::vector<double>(first, first + static_cast<std::ptrdiff_t>(per_head))),
                mask);
    for (std::size_t i = 0; i < q.rows(); ++i) {
      const auto answer = out.row(i).subspan(h * width, width);
      for (std::size_t j = 0; j < k.rows(); ++j) {
        const auto value = values.row(j).subspan(h * width, width);
        for (std::size_t c = 0; c < width; ++c) answer[c] += weights.at(i, j) * value[c];
      }
    }
  }
  return out;
}

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
double error(const Logits& logits, const Encoding& encoding, const Tensor& q, const Tensor& k,
             const Tensor& v, const Mask& mask, const Precision& p) {
  const auto queries = row_numbers(q.rows()), keys = row_numbers(k.rows());
  const Tensor all = logits.at(q, k, queries, keys), off = logits.error(q, k, queries, keys, p);
  const Tensor values = placed_values(encoding, v, q.rows());
  const double dv = values_error(encoding, v, values, p);
  const std::size_t width = v.width() / logits.heads;
  double worst = 0;
  for (std::size_t h = 0; h < logits.heads; ++h)
    for (std::size_t i = 0; i < q.rows(); ++i) {
      const auto l = all.row(h * q.rows() + i), dl = off.row(h * q.rows() + i);
      std::vector<std::size_t> seen;
      for (std::size_t j = 0; j < k.rows(); ++j)
        if (mask::sees(mask, i, j)) seen.push_back(j);
      if (seen.empty()) throw Refusal(fmt::format("query {} sees no key", i));
      double most = l[seen.front()], e = 0;
      for (const std::size_t j : seen) most = std::max(most, l[j]);
      for (const std::size_t j : seen)
        // NaN stays: no later comparison with it is true.
        if (const double ej = dl[j] + p.result * (most - l[j]) + 4 * p.result; ej > e || std::isnan(ej))
          e = ej;
      // The range of each channel's seen values. What is not a number is allowed nothing, so that a
      // comparison with it refutes instead of ending the run.
      const auto of_head = [&](std::size_t j) { return values.row(j).subspan(h * width, width); };
      const auto first = of_head(seen.front());
      std::vector<double> lo(first.begin(), first.end()), hi = lo;
      double none = 0;  // stays 0 as long as all are numbers
      for (const std::size_t j : seen) {
        const auto value = of_head(j);
        for (std::size_t c = 0; c < width; ++c) {
          none += 0 * value[c];
          lo[c] = std::min(lo[c], value[c]);
          hi[c] = std::max(hi[c], value[c]);
        }
      }
      if (std::isnan(none)) return 0;
      for (std::size_t c = 0; c < width; ++c) {
        const double roundings =
            2 * static_cast<double>(seen.size()) * std::min(p.angle, p.result) + 4 * p.result;
        const double entry = std::min(e, 2.0) * (hi[c] - lo[c]) / 2 + dv +
                             roundings * std::max(std::abs(lo[c]), std::abs(hi[c]));
        if (!std::isfinite(entry)) return 0;
        worst = std::max(worst, entry);
      }
    }
  return worst;
}

}  // namespace

Attention plug(const Encoding& encoding) {
  if (const auto* already = std::get_if<Attention>(&encoding)) return *already;
  const Logits seen = *logits(encoding);
  Attention attention{.dim = seen.dim, .value_dim = (seen.dim + seen.heads - 1) / seen.heads * seen.heads};
  attention.only_logits = !std::holds_alternative<Table>(encoding);
  attention.positional = seen.positional;
  const Attention declared = attention;
  attention.attend = [seen, encoding, declared](const Tensor& q, const Tensor& k, const Tensor& v,
                                                const Mask& mask) {
    need(declared, q, k, v, mask);
    return attend(seen, encoding, q, k, v, mask);
  };
  attention.error = [seen, encoding, declared](const Tensor& q, const Tensor& k, const Tensor& v,
                                               const Mask& mask, const Precision& p) {
    need(declared, q, k, v, mask);
    return error(seen, encoding, q, k, v, mask, p);
  };
  return attention;
}

}  // namespace posproof::attention
