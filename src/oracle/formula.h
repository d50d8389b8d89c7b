#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/kept.h"
#include "core/mean_error.h"
#include "core/rounded.h"
#include "core/term.h"
#include "exact/number.h"
#include "exact/numbers.h"

// Encodings inside attention from their formula, which is written once and evaluated twice: in exact numbers
// for the answer (exact::InFull), and in numbers that know how far they may be off for its bound
// (InPrecision).
namespace posproof::oracle {

template <class In>
using NumberOf = typename In::Number;
template <class In>
using NumbersOf = std::vector<NumberOf<In>>;

// Entries of a table of trained numbers, [rows, width].
class Trained {
 public:
  Trained(std::size_t rows, std::size_t width, std::int64_t seed, double deviation = 1) : width_(width) {
    for (std::uint64_t entry = 0; entry < rows * width; ++entry)
      entries_.push_back(exact::seeded(deviation, seed, entry));
  }
  std::span<const double> row(Position r) const {
    return std::span(entries_).subspan(static_cast<std::size_t>(r) * width_, width_);
  }
  double at(Position entry) const { return entries_.at(static_cast<std::size_t>(entry)); }

 private:
  std::size_t width_;
  std::vector<double> entries_;
};

// Contents as they are.
struct AsGiven {
  template <class In>
  NumbersOf<In> operator()(const In& in, std::span<const double> x) const {
    NumbersOf<In> out;
    out.reserve(x.size());
    for (const double one : x) out.push_back(in.given(one));
    return out;
  }
};
template <class In>
NumbersOf<In> given(const In& in, std::span<const double> x) {
  return AsGiven()(in, x);
}
template <class In>
NumbersOf<In> trained(const In& in, std::span<const double> x) {
  NumbersOf<In> out;
  out.reserve(x.size());
  for (const double one : x) out.push_back(in.trained(one));
  return out;
}

// Our own answer, and the one that it is compared with, are rounded to double.
inline double bound_of(const Rounded& x) {
  return term(Term::own, x.error + 2 * unit_f64 * x.size);
}

// What depends on one whole number alone, and is dear (core/kept.h): exact ones, and bounds of one precision
// at a time.
class KeptBounds {
 public:
  template <class Make>
  std::vector<Rounded> operator()(const InPrecision& in, Position n, Make make) const {
    const std::lock_guard held(of_->lock);
    if (of_->precision != in.p) of_->bounds.clear(), of_->precision = in.p;
    return of_->bounds(n, [&](Position own) { return make(in, own); });
  }

 private:
  struct Of {
    std::mutex lock = {};
    std::optional<Precision> precision = {};
    Kept<std::vector<Rounded>> bounds = {};
  };
  std::shared_ptr<Of> of_ = std::make_shared<Of>();
};

template <class Number>
class KeptNumbers {
 public:
  template <class Make>
  std::vector<Number> operator()(const exact::InFull& in, Position n, Make make) const {
    return exact_(n, [&](Position own) { return make(in, own); });
  }
  template <class Make>
  std::vector<Rounded> operator()(const InPrecision& in, Position n, Make make) const {
    return bounds_(in, n, make);
  }

 private:
  Kept<std::vector<Number>> exact_;
  KeptBounds bounds_;
};

// The numbers of one token's position.
using Coordinates = std::span<const Position>;

// Logits of one query and one key at a time, of all heads: `formula(in, q, k, i, j)` is a number of `in` for
// each, q and k being what `prepare(in, content)` made of the contents, i and j Coordinates.
template <class Prepare, class Formula>
Contextual contextual_on_a_grid(std::string_view name, std::size_t dim, std::size_t heads, std::size_t axes,
                                Prepare prepare, Formula formula) {
  Contextual out{.dim = dim, .heads = heads};
  out.positions.axes = axes;
  out.logits = [=, name = std::string(name)](const Tensor& q, const Tensor& k, const Positions& queries,
                                             const Positions& keys) {
    const Shape want_q = {queries.size(), dim}, want_k = {keys.size(), dim};
    if (q.shape != want_q || k.shape != want_k)
      throw Refusal(fmt::format("{}: q is {} and k is {}, {} and {} came", name, text(want_q), text(want_k),
                                text(q.shape), text(k.shape)));
    if (queries.axes() != axes || keys.axes() != axes)
      throw Refusal(fmt::format("{}: a position has {} numbers, {} came", name, axes, queries.axes()));
    const auto numbers = [axes](const Positions& all, std::size_t token) {
      return all.flat().subspan(token * axes, axes);
    };
    const exact::InFull in;
    std::vector<std::vector<exact::Number>> of_keys;
    for (std::size_t j = 0; j < keys.size(); ++j) of_keys.push_back(prepare(in, k.row(j)));
    Tensor logits({heads, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const std::vector<exact::Number> query = prepare(in, q.row(i));
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const std::vector<exact::Number> of_heads =
            formula(in, query, of_keys[j], numbers(queries, i), numbers(keys, j));
        for (std::size_t h = 0; h < heads; ++h) logits.at(h * queries.size() + i, j) = of_heads[h].nearest();
      }
    }
    return logits;
  };
  out.error = [=](std::span<const double> q, std::span<const double> k, std::span<const double> of_query,
                  std::span<const double> of_key, const Precision& p) {
    const InPrecision in(p);
    const std::vector<Rounded> query = prepare(in, q), key = prepare(in, k);
    const std::vector<Position> i(of_query.begin(), of_query.end()), j(of_key.begin(), of_key.end());
    double worst = 0;
    for (const Rounded& logit : formula(in, query, key, Coordinates(i), Coordinates(j)))
      worst = std::max(worst, bound_of(logit));
    return worst;
  };
  return out;
}

// Of positions of one number.
template <class Prepare, class Formula>
Contextual contextual_of_heads(std::string_view name, std::size_t dim, std::size_t heads, Prepare prepare,
                               Formula formula) {
  return contextual_on_a_grid(name, dim, heads, 1, prepare,
                              [=](const auto& in, const auto& q, const auto& k, Coordinates i,
                                  Coordinates j) { return formula(in, q, k, i[0], j[0]); });
}

// Of one head, whose formula is a number.
template <class Prepare, class Formula>
Contextual contextual(std::string_view name, std::size_t dim, Prepare prepare, Formula formula) {
  return contextual_of_heads(name, dim, 1, prepare,
                             [=](const auto& in, const auto& q, const auto& k, Position i, Position j) {
                               return NumbersOf<std::decay_t<decltype(in)>>{formula(in, q, k, i, j)};
                             });
}

// What the softmax of one call sees and averages: logits [nq, nk], and values, [nk, value_dim] or, where they
// differ from query to query, [nq, nk, value_dim].
template <class In>
struct Operands {
  NumbersOf<In> logits, values;
};

namespace detail {

inline std::vector<std::size_t> seen(const Mask& mask, std::size_t query) {
  std::vector<std::size_t> keys;
  for (std::size_t j = 0; j < mask.width(); ++j)
    if (mask.at(query, j) != 0) keys.push_back(j);
  if (keys.empty()) throw Refusal(fmt::format("query {} sees no key", query));
  return keys;
}

inline void need(std::string_view name, std::size_t dim, const Tensor& q, const Tensor& k, const Tensor& v,
                 const Mask& mask) {
  const Shape queries = {q.rows(), dim}, keys = {k.rows(), dim}, shown = {q.rows(), k.rows()};
  if (q.shape != queries || k.shape != keys || v.shape != keys || mask.shape != shown)
    throw Refusal(fmt::format("{}: q, k, v and the mask are {}, {}, {} and {}; {}, {}, {} and {} came", name,
                              text(queries), text(keys), text(keys), text(shown), text(q.shape),
                              text(k.shape), text(v.shape), text(mask.shape)));
}

}  // namespace detail

// The whole operator: `formula(in, q, k, v, mask)` gives Operands. Values are as wide as keys.
template <class Formula>
Attention attention(std::string_view name, std::size_t dim, Formula formula) {
  Attention out{.dim = dim, .value_dim = dim};
  out.attend = [=, name = std::string(name)](const Tensor& q, const Tensor& k, const Tensor& v,
                                             const Mask& mask) {
    detail::need(name, dim, q, k, v, mask);
    const Operands<exact::InFull> of = formula(exact::InFull(), q, k, v, mask);
    const bool own = of.values.size() > k.rows() * dim;
    Tensor answer({q.rows(), dim});
    for (std::size_t i = 0; i < q.rows(); ++i) {
      const std::vector<std::size_t> seen = detail::seen(mask, i);
      const std::span<const exact::Number> logits = std::span(of.logits).subspan(i * k.rows(), k.rows());
      // Weights are those of what a logit is below the largest, which is 0 for one of them: e^-1e9 itself is
      // below all numbers.
      exact::Number most = logits[seen.front()];
      for (const std::size_t j : seen)
        if (most < logits[j]) most = logits[j];
      std::vector<exact::Number> sums(dim);
      exact::Number whole;
      for (const std::size_t j : seen) {
        const exact::Number weight = exp(logits[j] - most);
        whole += weight;
        const std::size_t row = own ? i * k.rows() + j : j;
        for (std::size_t c = 0; c < dim; ++c) sums[c] += weight * of.values[row * dim + c];
      }
      for (std::size_t c = 0; c < dim; ++c) answer.at(i, c) = (sums[c] / whole).nearest();
    }
    return answer;
  };
  out.errors = [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, const Precision& p) {
    const Operands<InPrecision> of = formula(InPrecision(p), q, k, v, mask);
    const bool own = of.values.size() > k.rows() * dim;
    Tensor values({of.values.size() / dim, dim}), out({q.rows(), dim});
    for (std::size_t e = 0; e < of.values.size(); ++e) values.data[e] = of.values[e].value;
    for (std::size_t i = 0; i < q.rows(); ++i) {
      std::vector<double> logits, errors;
      std::vector<std::span<const double>> rows;
      double off = 0;
      for (const std::size_t j : detail::seen(mask, i)) {
        const Rounded& logit = of.logits[i * k.rows() + j];
        logits.push_back(logit.value);
        errors.push_back(bound_of(logit));
        const std::size_t row = own ? i * k.rows() + j : j;
        rows.push_back(values.row(row));
        for (std::size_t c = 0; c < dim; ++c) off = std::max(off, bound_of(of.values[row * dim + c]));
      }
      std::ranges::copy(mean_errors({logits, errors, rows, off}, p), out.row(i).begin());
    }
    return out;
  };
  return out;
}

}  // namespace posproof::oracle
