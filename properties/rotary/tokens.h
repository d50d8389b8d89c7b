#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "../corners.h"
#include "core/draw.h"
#include "core/encoding.h"
#include "core/error.h"
#include "core/failure.h"
#include "core/function.h"
#include "core/residual.h"
#include "core/rotation.h"
#include "core/term.h"

// What the properties of a rotation have in common: a batch of tokens to rotate, and how two answers are
// compared.
namespace posproof::rotations {

using namespace corners;

// x is [batch, heads, n, dim]; positions has one entry for each token of each batch row.
struct Tokens {
  Tensor x;
  std::vector<Position> positions;

  // The entry of `positions` for row r of x.
  std::size_t place(std::size_t r) const {
    const std::size_t heads = x.shape[1], n = x.shape[2];
    return r / (heads * n) * n + r % n;
  }
};

// The most values in one drawn batch: two tokens of a model with 32 heads of 128 channels.
constexpr std::size_t most_values = 8192;

inline Shape token_shape(const Rotary& rotary, Draw& draw, std::size_t most_tokens = 5) {
  const std::size_t room = std::max<std::size_t>(1, most_values / (rotary.heads * rotary.dim));
  const auto most = [](std::size_t limit) { return static_cast<std::int64_t>(limit); };
  const auto batch = static_cast<std::size_t>(draw.integer("batch", 1, most(std::min<std::size_t>(3, room))));
  const auto n = static_cast<std::size_t>(
      draw.integer("n", 1, most(std::clamp<std::size_t>(room / batch, 1, most_tokens))));
  return {batch, rotary.heads, n, rotary.dim};
}

// Consecutive positions from i1 in the first batch row, from i2 in the second, ...
inline std::vector<Position> consecutive(const Domain& domain, const Shape& shape, Draw& draw) {
  std::vector<Position> positions;
  const auto n = static_cast<Position>(shape[2]);
  for (std::size_t b = 0; b < shape[0]; ++b) {
    const Position start = draw.position(fmt::format("i{}", b + 1), domain, domain.lo, domain.hi - (n - 1));
    for (Position c = 0; c < n; ++c) positions.push_back(start + c);
  }
  return positions;
}

inline Tokens drawn_tokens(const Rotary& rotary, Draw& draw) {
  const Shape shape = token_shape(rotary, draw);
  std::vector<Position> positions = consecutive(rotary.positions, shape, draw);
  return {draw.content("x", shape), std::move(positions)};
}

inline Role drawn_role(Draw& draw) {
  const Value role = draw.one_of("role", {Value(std::string("query")), Value(std::string("key"))});
  return std::get<std::string>(role) == "query" ? Role::query : Role::key;
}

inline bool all_zero(const auto& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](auto number) { return number == 0; });
}

// The subject's answer. One of another shape throws Failure.
inline Tensor rotated(const Rotary& rotary, const Tensor& x, std::span<const Position> positions, Role role) {
  Tensor y = rotary.rotate(x, positions, role);
  if (y.shape != x.shape || y.data.size() != x.data.size())
    throw Failure::of_shape("rotate", text(x.shape), text(y.shape));
  return in_place(rotary, std::move(y));
}

inline double pair_norm(std::span<const double> x, const Pair& pair) {
  return posproof::pair_norm(x[pair.first], x[pair.second]);
}

// The larger of the two roles' factors, with its error.
inline Stretch stretched_more(const Rotary& rotary, const Precision& p, const Pair& pair, double position) {
  const Stretch query = stretched(rotary, p, pair, position, Role::query),
                key = stretched(rotary, p, pair, position, Role::key);
  return query.size > key.size ? query : key;
}

// Two answers for the same tokens, channel by channel. `allowed(pair, place)` is the allowance of a pair of
// norm 1 in the token at that place; what multiplies it, where it is not 1, errs once in each of two answers.
// Channels in no pair are not touched, so they may not differ. Two vectors of the same norm are at most 2
// norms apart. Underflow is not relative to the norm: at most three rotations are compared, one of them of
// what another gave.
inline Residual compare(const Rotary& rotary, const Precision& p, const Tokens& tokens, const Tensor& there,
                        const Tensor& here,
                        const Function<double(const Pair& pair, std::size_t place)>& bound) {
  Residual worst{0, 0, 0};
  std::vector<double> error(rotary.dim), norm(rotary.dim);
  const double underflow = 3 * rotation_underflow(p);
  std::optional<Stretch> of_all;  // where it is the same everywhere
  if (!rotary.stretch && !rotary.pairs.empty()) of_all = stretched_more(rotary, p, rotary.pairs.front(), 0);
  bool says_something = false;
  for (std::size_t r = 0; r < tokens.x.rows(); ++r) {
    const auto x = tokens.x.row(r), a = there.row(r), b = here.row(r);
    for (std::size_t c = 0; c < x.size(); ++c)
      error[c] = units_apart(p.result, x[c]), norm[c] = std::abs(x[c]);
    const std::size_t place = tokens.place(r);
    const auto t = static_cast<double>(tokens.positions[place]);
    for (const Pair& pair : rotary.pairs) {
      const auto [size, more] = of_all ? *of_all : stretched_more(rotary, p, pair, t);
      const double of_pair = size * pair_norm(x, pair);
      norm[pair.first] = norm[pair.second] = of_pair;
      // Nothing is off where there is nothing, as in most pairs of what is drawn.
      error[pair.first] = error[pair.second] =
          of_pair == 0 ? 0 : of_pair * (bound(pair, place) + 2 * more) + underflow;
    }
    for (std::size_t c = 0; c < x.size(); ++c) {
      // Equal channels, as most are in most cases, are no worse than anything that says something.
      if (a[c] == b[c] && error[c] >= 0 && says_something) continue;
      worst = worse(worst, difference(a[c], b[c], error[c], 2 * norm[c]));
      says_something = !worst.holds() || !worst.vacuous();
    }
  }
  return worst;
}

// For negative examples: a rotation given by the complex number that each pair, as first + i second, is
// multiplied with.
struct Rotated {
  std::size_t batch, head;
  Position t;
  Role role;
};
using Factor = Function<std::complex<long double>(const Pair& pair, const Rotated& token)>;

inline Rotary multiplied_by(std::size_t dim, std::size_t heads, std::vector<Pair> pairs, Factor factor) {
  Rotary rotary{.dim = dim, .heads = heads, .pairs = pairs};
  rotary.rotate = [pairs = std::move(pairs), factor = std::move(factor)](
                      const Tensor& x, std::span<const Position> positions, Role role) {
    const std::size_t heads_now = x.shape[1], n = x.shape[2];
    Tensor y = x;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const std::size_t batch = r / (heads_now * n);
      const Rotated token{batch, r / n % heads_now, positions[batch * n + r % n], role};
      for (const Pair& pair : pairs) {
        const std::complex<long double> z(x.at(r, pair.first), x.at(r, pair.second));
        const std::complex<long double> w = z * factor(pair, token);
        y.at(r, pair.first) = static_cast<double>(w.real());
        y.at(r, pair.second) = static_cast<double>(w.imag());
      }
    }
    return y;
  };
  return rotary;
}

// e^{i t w}, what a rotation multiplies a pair with.
inline std::complex<long double> rotation(const Pair& pair, Position t) {
  const long double angle = static_cast<long double>(t) * pair.frequency;
  return {std::cos(angle), std::sin(angle)};
}

// Four channels in two pairs, the second a hundred times slower, as neighbours (0, 1) (2, 3) or halves (0, 2)
// (1, 3).
inline std::vector<Pair> neighbours() {
  return {{0, 1, 1.0, 0}, {2, 3, 0.01, 1}};
}
inline std::vector<Pair> halves() {
  return {{0, 2, 1.0, 0}, {1, 3, 0.01, 1}};
}

// What is right: a rotation, of two heads.
inline Rotary exact(Domain positions, std::vector<Pair> pairs = neighbours(), std::size_t dim = 4) {
  Rotary rotary = multiplied_by(dim, 2, std::move(pairs), [](const Pair& pair, const Rotated& token) {
    return rotation(pair, token.t);
  });
  rotary.positions = std::move(positions);
  return rotary;
}
// What is allowed grows with the angle, so little is wrong by more than that at small ones only.
inline Rotary near_zero() {
  return exact({0, 8});
}
inline Rotary of_either_sign() {
  return exact({-8, 8});
}
// At most 1.05 radians in a million positions.
inline Rotary slow() {
  return exact({}, {{0, 1, 1e-6, 0}, {2, 3, 1e-7, 1}});
}
// Where the angle does not matter.
inline Rotary quick() {
  return exact({});
}
// The fifth channel is in no pair.
inline Rotary with_tail() {
  return exact({0, 8}, neighbours(), 5);
}

}  // namespace posproof::rotations
