#include "attention/to_logits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "attention/dot_product.h"
#include "attention/reference_attention.h"
#include "core/error.h"
#include "core/term.h"

namespace posproof::attention {
namespace {

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

Position length_of(Positions queries, Positions keys) {
  Position last = -1;
  for (const Position t : queries) last = std::max(last, t);
  for (const Position t : keys) last = std::max(last, t);
  return last + 1;
}

Logits logits_of_table(const Table& table) {
  struct BoundedRows {
    Tensor of_queries, of_keys;
    bool same;  // self-attention asks for the same rows twice; a foreign table is called once
  };
  const auto rows = [table](Positions queries, Positions keys) {
    const Position length = length_of(queries, keys);
    const bool same = std::equal(queries.begin(), queries.end(), keys.begin(), keys.end());
    const Tensor of_keys = table.rows(keys, length);
    return BoundedRows{same ? of_keys : table.rows(queries, length), of_keys, same};
  };
  const auto one_head = [](Tensor two) {
    two.shape.insert(two.shape.begin(), 1);
    return two;
  };
  Logits logits{.dim = table.dim, .positions = table.positions};
  logits.at = [rows, one_head](const Tensor& q, const Tensor& k, Positions queries, Positions keys) {
    const auto [of_queries, of_keys, same] = rows(queries, keys);
    return one_head(scaled_logits(sum(q, of_queries), sum(k, of_keys)));
  };
  logits.bounded = [table, rows, one_head](const Tensor& q, const Tensor& k, Positions queries,
                                           Positions keys, const Precision& p) {
    const auto [of_queries, of_keys, same] = rows(queries, keys);
    const Tensor a = sum(q, of_queries), b = sum(k, of_keys);
    const Tensor key_errors = row_errors(table, of_keys, keys, p);
    const Tensor query_errors = same ? key_errors : row_errors(table, of_queries, queries, p);
    return Logits::Bounded{
        one_head(scaled_logits(a, b)),
        one_head(scaled_error(a, sum_error(a, query_errors, p), b, sum_error(b, key_errors, p), p))};
  };
  return logits;
}

// [n, heads * dim] rotated, as [heads, n, dim] in one call of one batch row.
Tensor rotated(const Rotary& rotary, const Tensor& x, Positions at, Role role) {
  Tensor split({1, rotary.heads, x.rows(), rotary.dim});
  for (std::size_t h = 0; h < rotary.heads; ++h)
    for (std::size_t r = 0; r < x.rows(); ++r)
      std::ranges::copy(x.row(r).subspan(h * rotary.dim, rotary.dim), split.row(h * x.rows() + r).begin());
  return in_place(rotary, rotary.rotate(split, at, role));
}

// One head of what `rotated` gave.
Tensor slice(const Tensor& split, std::size_t head, std::size_t n, std::size_t dim) {
  const auto first = split.data.begin() + static_cast<std::ptrdiff_t>(head * n * dim);
  return {{n, dim}, std::vector<double>(first, first + static_cast<std::ptrdiff_t>(n * dim))};
}

Logits of_rotary(const Rotary& rotary) {
  Logits logits{.dim = rotary.dim * rotary.heads, .heads = rotary.heads, .positions = rotary.positions};
  logits.at = [rotary](const Tensor& q, const Tensor& k, Positions queries, Positions keys) {
    const Tensor a = rotated(rotary, q, queries, Role::query), b = rotated(rotary, k, keys, Role::key);
    Tensor out({rotary.heads, q.rows(), k.rows()});
    for (std::size_t h = 0; h < rotary.heads; ++h)
      put(out, h, scaled_logits(slice(a, h, q.rows(), rotary.dim), slice(b, h, k.rows(), rotary.dim)));
    return out;
  };
  logits.bounded = [rotary](const Tensor& q, const Tensor& k, Positions queries, Positions keys,
                            const Precision& p) {
    const auto off = [&](const Tensor& x, Positions at, Role role) {
      Tensor error(x.shape);
      const auto own = in_call(rotary, at.empty() ? 0 : std::ranges::max(at));
      for (std::size_t r = 0; r < at.size(); ++r)
        std::ranges::copy(rotated_error(*own, p, at[r], x.row(r), role), error.row(r).begin());
      return error;
    };
    const Tensor a = rotated(rotary, q, queries, Role::query), b = rotated(rotary, k, keys, Role::key);
    const Shape shape = {rotary.heads, q.rows(), k.rows()};
    Logits::Bounded out{Tensor(shape), Tensor(shape)};
    for (std::size_t h = 0; h < rotary.heads; ++h) {
      const Tensor da = off(head_of(q, h, rotary.dim), queries, Role::query),
                   db = off(head_of(k, h, rotary.dim), keys, Role::key);
      const Tensor own_a = slice(a, h, q.rows(), rotary.dim), own_b = slice(b, h, k.rows(), rotary.dim);
      put(out.logits, h, scaled_logits(own_a, own_b));
      put(out.error, h, scaled_error(own_a, da, own_b, db, p));
    }
    return out;
  };
  return logits;
}

// How many positions there are to the farthest one of queries and keys.
double all_positions(const Positions& queries, const Positions& keys) {
  Position farthest = 0;
  for (const Positions* all : {&queries, &keys})
    for (const Position t : *all) farthest = std::max(farthest, std::abs(t));
  return static_cast<double>(farthest) + 1;
}

Logits of_bias(const Bias& bias) {
  Logits logits{.dim = bias_width * bias.heads, .heads = bias.heads, .positions = bias.positions};
  logits.causal = bias.causal;
  logits.modulo_rows = bias.modulo_rows;
  const auto content = [heads = bias.heads](const Tensor& q, const Tensor& k) {
    Tensor out({heads, q.rows(), k.rows()});
    for (std::size_t h = 0; h < heads; ++h)
      put(out, h, scaled_logits(head_of(q, h, bias_width), head_of(k, h, bias_width)));
    return out;
  };
  logits.at = [bias, content](const Tensor& q, const Tensor& k, Positions queries, Positions keys) {
    return sum(content(q, k), bias.bias(queries, keys));
  };
  logits.bounded = [bias, content](const Tensor& q, const Tensor& k, Positions queries, Positions keys,
                                   const Precision& p) {
    const Tensor b = bias.bias(queries, keys), plain = content(q, k);
    const Tensor exact_q({q.rows(), bias_width}), exact_k({k.rows(), bias_width});
    Tensor error(plain.shape);
    for (std::size_t h = 0; h < bias.heads; ++h)
      put(error, h, scaled_error(head_of(q, h, bias_width), exact_q, head_of(k, h, bias_width), exact_k, p));
    const std::size_t per_head = q.rows() * k.rows();
    const double positions = all_positions(queries, keys);
    for (std::size_t e = 0; e < error.data.size(); ++e) {
      // The bias's own error, and one rounding of the sum of content and bias.
      const Position i = queries[e % per_head / k.rows()], j = keys[e % k.rows()];
      error.data[e] += bias_error(p, b.data.at(e), bias, e / per_head, i, j) +
                       term(Term::sum, p.result * (std::abs(plain.data[e]) + std::abs(b.data[e])));
      // A shifted row may hold the slope times a position, or a distance to the last token, in place of times
      // an offset.
      if (bias.modulo_rows && !bias.slopes.empty()) {
        const double slope = bias.slopes[e / per_head];
        error.data[e] += bias_rounding(p, slope * positions, slope);
      }
    }
    return Logits::Bounded{sum(plain, b), error};
  };
  return logits;
}

// Of one token's position.
std::vector<double> numbers(const Positions& positions, std::size_t token) {
  std::vector<double> out;
  for (std::size_t axis = 0; axis < positions.axes(); ++axis) out.push_back(positions.at(token, axis));
  return out;
}

Logits of_contextual(const Contextual& contextual) {
  Logits logits{.dim = contextual.dim,
                .heads = contextual.heads,
                .positions = contextual.positions,
                .positional = contextual.positional,
                .causal = contextual.causal,
                .modulo_rows = contextual.modulo_rows,
                .at = contextual.logits};
  logits.bounded = [contextual](const Tensor& q, const Tensor& k, Positions queries, Positions keys,
                                const Precision& p) {
    Tensor error({contextual.heads, q.rows(), k.rows()});
    for (std::size_t i = 0; i < q.rows(); ++i)
      for (std::size_t j = 0; j < k.rows(); ++j) {
        const double off = contextual.error(q.row(i), k.row(j), numbers(queries, i), numbers(keys, j), p);
        for (std::size_t h = 0; h < contextual.heads; ++h) error.at(h * q.rows() + i, j) = off;
      }
    return Logits::Bounded{contextual.logits(q, k, queries, keys), error};
  };
  return logits;
}

}  // namespace

Tensor sum(const Tensor& content, const Tensor& rows) {
  if (rows.width() != content.width() || rows.data.size() < content.data.size())
    throw std::out_of_range(
        fmt::format("rows of {} are added to contents of {}", text(rows.shape), text(content.shape)));
  Tensor out = content;
  for (std::size_t e = 0; e < out.data.size(); ++e) out.data[e] += rows.data[e];
  return out;
}

Tensor sum_error(const Tensor& sum, const Tensor& row_errors, const Precision& p) {
  Tensor error(sum.shape);
  for (std::size_t e = 0; e < error.data.size(); ++e)
    error.data[e] = row_errors.data[e] + term(Term::sum, p.result * std::abs(sum.data[e]));
  return error;
}

Tensor row_errors(const Table& table, const Tensor& rows, Positions at, const Precision& p) {
  const RowErrors errors(table, p, RowErrors::Against::declared);
  Tensor out(rows.shape);
  for (std::size_t r = 0; r < at.size(); ++r) errors.at(at[r], rows.row(r), out.row(r));
  return out;
}

// |a|.db + da.|b| + da.db from what a and b are off by. Products and sums run in the wider of the two
// formats, as every unit for bf16 and f16 does: d + 1 of its roundings of |a|.|b|. The sum, the factor
// 1/sqrt(d) and the product with it are rounded to the result's format: 3 more.
Tensor scaled_error(const Tensor& a, const Tensor& da, const Tensor& b, const Tensor& db,
                    const Precision& p) {
  const double wide = std::min(p.angle, p.result);
  const double roundings =
      term(Term::dot, (static_cast<double>(a.width()) + 1) * wide) + term(Term::result, 3 * p.result);
  // Of three products of whole matrices, two: (roundings |a| + da).|b| + (|a| + da).db.
  Tensor with_b(a.shape), with_db(a.shape);
  for (std::size_t e = 0; e < a.data.size(); ++e) {
    const double size = std::abs(a.data[e]);
    with_b.data[e] = roundings * size + da.data[e];
    with_db.data[e] = size + da.data[e];
  }
  Tensor sizes = b;
  for (double& value : sizes.data) value = std::abs(value);
  Tensor error = scaled_logits(with_b, sizes);
  const Tensor other = scaled_logits(with_db, db);
  for (std::size_t e = 0; e < error.data.size(); ++e) error.data[e] += other.data[e];
  return error;
}

std::optional<Logits> logits(const Encoding& encoding) {
  struct {
    std::optional<Logits> operator()(const Table& table) const { return logits_of_table(table); }
    std::optional<Logits> operator()(const Rotary& rotary) const { return of_rotary(rotary); }
    std::optional<Logits> operator()(const Bias& bias) const { return of_bias(bias); }
    std::optional<Logits> operator()(const Contextual& contextual) const { return of_contextual(contextual); }
    std::optional<Logits> operator()(const Attention&) const { return std::nullopt; }
  } view;
  return std::visit(view, encoding);
}

std::optional<Contextual> to_logits(const Encoding& encoding) {
  if (const auto* already = std::get_if<Contextual>(&encoding)) return *already;
  const auto seen = logits(encoding);
  if (!seen) return std::nullopt;
  // One error for all heads: that of the worst.
  Contextual logits{.dim = seen->dim,
                    .heads = seen->heads,
                    .positions = seen->positions,
                    .positional = seen->positional,
                    .logits = seen->at,
                    .causal = seen->causal,
                    .modulo_rows = seen->modulo_rows};
  logits.error = [bounded = seen->bounded](std::span<const double> q, std::span<const double> k,
                                           std::span<const double> query, std::span<const double> key,
                                           const Precision& p) {
    const std::vector<Position> i(query.begin(), query.end()), j(key.begin(), key.end());
    const Tensor of_heads =
        bounded(Tensor({1, q.size()}, {q.begin(), q.end()}), Tensor({1, k.size()}, {k.begin(), k.end()}),
                {i, i.size()}, {j, j.size()}, p)
            .error;
    return *std::max_element(of_heads.data.begin(), of_heads.data.end());
  };
  return logits;
}

}  // namespace posproof::attention
