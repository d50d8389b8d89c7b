#pragma once

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "core/encoding.h"
#include "core/function.h"
#include "core/parameter.h"
#include "encodings/seeded.h"

// References of what acts inside attention, in long double.
namespace posproof::inside {

using Real = long double;

inline Real dot(std::span<const double> a, std::span<const double> b) {
  Real sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += static_cast<Real>(a[c]) * b[c];
  return sum;
}

inline Real root(std::size_t n) {
  return std::sqrt(static_cast<Real>(n));
}

// A table of trained numbers, [rows, width]: entry n is seeded(seed, n), of standard deviation 1.
inline Tensor trained(std::size_t rows, std::size_t width, std::int64_t seed, double deviation = 1) {
  Tensor out({rows, width});
  for (std::size_t n = 0; n < out.data.size(); ++n)
    out.data[n] = seeded(static_cast<std::uint64_t>(seed), n, deviation);
  return out;
}

// What the oracle says of errors. It is made when it is first asked: whoever only wants answers makes none.
template <class Kind>
class BoundOf {
 public:
  BoundOf(Encoding (*oracle)(const Arguments&), const Arguments& arguments)
      : made_(std::make_shared<Made>(oracle, arguments)) {}

  template <class... Of>
  auto operator()(const Of&... of) const {
    std::call_once(made_->once,
                   [made = made_.get()] { made->kind = std::get<Kind>(made->oracle(made->arguments)); });
    if constexpr (requires { made_->kind->errors(of...); })
      return made_->kind->errors(of...);
    else
      return made_->kind->error(of...);
  }

 private:
  struct Made {
    Made(Encoding (*of)(const Arguments&), const Arguments& those) : oracle(of), arguments(those) {}
    Encoding (*oracle)(const Arguments&);
    Arguments arguments;
    std::once_flag once = {};
    std::optional<Kind> kind = {};
  };
  std::shared_ptr<Made> made_;
};

inline void need_contents(std::size_t dim, const Tensor& q, const Tensor& k, const Positions& queries,
                          const Positions& keys) {
  const Shape want_q = {queries.size(), dim}, want_k = {keys.size(), dim};
  if (q.shape != want_q || k.shape != want_k)
    throw std::invalid_argument(fmt::format("logits of q {} and k {}; allowed: {} and {}", text(q.shape),
                                            text(k.shape), text(want_q), text(want_k)));
}

// A logit of one query and one key, whose positions have a number for each axis.
using Coordinates = std::span<const Position>;
using LogitOnAGrid = Function<Real(std::span<const double> q, std::span<const double> k, Coordinates i,
                                   Coordinates j, std::size_t head)>;

inline Contextual contextual_on_a_grid(std::size_t dim, std::size_t heads, std::size_t axes,
                                       LogitOnAGrid logit) {
  Contextual out{.dim = dim, .heads = heads};
  out.positions.axes = axes;
  out.logits = [dim, heads, axes, logit = std::move(logit)](const Tensor& q, const Tensor& k,
                                                            const Positions& queries, const Positions& keys) {
    need_contents(dim, q, k, queries, keys);
    if (queries.axes() != axes || keys.axes() != axes)
      throw std::invalid_argument(
          fmt::format("logits at positions of {} numbers; allowed: {}", queries.axes(), axes));
    const Coordinates of_queries = queries.flat(), of_keys = keys.flat();
    Tensor logits({heads, queries.size(), keys.size()});
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j)
          logits.at(h * queries.size() + i, j) = static_cast<double>(logit(
              q.row(i), k.row(j), of_queries.subspan(i * axes, axes), of_keys.subspan(j * axes, axes), h));
    return logits;
  };
  return out;
}

// The same of positions of one number.
using Logit = Function<Real(std::span<const double> q, std::span<const double> k, Position i, Position j,
                            std::size_t head)>;

inline Contextual contextual(std::size_t dim, std::size_t heads, Logit logit) {
  return contextual_on_a_grid(
      dim, heads, 1,
      [logit = std::move(logit)](std::span<const double> q, std::span<const double> k, Coordinates i,
                                 Coordinates j, std::size_t head) { return logit(q, k, i[0], j[0], head); });
}

// A logit of what a query and a key become by themselves.
using Token = Function<std::vector<Real>(std::span<const double> x, Position t, bool is_key)>;
using LogitOfTokens = Function<Real(std::span<const Real> q, std::span<const Real> k)>;

inline Contextual contextual_of_tokens(std::size_t dim, Token token, LogitOfTokens logit) {
  Contextual out{.dim = dim};
  out.logits = [dim, token = std::move(token), logit = std::move(logit)](
                   const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys) {
    need_contents(dim, q, k, queries, keys);
    std::vector<std::vector<Real>> of_keys;
    for (std::size_t j = 0; j < keys.size(); ++j) of_keys.push_back(token(k.row(j), keys[j], true));
    Tensor logits({1, queries.size(), keys.size()});
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const std::vector<Real> query = token(q.row(i), queries[i], false);
      for (std::size_t j = 0; j < keys.size(); ++j)
        logits.at(i, j) = static_cast<double>(logit(query, of_keys[j]));
    }
    return logits;
  };
  return out;
}

// The logit of a query and a key of one call, and a channel of the value that this query finds at this key.
struct Pairwise {
  Function<Real(std::size_t i, std::size_t j)> logit;
  Function<Real(std::size_t i, std::size_t j, std::size_t c)> value;
};
using Paired = Function<Pairwise(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask)>;

// softmax(logits) values: Vaswani et al. 2017, section 3.2.1. The largest logit of a row is taken off first.
inline Attention attention(std::size_t dim, Paired paired) {
  Attention out{.dim = dim, .value_dim = dim};
  out.attend = [dim, paired = std::move(paired)](const Tensor& q, const Tensor& k, const Tensor& v,
                                                 const Mask& mask) {
    const Shape queries = {q.rows(), dim}, keys = {k.rows(), dim}, shown = {q.rows(), k.rows()};
    if (q.shape != queries || k.shape != keys || v.shape != keys || mask.shape != shown)
      throw std::invalid_argument(
          fmt::format("attention over {} and {} with values {} and a mask of {}; {}, {}, {} and {} were "
                      "expected",
                      text(q.shape), text(k.shape), text(v.shape), text(mask.shape), text(queries),
                      text(keys), text(keys), text(shown)));
    const Pairwise of = paired(q, k, v, mask);
    Tensor answer({q.rows(), dim});
    for (std::size_t i = 0; i < q.rows(); ++i) {
      std::vector<std::pair<std::size_t, Real>> seen;
      for (std::size_t j = 0; j < k.rows(); ++j)
        if (mask.at(i, j) != 0) seen.emplace_back(j, of.logit(i, j));
      if (seen.empty()) throw Refusal(fmt::format("query {} sees no key", i));
      Real most = seen.front().second, whole = 0;
      for (const auto& [j, logit] : seen) most = std::max(most, logit);
      for (auto& [j, logit] : seen) whole += logit = std::exp(logit - most);
      for (std::size_t c = 0; c < dim; ++c) {
        Real sum = 0;
        for (const auto& [j, weight] : seen) sum += weight * of.value(i, j, c);
        answer.at(i, c) = static_cast<double>(sum / whole);
      }
    }
    return answer;
  };
  return out;
}

}  // namespace posproof::inside
