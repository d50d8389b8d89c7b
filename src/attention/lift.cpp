#include "attention/lift.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "attention/dot_product.h"
#include "attention/plug.h"
#include "core/error.h"

namespace posproof::attention {
namespace {

using Positions = Logits::Positions;
constexpr std::size_t bias_width = 4;  // of one head's content, where the encoding says nothing of content

// The channels of one head: [n, width].
Tensor head_of(const Tensor& x, std::size_t head, std::size_t width) {
  Tensor out({x.rows(), width});
  for (std::size_t r = 0; r < x.rows(); ++r)
    std::copy_n(x.row(r).begin() + static_cast<std::ptrdiff_t>(head * width), width, out.row(r).begin());
  return out;
}

void put(Tensor& all, std::size_t head, const Tensor& one) {
  std::copy(one.data.begin(), one.data.end(),
            all.data.begin() + static_cast<std::ptrdiff_t>(head * one.data.size()));
}

Tensor sum(const Tensor& x, const Tensor& code) {
  Tensor out = x;
  for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] += code.data.at(i);
  return out;
}

Tensor magnitudes(const Tensor& x) {
  Tensor out = x;
  for (double& value : out.data) value = std::abs(value);
  return out;
}

// Error of a . b / sqrt(d), where a and b are off by at most da and db: |a|.db + da.|b| + da.db from these.
// Products and sums run in the wider of the two formats, as every unit for bf16 and fp16 does: d + 1 of its
// roundings of |a|.|b|. The sum, the factor 1/sqrt(d) and the product with it are rounded to the result's
// format: 3 more.
Tensor scaled_error(const Tensor& a, const Tensor& da, const Tensor& b, const Tensor& db,
                    const Precision& p) {
  const double wide = std::min(p.angle, p.result);
  const double roundings = (static_cast<double>(a.width()) + 1) * wide + 3 * p.result;
  // Of three products of whole matrices, two: (roundings |a| + da).|b| + (|a| + da).db.
  Tensor with_b(a.shape), with_db(a.shape);
  for (std::size_t e = 0; e < a.data.size(); ++e) {
    const double size = std::abs(a.data[e]);
    with_b.data[e] = roundings * size + da.data[e];
    with_db.data[e] = size + da.data[e];
  }
  Tensor error = scaled_logits(with_b, magnitudes(b));
  const Tensor other = scaled_logits(with_db, db);
  for (std::size_t e = 0; e < error.data.size(); ++e) error.data[e] += other.data[e];
  return error;
}

Position length_of(Positions queries, Positions keys) {
  Position last = -1;
  for (const Position t : queries) last = std::max(last, t);
  for (const Position t : keys) last = std::max(last, t);
  return last + 1;
}

// Self-attention asks for the same rows twice; a foreign table is called once.
std::pair<Tensor, Tensor> codes(const Table& table, Positions queries, Positions keys) {
  const Position length = length_of(queries, keys);
  const Tensor of_keys = table.rows(keys, length);
  if (std::equal(queries.begin(), queries.end(), keys.begin(), keys.end())) return {of_keys, of_keys};
  return {table.rows(queries, length), of_keys};
}

Logits of_table(const Table& table) {
  Logits logits{.dim = table.dim, .positions = table.positions};
  const auto one_head = [](Tensor two) {
    two.shape.insert(two.shape.begin(), 1);
    return two;
  };
  logits.at = [table, one_head](const Tensor& q, const Tensor& k, Positions queries, Positions keys) {
    const auto [of_queries, of_keys] = codes(table, queries, keys);
    return one_head(scaled_logits(sum(q, of_queries), sum(k, of_keys)));
  };
  logits.error = [table, one_head](const Tensor& q, const Tensor& k, Positions queries, Positions keys,
                                   const Precision& p) {
    const auto [of_queries, of_keys] = codes(table, queries, keys);
    const auto errors = [&](const Tensor& code, Positions at) {
      Tensor error(code.shape);
      for (std::size_t r = 0; r < at.size(); ++r)
        std::ranges::copy(row_error(table, p, at[r], code.row(r)), error.row(r).begin());
      return error;
    };
    // The code's own error, and one rounding of the sum of content and code.
    const auto off = [&](const Tensor& placed, Tensor error) {
      for (std::size_t e = 0; e < error.data.size(); ++e)
        error.data[e] += p.result * std::abs(placed.data[e]);
      return error;
    };
    const Tensor a = sum(q, of_queries), b = sum(k, of_keys);
    const Tensor key_errors = errors(of_keys, keys);
    const bool same = std::equal(queries.begin(), queries.end(), keys.begin(), keys.end());
    const Tensor query_errors = same ? key_errors : errors(of_queries, queries);
    return one_head(scaled_error(a, off(a, query_errors), b, off(b, key_errors), p));
  };
  return logits;
}

// [n, heads * dim] turned, as [heads, n, dim] in one call of one batch row.
Tensor turned(const Rotary& rotary, const Tensor& x, Positions at, Role role) {
  Tensor split({1, rotary.heads, x.rows(), rotary.dim});
  for (std::size_t h = 0; h < rotary.heads; ++h) put(split, h, head_of(x, h, rotary.dim));
  return rotary.turn(split, at, role);
}

// One head of what `turned` gave.
Tensor slice(const Tensor& split, std::size_t head, std::size_t n, std::size_t dim) {
  const auto first = split.data.begin() + static_cast<std::ptrdiff_t>(head * n * dim);
  return {{n, dim}, std::vector<double>(first, first + static_cast<std::ptrdiff_t>(n * dim))};
}

Logits of_rotary(const Rotary& rotary) {
  Logits logits{.dim = rotary.dim * rotary.heads, .heads = rotary.heads, .positions = rotary.positions};
  logits.at = [rotary](const Tensor& q, const Tensor& k, Positions queries, Positions keys) {
    const Tensor a = turned(rotary, q, queries, Role::query), b = turned(rotary, k, keys, Role::key);
    Tensor out({rotary.heads, q.rows(), k.rows()});
    for (std::size_t h = 0; h < rotary.heads; ++h)
      put(out, h, scaled_logits(slice(a, h, q.rows(), rotary.dim), slice(b, h, k.rows(), rotary.dim)));
    return out;
  };
  logits.error = [rotary](const Tensor& q, const Tensor& k, Positions queries, Positions keys,
                          const Precision& p) {
    const auto off = [&](const Tensor& x, Positions at) {
      Tensor error(x.shape);
      for (std::size_t r = 0; r < at.size(); ++r) {
        const auto of_row = turned_error(rotary, p, at[r], x.row(r));
        std::copy(of_row.begin(), of_row.end(), error.row(r).begin());
      }
      return error;
    };
    const Tensor a = turned(rotary, q, queries, Role::query), b = turned(rotary, k, keys, Role::key);
    Tensor out({rotary.heads, q.rows(), k.rows()});
    for (std::size_t h = 0; h < rotary.heads; ++h) {
      const Tensor da = off(head_of(q, h, rotary.dim), queries), db = off(head_of(k, h, rotary.dim), keys);
      put(out, h,
          scaled_error(slice(a, h, q.rows(), rotary.dim), da, slice(b, h, k.rows(), rotary.dim), db, p));
    }
    return out;
  };
  return logits;
}

Logits of_bias(const Bias& bias) {
  Logits logits{.dim = bias_width * bias.heads, .heads = bias.heads, .positions = bias.positions};
  const auto content = [heads = bias.heads](const Tensor& q, const Tensor& k) {
    Tensor out({heads, q.rows(), k.rows()});
    for (std::size_t h = 0; h < heads; ++h)
      put(out, h, scaled_logits(head_of(q, h, bias_width), head_of(k, h, bias_width)));
    return out;
  };
  logits.at = [bias, content](const Tensor& q, const Tensor& k, Positions queries, Positions keys) {
    return sum(content(q, k), bias.bias(queries, keys));
  };
  logits.error = [bias, content](const Tensor& q, const Tensor& k, Positions queries, Positions keys,
                                 const Precision& p) {
    const Tensor b = bias.bias(queries, keys), plain = content(q, k);
    const Tensor exact_q({q.rows(), bias_width}), exact_k({k.rows(), bias_width});
    Tensor out(plain.shape);
    for (std::size_t h = 0; h < bias.heads; ++h)
      put(out, h, scaled_error(head_of(q, h, bias_width), exact_q, head_of(k, h, bias_width), exact_k, p));
    const std::size_t per_head = q.rows() * k.rows();
    for (std::size_t e = 0; e < out.data.size(); ++e) {
      const double slope = bias.slopes.empty() ? 0 : bias.slopes[e / per_head];
      // The bias's own error, and one rounding of the sum of content and bias.
      out.data[e] += bias_error(p, b.data.at(e), slope, e / per_head + 1) +
                     p.result * (std::abs(plain.data[e]) + std::abs(b.data[e]));
    }
    return out;
  };
  return logits;
}

Logits of_contextual(const Contextual& contextual) {
  Logits logits{.dim = contextual.dim,
                .heads = contextual.heads,
                .positions = contextual.positions,
                .positional = contextual.positional,
                .at = contextual.logits};
  logits.error = [contextual](const Tensor& q, const Tensor& k, Positions queries, Positions keys,
                              const Precision& p) {
    Tensor out({contextual.heads, q.rows(), k.rows()});
    for (std::size_t i = 0; i < q.rows(); ++i)
      for (std::size_t j = 0; j < k.rows(); ++j)
        for (std::size_t h = 0; h < contextual.heads; ++h)
          out.at(h * q.rows() + i, j) = contextual.error(q.row(i), k.row(j), queries[i], keys[j], p);
    return out;
  };
  return logits;
}

}  // namespace

std::optional<Logits> logits(const Encoding& encoding) {
  struct {
    std::optional<Logits> operator()(const Table& table) const { return of_table(table); }
    std::optional<Logits> operator()(const Rotary& rotary) const { return of_rotary(rotary); }
    std::optional<Logits> operator()(const Bias& bias) const { return of_bias(bias); }
    std::optional<Logits> operator()(const Contextual& contextual) const { return of_contextual(contextual); }
    std::optional<Logits> operator()(const Attention&) const { return std::nullopt; }
  } view;
  return std::visit(view, encoding);
}

std::optional<Contextual> lift(const Encoding& encoding) {
  if (const auto* already = std::get_if<Contextual>(&encoding)) return *already;
  const auto seen = logits(encoding);
  if (!seen) return std::nullopt;
  // One error for all heads: that of the worst.
  Contextual lifted{.dim = seen->dim,
                    .heads = seen->heads,
                    .positions = seen->positions,
                    .positional = seen->positional,
                    .logits = seen->at};
  lifted.error = [error = seen->error](std::span<const double> q, std::span<const double> k, Position i,
                                       Position j, const Precision& p) {
    const std::array<Position, 1> query = {i}, key = {j};
    const Tensor of_heads = error(Tensor({1, q.size()}, {q.begin(), q.end()}),
                                  Tensor({1, k.size()}, {k.begin(), k.end()}), query, key, p);
    return *std::max_element(of_heads.data.begin(), of_heads.data.end());
  };
  return lifted;
}

}  // namespace posproof::attention
