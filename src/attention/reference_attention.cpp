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
#include "core/mean_error.h"
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

// How far each answer may be off: what each head makes of its part of the values.
Tensor errors(const Operands& of, std::size_t heads, const Mask& mask, const Precision& p) {
  const std::size_t queries = mask.rows(), width = of.values.width() / heads;
  Tensor out({queries, of.values.width()});
  std::vector<std::size_t> seen;
  std::vector<double> logits, off;
  std::vector<std::span<const double>> values;
  for (std::size_t i = 0; i < queries; ++i) {
    mask::seen(mask, i, seen);
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t row = h * queries + i;
      logits.clear(), off.clear(), values.clear();
      for (const std::size_t j : seen) {
        logits.push_back(of.logits.at(row, j));
        off.push_back(of.logits_error.at(row, j));
        values.push_back(of.values.row(j).subspan(h * width, width));
      }
      std::ranges::copy(mean_errors({logits, off, values, of.values_error}, p),
                        out.row(i).subspan(h * width).begin());
    }
  }
  return out;
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
  attention.errors = [operands, declared, heads = seen.heads](const Tensor& q, const Tensor& k,
                                                              const Tensor& v, const Mask& mask,
                                                              const Precision& p) {
    need(declared, q, k, v, mask);
    return errors(operands(q, k, v, &p), heads, mask, p);
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
