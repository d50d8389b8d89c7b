#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "../bias/entries.h"
#include "../corners.h"
#include "../rotary/tokens.h"
#include "core/encoding.h"
#include "core/term.h"

// For negative examples: an encoding of each kind whose logits do not change with the position, or with the
// offset alone. Two heads where the kind has any, of which the first is the one whose logits are looked at.
namespace posproof::logits {

using namespace corners;

// A row that is the same at every position.
inline Table same_rows() {
  Table table{.dim = 2};
  table.rows = [](std::span<const Position> positions, Position) {
    return Tensor({positions.size(), 2}, std::vector<double>(2 * positions.size(), 1.0));
  };
  return table;
}

// A rotation by nothing.
inline Rotary unmoved() {
  return rotations::exact({}, {{0, 1, 0.0, 0}, {2, 3, 0.0, 1}});
}

// A penalty for each of the first eight positions of distance.
inline double penalty(Position i, Position j) {
  return static_cast<double>(std::min<Position>(std::abs(i - j), 8)) / 8;
}
inline Bias penalised() {
  return biases::bias_of(2, [](std::size_t, Position i, Position j) { return -1 - penalty(i, j); });
}
inline Contextual penalised_products() {
  Contextual contextual{.dim = 2, .heads = 2};
  contextual.logits = [](const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys) {
    Tensor out({2, queries.size(), keys.size()});
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c) {
        const std::size_t i = r % queries.size();
        const auto a = q.row(i), b = k.row(c);
        out.at(r, c) = std::inner_product(a.begin(), a.end(), b.begin(), -penalty(queries[i], keys[c]));
      }
    return out;
  };
  // One operation and one rounding of each product and of the penalty.
  contextual.error = [](std::span<const double> q, std::span<const double> k, std::span<const double> i,
                        std::span<const double> j, const Precision& p) {
    double size = penalty(static_cast<Position>(i[0]), static_cast<Position>(j[0]));
    for (std::size_t c = 0; c < q.size(); ++c) size += std::abs(q[c] * k[c]);
    return term(Term::own, 2 * p.result * size);
  };
  return contextual;
}

// Logits and biases have a key of their own. Of a table the rows of query and key are asked for at once, in
// that order; of a rotation one token at a time.
inline bool has_keys(const AnswerEntry& at) {
  return at.call->keys.size() != 0;
}
inline bool is_row_of_key(const AnswerEntry& at) {
  return at.tokens == 2 && at.token == 1;
}
inline bool of_even_key(const AnswerEntry& at) {
  if (has_keys(at)) return at.key_position % 2 == 0;
  return at.position % 2 == 0 && (is_row_of_key(at) || at.role == Role::key);
}
inline bool of_last_channel_of_even_key(const AnswerEntry& at) {
  return of_even_key(at) && at.in_last_channel();
}
inline bool of_odd_query(const AnswerEntry& at) {
  return at.position % 2 != 0 && at.role == Role::query && !is_row_of_key(at);
}
inline bool of_key_past_65536(const AnswerEntry& at) {
  return has_keys(at) ? at.key_position > 65536 : at.role == Role::key && past_65536(at);
}

}  // namespace posproof::logits
