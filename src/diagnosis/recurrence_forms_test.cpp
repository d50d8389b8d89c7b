// Rotations whose angles, cosines and sines are made from those of a position before.
#include "diagnosis/recurrence_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/function.h"
#include "diagnosis/testing/wrong_encodings.h"

namespace posproof::recurrence_forms_test {
namespace {

using namespace testing;

struct Two {
  float c, s;
};

Two circle(double angle) {
  return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
}

Two added(Two a, Two b) {
  const float cc = a.c * b.c, ss = a.s * b.s, sc = a.s * b.c, cs = a.c * b.s;
  return {cc - ss, sc + cs};
}

// Of the tokens of a row at these positions, of a pair.
using OfRow = Function<std::vector<Two>(const std::vector<Position>& row, double w)>;

Make by_rows(const OfRow& of_row) {
  return [=](const Parameters& parameters) {
    auto out = as<Rotary>(encoding_named("rope").make(parameters));
    out.rotate = [=, pairs = out.pairs](const Tensor& x, const Positions& positions, Role) {
      const std::size_t heads = x.shape[1], n = x.shape[2];
      Tensor y = x;
      for (std::size_t b = 0; b < x.shape[0]; ++b) {
        const auto from = positions.begin() + static_cast<std::ptrdiff_t>(b * n);
        const std::vector<Position> row(from, from + static_cast<std::ptrdiff_t>(n));
        for (const Pair& pair : pairs) {
          const std::vector<Two> all = of_row(row, pair.frequency);
          for (std::size_t r = b * heads * n; r < (b + 1) * heads * n; ++r) {
            const auto [c, s] = all[r % n];
            const double p = x.at(r, pair.first), q = x.at(r, pair.second);
            y.at(r, pair.first) = static_cast<float>(p * c - q * s);
            y.at(r, pair.second) = static_cast<float>(p * s + q * c);
          }
        }
      }
      return y;
    };
    return Encoding(out);
  };
}

// Where a position follows the one before in its row it is made from that.
OfRow in_runs(
    const Function<void(std::vector<Two>& so_far, double& kept, bool follows, Position t, double w)>& next) {
  return [=](const std::vector<Position>& row, double w) {
    std::vector<Two> out;
    double kept = 0;
    for (std::size_t k = 0; k < row.size(); ++k)
      next(out, kept, k > 0 && row[k] == row[k - 1] + 1, row[k], w);
    return out;
  };
}

OfRow sums_in(float (*rounded)(float)) {
  return in_runs([=](std::vector<Two>& so_far, double& kept, bool follows, Position t, double w) {
    const auto far = static_cast<double>(t) * w;
    kept = follows ? rounded(static_cast<float>(kept) + static_cast<float>(w))
                   : rounded(static_cast<float>(far));
    so_far.push_back(circle(kept));
  });
}

float same(float x) {
  return x;
}
// Two bits less than a float.
float shorter(float x) {
  int exponent = 0;
  const float fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 22)), exponent - 22);
}

TEST(RecurrenceForms, are_named_where_positions_follow_each_other) {
  const std::string dim = "dim=16 heads=2";
  const OfRow by_addition =
      in_runs([](std::vector<Two>& so_far, double&, bool follows, Position t, double w) {
        so_far.push_back(follows ? added(so_far.back(), circle(w)) : circle(static_cast<double>(t) * w));
      });
  expect_said(
      "rope",
      {{dim,
        by_rows(sums_in(&same)),
        {"where positions of a row follow each other, each angle is the one before and the frequency, "
         "added in f32"}},
       {dim,
        by_rows(by_addition),
        {"where positions of a row follow each other, each cosine and sine are made from those before by "
         "the addition formulas in f32"}},
       // Of fewer digits, which no form has.
       {dim, by_rows(sums_in(&shorter)), {}}});
}

OfRow of_table(Position step, Position first, Position last) {
  return [=](const std::vector<Position>& row, double w) {
    std::vector<Two> table;
    for (Position t = 0; t <= last; ++t)
      table.push_back(t < first ? circle(static_cast<double>(t) * w)
                                : added(table[static_cast<std::size_t>(t - step)],
                                        circle(static_cast<double>(step) * w)));
    std::vector<Two> out;
    for (const Position t : row) out.push_back(table[static_cast<std::size_t>(t)]);
    return out;
  };
}

Make within(Position last, const Make& make) {
  return [=](const Parameters& parameters) {
    Domain domain = positions_of(encoding_named("rope").make(parameters));
    domain.hi = last;
    domain.ends = true;
    return with_positions(make(parameters), domain);
  };
}

TEST(RecurrenceForms, are_named_of_tables) {
  const std::string dim = "dim=16 heads=2";
  constexpr Position last = 4095;
  const OfRow sums = [](const std::vector<Position>& row, double w) {
    std::vector<float> angles = {0};
    while (angles.size() <= last) angles.push_back(angles.back() + static_cast<float>(w));
    std::vector<Two> out;
    for (const Position t : row) out.push_back(circle(angles[static_cast<std::size_t>(t)]));
    return out;
  };
  expect_said(
      "rope",
      {{dim, within(last, by_rows(sums)), {"angles are added up position by position in f32, from 0 on"}},
       {dim,
        within(last, by_rows(of_table(1, 1, last))),
        {"from position 1 on cosines and sines are made from those of the position before by the addition "
         "formulas in f32"}}});
}

// A table whose rows are made from rows before; those of 0 and 1 are right.
OfRow of_rows_before(const Function<Two(const std::vector<Two>& table, std::size_t t)>& next) {
  return [=](const std::vector<Position>& row, double w) {
    std::vector<Two> table = {circle(0), circle(w)}, out;
    for (const Position t : row) {
      while (std::ssize(table) <= t) table.push_back(next(table, table.size()));
      out.push_back(table[static_cast<std::size_t>(t)]);
    }
    return out;
  };
}

TEST(RecurrenceForms, are_named_of_tables_that_are_made_of_smaller_positions) {
  using Table = const std::vector<Two>&;
  constexpr Position last = 4095;
  const auto fused = [](Table table, std::size_t t) {
    const Two a = table[t - 1], b = table[1];
    return Two{std::fma(a.c, b.c, -(a.s * b.s)), std::fma(a.s, b.c, a.c * b.s)};
  };
  const auto halves = [](Table table, std::size_t t) { return added(table[t / 2], table[t - t / 2]); };
  const auto thirds = [](Table table, std::size_t t) { return added(table[t / 3], table[t - t / 3]); };
  const auto powers = [](Table table, std::size_t t) {
    std::size_t power = 1;
    while (2 * power < t) power *= 2;
    return added(table[power], table[t - power]);
  };
  const auto both = [](Table table, std::size_t t) {
    const Two a = table[t - 1], b = table[t - 2];
    const float twice = 2 * table[1].c;
    return Two{twice * a.c - b.c, twice * a.s - b.s};
  };
  const std::string dim = "dim=16 heads=2", made = "cosines and sines are made from those of ",
                    f32 = " by the addition formulas in f32";
  const auto within_last = [&](const auto& next) { return within(last, by_rows(of_rows_before(next))); };
  expect_said(
      "rope",
      {{dim,
        within_last(fused),
        {"from position 1 on " + made + "the position before" + f32 + ", with fused multiply-add"}},
       {dim, within_last(halves), {made + "the two halves of a position" + f32}},
       {dim, within_last(powers), {made + "the largest power of 2 in a position and of the rest" + f32}},
       {dim,
        within_last(both),
        {"from position 2 on " + made +
         "the two positions before: 2 cos w times the nearer one, less the other, in f32"}},
       {dim, within_last(thirds), {}}});
}

// Each is a rotation of its own, up to where it begins the declared one.
TEST(RecurrenceForms, are_rotations_as_they_say) {
  const auto truth =
      as<Rotary>(encoding_named("rope").make(with(encoding_named("rope"), Case::parse("dim=4"))));
  const std::vector<RotationForm> all = recurrence_forms(truth, 300);
  Tensor x({1, 1, 2, 4});
  std::ranges::fill(x.data, 1.0);
  const std::vector<Position> at = {63, 200};
  for (const auto& form : all) {
    if (!form.words.starts_with("from position 64 on") || form.words.find("those 64 pos") == form.words.npos)
      continue;
    const Tensor is = form.rotation.rotate(x, at, Role::query);
    for (const Pair& pair : truth.pairs) {
      const Two below = circle(63 * pair.frequency),
                there = added(added(added(circle(8 * pair.frequency), circle(64 * pair.frequency)),
                                    circle(64 * pair.frequency)),
                              circle(64 * pair.frequency));
      EXPECT_EQ(is.at(0, pair.first), static_cast<double>(below.c) - static_cast<double>(below.s));
      EXPECT_EQ(is.at(1, pair.second), static_cast<double>(there.s) + static_cast<double>(there.c));
    }
  }
  EXPECT_EQ(recurrence_forms(truth, Position{1} << 20).size(), 2u);
  EXPECT_GT(all.size(), 20u);
}

// Off from the declared rotation by what is rounded in f32 alone: before 0 and past the end of a table, too,
// and where it stretches.
TEST(RecurrenceForms, are_near_the_declared_rotation_at_every_position) {
  const auto truth =
      as<Rotary>(encoding_named("xpos").make(with(encoding_named("xpos"), Case::parse("dim=4"))));
  ASSERT_TRUE(truth.stretch);
  Tensor x({1, 1, 4, 4});
  std::ranges::fill(x.data, 1.0);
  const std::vector<Position> at = {-40, 0, 7, 100};
  for (const Role role : {Role::query, Role::key}) {
    const Tensor ought = truth.rotate(x, at, role);
    for (const auto& form : recurrence_forms(truth, 50)) {
      const Tensor is = form.rotation.rotate(x, at, role);
      // Position 7 is made by 7 steps at the most. Each is off by three roundings of numbers up to 2, of
      // 2^-24 each, and what it is off by counts up to 7 times where a step takes two before: 147 of 2^-24,
      // of the cosine and of the sine; their stretches are below 1.5. An angle of 100 is rounded by 2^-18, 64
      // of these.
      for (std::size_t n = 0; n < is.data.size(); ++n)
        EXPECT_NEAR(is.data[n], ought.data[n], 2 * 147 * 1.5 * 0x1p-24) << form.words << " " << n;
    }
  }
}

TEST(RecurrenceForms, are_none_of_positions_of_several_numbers) {
  Rotary truth = as<Rotary>(encoding_named("rope").make(with(encoding_named("rope"), Case::parse("dim=4"))));
  truth.positions.axes = 2;
  EXPECT_TRUE(recurrence_forms(truth, 300).empty());
}

}  // namespace
}  // namespace posproof::recurrence_forms_test
