#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "core/function.h"
#include "core/property.h"
#include "core/spoiled.h"

// Tables that are wrong by little, to be refuted, and the right ones that they are made from.
namespace posproof::negative_examples {

constexpr Precision in_bf16{unit_f32, unit_bf16}, in_f16{unit_f32, unit_f16};

// What one pair holds, first its sine column, second its cosine, at position t of a sequence of n tokens. Its
// angle is pair.frequency * t where it is right.
using Code = Function<std::array<double, 2>(const Pair& pair, Position t, Position n)>;

inline std::array<double, 2> right(double angle) {
  return {std::sin(angle), std::cos(angle)};
}

// A table of interleaved pairs of these frequencies that holds what `row` says. Outside its positions, and in
// a sequence that is too short for them, it holds no numbers.
inline Table of_pairs(const std::vector<double>& frequencies, Domain domain, Code row) {
  Table table{.dim = 2 * frequencies.size(), .positions = std::move(domain)};
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    table.pairs.push_back({2 * i, 2 * i + 1, frequencies[i], i});
  table.rows = [lo = table.positions.lo, hi = table.positions.hi, pairs = table.pairs, row = std::move(row)](
                   std::span<const Position> positions, Position n) {
    Tensor rows({positions.size(), 2 * pairs.size()});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (const Pair& pair : pairs) {
        const Position t = positions[r];
        const bool there = lo <= t && t <= hi && t < n;
        const double none = std::numeric_limits<double>::quiet_NaN();
        const auto [sine, cosine] = there ? row(pair, t, n) : std::array{none, none};
        rows.at(r, pair.first) = sine;
        rows.at(r, pair.second) = cosine;
      }
    return rows;
  };
  return table;
}

// A sinusoidal table of even width, base 10000, interleaved, that holds what `row` says instead.
inline Table ladder(std::size_t dim, Code row, Domain domain = {}) {
  std::vector<double> frequencies;
  for (std::size_t i = 0; 2 * i < dim; ++i)
    frequencies.push_back(std::pow(10000.0, -2.0 * double(i) / double(dim)));
  return of_pairs(frequencies, std::move(domain), std::move(row));
}

// A ladder whose angles alone are wrong.
inline Table ladder_of_angles(std::size_t dim, Function<double(const Pair&, double t, double n)> angle,
                              Domain domain = {}) {
  return ladder(
      dim,
      [angle = std::move(angle)](const Pair& pair, Position t, Position n) {
        return right(angle(pair, static_cast<double>(t), static_cast<double>(n)));
      },
      std::move(domain));
}

inline std::array<double, 2> right_pair(const Pair& pair, Position t, Position) {
  return right(pair.frequency * static_cast<double>(t));
}
inline Table right_ladder(std::size_t dim, Domain domain = {}) {
  return ladder(dim, &right_pair, std::move(domain));
}

// Without declared pairs: entry c of the row of position t in a sequence of n tokens.
inline Table plain(std::size_t dim, Domain positions,
                   Function<double(std::size_t c, double t, double n)> entry) {
  Table table{.dim = dim, .positions = std::move(positions)};
  table.rows = [dim, entry = std::move(entry)](std::span<const Position> at, Position n) {
    Tensor rows({at.size(), dim});
    for (std::size_t r = 0; r < at.size(); ++r)
      for (std::size_t c = 0; c < dim; ++c)
        rows.at(r, c) = entry(c, static_cast<double>(at[r]), static_cast<double>(n));
    return rows;
  };
  return table;
}

// How a negative example is made, for lists of them: a right table of which every entry there is 1 + by times
// as large.
using Made = Function<Encoding()>;
using Where = Function<bool(const AnswerEntry& at)>;

inline Made larger(Table right, double by, Where where) {
  return [=] {
    return spoiled(right,
                   [=](const AnswerEntry& at, double exact) { return where(at) ? exact * (1 + by) : exact; });
  };
}
inline Made last_larger(Table right, double by) {
  return [=] { return last_entry_larger(right, by); };
}
inline Made first_larger(Table right, double by) {
  return [=] { return first_entry_larger(right, by); };
}
inline Where at_position(Position t) {
  return [=](const AnswerEntry& at) { return at.position == t; };
}
inline Where in_length(Position n) {
  return [=](const AnswerEntry& at) { return at.call->length == n; };
}
// One pair whose row of that position is longer. On the fewest positions that a statement can be asked of,
// each of them is drawn.
inline Made row_longer(Domain domain, Position which, double by) {
  return larger(right_ladder(2, std::move(domain)), by, at_position(which));
}
// One pair whose rows are longer in sequences of that length.
inline Made longer_in_length(Domain domain, Position n, double by) {
  return larger(right_ladder(2, std::move(domain)), by, in_length(n));
}
// Positions of 0 to 15 of two pairs, so that angles are small.
inline Table small() {
  return right_ladder(4, {0, 15});
}
// A small ladder whose angles alone are wrong, by `off` in each pair at each position.
inline Made angles_off(Function<double(const Pair& pair, Position t, Position n)> off,
                       Domain domain = {0, 15}) {
  return [=] {
    return ladder(
        4,
        [=](const Pair& pair, Position t, Position n) {
          return right(pair.frequency * static_cast<double>(t) + off(pair, t, n));
        },
        domain);
  };
}
// Small, every entry that of a right table times a factor.
inline Made sizes(Function<double(const Pair& pair, Position t, Position n)> size, Domain domain = {0, 15}) {
  return [=] {
    return ladder(
        4,
        [=](const Pair& pair, Position t, Position n) {
          const auto [sine, cosine] = right_pair(pair, t, n);
          return std::array{size(pair, t, n) * sine, size(pair, t, n) * cosine};
        },
        domain);
  };
}
// Rows that grow by e^by a position.
inline Made spiral(double by, Domain domain = {}) {
  return sizes([by](const Pair&, Position t, Position) { return std::exp(by * double(t)); }, domain);
}
// One pair is longer from position 9 on.
inline Made one_pair_longer(std::size_t which, double by) {
  return sizes(
      [=](const Pair& pair, Position t, Position) { return pair.index == which && t > 8 ? 1 + by : 1; });
}

// Equal rows, where the declared pair puts neighbours that far apart.
inline Made equal_neighbours(double frequency, Domain domain = {0, 15}) {
  return
      [=] { return of_pairs({frequency}, domain, [](const Pair&, Position, Position) { return right(0); }); };
}

// Right but for one row, which is another's. A pair so slow that rounding nearly hides the step between
// neighbours makes it wrong by little.
inline Made repeated_row(double frequency, Domain domain, Position which, Position other) {
  return [=] {
    return of_pairs({frequency}, domain, [=](const Pair& pair, Position t, Position n) {
      return right_pair(pair, t == which ? other : t, n);
    });
  };
}

}  // namespace posproof::negative_examples
