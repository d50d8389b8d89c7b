#include "tokens.h"

#include <numeric>

#include "catalogue/properties/rotary/inverts_at_the_opposite_position.h"

namespace posproof::properties_rotary_inverts_at_the_opposite_position {
namespace {

using namespace rotations;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Where positions may be negative: R_-t R_t = 1.
Residual directly(const Rotary& rotary, Precision p, const Tokens& token, Role role) {
  std::vector<Position> back;
  for (const Position t : token.positions) back.push_back(-t);
  if (std::any_of(back.begin(), back.end(),
                  [&](Position t) { return t < rotary.positions.lo || t > rotary.positions.hi; }))
    throw Discard{};
  const Tensor there = rotated(rotary, token.x, token.positions, role);
  const Tensor again = rotated(rotary, there, back, role);
  // Two rotations, the second of what the first has rounded (see composes).
  return compare(rotary, p, token, again, token.x, [&](const Pair& pair, std::size_t place) {
    const double one = rotation_rounding(p, static_cast<double>(token.positions[place]), pair);
    return (1 + one) * (1 + term(Term::result, p.input())) * (1 + one) - 1;
  });
}

// Where they may not, the inverse of a rotation is its transpose, and R_t^T R_(t+s) = R_s.
Residual transposed(const Rotary& rotary, Precision p, Draw& draw, const Tokens& token, Role role) {
  const Domain& domain = rotary.positions;
  const std::size_t n = token.x.shape[2];
  std::vector<Position> rest, sum;
  for (std::size_t b = 0; b < token.x.shape[0]; ++b) {
    const Position last = token.positions[b * n + n - 1];
    const Position s = draw.position(fmt::format("s{}", b + 1), domain, domain.lo, domain.hi - last);
    rest.insert(rest.end(), n, s);
    for (std::size_t c = 0; c < n; ++c) sum.push_back(token.positions[b * n + c] + s);
  }
  const Tokens other{draw.content("y", token.x.shape), rest};

  const Tensor x_at_t = rotated(rotary, token.x, token.positions, role);
  const Tensor y_at_sum = rotated(rotary, other.x, sum, role);
  const Tensor y_at_rest = rotated(rotary, other.x, rest, role);
  Residual worst{0, 0, 0};
  for (std::size_t r = 0; r < token.x.rows(); ++r) {
    const std::span<const double> x = token.x.row(r), y = other.x.row(r);
    const auto i = static_cast<double>(token.positions[token.place(r)]),
               s = static_cast<double>(rest[token.place(r)]);
    // Each product of two pairs is off by the errors of both rotations; the frequency's own error cancels
    // (see composes). Ours: dim products and sums in double on either side, at most dim + 1 roundings of sum
    // |x_c y_c|, which is no more than |x| |y|, and so are the products of the pairs' norms.
    double bound = 0;
    for (const Pair& pair : rotary.pairs) {
      const double left = rotation_rounding(p, i, pair), right = rotation_rounding(p, i + s, pair);
      const double a = pair_norm(x, pair), b = pair_norm(y, pair), least = rotation_underflow(p);
      bound += a * b * (left + right + left * right + rotation_rounding(p, s, pair));
      // Underflow, of the three rotated pairs: absolute, and so times the other pair's norm.
      bound += least * (a * (1 + left) + b * (1 + right) + a + least);
    }
    const double size = std::sqrt(dot(x, x) * dot(y, y));
    bound += term(Term::ours, 2 * (static_cast<double>(x.size()) + 1) * unit_f64) * (1 + bound) * size;
    worst = worse(worst,
                  difference(dot(x_at_t.row(r), y_at_sum.row(r)), dot(x, y_at_rest.row(r)), bound, 2 * size));
  }
  return worst;
}

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  const Tokens token = drawn_tokens(rotary, draw);
  const Role role = drawn_role(draw);
  if (all_zero(token.positions)) throw Discard{};  // is_identity_at_zero
  return rotary.positions.lo < 0 ? directly(rotary, p, token, role)
                                 : transposed(rotary, p, draw, token, role);
}

// Each case of positions of either sign asks twice: there and back.
bool is_first_call(const AnswerEntry& at) {
  return at.calls % 2 == 0;
}

Encoding with_tail_of_either_sign() {
  return exact({-8, 8}, neighbours(), 5);
}

Encoding even_in_the_position() {
  Rotary rotary = multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return rotation(pair, std::abs(token.t));
  });
  rotary.positions = {-1024, 1024};
  return rotary;
}

Encoding shrinking() {
  return multiplied_by(4, 2, neighbours(), [](const Pair& pair, const Rotated& token) {
    return rotation(pair, token.t) * std::exp(-1e-9L * static_cast<long double>(token.t));
  });
}

}  // namespace

const Property entry{
    .statement = "Rotating by the opposite position, which is what the transpose does, undoes a rotation.",
    .formula = "R_-t R_t = 1; from positions of one sign: <R_t x, R_(t+s) y> = <x, R_s y>",
    .source = "Su et al. 2021, RoFormer, eq. 16: R_m^T R_n = R_(n-m)",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject =
        joined({{"a rotation that ignores the sign of the position", &even_in_the_position},
                {"a rotation that also shrinks, by 1e-9 a position", &shrinking},
                off("the first answers of two", &of_either_sign, 0x1p-19, &is_first_call),
                off("rotated keys", &of_either_sign, -0x1p-19, &of_key),
                off("rotated queries", &near_zero, 0x1p-18, &of_query),
                off("tokens past position 65536", &slow, -0x1p-19, &past_65536),
                off("tokens at negative positions", &of_either_sign, 0x1p-19, &at_negative_position),
                off("channels in no pair", &with_tail, 0x1p-48, &is_last),
                off("channels in no pair", &with_tail_of_either_sign, 0x1p-22, &is_last)},
               joined(last_and_first(&near_zero, 0x1p-18, 0x1p-5),
                      last_and_first(&of_either_sign, 0x1p-19, 0x1p-5))),
};

}  // namespace posproof::properties_rotary_inverts_at_the_opposite_position
