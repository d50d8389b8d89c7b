#include "core/view.h"

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
  return rotary.rotate(one, at, role);
}

// One pair as it was answered, and what it may be off by: its angle, its norm, and each channel's own
// rounding.
struct RoundedPair {
  double x, y, angle, norm_error, x_error, y_error;

  double norm() const { return std::hypot(x, y); }
  // Of the whole point: a rotation by `angle` moves it by no more than twice its norm.
  double error() const { return std::min(2.0, angle) * norm() + norm_error + std::hypot(x_error, y_error); }
  // How far a product with the point (a, b), as the other factor was answered, may be off. The exact point is
  // e^(-i angle) (z - e) for the answer z and the rest e: e^(-i angle) z is off by angle |z x (a, b)| along
  // the circle and by angle^2 / 2 |z| |(a, b)| across it, and never by more than min(2, angle) |z| |(a, b)|.
  double product_error(double a, double b) const {
    const double size = std::hypot(a, b), both = norm() * size;
    const double along = angle * std::abs(x * b - y * a) + angle * angle / 2 * both;
    return std::min(along, std::min(2.0, angle) * both) + norm_error * size + x_error * std::abs(a) +
           y_error * std::abs(b) + angle * std::hypot(x_error, y_error) * size;
  }
};

// Of a rotated pair whose content has that norm. As in rotation_error, but for the sum and the result, which
// are half the distance of neighbours at the answer (16 units further on: see RowErrors), and for 2 ulp of a
// sine or cosine of at most 1, which are 2 units below 1.
RoundedPair rounded(const Rotary& rotary, const Precision& p, Position t, const Pair& pair, Row answer,
                    double norm) {
  const double library = std::min(p.angle, p.table()), table = p.table() > p.angle ? p.table() : 0;
  const double size = rotary.amplitude * norm;
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
          size * ((1 + products) * (1 + amplitude_error(rotary, p)) - 1) +
              (norm == 0 ? 0 : rotation_underflow(p)),
          stored(answer[pair.first]),
          stored(answer[pair.second])};
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
    for (const Pair& pair : rotary.pairs) {
      const double a = rotary.amplitude * std::hypot(q[pair.first], q[pair.second]),
                   b = rotary.amplitude * std::hypot(k[pair.first], k[pair.second]);
      const double product = a * b, least = rotation_underflow(p), more = amplitude_error(rotary, p);
      const double ei = rotation_error(p, static_cast<double>(i), pair) + more,
                   ej = rotation_error(p, static_cast<double>(j), pair) + more;
      error += product *
               (ei + ej + ei * ej + term(Term::ours, 2 * (static_cast<double>(q.size()) + 1) * unit_f64));
      // Underflow is absolute, and so times the other's norm.
      error += least * (a * (1 + ei) + b * (1 + ej) + least);
    }
    return error;
  };
  score.error_of_ones = [error = score.error, dim = rotary.dim](Position i, const Precision& p) {
    const std::vector<double> ones(dim, 1.0);
    return error(ones, ones, i + 3, i + 3, p);
  };
  score.measured = [rotary](Row q, Row k, Position i, Position j, const Precision& p) {
    const Tensor all_q = rotated(rotary, q, i, Role::query), all_k = rotated(rotary, k, j, Role::key);
    const Row a = all_q.row(0), b = all_k.row(0);
    double error = dot_error(a, b);
    for (const Pair& pair : rotary.pairs) {
      const RoundedPair x = rounded(rotary, p, i, pair, a, std::hypot(q[pair.first], q[pair.second]));
      const RoundedPair y = rounded(rotary, p, j, pair, b, std::hypot(k[pair.first], k[pair.second]));
      error += x.product_error(y.x, y.y) + y.product_error(x.x, x.y) + x.error() * y.error();
    }
    return Score::Measured{dot(a, b), error};
  };
  // A pair's share of the logit lies between plus and minus the product of the norms; the tail's is always
  // the same.
  score.range = [rotary](Row q, Row k) {
    double range = 0;
    for (const Pair& pair : rotary.pairs)
      range += 2 * rotary.amplitude * rotary.amplitude * std::hypot(q[pair.first], q[pair.second]) *
               std::hypot(k[pair.first], k[pair.second]);
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
    return bias_error(p, b, bias, 0) + ours(q, k, b);
  };
  score.measured = [one, ours, slope = bias.slopes.empty() ? 0.0 : bias.slopes.front()](
                       Row q, Row k, Position i, Position j, const Precision& p) {
    const double b = one(i, j);
    return Score::Measured{dot(q, k) + b, bias_rounding(p, b, slope) + ours(q, k, b)};
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
  score.error = contextual.error;
  return score;
}

}  // namespace

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
