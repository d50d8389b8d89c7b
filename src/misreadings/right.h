#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <type_traits>
#include <variant>

#include "core/error.h"
#include "core/function.h"
#include "core/parameter.h"
#include "core/spec.h"
#include "encodings/inside_attention.h"
#include "oracle/bias_bounds.h"

// What misreadings are made of: the right encoding, whose function is exchanged. Its bound of rounding errors
// is derived for the right formula. In a misread one a term may be several times as large, so four times as
// much is allowed: what is told apart differs by far more than rounding.
namespace posproof::misread {

using inside::Real;
using Make = Function<Encoding(const Parameters&)>;

constexpr double more = 4;

// The parameters, with standard values for those that are not given.
inline Arguments arguments(const EncodingSpec& spec, const Parameters& given) {
  return Arguments(spec.parameters, given);
}

template <class Kind>
Kind right(const EncodingSpec& spec, const Parameters& given) {
  Kind out = std::get<Kind>(spec.make(given));
  if constexpr (std::is_same_v<Kind, Rotary>) {
    if (out.error)
      out.error = [own = out.error](std::span<const double> x, std::span<const double> position, Role role,
                                    const Precision& precision, std::span<double> error) {
        own(x, position, role, precision, error);
        for (double& entry : error) entry *= more;
      };
  } else if constexpr (std::is_same_v<Kind, Bias>) {
    // Where the right entry is 0, its bound is, too: the misread one is rounded all the same.
    if (out.error)
      out.error = [own = out.error](std::size_t head, std::span<const double> query,
                                    std::span<const double> key, double entry, const Precision& precision) {
        const bias_bounds::Units u(precision);
        return more *
               (own(head, query, key, entry, precision) + (u.kept + u.work + u.narrowed) * std::abs(entry));
      };
  } else if constexpr (std::is_same_v<Kind, Attention>) {
    out = as_other_operators(std::move(out), more);
  } else if constexpr (requires { out.error; })
    if (out.error) out.error = [own = out.error](const auto&... of) { return more * own(of...); };
  if constexpr (requires { out.row_error; })
    if (out.row_error)
      out.row_error = [own = out.row_error](std::span<const double> position, std::span<const double> row,
                                            const Precision& precision, std::span<double> error) {
        own(position, row, precision, error);
        for (double& entry : error) entry *= more;
      };
  return out;
}

// Of the logit of one query and one key.
inline Encoding with_logit(const EncodingSpec& spec, const Parameters& given, inside::Logit logit) {
  Contextual out = right<Contextual>(spec, given);
  out.logits = inside::contextual(out.dim, out.heads, std::move(logit)).logits;
  return out;
}

inline Encoding with_tokens(const EncodingSpec& spec, const Parameters& given, inside::Token token,
                            inside::LogitOfTokens logit) {
  Contextual out = right<Contextual>(spec, given);
  out.logits = inside::contextual_of_tokens(out.dim, std::move(token), std::move(logit)).logits;
  return out;
}

inline Encoding with_pairs(const EncodingSpec& spec, const Parameters& given, inside::Paired paired) {
  Attention out = right<Attention>(spec, given);
  out.attend = inside::attention(out.dim, std::move(paired)).attend;
  return out;
}

// Of one entry of a bias at two positions of one number.
using Entry = Function<Real(std::size_t head, Position query, Position key)>;

inline Encoding with_entry(const EncodingSpec& spec, const Parameters& given, Entry entry) {
  Bias out = right<Bias>(spec, given);
  out.bias = [heads = out.heads, entry = std::move(entry)](const Positions& queries, const Positions& keys) {
    Tensor all({heads, queries.size(), keys.size()});
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j)
          all.at(h * queries.size() + i, j) = static_cast<double>(entry(h, queries[i], keys[j]));
    return all;
  };
  return out;
}

// Of what multiplies a pair at a position. What rotates stays as it is.
using Stretch = Function<Real(const Pair& pair, Real position, Role role)>;

inline Encoding with_stretch(const EncodingSpec& spec, const Parameters& given, Stretch stretch) {
  Rotary out = spec.make<Rotary>(given);
  const Rotary own = out;
  out.stretch_error = [own](const Pair& pair, double t, const Precision& precision) {
    return more * own.stretch_error(pair, t, precision);
  };
  out.stretch = [stretch](const Pair& pair, double t, Role role) {
    return static_cast<double>(stretch(pair, t, role));
  };
  out.rotate = [own, stretch](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor rotated = own.rotate(x, positions, role);
    const std::size_t n = x.shape[2];
    for (std::size_t row = 0; row < rotated.rows(); ++row) {
      const auto t = static_cast<double>(positions[row / (own.heads * n) * n + row % n]);
      for (const Pair& pair : own.pairs) {
        const Real by = stretch(pair, t, role) / own.stretch(pair, t, role);
        for (const std::size_t c : {pair.first, pair.second})
          rotated.at(row, c) = static_cast<double>(by * rotated.at(row, c));
      }
    }
    return rotated;
  };
  return out;
}

// Of the row at a position, whose numbers are one for each axis.
using Row = Function<void(std::span<const Real> position, std::span<double> row)>;

inline Encoding with_rows(Table table, Row row) {
  table.rows = [axes = table.positions.axes, dim = table.dim, row = std::move(row)](
                   const Positions& positions, Position) {
    Tensor rows({positions.size(), dim});
    std::vector<Real> numbers(axes);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      for (std::size_t axis = 0; axis < axes; ++axis) numbers[axis] = positions.at(r, axis);
      row(numbers, rows.row(r));
    }
    return rows;
  };
  return table;
}

// What several formulas have, or are taken to have.
template <int places>
Real small() {  // as 1e-6, which stands in for 0 or for 1
  return 1 / std::pow(Real{10}, Real{places});
}
inline Real softplus(Real x) {
  return std::max(x, Real{0}) + std::log1p(std::exp(-std::abs(x)));
}
inline Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}
inline Real positive_part(Real x) {
  return std::max(x, Real{0});
}
inline Real silu(Real x) {
  return x / (1 + std::exp(-x));
}
inline Real gelu(Real x) {
  return x * std::erfc(-x / std::numbers::sqrt2_v<Real>) / 2;
}
// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
inline Real gelu_by_tanh(Real x) {
  return x / 2 *
         (1 + std::tanh(std::numbers::sqrt2_v<Real> * std::numbers::inv_sqrtpi_v<Real> *
                        (x + Real{0.044715L} * x * x * x)));
}
inline Real exponential(Real x) {
  return std::exp(x);
}
inline Real itself(Real x) {
  return x;
}

inline auto plain_values(const Tensor& v) {
  return [&v](std::size_t, std::size_t j, std::size_t c) { return Real{v.at(j, c)}; };
}

}  // namespace posproof::misread
