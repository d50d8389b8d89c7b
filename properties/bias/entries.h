#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../corners.h"
#include "core/draw.h"
#include "core/encoding.h"
#include "core/error.h"
#include "core/failure.h"
#include "core/function.h"
#include "core/residual.h"
#include "core/term.h"

// What the properties of a bias have in common: the entries between some queries and keys.
namespace posproof::biases {

using namespace corners;

struct Entries {
  std::size_t heads, queries, keys;
  std::vector<double> data;

  double at(std::size_t h, std::size_t q, std::size_t k) const { return data[(h * queries + q) * keys + k]; }
};

// The subject's answer. One of another shape throws Failure.
inline Entries entries(const Bias& bias, const std::vector<Position>& queries,
                       const std::vector<Position>& keys) {
  const Shape asked = {bias.heads, queries.size(), keys.size()};
  Tensor b = bias.bias(queries, keys);
  if (b.shape != asked || b.data.size() != count(asked))
    throw Failure::of_shape("bias", text(asked), text(b.shape));
  return {bias.heads, queries.size(), keys.size(), std::move(b.data)};
}

// Declared, 0 where there is none: the entries come from a table.
inline double slope(const Bias& bias, std::size_t head) {
  return bias.slopes.empty() ? 0.0 : bias.slopes[head];
}

// Which side of the query a key may be on.
inline std::int64_t drawn_side(const Bias& bias, Draw& draw) {
  if (bias.causal) return -1;
  return std::get<std::string>(
             draw.one_of("side", {Value(std::string("past")), Value(std::string("future"))})) == "past"
             ? -1
             : 1;
}

// A query from which keys reach `distance` far to that side. The simplest has its farthest key at the first
// position.
inline Position drawn_query(const Bias& bias, Draw& draw, std::int64_t side, Position distance) {
  const Domain& domain = bias.positions;
  return side < 0 ? draw.position("i", domain, domain.lo + distance, domain.hi)
                  : draw.position("i", domain, domain.lo, domain.hi - distance);
}

// A query and two keys on one side of it, the first one nearer.
struct NearAndFar {
  Position query, near, far;
};

// What a head lacks of a fall from the near key to the far one, the two keys of the entries' first query.
//   - A head with a slope falls by slope * (far - near) but for rounding; one that does not fall at all lacks
//   all
//     of that, which is nothing where the slope is below the smallest number.
//   - Without declared slopes any fall will do, an equal entry is off by 1, and nothing is computed that
//   could be
//     rounded.
//   - So it is from the query's own key, where a bias brings a bound of its own; further away rounding may
//   make two
//     entries equal, and put them into the wrong order by no more than both bounds.
inline Residual lacking_fall(const Bias& bias, const Precision& p, const Entries& b, std::size_t head,
                             const NearAndFar& at) {
  const double near = b.at(head, 0, 0), far = b.at(head, 0, 1), fall = near - far, m = slope(bias, head);
  if (!bias.slopes.empty()) {
    const double due = m * static_cast<double>(std::abs(at.far - at.near));
    const double bound =
        bias_rounding(p, near, m) + bias_rounding(p, far, m) + bias_error(p, due, bias, head);
    return {fall > 0 ? 0.0 : due - fall, bound, due};
  }
  if (bias.error && at.near != at.query)
    return excess(far, near,
                  bias_error(p, near, bias, head, at.query, at.near) +
                      bias_error(p, far, bias, head, at.query, at.far));
  return {fall > 0 ? 0.0 : fall < 0 ? -fall : 1.0 - fall, units_apart(p.result, near), 1};
}

// Distances as they matter to a bias: all of its domain, or as far as twice the largest distance where it
// declares buckets, sought where one of them may end.
inline Domain distances(const Bias& bias) {
  Domain domain{0, bias.positions.hi - bias.positions.lo};
  if (!bias.buckets) return domain;
  domain.hi = std::min(domain.hi, 2 * static_cast<Position>(bias.buckets->max_distance));
  const double count =
      static_cast<double>(bias.buckets->bidirectional ? bias.buckets->count / 2 : bias.buckets->count);
  const double e = std::floor(count / 2), range = static_cast<double>(bias.buckets->max_distance) / e;
  for (double s = 0; s <= count - e; ++s) {
    const auto edge = static_cast<Position>(std::lround(e * std::pow(range, s / (count - e))));
    for (Position n = edge - 1; n <= edge + 1; ++n)
      domain.hard.push_back(std::clamp(n, domain.lo, domain.hi));
  }
  return domain;
}

// For negative examples: a bias of `heads` heads, head h counted from 0.
inline Bias bias_of(std::size_t heads, Function<double(std::size_t h, Position i, Position j)> entry) {
  Bias bias{.heads = heads};
  bias.bias = [heads, entry = std::move(entry)](std::span<const Position> queries,
                                                std::span<const Position> keys) {
    Tensor b({heads, queries.size(), keys.size()});
    std::size_t at = 0;
    for (std::size_t h = 0; h < heads; ++h)
      for (const Position i : queries)
        for (const Position j : keys) b.data[at++] = entry(h, i, j);
    return b;
  };
  return bias;
}

// What is right: two heads that fall along a straight line, their slopes powers of the first; and two whose
// entries are a table of the distance's bucket.
inline Bias sloped() {
  Bias bias = bias_of(2, [](std::size_t h, Position i, Position j) {
    return -(h == 0 ? 0.5 : 0.25) * static_cast<double>(std::abs(i - j));
  });
  bias.slopes = {0.5, 0.25};
  return bias;
}
inline Bias tabled() {
  return bias_of(2, [](std::size_t h, Position i, Position j) {
    return static_cast<double>(std::min<Position>(std::abs(i - j), 16) + static_cast<Position>(h) + 1);
  });
}
inline Bias tabled_and_causal() {
  Bias bias = tabled();
  bias.causal = true;
  return bias;
}

// Without slopes any fall will do.
inline Encoding hardly_falling() {
  return bias_of(2, [](std::size_t, Position i, Position j) {
    return -1 - 0x1p-50 * static_cast<double>(std::abs(i - j));
  });
}

inline bool is_second_key(const AnswerEntry& at) {
  return at.key == 1;
}
inline bool is_third_key(const AnswerEntry& at) {
  return at.key == 2;
}
// Of two keys, the near one first.
inline bool is_far_and_ahead(const AnswerEntry& at) {
  return is_second_key(at) && at.key_position > at.position;
}
inline bool is_far_and_behind(const AnswerEntry& at) {
  return is_second_key(at) && at.key_position < at.position;
}

// One head that falls by `step` with every position of distance.
inline Bias falling(double step) {
  return bias_of(1, [step](std::size_t, Position i, Position j) {
    return -step * static_cast<double>(std::abs(i - j));
  });
}

}  // namespace posproof::biases
