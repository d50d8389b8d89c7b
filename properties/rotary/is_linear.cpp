#include "tokens.h"

#include "catalogue/properties/rotary/is_linear.h"
#include "core/by_row.h"

namespace posproof::properties_rotary_is_linear {
namespace {

using namespace rotations;

// Both to whole numbers, up to 16, of one power of two: the sums below have at most 7 bits, so they are exact
// in every format that a subject may be given them in.
void coarsen(Tensor& x, Tensor& y) {
  double most = 0;
  for (const Tensor* all : {&x, &y})
    for (const double value : all->data) most = std::max(most, std::abs(value));
  int exponent = 0;
  std::frexp(most, &exponent);
  const double unit = std::ldexp(1.0, exponent - 4);
  for (Tensor* all : {&x, &y})
    for (double& value : all->data) value = std::round(value / unit) * unit;
}

Residual check(const Rotary& rotary, Precision p, Draw& draw) {
  Tokens token = drawn_tokens(rotary, draw);
  Tensor y = draw.content("y", token.x.shape);
  coarsen(token.x, y);
  if (all_zero(y.data)) throw Discard{};
  const double factor = std::get<double>(draw.one_of("f", {1.0, -1.0, 0.5, 3.0}));
  const Role role = drawn_role(draw);

  Tokens sum = token;
  for (std::size_t c = 0; c < y.data.size(); ++c) sum.x.data[c] += factor * y.data[c];
  const Tensor turned_sum = rotated(rotary, sum.x, token.positions, role);
  const Tensor turned_x = rotated(rotary, token.x, token.positions, role);
  const Tensor turned_y = rotated(rotary, y, token.positions, role);

  // Of a sum of contents: it is rounded once by us and the sum of the answers twice, and again by the
  // subject, where the format that it is given in cannot hold it.
  const double ours = term(Term::ours, 3 * unit_f64), given = term(Term::result, p.input());
  Residual worst{0, 0, 0};
  std::vector<double> expected(y.width()), bound(y.width()), size(y.width());
  for (std::size_t r = 0; r < y.rows(); ++r) {
    const std::span<const double> a = token.x.row(r), b = y.row(r), s = sum.x.row(r);
    for (std::size_t c = 0; c < a.size(); ++c) {
      expected[c] = turned_x.at(r, c) + factor * turned_y.at(r, c);
      size[c] = std::abs(a[c]) + std::abs(factor * b[c]);
      bound[c] = (ours + given) * size[c];
    }
    const auto own = in_row(rotary, token.positions, token.x.shape[0], token.place(r) / token.x.shape[2]);
    for (const Pair& pair : own->pairs) {
      // All three are rotated by one angle, so its error cancels, and each rotation is rounded as at position
      // 0. Underflow is absolute, once for each rotation.
      const double t = static_cast<double>(token.positions[token.place(r)]);
      const auto [multiple, more] = stretched(*own, p, pair, t, role);
      const double both = multiple * (pair_norm(a, pair) + std::abs(factor) * pair_norm(b, pair));
      const double each = rotation_rounding(p, 0, pair) + more;
      size[pair.first] = size[pair.second] = both;
      bound[pair.first] = bound[pair.second] =
          each * (both + multiple * pair_norm(s, pair)) + (ours + given) * both * (1 + each) +
          (both == 0 ? 0 : (2 + std::abs(factor)) * rotation_underflow(p));
    }
    for (std::size_t c = 0; c < a.size(); ++c)
      worst = worse(worst, difference(turned_sum.at(r, c), expected[c], bound[c], 2 * size[c]));
  }
  return worst;
}

// What comes in is bent by a billionth of its square.
Encoding bent() {
  const Rotary exact = multiplied_by(
      4, 2, neighbours(), [](const Pair& pair, const Rotated& token) { return rotation(pair, token.t); });
  Rotary rotary = exact;
  rotary.rotate = [exact](Tensor x, std::span<const Position> positions, Role role) {
    for (double& value : x.data) value += 1e-9 * value * value;
    return exact.rotate(x, positions, role);
  };
  return rotary;
}

// What is positive there is larger by that.
NegativeExample bent_where(const char* what, const Make& right, double by, const Where& where,
                           const Precision& precision = all_f32) {
  NegativeExample example = off(what, right, by, where, precision);
  example.wrong += ", where they are positive";
  example.make = [=] {
    return spoiled(right(), [=](const AnswerEntry& at, double exact) {
      return where(at) && exact > 0 ? exact * (1 + by) : exact;
    });
  };
  return example;
}

// Each case asks three times: for the sum, and for either term.
bool is_of_second_term(const AnswerEntry& at) {
  return at.calls % 3 == 2;
}

Encoding shifted() {
  const Rotary exact = multiplied_by(
      4, 2, neighbours(), [](const Pair& pair, const Rotated& token) { return rotation(pair, token.t); });
  Rotary rotary = exact;
  rotary.rotate = [exact](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor y = exact.rotate(x, positions, role);
    y.data.back() += 1e-12;
    return y;
  };
  return rotary;
}

}  // namespace

const Property entry{
    .statement = "Rotating is linear: a sum of tokens is rotated as its terms are.",
    .formula = "R_t (x + f y) = R_t x + f R_t y",
    .source = "Su et al. 2021, RoFormer, eq. 14: R_t is a matrix",
    .checks = {CheckOf<Rotary>(&check)},
    .must_reject = {{"a rotation of x + 1e-9 x^2", &bent},
                    {"a rotation that adds 1e-12 to the last channel of the last token", &shifted},
                    off("the answers for the second term", &near_zero, 0x1p-19, &is_of_second_term),
                    bent_where("the last entries of all answers", &near_zero, 0x1p-19, &is_last),
                    bent_where("the first entries of all answers", &near_zero, -0x1p-19, &is_first),
                    bent_where("the last entries of all answers", &near_zero, -0x1p-5, &is_last, in_bf16),
                    bent_where("the first entries of all answers", &near_zero, 0x1p-5, &is_first, in_bf16),
                    bent_where("rotated keys", &near_zero, 0x1p-19, &of_key),
                    bent_where("rotated queries", &near_zero, -0x1p-19, &of_query),
                    bent_where("tokens past position 65536", &quick, 0x1p-19, &past_65536),
                    bent_where("tokens at negative positions", &of_either_sign, 0x1p-19,
                               &at_negative_position),
                    bent_where("channels in no pair", &with_tail, -0x1p-22, &is_last),
                    bent_where("channels in no pair", &with_tail, 0x1p-6, &is_last, in_bf16)},
};

}  // namespace posproof::properties_rotary_is_linear
