#include "core/view.h"
#include "core/rotation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/error.h"
#include "core/term.h"

namespace posproof {
namespace {

using Row = std::span<const double>;

double dot(Row a, Row b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double absolute_dot(Row a, Row b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += std::abs(a[c] * b[c]);
  return sum;
}

// Our own dot product of two lists known exactly, in double: one rounding a product, one a sum.
double dot_error(Row a, Row b) {
  return term(Term::ours, (static_cast<double>(a.size()) + 1) * unit_f64 * absolute_dot(a, b));
}

// (a + da) . (b + db) - a . b, to first and second order.
double product_error(Row a, Row da, Row b, Row db) {
  return absolute_dot(a, db) + absolute_dot(da, b) + absolute_dot(da, db) + dot_error(a, b);
}

// Two tokens of one sequence, which is as long as the later of them needs: a code that depends on the length
// is asked for one length.
Tensor rows_of(const Table& table, Position i, Position j) {
  const std::array<Position, 2> at = {i, j};
  return table.rows(at, std::max(i, j) + 1);
}

std::vector<double> sum(Row content, Row row) {
  std::vector<double> out(content.begin(), content.end());
  for (std::size_t c = 0; c < out.size(); ++c) out[c] += row[c];
  return out;
}

Score of_table(const Table& table) {
  Score score{.dim = table.dim, .positions = table.positions};
  score.at = [table](Row q, Row k, Position i, Position j) {
    const Tensor rows = rows_of(table, i, j);
    return dot(sum(q, rows.row(0)), sum(k, rows.row(1)));
  };
  score.error = [table](Row q, Row k, Position i, Position j, const Precision& p) {
    const Tensor rows = rows_of(table, i, j);
    const auto a = sum(q, rows.row(0)), b = sum(k, rows.row(1));
    const RowErrors errors(table, p, RowErrors::Against::declared);
    std::vector<double> da(a.size()), db(b.size());
    errors.at(i, rows.row(0), da);
    errors.at(j, rows.row(1), db);
    for (std::size_t c = 0; c < a.size(); ++c) {  // the sums above are rounded as well
      da[c] += term(Term::ours, unit_f64 * std::abs(a[c]));
      db[c] += term(Term::ours, unit_f64 * std::abs(b[c]));
    }
    return product_error(a, da, b, db);
  };
  // No entry of the sum of a one and a row is larger than 1 + A.
  if (!table.pairs.empty())
    score.error_of_ones = [table](Position i, const Precision& p) {
      std::vector<double> off(table.dim);
      const std::vector<double> row(table.dim, table.amplitude), size(table.dim, 1 + table.amplitude);
      RowErrors(table, p, RowErrors::Against::declared).at(i + 3, row, off);
      return product_error(size, off, size, off);
    };
  return score;
}

Tensor rotated(const Rotary& rotary, Row x, Position t, Role role) {
  Tensor one({1, rotary.heads, 1, rotary.dim});
  for (std::size_t h = 0; h < rotary.heads; ++h) std::copy(x.begin(), x.end(), one.row(h).begin());
  const std::array<Position, 1> at = {t};
  return in_place(rotary, rotary.rotate(one, at, role));
}

// One pair as it was answered, and what it may be off by: its angle, its norm, and each channel's own
// rounding.
struct RoundedPair {
  double x, y, angle, norm_error, x_error, y_error;
  double norm = pair_norm(x, y), rest = pair_norm(x_error, y_error);

  // Of the whole point: a rotation by `angle` moves it by no more than twice its norm.
  double error() const { return std::min(2.0, angle) * norm + norm_error + rest; }
  // How far a product with the other factor, the point (a, b) as it was answered, may be off. The exact point
  // is e^(-i angle) (z - e) for the answer z and the rest e: e^(-i angle) z is off by angle |z x (a, b)|
  // along the circle and by angle^2 / 2 |z| |(a, b)| across it, and never by more than min(2, angle) |z| |(a,
  // b)|.
  double product_error(const RoundedPair& other) const {
    const double a = other.x, b = other.y, size = other.norm, both = norm * size;
    const double along = angle * std::abs(x * b - y * a) + angle * angle / 2 * both;
    return std::min(along, std::min(2.0, angle) * both) + norm_error * size + x_error * std::abs(a) +
           y_error * std::abs(b) + angle * rest * size;
  }
};

// Of a rotated pair whose content has that norm. As in rotation_error, but for the sum and the result, which
// are half the distance of neighbours at the answer (16 units further on: see RowErrors), and for 2 ulp of a
// sine or cosine of at most 1, which are 2 units below 1.
RoundedPair rounded(const Rotary& rotary, const Precision& p, Position t, Role role, const Pair& pair,
                    Row answer, double norm) {
  const double library = std::min(p.angle, p.table()), table = p.table() > p.angle ? p.table() : 0;
  const auto [factor, more] = stretched(rotary, p, pair, static_cast<double>(t), role);
  const double size = factor * norm;
  const auto stored = [&](double x) {
    const double at = std::abs(x) * (1 + 16 * p.work());
    return term(Term::sum, half_ulp(p.work(), at)) +
           term(Term::result, p.result > p.work() ? half_ulp(p.result, at) : 0);
  };
  const double products =
      std::numbers::sqrt2 * (term(Term::library, 2 * library) + term(Term::product, p.work())) +
      term(Term::table, table);
  return {answer[pair.first],
          answer[pair.second],
          angle_rounding(p, static_cast<double>(t), pair),
          size * ((1 + products) * (1 + more) - 1) + (norm == 0 ? 0 : rotation_underflow(p)),
          stored(answer[pair.first]),
          stored(answer[pair.second])};
}

// As in most pairs of what is drawn.
bool nothing_in(Row x, const Pair& pair) {
  return x[pair.first] == 0 && x[pair.second] == 0;
}

Score of_rotary(const Rotary& rotary) {
  Score score{.dim = rotary.dim, .positions = rotary.positions};
  score.at = [rotary](Row q, Row k, Position i, Position j) {
    return dot(rotated(rotary, q, i, Role::query).row(0), rotated(rotary, k, j, Role::key).row(0));
  };
  score.error = [rotary](Row q, Row k, Position i, Position j, const Precision& p) {
    // Rotating keeps the norm of a pair but for the amplitude, so the products of whole pairs bound the
    // products of channels.
    double error = dot_error(q, k);
    if (rotary.error) {
      const Tensor all_q = rotated(rotary, q, i, Role::query), all_k = rotated(rotary, k, j, Role::key);
      return product_error(all_q.row(0), rotated_error(rotary, p, i, q, Role::query), all_k.row(0),
                           rotated_error(rotary, p, j, k, Role::key));
    }
    const auto of_query = in_call(rotary, i), of_key = in_call(rotary, j);
    const double least = rotation_underflow(p);
    for (std::size_t n = 0; n < rotary.pairs.size(); ++n) {
      const Pair &pair = of_query->pairs[n], &key_pair = of_key->pairs[n];
      const double at_i = static_cast<double>(i), at_j = static_cast<double>(j);
      if (nothing_in(q, pair) && nothing_in(k, key_pair)) {  // all that follows, where there is nothing
        error += least * least;
        continue;
      }
      const Stretch more_i = stretched(*of_query, p, pair, at_i, Role::query),
                    more_j = stretched(*of_key, p, key_pair, at_j, Role::key);
      const double a = more_i.size * pair_norm(q[pair.first], q[pair.second]),
                   b = more_j.size * pair_norm(k[pair.first], k[pair.second]);
      const double product = a * b;
      const double of_i = rotation_error(p, at_i, pair);
      const bool same = at_i == at_j && &pair == &key_pair;
      const double ei = of_i + more_i.error,
                   ej = (same ? of_i : rotation_error(p, at_j, key_pair)) + more_j.error;
      error += product *
               (ei + ej + ei * ej + term(Term::ours, 2 * (static_cast<double>(q.size()) + 1) * unit_f64));
      // Underflow is absolute, and so times the other's norm.
      error += least * (a * (1 + ei) + b * (1 + ej) + least);
    }
    return error;
  };
  // What the subject is called for has no bound that is found without it.
  if (!rotary.error)
    score.error_of_ones = [error = score.error, dim = rotary.dim](Position i, const Precision& p) {
      const std::vector<double> ones(dim, 1.0);
      return error(ones, ones, i + 3, i + 3, p);
    };
  if (rotary.error) return score;
  score.measured = [rotary](Row q, Row k, Position i, Position j, const Precision& p) {
    const Tensor all_q = rotated(rotary, q, i, Role::query), all_k = rotated(rotary, k, j, Role::key);
    const Row a = all_q.row(0), b = all_k.row(0);
    double error = dot_error(a, b);
    const auto of_query = in_call(rotary, i), of_key = in_call(rotary, j);
    for (std::size_t n = 0; n < rotary.pairs.size(); ++n) {
      const Pair& pair = rotary.pairs[n];
      const double norm_q = pair_norm(q[pair.first], q[pair.second]),
                   norm_k = pair_norm(k[pair.first], k[pair.second]);
      const RoundedPair x = rounded(*of_query, p, i, Role::query, of_query->pairs[n], a, norm_q);
      const RoundedPair y = rounded(*of_key, p, j, Role::key, of_key->pairs[n], b, norm_k);
      error += x.product_error(y) + y.product_error(x) + x.error() * y.error();
    }
    return Score::Measured{dot(a, b), error};
  };
  // A pair's share of the logit lies between plus and minus the product of the norms; the tail's is always
  // the same. A factor that changes with the position has no bound.
  if (rotary.stretch || rotary.in_call) return score;
  score.range = [rotary](Row q, Row k) {
    double range = 0;
    for (const Pair& pair : rotary.pairs)
      if (!nothing_in(q, pair) && !nothing_in(k, pair))
        range += 2 * rotary.amplitude * rotary.amplitude * pair_norm(q[pair.first], q[pair.second]) *
                 pair_norm(k[pair.first], k[pair.second]);
    return range;
  };
  return score;
}

Score of_bias(const Bias& bias) {
  const auto one = [bias](Position i, Position j) {
    const std::array<Position, 1> query = {i}, key = {j};
    return bias.bias(query, key).data.at(0);
  };
  Score score{.dim = 4, .positions = bias.positions, .causal = bias.causal};
  score.at = [one](Row q, Row k, Position i, Position j) { return dot(q, k) + one(i, j); };
  const auto ours = [](Row q, Row k, double b) {
    return dot_error(q, k) + term(Term::ours, unit_f64 * (std::abs(dot(q, k)) + std::abs(b)));
  };
  score.error = [one, bias, ours](Row q, Row k, Position i, Position j, const Precision& p) {
    const double b = one(i, j);
    return bias_error(p, b, bias, 0, i, j) + ours(q, k, b);
  };
  score.measured = [one, bias, ours](Row q, Row k, Position i, Position j, const Precision& p) {
    const double b = one(i, j);
    return Score::Measured{dot(q, k) + b, bias_rounding(p, b, bias, 0, i, j) + ours(q, k, b)};
  };
  return score;
}

Score of_contextual(const Contextual& contextual) {
  Score score{.dim = contextual.dim, .positions = contextual.positions, .causal = contextual.causal};
  score.at = [contextual](Row q, Row k, Position i, Position j) {
    const std::array<Position, 1> query = {i}, key = {j};
    return contextual
        .logits(Tensor({1, q.size()}, {q.begin(), q.end()}), Tensor({1, k.size()}, {k.begin(), k.end()}),
                query, key)
        .data.at(0);
  };
  score.error = [contextual](Row q, Row k, Position i, Position j, const Precision& p) {
    return logit_error(contextual, q, k, i, j, p);
  };
  return score;
}

// Positions of one number, as those of a grid that are 0 on every other axis.
struct OnAxis {
  std::size_t axis, axes;

  std::vector<Position> operator()(const Positions& one) const {
    std::vector<Position> all(one.size() * axes, 0);
    for (std::size_t n = 0; n < one.size(); ++n) all[n * axes + axis] = one[n];
    return all;
  }

  Table of(Table table) const {
    table.rows = [*this, rows = table.rows](const Positions& one, Position length) {
      return rows({operator()(one), axes}, length);
    };
    for (Pair& pair : table.pairs)
      if (pair.axis != axis) pair.frequency = 0;
    if (table.row_error)
      table.row_error = [*this, error = table.row_error](std::span<const double> one, auto... rest) {
        error(numbers(one), rest...);
      };
    return table;
  }

  Rotary of(Rotary rotary) const {
    rotary.rotate = [*this, rotate = rotary.rotate](const Tensor& x, const Positions& one, Role role) {
      return rotate(x, {operator()(one), axes}, role);
    };
    if (rotary.error)
      rotary.error = [*this, error = rotary.error](std::span<const double> x, std::span<const double> one,
                                                   auto... rest) { error(x, numbers(one), rest...); };
    else
      std::erase_if(rotary.pairs, [&](const Pair& pair) { return pair.axis != axis; });
    return rotary;
  }

  Bias of(Bias bias) const {
    bias.bias = [*this, entries = bias.bias](const Positions& queries, const Positions& keys) {
      return entries({operator()(queries), axes}, {operator()(keys), axes});
    };
    if (bias.error)
      bias.error = [*this, error = bias.error](std::size_t head, std::span<const double> query,
                                               std::span<const double> key, auto... rest) {
        return error(head, numbers(query), numbers(key), rest...);
      };
    return bias;
  }

  Contextual of(Contextual contextual) const {
    contextual.logits = [*this, logits = contextual.logits](const Tensor& q, const Tensor& k,
                                                            const Positions& queries, const Positions& keys) {
      return logits(q, k, {operator()(queries), axes}, {operator()(keys), axes});
    };
    contextual.error = [*this, error = contextual.error](std::span<const double> q, std::span<const double> k,
                                                         std::span<const double> query,
                                                         std::span<const double> key, const Precision& p) {
      return error(q, k, numbers(query), numbers(key), p);
    };
    return contextual;
  }

  Attention of(Attention attention) const { return attention; }

 private:
  std::vector<double> numbers(std::span<const double> one) const {
    std::vector<double> all(axes, 0);
    all[axis] = one[0];
    return all;
  }
};

}  // namespace

Encoding on_axis(const Encoding& encoding, std::size_t axis) {
  const OnAxis on{axis, positions_of(encoding).axes};
  Encoding out = std::visit([&](const auto& kind) -> Encoding { return on.of(kind); }, encoding);
  std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.positions; }) kind.positions = kind.positions.on(axis);
        if constexpr (requires { kind.pairs; })
          for (Pair& pair : kind.pairs) pair.axis = 0;
        if constexpr (requires { kind.exact; }) kind.exact = {};
      },
      out);
  return out;
}

std::optional<Score> score(const Encoding& encoding) {
  struct {
    std::optional<Score> operator()(const Table& table) const { return of_table(table); }
    std::optional<Score> operator()(const Rotary& rotary) const { return of_rotary(rotary); }
    std::optional<Score> operator()(const Bias& bias) const { return of_bias(bias); }
    std::optional<Score> operator()(const Contextual& contextual) const { return of_contextual(contextual); }
    std::optional<Score> operator()(const Attention&) const { return std::nullopt; }
  } view;
  std::optional<Score> seen = std::visit(view, encoding);
  // Where no frequency or slope is known, a logit is as far from its own as from the exact one.
  if (seen && !seen->measured)
    seen->measured = [at = seen->at, error = seen->error](Row q, Row k, Position i, Position j,
                                                          const Precision& p) {
      return Score::Measured{at(q, k, i, j), error(q, k, i, j, p)};
    };
  return seen;
}

}  // namespace posproof
