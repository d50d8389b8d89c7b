#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../rotary/tokens.h"
#include "core/call.h"
#include "core/function.h"
#include "core/property.h"

// What the properties of positions with several numbers have in common: tokens at places of a grid, what an
// encoding answers to them, and encodings that are wrong there.
namespace posproof::grid {

using rotations::drawn_role;

using Numbers = std::vector<Position>;  // a number for each axis

inline bool is_table_or_rotation(const Encoding& encoding) {
  return positions_of(encoding).axes > 1 && signature(encoding).has(Axis::token);
}
inline bool is_table(const Encoding& encoding) {
  return is_table_or_rotation(encoding) && !signature(encoding).role;
}
inline bool is_rotation(const Encoding& encoding) {
  return is_table_or_rotation(encoding) && signature(encoding).role;
}

// Every number drawn under its own name: `i`, `i_1`, ...
inline Numbers drawn_place(const Domain& domain, std::string_view name, Draw& draw,
                           const std::vector<std::pair<Position, Position>>& between = {}) {
  Numbers place;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const std::string own = axis == 0 ? std::string(name) : fmt::format("{}_{}", name, axis);
    const auto [lo, hi] = between.empty() ? std::pair(domain.lo, domain.last(axis)) : between[axis];
    place.push_back(draw.position(own, domain, lo, hi));
  }
  return place;
}

// Drawn so that it can be added to all of these.
inline Numbers drawn_shift(const Domain& domain, const std::vector<Numbers>& places, std::string_view name,
                           Draw& draw) {
  std::vector<std::pair<Position, Position>> between;
  for (std::size_t axis = 0; axis < domain.axes; ++axis) {
    const auto number = [axis](const Numbers& place) { return place[axis]; };
    between.emplace_back(0, domain.last(axis) - std::ranges::max(places, {}, number)[axis]);
  }
  return drawn_place(domain, name, draw, between);
}

inline Numbers sum(Numbers a, const Numbers& b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) a[axis] += b[axis];
  return a;
}

// One batch row of tokens there. Every head of a rotation is given the same: a content a token.
inline Call call_at(const Encoding& encoding, const std::vector<Numbers>& places, Role role = Role::query,
                    const std::vector<std::vector<double>>& contents = {}) {
  Call call{.positions = {.axes = positions_of(encoding).axes}, .role = role};
  for (const Numbers& place : places)
    call.positions.whole.insert(call.positions.whole.end(), place.begin(), place.end());
  call.length = last_of(call.positions).value_or(-1) + 1;
  if (signature(encoding).role) {
    Tensor x(shape_of_content(encoding, call, 0));
    for (std::size_t r = 0; r < x.rows(); ++r)
      std::ranges::copy(contents[r % places.size()], x.row(r).begin());
    call.contents = {std::move(x)};
  }
  return call;
}

// An answer and how far each of its entries may be off.
struct Answered {
  Tensor values, error;
};
inline Answered answered(const Encoding& encoding, const Call& call, const Precision& p) {
  Tensor values = answer(encoding, call);
  Tensor error = bound(encoding, call, values, p, InProportionTo::pair).error;
  return {std::move(values), std::move(error)};
}

// What the norm of a pair may be off by in a row of such errors, in both of its channels: a rotation hands it
// on.
inline void spread_over_pairs(const std::vector<Pair>& pairs, std::span<double> error) {
  for (const Pair& pair : pairs)
    error[pair.first] = error[pair.second] = std::hypot(error[pair.first], error[pair.second]);
}

// ---- for negative examples

using corners::in_bf16;

// Two pairs for each number of a position; angles within two radians, and exact in f32.
inline std::vector<Pair> slow_pairs(std::size_t axes = 2) {
  std::vector<Pair> pairs;
  for (std::size_t axis = 0; axis < axes; ++axis)
    for (std::size_t j = 0; j < 2; ++j) {
      const std::size_t first = 4 * axis + 2 * j;
      pairs.push_back({.first = first,
                       .second = first + 1,
                       .frequency = j == 0 ? 0x1p-3 : 0x1p-4,
                       .index = j,
                       .axis = axis});
    }
  return pairs;
}

inline Domain small_grid(std::size_t axes = 2) {
  Domain domain(0, 15);
  domain.axes = axes;
  return domain;
}

// The angle of a pair at a place; right is frequency times the number of its axis.
using AngleAt = Function<double(const Pair& pair, std::span<const Position> place)>;
inline double right_angle(const Pair& pair, std::span<const Position> place) {
  return pair.frequency * static_cast<double>(place[pair.axis]);
}

inline Rotary rotation(const AngleAt& angle, std::vector<Pair> of, std::size_t axes) {
  Rotary rotary{.dim = 2 * of.size(), .heads = 2, .positions = small_grid(axes), .pairs = std::move(of)};
  rotary.rotate = [angle, pairs = rotary.pairs, axes](const Tensor& x, const Positions& positions, Role) {
    const std::size_t heads_now = x.shape[1], n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const std::size_t token = r / (heads_now * n) * n + r % n;
      const auto place = positions.flat().subspan(token * axes, axes);
      for (const Pair& pair : pairs) {
        const auto by = static_cast<long double>(angle(pair, place));
        const std::complex<long double> z(x.at(r, pair.first), x.at(r, pair.second));
        const auto w = z * std::polar(1.0L, by);
        y.at(r, pair.first) = static_cast<double>(w.real());
        y.at(r, pair.second) = static_cast<double>(w.imag());
      }
    }
    return y;
  };
  return rotary;
}

inline Rotary rotation(const AngleAt& angle = &right_angle, std::size_t axes = 2) {
  return rotation(angle, slow_pairs(axes), axes);
}

inline Table table(const AngleAt& angle = &right_angle, std::size_t axes = 2) {
  Table out{.dim = 4 * axes, .positions = small_grid(axes), .pairs = slow_pairs(axes)};
  out.rows = [angle, pairs = out.pairs, axes](const Positions& positions, Position) {
    Tensor rows({positions.size(), 4 * axes});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (const Pair& pair : pairs) {
        const double by = angle(pair, positions.flat().subspan(r * axes, axes));
        rows.at(r, pair.first) = std::sin(by);
        rows.at(r, pair.second) = std::cos(by);
      }
    return rows;
  };
  return out;
}

inline Encoding right_rotation() {
  return rotation();
}
inline Encoding right_rotation_of_three() {
  return rotation(&right_angle, 3);
}

// Four pairs of two numbers in turn, each slower than the one before by the same ratio: one ladder.
inline std::vector<Pair> pairs_in_turn() {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < 4; ++i)
    pairs.push_back({.first = 2 * i,
                     .second = 2 * i + 1,
                     .frequency = std::ldexp(1.0, -4 - 2 * static_cast<int>(i)),
                     .index = i,
                     .axis = i % 2});
  return pairs;
}
inline Encoding right_rotation_in_turn() {
  return rotation(&right_angle, pairs_in_turn(), 2);
}

inline Encoding right_table() {
  return table();
}
inline Encoding right_table_of_three() {
  return table(&right_angle, 3);
}

inline bool of_key_past_row_7(const AnswerEntry& at) {
  return at.role == Role::key && at.position > 7;
}
inline bool of_query_past_row_7(const AnswerEntry& at) {
  return at.role == Role::query && at.position > 7;
}

// Each number is right alone; together they add to the angles.
inline NegativeExample product_in_angles(bool of_table, double by, const Precision& p) {
  const AngleAt angle = [by](const Pair& pair, std::span<const Position> place) {
    return right_angle(pair, place) + by * static_cast<double>(place[0] * place[1]);
  };
  return {fmt::format("a {} whose angles grow by 2^{} of the product of both numbers, in {}",
                      of_table ? "table" : "rotation", std::ilogb(by), p == in_bf16 ? "bf16" : p.word()),
          [=]() -> Encoding {
            if (of_table) return table(angle);
            return rotation(angle);
          },
          p};
}

}  // namespace posproof::grid
