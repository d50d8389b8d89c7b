#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "../bias/entries.h"
#include "../rotary/tokens.h"
#include "core/call.h"

// What the properties of calls have in common.
namespace posproof::calls {

using rotations::drawn_role;

inline bool names_positions(const Encoding& encoding) {
  return signature(encoding).positions;
}

// As many tokens as fit into a call whose contents are wide, at least and at most so many.
inline std::int64_t most_tokens(const Encoding& encoding, std::int64_t least, std::int64_t most) {
  if (!signature(encoding).has(Axis::batch)) return most;
  const std::size_t values = count(shape_of_answer(encoding, sequence(encoding, {0})));
  return std::clamp(static_cast<std::int64_t>(rotations::most_values / values), least, most);
}

// As many as a long call has, of so many batch rows: where keys are asked for with the queries, the answer
// grows with the square.
inline std::int64_t longest(const Encoding& encoding, std::size_t rows = 1) {
  const Call one = sequence(encoding, {0});
  std::size_t values = count(shape_of_answer(encoding, one));
  const auto most = static_cast<double>(values_of_a_long_call) / static_cast<double>(values * rows);
  return static_cast<std::int64_t>(signature(encoding).has(Axis::key) ? std::sqrt(most) : most);
}

// Consecutive from a first position on that is drawn under this name; of more tokens than usual as they are
// arranged.
inline std::vector<Position> drawn_positions(const Domain& domain, std::size_t n, std::int64_t usual,
                                             Draw& draw, std::string_view name,
                                             std::string_view suffix = "") {
  const auto last = domain.hi - (static_cast<Position>(n) - 1);
  if (n == 0) return {};
  if (static_cast<std::int64_t>(n) <= usual)
    return Arrangement{}.positions(n, draw.position(name, domain, domain.lo, last), domain);
  const Arrangement arrangement = draw_arrangement(n, draw, suffix);
  return arrangement.positions(n, draw.position(name, domain, domain.lo, std::max(domain.lo, last)), domain);
}

// Up to three, where there is a batch and room for it.
inline std::size_t drawn_rows(const Encoding& encoding, std::size_t n, Draw& draw) {
  if (!signature(encoding).has(Axis::batch)) return 1;
  const std::int64_t room = longest(encoding, std::max<std::size_t>(1, n));
  return static_cast<std::size_t>(draw.integer("batch", 1, std::clamp<std::int64_t>(room, 1, 3)));
}

// The same positions in every row of a batch; the contents differ.
inline std::vector<Position> in_every_row(const std::vector<Position>& positions, std::size_t rows) {
  std::vector<Position> all;
  for (std::size_t row = 0; row < rows; ++row) all.insert(all.end(), positions.begin(), positions.end());
  return all;
}

inline std::vector<std::size_t> indices(std::size_t from, std::size_t to) {
  std::vector<std::size_t> out(to - from);
  std::iota(out.begin(), out.end(), from);
  return out;
}

// Rows of tokens, each from a position of its own on.
inline Call drawn_batch(const Encoding& encoding, Draw& draw) {
  const Domain& domain = positions_of(encoding);
  const std::int64_t room = most_tokens(encoding, 1, 15);
  const auto rows = static_cast<std::size_t>(draw.integer("batch", 1, std::min<std::int64_t>(3, room)));
  const std::int64_t usual = std::clamp<std::int64_t>(room / static_cast<std::int64_t>(rows), 1, 5);
  const std::size_t n = draw.size("n", 1, usual, longest(encoding, rows));
  const bool many = static_cast<std::int64_t>(n) > usual;
  const Arrangement arrangement = many ? draw_arrangement(n, draw) : Arrangement{};
  const Position last = domain.hi - (static_cast<Position>(n) - 1);
  std::vector<Position> positions;
  for (std::size_t row = 1; row <= rows; ++row) {
    const Position first =
        draw.position(fmt::format("i{}", row), domain, domain.lo, many ? std::max(domain.lo, last) : last);
    const auto own = arrangement.positions(n, first, domain);
    positions.insert(positions.end(), own.begin(), own.end());
  }
  return sequence(encoding, std::move(positions), &draw, rows);
}

}  // namespace posproof::calls
