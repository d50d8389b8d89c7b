// The residuals of the statements about rotations, computed by hand: an answer is wrong in one entry, each in
// turn, and that is what is found, with what is allowed there and how wrong it could have been.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/inverts_at_the_opposite_position.h"
#include "catalogue/properties/rotary/is_identity_at_zero.h"
#include "catalogue/properties/rotary/is_linear.h"
#include "catalogue/properties/rotary/layouts_agree_after_one_permutation.h"
#include "catalogue/properties/rotary/leaves_the_tail_untouched.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "catalogue/properties/rotary/preserves_pair_norms.h"
#include "catalogue/properties/rotary/role_does_not_matter.h"
#include "core/function.h"
#include "search/testing/residuals.h"
#include "tokens.h"

namespace posproof::rotary_residuals_test {
namespace {

using namespace rotations;
using namespace properties::rotary;
using namespace residuals;

constexpr double u = unit_f32;
constexpr double wrong_by = 0x1p-4;

// Two batch rows, two heads, two tokens, five channels of which the last is in no pair. Angles are exact:
// frequencies are powers of two.
constexpr std::size_t rows = 8, width = 5;
const std::vector<Pair> two_pairs = {{0, 2, 0.5, 0}, {3, 1, 0.125, 1}};
Rotary subject(Domain positions) {
  return exact(std::move(positions), two_pairs, width);
}

// Whole sixteenths below 1, no two pairs of the same norm.
std::vector<double> contents(double first) {
  std::vector<double> x;
  for (std::size_t k = 0; k < rows * width; ++k)
    x.push_back((k % 2 == 0 ? 1 : -1) * std::fmod(first + static_cast<double>(k * k % 13 + k % 3), 16.0) /
                16);
  return x;
}

std::size_t place(std::size_t row) {  // of the token of that row among the positions
  return row / 4 * 2 + row % 2;
}
bool is_tail(std::size_t channel) {
  return channel == 4;
}
const Pair& pair_of(std::size_t channel) {
  return channel == 0 || channel == 2 ? two_pairs[0] : two_pairs[1];
}
double norm(std::span<const double> x, std::size_t row, const Pair& pair) {
  return std::hypot(x[row * width + pair.first], x[row * width + pair.second]);
}

// A rotation in f32 beside its angle, and with the rounding of an angle: half the distance of neighbours.
const double beside_angle = (1 + 4 * std::numbers::sqrt2 * u) * (1 + std::numbers::sqrt2 * u) * (1 + u) - 1;
double half_ulp_of(double angle) {
  return angle == 0 ? 0 : std::ldexp(u, std::ilogb(std::abs(angle)));
}
double rounding(double t, const Pair& pair) {
  return beside_angle + half_ulp_of(t * pair.frequency);
}
// And with the error of the frequency: a power, and its exponent; the position and the product.
double declared_error(double t, const Pair& pair) {
  return beside_angle + std::abs(t * pair.frequency) * (4 + 3 * std::abs(std::log(pair.frequency)) + 2) * u;
}

// Entry number `entry` of the answer to call number `call` is off.
Encoding wrong_in(const Rotary& right, std::size_t call, std::size_t entry) {
  return spoiled(right, [call, entry](const AnswerEntry& at, double exact) {
    const std::size_t row = (at.batch * at.heads + at.head) * at.tokens + at.token;
    return at.calls == call && row * at.channels + at.channel == entry ? exact + wrong_by : exact;
  });
}

// What our own arithmetic in double may lose is too little to be seen beside f32: it is multiplied by this.
constexpr double visible = 0x1p20;
constexpr double our_unit = visible * unit_f64;

Case drawn(std::string_view words, std::vector<double> x, std::vector<double> y = {}) {
  Case out = Case::parse(fmt::format("batch=2 n=2 {}", words));
  out.set("x", std::move(x));
  if (!y.empty()) out.set("y", std::move(y));
  return out;
}

// Of statements that compare two answers channel by channel.
void expect_each(const Property& property, const Rotary& right, std::size_t call, const Case& words,
                 const Function<double(std::size_t place, const Pair& pair)>& bound) {
  const std::vector<double> x = std::get<std::vector<double>>(*words.find("x"));
  for (std::size_t entry = 0; entry < x.size(); ++entry) {
    SCOPED_TRACE(fmt::format("call {}, entry {}", call, entry));
    const std::size_t row = entry / width, channel = entry % width;
    const Residual found = replayed(property, wrong_in(right, call, entry), words);
    if (is_tail(channel)) {
      expect(found, wrong_by, 0, 2 * std::abs(x[entry]));
    } else {
      const double size = norm(x, row, pair_of(channel));
      expect(found, wrong_by, size * bound(place(row), pair_of(channel)), 2 * size);
    }
  }
}

const std::vector<double> at = {2, 3, 8, 9};  // i1=2 i2=8

TEST(Composes, finds_each_entry_with_the_bound_of_its_three_rotations) {
  const std::vector<double> t = {1, 1, 4, 4};
  expect_each(composes, subject({0, 16}), 2, drawn("i1=2 i2=8 t1=1 t2=4 role=key", contents(1)),
              [&](std::size_t n, const Pair& pair) {
                return (1 + rounding(at[n], pair)) * (1 + u) * (1 + rounding(t[n], pair)) - 1 +
                       rounding(at[n] + t[n], pair);
              });
}

TEST(Composes, moves_on_as_far_as_the_domain_goes) {
  const auto moved = [](int i, int t) {
    return replayed(composes, exact({-8, 8}, {{0, 1, 1.0}}, 2),
                    fmt::format("batch=1 n=2 i1={} x=[1,0,0,1,1,0,0,1] t1={} role=query", i, t));
  };
  for (const auto& [i, t] : {std::pair{2, 5}, {2, -8}, {-5, -3}, {-5, 8}, {7, -8}, {-8, 8}})
    EXPECT_TRUE(moved(i, t).holds()) << i << " " << t;
  for (const auto& [i, t] : {std::pair{2, 6}, {2, -9}, {-5, -4}, {-5, 9}, {7, 1}, {-8, -1}})
    EXPECT_THROW(moved(i, t), NoAnswer) << i << " " << t;
  EXPECT_THROW(moved(2, 0), Discard);
}

TEST(InvertsAtTheOppositePosition, finds_each_entry_with_the_bound_of_there_and_back) {
  expect_each(inverts_at_the_opposite_position, subject({-16, 16}), 1,
              drawn("i1=2 i2=8 role=key", contents(1)), [](std::size_t n, const Pair& pair) {
                return (1 + rounding(at[n], pair)) * (1 + u) * (1 + rounding(at[n], pair)) - 1;
              });
}

TEST(InvertsAtTheOppositePosition, goes_back_inside_the_domain_only) {
  const auto inverted = [](Position lo, Position hi, int i) {
    return replayed(inverts_at_the_opposite_position, exact({lo, hi}, {{0, 1, 1.0}}, 2),
                    fmt::format("batch=1 n=1 i1={} x=[1,0,0,1] role=query", i));
  };
  EXPECT_TRUE(inverted(-4, 8, 4).holds());
  EXPECT_TRUE(inverted(-8, 4, -4).holds());
  EXPECT_THROW(inverted(-4, 8, 5), Discard);
  EXPECT_THROW(inverted(-8, 4, -5), Discard);
  EXPECT_THROW(inverted(-8, 8, 0), Discard);
}

// From positions of one sign: products of two tokens. An entry that is wrong counts as much as what it is
// multiplied with.
TEST(InvertsAtTheOppositePosition, finds_each_entry_of_a_product_with_the_bound_of_its_three_rotations) {
  const ScaledTerm ours(Term::ours, visible);
  const Rotary right = subject({0, 16});
  const std::vector<double> x = contents(1), y = contents(6), rest = {3, 3, 5, 5};
  const Case words = drawn("i1=2 i2=8 s1=3 s2=5 role=query", x, y);
  const std::vector<Position> positions = {2, 3, 8, 9}, sum = {5, 6, 13, 14};
  const Tensor shaped({2, 2, 2, 5}, x), other({2, 2, 2, 5}, y);
  const std::vector<Tensor> with = {rotated(right, other, sum, Role::query),
                                    rotated(right, shaped, positions, Role::query), shaped};
  for (std::size_t call = 0; call < 3; ++call)
    for (std::size_t entry = 0; entry < x.size(); ++entry) {
      SCOPED_TRACE(fmt::format("call {}, entry {}", call, entry));
      const std::size_t row = entry / width, n = place(row);
      double bound = 0, squares_x = 0, squares_y = 0;
      for (const Pair& pair : two_pairs) {
        const double left = rounding(at[n], pair), right_one = rounding(at[n] + rest[n], pair);
        bound += norm(x, row, pair) * norm(y, row, pair) *
                 (left + right_one + left * right_one + rounding(rest[n], pair));
      }
      for (std::size_t c = row * width; c < (row + 1) * width; ++c)
        squares_x += x[c] * x[c], squares_y += y[c] * y[c];
      const double size = std::sqrt(squares_x * squares_y);
      bound += 2 * 6 * our_unit * (1 + bound) * size;
      const double error = std::abs(with[call].data[entry]) * wrong_by;
      if (error < 2 * bound) continue;
      expect(replayed(inverts_at_the_opposite_position, wrong_in(right, call, entry), words), error, bound,
             2 * size);
    }
  EXPECT_THROW(replayed(inverts_at_the_opposite_position, right, drawn("i1=2 i2=8 s1=14 s2=5", x, y)),
               NoAnswer);
  EXPECT_TRUE(replayed(inverts_at_the_opposite_position, right, drawn("i1=2 i2=8 s1=13 s2=7 role=key", x, y))
                  .holds());
  EXPECT_THROW(replayed(inverts_at_the_opposite_position, right, drawn("i1=2 i2=8 s1=13 s2=8", x, y)),
               NoAnswer);
}

// Ours alone, where nothing rotates: twice the number of channels and one more.
TEST(InvertsAtTheOppositePosition, allows_for_our_own_products) {
  const ScaledTerm ours(Term::ours, visible);
  const Rotary still = exact({0, 16}, {}, 3);
  expect(replayed(inverts_at_the_opposite_position, wrong_in(still, 0, 0),
                  "batch=1 n=1 i1=2 s1=3 x=[0.5,0,0,0,0,0] y=[0.25,0,0,0,0,0] role=key"),
         0.25 * wrong_by, 2 * 4 * our_unit * 0.125, 0.25);
}

// In f16 each rotated pair is off by another 2^-24 sqrt 2, times what it is multiplied with.
TEST(InvertsAtTheOppositePosition, allows_for_three_underflows_in_f16) {
  const ScaledTerm ours(Term::ours, visible);
  const double h = unit_f16, root = std::numbers::sqrt2, least = 0x1p-24 * root;
  const double own = (1 + 4 * root * h) * (1 + root * h) * (1 + h) - 1;
  const double left = own + h, right = own + 2 * h, rest = own + h;  // angles of 1, 2 and 1
  const double a = 0x1p-10, b = 0x1p-8, both = a * b;
  const double bound =
      both * (left + right + left * right + rest) + least * (a * (1 + left) + b * (1 + right) + a + least);
  expect(replayed(inverts_at_the_opposite_position, wrong_in(exact({0, 16}, {{0, 1, 1.0}}, 2), 2, 0),
                  "batch=1 n=1 i1=1 s1=1 x=[0.0009765625,0,0,0] y=[0.00390625,0,0,0] role=key",
                  Precision{unit_f16, unit_f16}),
         a * wrong_by, bound + 2 * 3 * our_unit * (1 + bound) * both, 2 * both);
}

TEST(IsIdentityAtZero, finds_each_entry_with_the_bound_of_a_rotation_by_nothing) {
  expect_each(is_identity_at_zero, subject({-4, 4}), 0, drawn("role=key", contents(1)),
              [](std::size_t, const Pair&) { return beside_angle; });
}

TEST(IsIdentityAtZero, finds_a_first_channel_that_is_in_no_pair) {
  const Rotary one = exact({0, 16}, {{1, 2, 1.0}}, 3);
  for (const std::size_t token : {0u, 1u})
    expect(replayed(is_identity_at_zero, wrong_in(one, 0, 3 * token),
                    "batch=1 n=2 x=[0.25,1,1,0.5,1,1,0*6] role=key"),
           wrong_by, 0, token == 0 ? 0.5 : 1);
}

TEST(IsIdentityAtZero, asks_for_position_zero_where_there_is_one) {
  for (const Domain& without : {Domain(1, 8), Domain(-8, -1)})
    EXPECT_THROW(replayed(is_identity_at_zero, subject(without), drawn("role=key", contents(1))),
                 Inapplicable);
  for (const Domain& with : {Domain(0, 8), Domain(-8, 0)})
    EXPECT_TRUE(replayed(is_identity_at_zero, subject(with), drawn("role=key", contents(1))).holds());
}

TEST(IsLinear, finds_each_entry_of_the_sum_and_of_either_term) {
  const ScaledTerm ours(Term::ours, visible);
  const std::vector<double> x = contents(1), y = contents(6);
  const double f = 3;
  const Case words = drawn("i1=2 i2=8 f=3 role=key", x, y);
  std::vector<double> sum(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) sum[k] = x[k] + f * y[k];
  Rotary right = subject({0, 16});
  const std::vector<double> factors = {1, 1, f};
  for (std::size_t call = 0; call < 3; ++call)
    for (std::size_t entry = 0; entry < x.size(); ++entry) {
      SCOPED_TRACE(fmt::format("call {}, entry {}", call, entry));
      const std::size_t row = entry / width, channel = entry % width;
      const Residual found = replayed(is_linear, wrong_in(right, call, entry), words);
      const Pair& pair = pair_of(channel);
      const double both = is_tail(channel) ? std::abs(x[entry]) + f * std::abs(y[entry])
                                           : norm(x, row, pair) + f * norm(y, row, pair);
      const double of_sum = 3 * our_unit + u;
      expect(found, factors[call] * wrong_by,
             is_tail(channel)
                 ? of_sum * both
                 : beside_angle * (both + norm(sum, row, pair)) + of_sum * both * (1 + beside_angle),
             2 * both);
    }
}

TEST(IsLinear, asks_for_sums_that_every_format_holds) {
  std::vector<std::vector<double>> given;
  Rotary rotary{.dim = 2, .heads = 1, .pairs = {{0, 1, 1.0}}};
  rotary.rotate = [&given](const Tensor& x, std::span<const Position>, Role) {
    given.push_back(x.data);
    return x;
  };
  // The largest is 3, so all become multiples of 2^(2-4): 0.375 is halfway, and rounded away from 0.
  EXPECT_TRUE(
      replayed(is_linear, rotary, "batch=1 n=1 i1=0 x=[1,0.375] y=[-3,0.265625] f=0.5 role=key").holds());
  EXPECT_EQ(given, (std::vector<std::vector<double>>{{-0.5, 0.625}, {1, 0.5}, {-3, 0.25}}));
  // What is 0 then adds nothing.
  EXPECT_THROW(replayed(is_linear, rotary, "batch=1 n=1 i1=0 x=[1,0] y=[0.015625,0] f=1"), Discard);
  for (const char* f : {"1", "-1", "0.5", "3"})
    EXPECT_TRUE(replayed(is_linear, rotary, fmt::format("batch=1 n=1 i1=0 x=[1,0] y=[1,0] f={} role=key", f))
                    .holds());
  EXPECT_THROW(replayed(is_linear, rotary, "batch=1 n=1 i1=0 x=[1,0] y=[1,0] f=2"), NoAnswer);
}

// In f16 each of three answers is off by another 2^-24 sqrt 2, that of the second term times its factor.
TEST(IsLinear, allows_for_an_underflow_of_each_answer_in_f16) {
  const double h = unit_f16, root = std::numbers::sqrt2;
  const double own = (1 + 4 * root * h) * (1 + root * h) * (1 + h) - 1;
  for (const double f : {-1.0, 3.0})
    expect(replayed(
               is_linear, wrong_in(exact({0, 16}, {{0, 1, 1.0}}, 2), 0, 0),
               fmt::format("batch=1 n=1 i1=0 x=[0.0009765625,0,0,0] y=[0.0009765625,0,0,0] f={} role=key", f),
               Precision{unit_f16, unit_f16}),
           wrong_by,
           0x1p-10 * (own * (1 + std::abs(f) + std::abs(1 + f)) + h * (1 + std::abs(f)) * (1 + own)) +
               (2 + std::abs(f)) * 0x1p-24 * root,
           2 * 0x1p-10 * (1 + std::abs(f)));
}

TEST(LayoutsAgree, finds_each_entry_with_the_error_of_the_declared_frequency) {
  const ScaledTerm ours(Term::ours, visible);
  // Contents are drawn in that layout: the subject's pairs are (0, 2) and (3, 1), and its tail is 4.
  const std::vector<double> stands = {-9, -8, 2, 3};
  const std::vector<std::pair<const char*, std::array<std::size_t, width>>> layouts = {
      {"neighbours", {0, 3, 1, 2, 4}}, {"halves", {0, 3, 2, 1, 4}}};
  for (const auto& [layout, from] : layouts) {
    const std::vector<double> own = contents(1);
    std::vector<double> given(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) given[k / width * width + from[k % width]] = own[k];
    const Case words = drawn(fmt::format("pairs={} i1=-9 i2=2 role=key", layout), given);
    const Rotary right = subject({-16, 16});
    EXPECT_TRUE(replayed(layouts_agree_after_one_permutation, right, words, all_f64).holds());
    for (std::size_t entry = 0; entry < own.size(); ++entry) {
      SCOPED_TRACE(fmt::format("{}, entry {}", layout, entry));
      const std::size_t row = entry / width, channel = entry % width;
      const Residual found = replayed(layouts_agree_after_one_permutation, wrong_in(right, 0, entry), words);
      const Pair& pair = pair_of(channel);
      const double size = norm(own, row, pair), t = stands[place(row)];
      if (is_tail(channel))
        expect(found, wrong_by, 0, 2 * std::abs(own[entry]));
      else
        expect(found, wrong_by,
               size * (declared_error(t, pair) + 2 * our_unit * (std::abs(t * pair.frequency) + 1)),
               2 * size);
    }
  }
}

// Pairs (4, 1) and (2, 0) and a tail in the middle: no channel is where it was drawn.
TEST(LayoutsAgree, carries_every_channel) {
  const Rotary right = exact({0, 16}, {{4, 1, 0.5, 0}, {2, 0, 0.125, 1}}, width);
  for (const char* layout : {"neighbours", "halves"})
    for (std::size_t zero = 0; zero <= width; ++zero) {  // on one axis of its pair alone; at last none is
      std::vector<double> x = contents(1);
      for (std::size_t k = zero; zero < width && k < x.size(); k += width) x[k] = 0;
      EXPECT_TRUE(replayed(layouts_agree_after_one_permutation, right,
                           drawn(fmt::format("pairs={} i1=2 i2=8 role=key", layout), x), all_f64)
                      .holds())
          << zero;
    }
  EXPECT_THROW(replayed(layouts_agree_after_one_permutation, right, drawn("pairs=other", contents(1))),
               NoAnswer);
}

TEST(LeavesTheTailUntouched, finds_each_entry_of_the_tail_and_no_other) {
  const std::vector<double> x = contents(1);
  const Case words = drawn("i1=2 i2=8 role=key", x);
  const Rotary right = exact({0, 16}, {{3, 1, 1.0}}, width);
  for (std::size_t entry = 0; entry < x.size(); ++entry) {
    const Residual found = replayed(leaves_the_tail_untouched, wrong_in(right, 0, entry), words);
    const bool rotates = entry % width == 1 || entry % width == 3;
    if (rotates)
      EXPECT_TRUE(found.holds()) << entry;
    else
      expect(found, wrong_by, 0, no_ceiling);
  }
  EXPECT_THROW(replayed(leaves_the_tail_untouched, near_zero(), words), Inapplicable);
}

TEST(PreservesNorm, finds_each_entry_with_the_bound_of_the_whole_token) {
  const ScaledTerm ours(Term::ours, visible);
  const std::vector<double> x = contents(1);
  const Case words = drawn("i1=2 i2=8 role=key", x);
  const Rotary right = subject({0, 16});
  const std::vector<Position> positions = {2, 3, 8, 9};
  const Tensor y = rotated(right, Tensor({2, 2, 2, 5}, x), positions, Role::key);
  for (std::size_t entry = 0; entry < x.size(); ++entry) {
    SCOPED_TRACE(entry);
    const std::size_t row = entry / width;
    double before = 0;
    for (std::size_t c = 0; c < width; ++c) before += x[row * width + c] * x[row * width + c];
    const double after = before + wrong_by * (2 * y.data[entry] + wrong_by);
    const double size = std::sqrt(before), bound = size * (beside_angle + 8 * our_unit);
    if (std::abs(std::sqrt(after) - size) > 2 * bound)
      expect(replayed(preserves_norm, wrong_in(right, 0, entry), words), std::abs(std::sqrt(after) - size),
             bound, size);
  }
}

// In f16 each of two pairs is off by another 2^-24 sqrt 2, in its own direction.
TEST(PreservesNorm, allows_for_the_underflow_of_all_pairs_in_f16) {
  const double h = unit_f16, root = std::numbers::sqrt2;
  const double own = (1 + 4 * root * h) * (1 + root * h) * (1 + h) - 1;
  expect(replayed(preserves_norm, wrong_in(near_zero(), 0, 0), "batch=1 n=1 i1=0 x=[0.5,0*7] role=key",
                  Precision{unit_f16, unit_f16}),
         wrong_by, 0.5 * (own + 7 * unit_f64) + 0x1p-24 * root * root, 0.5);
}

TEST(PreservesPairNorms, finds_each_entry_of_a_pair_with_the_bound_of_that_pair) {
  const ScaledTerm ours(Term::ours, visible);
  const std::vector<double> x = contents(1);
  const Case words = drawn("i1=2 i2=8 role=key", x);
  const Rotary right = subject({0, 16});
  const std::vector<Position> positions = {2, 3, 8, 9};
  const Tensor y = rotated(right, Tensor({2, 2, 2, 5}, x), positions, Role::key);
  for (std::size_t entry = 0; entry < x.size(); ++entry) {
    SCOPED_TRACE(entry);
    const Residual found = replayed(preserves_pair_norms, wrong_in(right, 0, entry), words);
    if (is_tail(entry % width)) {
      EXPECT_TRUE(found.holds());
      continue;
    }
    const double size = norm(x, entry / width, pair_of(entry % width));
    const double after = std::sqrt(size * size + wrong_by * (2 * y.data[entry] + wrong_by));
    const double bound = size * (beside_angle + 4 * our_unit);
    if (std::abs(after - size) > 2 * bound) expect(found, std::abs(after - size), bound, size);
  }
}

TEST(RoleDoesNotMatter, finds_each_entry_with_the_errors_of_both_roles) {
  for (const std::size_t call : {0u, 1u})
    expect_each(role_does_not_matter, subject({0, 16}), call, drawn("i1=2 i2=8", contents(1)),
                [](std::size_t n, const Pair& pair) { return 2 * declared_error(at[n], pair); });
}

// An amplitude makes every rotated pair longer, and what is allowed with it: 2 units for it, and 5 for the
// formula that it comes from, in either answer.
TEST(RoleDoesNotMatter, allows_for_an_amplitude_twice) {
  Rotary rotary = exact({0, 16}, {{0, 1, 1.0}}, 2);
  rotary.amplitude = 1.5;
  const Residual found =
      replayed(role_does_not_matter, wrong_in(rotary, 1, 0), "batch=1 n=1 i1=0 x=[0.5,0,0,0]");
  expect(found, wrong_by, 0.75 * (2 * beside_angle + 2 * 7 * u), 1.5);
}

// In f16 each of three rotations is off by another 2^-24 sqrt 2, and none of nothing.
TEST(IsIdentityAtZero, allows_for_three_underflows_in_f16) {
  const Precision f16{unit_f16, unit_f16};
  const double h = unit_f16, root = std::numbers::sqrt2;
  const double own = (1 + 4 * root * h) * (1 + root * h) * (1 + h) - 1;
  const Rotary one = exact({0, 16}, {{0, 1, 1.0}}, 2);
  const std::string words = "batch=1 n=1 x=[0.5,0,0,0] role=key";
  expect(replayed(is_identity_at_zero, wrong_in(one, 0, 1), words, f16), wrong_by,
         0.5 * own + 3 * 0x1p-24 * root, 1);
  expect(replayed(is_identity_at_zero, wrong_in(one, 0, 3), words, f16), wrong_by, 0, 0);
}

// Where contents are zeros nothing is allowed, and nothing could differ.
TEST(RotatedTokens, of_zeros_say_nothing) {
  const Rotary one = exact({0, 16}, {{0, 1, 1.0}}, 3);
  const std::vector<std::pair<const Property*, std::string>> checks = {
      {&composes, "i1=2 t1=1 role=key"},
      {&inverts_at_the_opposite_position, "i1=2 s1=1 y=[0,0,0,0,0,0] role=key"},
      {&is_identity_at_zero, "role=key"},
      {&preserves_norm, "i1=2 role=key"},
      {&preserves_pair_norms, "i1=2 role=key"},
      {&role_does_not_matter, "i1=2"},
      {&layouts_agree_after_one_permutation, "pairs=neighbours i1=2 role=key"}};
  for (const auto& [property, words] : checks) {
    const Residual found = replayed(*property, one, fmt::format("batch=1 n=1 x=[0,0,0,0,0,0] {}", words),
                                    Precision{unit_f32, unit_f16});
    EXPECT_EQ(found.error, 0) << words;
    EXPECT_EQ(found.bound, 0) << words;
    EXPECT_EQ(found.ceiling, 0) << words;
  }
}

// What a check draws.

TEST(RotatedTokens, of_negative_examples_know_their_batch_row_head_position_and_role) {
  std::vector<std::vector<Position>> seen;
  const Rotary one = multiplied_by(2, 2, {{0, 1, 1.0}}, [&](const Pair&, const Rotated& token) {
    seen.push_back({static_cast<Position>(token.batch), static_cast<Position>(token.head), token.t,
                    token.role == Role::key ? 1 : 0});
    return std::complex<long double>(0, 1);
  });
  const std::vector<Position> positions = {3, 4, 5, 6};
  EXPECT_EQ(one.rotate(Tensor({2, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
                       positions, Role::key)
                .data,
            (std::vector<double>{-2, 1, -4, 3, -6, 5, -8, 7, -10, 9, -12, 11, -14, 13, -16, 15}));
  EXPECT_EQ(seen, (std::vector<std::vector<Position>>{{0, 0, 3, 1},
                                                      {0, 0, 4, 1},
                                                      {0, 1, 3, 1},
                                                      {0, 1, 4, 1},
                                                      {1, 0, 5, 1},
                                                      {1, 0, 6, 1},
                                                      {1, 1, 5, 1},
                                                      {1, 1, 6, 1}}));
}

TEST(RotatedTokens, are_so_many_that_a_batch_holds_8192_values) {
  const auto drawn_of = [](std::size_t heads, std::size_t dim, int batch, int n) {
    Replay draw(Case::parse(fmt::format("batch={} n={}", batch, n)));
    return token_shape({.dim = dim, .heads = heads}, draw);
  };
  EXPECT_EQ(drawn_of(2, 4, 3, 5), (Shape{3, 2, 5, 4}));
  EXPECT_EQ(drawn_of(32, 128, 2, 1), (Shape{2, 32, 1, 128}));
  EXPECT_EQ(drawn_of(32, 128, 1, 2), (Shape{1, 32, 2, 128}));
  EXPECT_EQ(drawn_of(64, 256, 1, 1), (Shape{1, 64, 1, 256}));
  EXPECT_EQ(drawn_of(16, 64, 2, 4), (Shape{2, 16, 4, 64}));
  for (const auto& [heads, dim, batch, n] : {std::array{2, 4, 4, 1},
                                             {2, 4, 0, 1},
                                             {2, 4, 1, 6},
                                             {2, 4, 1, 0},
                                             {32, 128, 3, 1},
                                             {32, 128, 2, 2},
                                             {32, 128, 1, 3},
                                             {64, 256, 2, 1},
                                             {64, 256, 1, 2},
                                             {16, 64, 2, 5}})
    EXPECT_THROW(drawn_of(static_cast<std::size_t>(heads), static_cast<std::size_t>(dim), batch, n), NoAnswer)
        << heads << " " << dim << " " << batch << " " << n;
}

TEST(RotatedTokens, stand_at_consecutive_positions_of_the_domain_in_every_batch_row) {
  const auto positions = [](int first, int second) {
    Replay draw(Case::parse(fmt::format("i1={} i2={}", first, second)));
    return consecutive({-3, 10}, {2, 1, 4, 2}, draw);
  };
  EXPECT_EQ(positions(-3, 7), (std::vector<Position>{-3, -2, -1, 0, 7, 8, 9, 10}));
  EXPECT_THROW(positions(-4, 0), NoAnswer);
  EXPECT_THROW(positions(0, 8), NoAnswer);
}

TEST(RotatedTokens, of_all_heads_share_the_positions_of_their_batch_row) {
  const rotations::Tokens tokens{Tensor({2, 3, 2, 1}), {5, 6, 7, 8}};
  std::vector<std::size_t> places;
  for (std::size_t r = 0; r < 12; ++r) places.push_back(tokens.place(r));
  EXPECT_EQ(places, (std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}));
}

// Each check asks for the role that was drawn, and for no other.
TEST(RotatedTokens, have_the_role_that_was_drawn) {
  const std::vector<std::pair<const Property*, std::string>> checks = {
      {&composes, "i1=2 t1=1"},
      {&inverts_at_the_opposite_position, "i1=2 s1=1 y=[1,0]"},
      {&is_identity_at_zero, ""},
      {&is_linear, "i1=2 y=[1,0] f=1"},
      {&preserves_norm, "i1=2"},
      {&preserves_pair_norms, "i1=2"},
      {&leaves_the_tail_untouched, "i1=2"},
      {&layouts_agree_after_one_permutation, "pairs=neighbours i1=2"}};
  for (const auto& [property, words] : checks)
    for (const bool key : {false, true}) {
      std::set<Role> asked;
      const bool tail = property == &leaves_the_tail_untouched;
      Rotary rotary{.dim = 2};
      if (!tail) rotary.pairs = {{0, 1, 1.0}};
      rotary.rotate = [&asked](const Tensor& x, std::span<const Position>, Role role) {
        asked.insert(role);
        return x;
      };
      replayed(*property, rotary,
               fmt::format("batch=1 n=1 x=[1,0] role={} {}", key ? "key" : "query", words));
      EXPECT_EQ(asked, std::set<Role>{key ? Role::key : Role::query}) << words;
    }
}

TEST(RotatedTokens, of_another_shape_is_a_failure) {
  Rotary rotary{.dim = 2};
  const std::vector<Position> positions = {3};
  const Tensor x({1, 1, 1, 2}, {1, 2});
  for (const auto& [came, said] :
       {std::pair{Tensor({1, 1, 2}, {1, 2}), "rotate was asked for [1, 1, 1, 2] and answers [1, 1, 2]"},
        {Tensor({1, 1, 1, 1}, {1}), "rotate was asked for [1, 1, 1, 2] and answers [1, 1, 1, 1]"}}) {
    rotary.rotate = [came = came](const Tensor&, std::span<const Position>, Role) { return came; };
    try {
      rotated(rotary, x, positions, Role::key);
      ADD_FAILURE() << said;
    } catch (const Failure& failure) {
      EXPECT_STREQ(failure.what(), said);
    }
  }
  rotary.rotate = [](const Tensor& given, std::span<const Position>, Role) {
    Tensor out = given;
    out.data.pop_back();
    return out;
  };
  EXPECT_THROW(rotated(rotary, x, positions, Role::key), Failure);
}

// Tokens of either role may stand in one answer.
TEST(RotatedTokens, are_allowed_what_the_role_with_the_larger_factor_is) {
  for (const Role larger : {Role::query, Role::key}) {
    Rotary rotary = exact({0, 16});
    rotary.stretch = [larger](const Pair&, double, Role role) { return role == larger ? 4.0 : 0.25; };
    rotary.stretch_error = [](const Pair&, double, const Precision&) { return 0.0; };
    EXPECT_EQ(stretched_more(rotary, all_f32, rotary.pairs.front(), 3).size, 4);
  }
}

}  // namespace
}  // namespace posproof::rotary_residuals_test
