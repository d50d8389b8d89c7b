// The residuals of the statements about logits, computed by hand, for each kind of encoding that has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "catalogue/properties/contextual/saturates.h"
#include "catalogue/properties/score/decays_with_distance.h"
#include "catalogue/properties/score/depends_on_offset.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "logits.h"
#include "search/testing/asked.h"
#include "search/testing/residuals.h"

namespace posproof::score_residuals_test {
namespace {

using namespace logits;
using namespace properties::score;
using namespace residuals;

constexpr double u = unit_f32;
constexpr double infinity = std::numeric_limits<double>::infinity();
const double root = std::numbers::sqrt2;

// What our own arithmetic in double may lose is too little to be seen beside f32: it is multiplied by this.
constexpr double visible = 0x1p20;
constexpr double our_unit = visible * unit_f64;

// The logit of a token against that key, or the last channel of that key's row, is larger by that.
Encoding wrong_at(const Encoding& right, Position key, double by) {
  return spoiled(right, [key, by](const AnswerEntry& at, double exact) {
    const bool logits = at.call->keys.size() != 0, table = at.tokens == 2;
    const bool here =
        logits  ? at.key_position == key && at.head == 0
        : table ? at.token == 1 && at.position == key && at.in_last_channel()
                : at.role == Role::key && at.head == 0 && at.position == key && at.in_last_channel();
    return here ? exact + by : exact;
  });
}

// The same in the second head, which no statement about logits looks at.
Encoding wrong_in_the_other_head(const Encoding& right) {
  return spoiled(right, [](const AnswerEntry& at, double exact) {
    return at.head == 1 ? exact + static_cast<double>(at.key_position + at.position) : exact;
  });
}

// Of one logit of each kind, as decays_with_distance bounds it: a bias of value b and a content of norm
// squared `product`, in width 4.
double of_bias(double b, double product) {
  return 2 * u * std::abs(b) + 5 * our_unit * product + our_unit * (product + std::abs(b));
}
// Of two positions one distance alone is not 0.
TEST(ContextualSaturates, needs_two_distances) {
  const auto within = [](Position hi) {
    return replayed(properties::contextual::saturates,
                    with_positions(Encoding(penalised_products()), {0, hi}), "side=past q=[0,0] k=[0,0]");
  };
  EXPECT_THROW(within(1), Inapplicable);
  EXPECT_EQ(within(2).error, std::abs(penalty(2, 0) - penalty(2, 1)));
}

// From the query's own key on.
TEST(DecaysWithDistance, asks_for_every_two_distances_of_one_query) {
  const Encoding flat = biases::bias_of(2, [](std::size_t, Position, Position) { return -1.0; });
  EXPECT_EQ(watched::ask(decays_with_distance, flat, all_f32, "q=[0,0,0,0] i=10 far=8 near=0").drawn,
            "q [4], i 0..1048576, far 1..10, near 0..7");
}

TEST(DecaysWithDistance, finds_what_a_bias_gains) {
  const ScaledTerm ours(Term::ours, visible);
  const Encoding flat = biases::bias_of(2, [](std::size_t, Position, Position) { return -1.0; });
  const Encoding wrong = wrong_at(flat, 2, 0.25);
  expect(replayed(decays_with_distance, wrong, "q=[0,0,0,0] i=10 far=8 near=5"), 0.25,
         of_bias(-0.75, 0) + of_bias(-1, 0), no_ceiling);
  expect(replayed(decays_with_distance, wrong, "q=[0.5,0,0,0] i=10 far=8 near=5"), 0.25,
         of_bias(-0.75, 0.25) + of_bias(-1, 0.25), no_ceiling);
  // A bias that loses as much is right.
  EXPECT_EQ(replayed(decays_with_distance, wrong_at(flat, 2, -0.25), "q=[0,0,0,0] i=10 far=8 near=5").error,
            0);
  EXPECT_FALSE(
      replayed(decays_with_distance, wrong_at(flat, 5, -0.25), "q=[0,0,0,0] i=10 far=8 near=5").holds());
  EXPECT_TRUE(
      replayed(decays_with_distance, wrong_in_the_other_head(flat), "q=[0,0,0,0] i=10 far=8 near=5").holds());
  for (const Position key : {2, 5})
    expect(replayed(decays_with_distance, wrong_at(flat, key, infinity), "q=[0,0,0,0] i=10 far=8 near=5"), 1,
           0, 1);
}

TEST(DecaysWithDistance, finds_what_a_row_of_a_table_gains) {
  const ScaledTerm ours(Term::ours, visible);
  // Entries are off by 2 units of themselves, and so is the sum with the content, by one of ours.
  const auto logit = [](double last) {
    const double one = 2 * u + our_unit;  // of an entry of 1
    return (1 * one + last * one) + (one * 1 + one * last) + (one * one + one * one * last) +
           3 * our_unit * (1 + last);
  };
  expect(replayed(decays_with_distance, wrong_at(same_rows(), 2, 0.25), "q=[0,0] i=10 far=8 near=5"), 0.25,
         logit(1.25) + logit(1), no_ceiling);
}

TEST(DecaysWithDistance, finds_what_a_rotated_key_gains) {
  const ScaledTerm ours(Term::ours, visible);
  const double one = (1 + 4 * root * u) * (1 + root * u) * (1 + u) - 1;
  const double logit = 5 * our_unit * 0.25 + 0.25 * (2 * one + one * one + 2 * 5 * our_unit);
  const Encoding wrong = wrong_at(unmoved(), 2, 0.25);
  expect(replayed(decays_with_distance, wrong, "q=[0,0,0,0.5] i=10 far=8 near=5"), 0.125, 2 * logit,
         no_ceiling);
  EXPECT_TRUE(
      replayed(decays_with_distance, wrong_in_the_other_head(unmoved()), "q=[0,0,0,0.5] i=10 far=8 near=5")
          .holds());
}

// Each of the three tokens is off by what its own position allows.
TEST(DecaysWithDistance, allows_for_the_error_of_each_position) {
  const Pair pair{0, 1, 1.0, 0};
  const auto off = [&](double t) { return rotation_error(all_f32, t, pair); };
  const auto logit = [&](double i, double j) {
    return 3 * unit_f64 * 0.25 + 0.25 * (off(i) + off(j) + off(i) * off(j) + 6 * unit_f64);
  };
  const Residual found =
      replayed(decays_with_distance, rotations::exact({0, 64}, {pair}, 2), "q=[0.5,0] i=10 far=8 near=5");
  EXPECT_NEAR(found.bound, logit(10, 2) + logit(10, 5), 1e-9 * found.bound);
}

TEST(DecaysWithDistance, allows_for_an_amplitude_and_for_underflow_of_either_pair_in_f16) {
  Rotary rotary = unmoved();
  rotary.amplitude = 0.5;
  const double h = unit_f16, least = 0x1p-24 * root;
  const double one = (1 + 4 * root * h) * (1 + root * h) * (1 + h) - 1 + 7 * h;
  const double a = 0.25 * 0x1p-6, products = a * a * (2 * one + one * one),
               under = least * (2 * a * (1 + one) + least);
  // A pair of nothing is off by the square of the least alone.
  expect(replayed(decays_with_distance, wrong_at(rotary, 2, 64), "q=[0,0,0,0.0078125] i=10 far=8 near=5",
                  Precision{unit_f16, unit_f16}),
         0.5, 2 * (products + under + least * least + 5 * unit_f64 * 0x1p-14 + a * a * 10 * unit_f64),
         no_ceiling);
}

TEST(DecaysWithDistance, finds_what_a_logit_gains_with_its_own_bound) {
  const double penalty_at_8 = 1, penalty_at_5 = 0.625;
  expect(
      replayed(decays_with_distance, wrong_at(penalised_products(), 2, 0.5), "q=[0.5,0] i=10 far=8 near=5"),
      0.125, 2 * u * (0.25 + penalty_at_8) + 2 * u * (0.25 + penalty_at_5), no_ceiling);
}

TEST(DecaysWithDistance, looks_back_as_far_as_the_domain_goes) {
  Bias bias = penalised();
  bias.positions = {-4, 16};
  const auto drawn = [&](const char* words) {
    return replayed(decays_with_distance, bias, fmt::format("q=[0,0,0,0] {}", words));
  };
  EXPECT_TRUE(drawn("i=16 far=20 near=19").holds());
  EXPECT_TRUE(drawn("i=-3 far=1 near=0").holds());
  for (const char* words : {"i=17 far=1 near=0", "i=16 far=21 near=0", "i=16 far=0 near=0",
                            "i=16 far=5 near=5", "i=16 far=5 near=-1", "i=-3 far=2 near=0"})
    EXPECT_THROW(drawn(words), NoAnswer) << words;
  EXPECT_THROW(drawn("i=-4"), Discard);
}

TEST(ScoreDependsOnOffset, finds_what_a_bias_a_row_and_a_logit_gain) {
  const ScaledTerm ours(Term::ours, visible);
  // At distances of 3 and less: 1 + 3/8.
  expect(replayed(depends_on_offset, wrong_at(penalised(), 9, 0.25), "q=[0.5,0,0,0] k=[0,0,0,0] i=5 j=2 t=7"),
         0.25, of_bias(-1.375, 0) + of_bias(-1.125, 0), no_ceiling);
  // With declared slopes the product with the distance is off by 2 units.
  expect(replayed(depends_on_offset, wrong_at(biases::sloped(), 9, 0.25),
                  "q=[0,0,0,0] k=[0,0,0,0] i=5 j=2 t=7", in_bf16),
         0.25, (2 * u + unit_bf16 + our_unit) * (1.5 + 1.25), no_ceiling);
  const auto logit = [](double last) {
    const double one = 2 * u + our_unit;
    return (1 + last) * (one + one + one * one + 3 * our_unit);
  };
  expect(replayed(depends_on_offset, wrong_at(same_rows(), 9, 0.25), "q=[0,0] k=[0,0] i=5 j=2 t=7"), 0.25,
         logit(1.25) + logit(1), no_ceiling);
  expect(replayed(depends_on_offset, wrong_at(penalised_products(), 9, 0.25),
                  "q=[0.5,0] k=[0.25,0] i=5 j=2 t=7"),
         0.25, 2 * 2 * u * (0.125 + 0.375), no_ceiling);
  for (const Position key : {2, 9})
    expect(replayed(depends_on_offset, wrong_at(penalised(), key, infinity),
                    "q=[0,0,0,0] k=[0,0,0,0] i=5 j=2 t=7"),
           1, 0, 1);
}

// One pair of a rotation as it was answered, of a content of that norm: what its angle and its norm may be
// off by, and each channel.
struct Answered {
  double x, y, angle, norm_error, x_error, y_error;

  double norm() const { return std::hypot(x, y); }
  double own() const { return angle * norm() + norm_error + std::hypot(x_error, y_error); }
  double against(const Answered& other) const {
    const double size = other.norm();
    return angle * std::abs(x * other.y - y * other.x) + angle * angle / 2 * norm() * size +
           norm_error * size + x_error * std::abs(other.x) + y_error * std::abs(other.y) +
           angle * std::hypot(x_error, y_error) * size;
  }
};
double half_ulp_of(double unit, double x) {
  return x == 0 ? 0 : std::ldexp(unit, std::ilogb(std::abs(x)));
}
Answered answered(double norm, double angle, double by, bool bf16) {
  const double x = norm * std::cos(angle) + by, y = norm * std::sin(angle);
  const auto stored = [&](double value) {
    return half_ulp_of(u, value) + (bf16 ? half_ulp_of(unit_bf16, value) : 0);
  };
  return {x, y, half_ulp_of(u, angle), norm * root * 3 * u, stored(x), stored(y)};
}

// Pairs of norm 1/2 and 1/4, one of them in the second place, frequency 1/2; and a channel in no pair.
TEST(ScoreDependsOnOffset, finds_what_a_rotated_key_gains) {
  const ScaledTerm ours(Term::ours, visible);
  const Rotary right = rotations::exact({0, 64}, {{1, 0, 0.5, 0}}, 3);
  const double by = 0x1p-3;
  const Encoding wrong = spoiled(right, [by](const AnswerEntry& at, double exact) {
    return at.role == Role::key && at.position == 9 && at.channel == 1 && at.head == 0 ? exact + by : exact;
  });
  for (const bool bf16 : {false, true}) {
    const auto logit = [&](double i, double j, double off) {
      const Answered a = answered(0.5, 0.5 * i, 0, bf16), b = answered(0.25, 0.5 * j, off, bf16);
      const double products = std::abs(a.x * b.x) + std::abs(a.y * b.y) + 0.5 * 0.25;
      return 4 * our_unit * products + a.against(b) + b.against(a) + a.own() * b.own();
    };
    const double gained = by * 0.5 * std::cos(0.5 * 12);
    expect(replayed(depends_on_offset, wrong, "q=[0,0.5,0.5] k=[0,0.25,0.25] i=5 j=2 t=7",
                    bf16 ? in_bf16 : all_f32),
           gained, logit(5, 2, 0) + logit(12, 9, by), 2 * 0.5 * 0.25);
    // Where nothing is moved, nothing can differ.
    const Residual still = replayed(depends_on_offset, right, "q=[0,0.5,0.5] k=[0,0.25,0.25] i=5 j=2 t=0");
    EXPECT_TRUE(still.holds());
    EXPECT_EQ(still.ceiling, 0);
  }
  EXPECT_TRUE(
      replayed(depends_on_offset, wrong_in_the_other_head(right), "q=[0,0.5,0.5] k=[0,0.25,0.25] i=5 j=2 t=7")
          .holds());
}

TEST(ScoreDependsOnOffset, asks_inside_the_domain_and_of_a_causal_bias_before_the_query) {
  const auto drawn = [](bool causal, const char* words) {
    Bias bias = penalised();
    bias.positions = {-4, 16};
    bias.causal = causal;
    return replayed(depends_on_offset, bias, fmt::format("q=[0,0,0,0] k=[0,0,0,0] {}", words));
  };
  EXPECT_TRUE(drawn(true, "i=5 j=5 t=11").holds());
  EXPECT_TRUE(drawn(false, "i=5 j=16 t=0").holds());
  EXPECT_TRUE(drawn(false, "i=5 j=9 t=7").holds());
  for (const char* words : {"i=5 j=6 t=0", "i=5 j=-5 t=0", "i=5 j=2 t=12", "i=5 j=2 t=-1", "i=17 j=2 t=0"})
    EXPECT_THROW(drawn(true, words), NoAnswer) << words;
  EXPECT_THROW(drawn(false, "i=5 j=9 t=8"), NoAnswer);
}

constexpr double least = 0x1p-12;

// A bias that is 0 but at that key, counted from the query.
Bias only_at(Position offset, double value, bool causal = false) {
  Bias bias = biases::bias_of(
      1, [offset, value](std::size_t, Position i, Position j) { return j - i == offset ? value : 0; });
  bias.causal = causal;
  return bias;
}

TEST(DependsOnOrder, sees_each_key_within_three_places_of_the_query) {
  for (Position offset = -5; offset <= 5; ++offset)
    for (const bool causal : {false, true}) {
      const bool seen = std::abs(offset) <= 3 && !(causal && offset > 0);
      for (const double value : {0.001, -0.001})
        EXPECT_EQ(replayed(depends_on_order, only_at(offset, value, causal), "i=20").holds(), seen)
            << offset << " " << causal << " " << value;
      const Residual of_infinity = replayed(depends_on_order, only_at(offset, infinity, causal), "i=20");
      EXPECT_FALSE(of_infinity.holds());
      EXPECT_EQ(of_infinity.error, seen ? 1 : least) << offset;
    }
}

// The spread is off by the errors of its two ends. Of the content, four ones: 5 roundings of 4, and 1 of the
// sum.
TEST(DependsOnOrder, finds_what_is_lacking_of_the_least_change) {
  const ScaledTerm ours(Term::ours, visible);
  for (const double value : {0.75 * least, -0.5 * least}) {
    const double change = std::abs(value);
    const double each = 2 * unit_f64 * change + 5 * our_unit * 4 + our_unit * (4 + change);
    for (const Position offset : {-3, -1, 2, 3})
      expect(replayed(depends_on_order, only_at(offset, value), "i=20", all_f64), least - change, 2 * each,
             least);
  }
  EXPECT_FALSE(replayed(depends_on_order, only_at(2, 0.99 * least), "i=20").holds());
  EXPECT_EQ(replayed(depends_on_order, only_at(2, 1.01 * least), "i=20").error, 0);
}

// Here each logit is off by the least change, so a spread of three times that cannot be rounding.
TEST(DependsOnOrder, asks_until_the_spread_is_larger_than_rounding) {
  const auto asked = [](std::vector<double> logits) {
    std::size_t calls = 0;
    Contextual contextual{.dim = 1};
    contextual.logits = [&](const Tensor&, const Tensor&, const Positions&, const Positions&) {
      return Tensor({1, 1, 1}, {least * logits.at(calls++)});
    };
    contextual.error = [](std::span<const double>, std::span<const double>, std::span<const double>,
                          std::span<const double>, const Precision&) { return least; };
    EXPECT_TRUE(replayed(depends_on_order, contextual, "i=20").holds());
    return calls;
  };
  EXPECT_EQ(asked({0, 2.5, 3, 9, 9, 9, 9}), 3u);
  EXPECT_EQ(asked({0, 2.5, -0.5, 9, 9, 9, 9}), 3u);
  EXPECT_EQ(asked({0, 2.5, 2.75, 2.875, 4, 9, 9}), 5u);
  EXPECT_EQ(asked({0, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5}), 7u);
}

// Contents have so many ones that four times the error of a logit is at most the least change; each step at
// least halves them.
TEST(DependsOnOrder, has_as_many_ones_as_leave_something_to_see) {
  const auto ones = [](double of_each, std::size_t dim = 64) {
    std::set<std::vector<double>> given;
    Contextual contextual{.dim = dim};
    contextual.logits = [&given](const Tensor& q, const Tensor& k, const Positions&, const Positions& keys) {
      given.insert(q.data), given.insert(k.data);
      return Tensor({1, 1, 1}, {static_cast<double>(keys[0])});
    };
    contextual.error = [of_each](std::span<const double> q, std::span<const double> k,
                                 std::span<const double> i, std::span<const double> j, const Precision&) {
      double sum = 0;
      if (i[0] != 20 || j[0] != 20) return sum;  // what counts is the query against itself
      for (std::size_t c = 0; c < q.size(); ++c) sum += of_each * q[c] * k[c];
      return sum;
    };
    EXPECT_TRUE(replayed(depends_on_order, contextual, "i=20").holds());
    EXPECT_EQ(given.size(), 1u);
    std::size_t count = 0;
    for (const double value : *given.begin()) {
      EXPECT_EQ(value, value != 0 ? 1 : 0);
      count += value != 0 ? 1 : 0;
    }
    EXPECT_TRUE(std::is_sorted(given.begin()->begin(), given.begin()->end(), std::greater<>()));
    return count;
  };
  EXPECT_EQ(ones(least / 256), 64u);
  EXPECT_EQ(ones(least / 255), 32u);
  EXPECT_EQ(ones(least / 128), 32u);
  EXPECT_EQ(ones(least / 102.4), 25u);
  EXPECT_EQ(ones(least / 64), 16u);
  EXPECT_EQ(ones(least / 8), 2u);
  EXPECT_EQ(ones(least), 1u);
  EXPECT_EQ(ones(16 * least), 1u);
  EXPECT_EQ(ones(least / 4, 2), 1u);
  EXPECT_EQ(ones(least / 8, 2), 2u);
  EXPECT_EQ(ones(16 * least, 1), 1u);
}

// Queries of a rotation end where its rounding hides the least change; where it does so at the first position
// already, they end with the domain.
TEST(DependsOnOrder, asks_as_far_as_there_is_something_to_see) {
  Rotary rotary = rotations::exact({0, 1 << 20}, {{0, 1, 1.0, 0}}, 2);
  const Score seen = *score(rotary);
  Position last = 3;
  while (2 * seen.error_of_ones(last + 1, all_f32) < least) ++last;
  ASSERT_GT(last, 50);
  ASSERT_LT(last, 1000);
  const auto drawn = [&](Position i, const Precision& p = all_f32) {
    return replayed(depends_on_order, rotary, fmt::format("i={}", i), p);
  };
  EXPECT_TRUE(drawn(3).holds());
  EXPECT_THROW(drawn(2), NoAnswer);
  for (const Position end : {1 << 20, 1000, 1001, 1002, 1003}) {
    rotary.positions.hi = end;
    EXPECT_TRUE(drawn(last).holds()) << end;
    EXPECT_THROW(drawn(last + 1), NoAnswer) << end;
  }
  rotary.positions.hi = 1 << 20;
  EXPECT_TRUE(drawn((1 << 20) - 3, in_bf16).holds());
  EXPECT_THROW(drawn((1 << 20) - 2, in_bf16), NoAnswer);
  EXPECT_TRUE(drawn((1 << 20) - 3, all_f64).holds());
  // With one position only there is nothing to choose.
  rotary.positions = {0, 6};
  EXPECT_TRUE(drawn(3).holds());
  EXPECT_THROW(drawn(4), NoAnswer);
  Bias causal = only_at(-1, 1, true);
  causal.positions = {-2, 16};
  EXPECT_TRUE(replayed(depends_on_order, causal, "i=16").holds());
  EXPECT_TRUE(replayed(depends_on_order, causal, "i=1").holds());
  EXPECT_THROW(replayed(depends_on_order, causal, "i=0"), NoAnswer);
}

}  // namespace
}  // namespace posproof::score_residuals_test
