#include "core/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/error.h"

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
  return (static_cast<double>(a.size()) + 1) * unit_f64 * absolute_dot(a, b);
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
      da[c] += unit_f64 * std::abs(a[c]);
      db[c] += unit_f64 * std::abs(b[c]);
    }
    return product_error(a, da, b, db);
  };
  return score;
}

Tensor rotated(const Rotary& rotary, Row x, Position t, Role role) {
  Tensor one({1, rotary.heads, 1, rotary.dim});
  for (std::size_t h = 0; h < rotary.heads; ++h) std::copy(x.begin(), x.end(), one.row(h).begin());
  const std::array<Position, 1> at = {t};
  return rotary.rotate(one, at, role);
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
      error += product * (ei + ej + ei * ej + 2 * (static_cast<double>(q.size()) + 1) * unit_f64);
      // Underflow is absolute, and so times the other's norm.
      error += least * (a * (1 + ei) + b * (1 + ej) + least);
    }
    return error;
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
  score.error = [one, slope = bias.slopes.empty() ? 0.0 : bias.slopes.front()](
                    Row q, Row k, Position i, Position j, const Precision& p) {
    const double b = one(i, j);
    return bias_error(p, b, slope, 1) + dot_error(q, k) + unit_f64 * (std::abs(dot(q, k)) + std::abs(b));
  };
  return score;
}

Score of_contextual(const Contextual& contextual) {
  Score score{.dim = contextual.dim, .positions = contextual.positions};
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
  return std::visit(view, encoding);
}

}  // namespace posproof
