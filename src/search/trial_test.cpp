#include "search/trial.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "core/spec.h"
#include "core/testing/axial.h"
#include "core/view.h"
#include "run/catalogued.h"
#include "run/claimed.h"

namespace posproof::trial_test {
namespace {

Encoding encoding(std::string_view id) {
  return encoding_named(id).make({});
}

// What a property of these checks comes to: which of them is run, none where none applies.
template <class... Of>
std::optional<double> run_of(const Encoding& encoding) {
  Property property;
  double number = 0;
  (property.checks.push_back(CheckOf<Of>([n = ++number](const Of&, Precision, Draw&) {
    return Residual{n, 9, 10};
  })),
   ...);
  const auto one = trial(property, encoding, all_f64);
  if (!one) return std::nullopt;
  EXPECT_TRUE(applies(property, encoding));
  Replay draw{Case{}};
  return (*one)(draw).error;
}

TEST(Trial, runs_the_first_check_that_the_encoding_has_a_view_for) {
  EXPECT_EQ((run_of<Table, Rotary, Bias>(encoding("sinusoidal"))), 1);
  EXPECT_EQ((run_of<Table, Rotary, Bias>(encoding("rope"))), 2);
  EXPECT_EQ((run_of<Table, Rotary, Bias>(encoding("alibi"))), 3);
  EXPECT_EQ((run_of<Rotary, Score, Contextual>(encoding("none"))), 2);
  EXPECT_EQ((run_of<Contextual, Attention>(encoding("none"))), 1);
  EXPECT_EQ((run_of<Bias, Attention>(encoding("sinusoidal"))), 2);
  EXPECT_EQ((run_of<Table, Bias, Contextual>(encoding("rope"))), std::nullopt);
}

// |q| |k| past half of f16's range: an infinity where logits are kept in f16, and of no other format.
TEST(Trial, asks_for_no_contents_whose_product_f16_does_not_hold) {
  const auto is_asked = [](std::vector<double> q, std::vector<double> k, const Precision& precision) {
    Property property;
    property.checks = {CheckOf<Contextual>([&](const Contextual& of, Precision, Draw&) {
      const std::array<Position, 2> at = {0, 1};
      of.logits(Tensor({2, 2}, q), Tensor({2, 2}, k), at, at);
      return Residual{};
    })};
    Replay draw{Case{}};
    try {
      (*trial(property, encoding_named("none").make(Case::parse("dim=2")), precision))(draw);
      return true;
    } catch (const Discard&) {
      return false;
    }
  };
  const Precision f16 = Precision::parse("f16");
  EXPECT_TRUE(is_asked({0, 0, 192, 256}, {102.4, 0, 0, 0}, f16));
  EXPECT_FALSE(is_asked({0, 0, 192, 256}, {102.5, 0, 0, 0}, f16));
  EXPECT_FALSE(is_asked({103, 0, 0, 0}, {0, 0, 192, 256}, f16));
  EXPECT_TRUE(is_asked({0, 0, 192, 256}, {102.5, 0, 0, 0}, all_f32));
  EXPECT_TRUE(is_asked({0, 0, 192, 256}, {102.5, 0, 0, 0}, Precision::parse("bf16")));
}

// Statements about a kind, a score or an operator speak of positions of one number: on a grid they are asked
// on a line along each axis, which the case names.
TEST(Trial, of_positions_on_a_grid_are_of_a_line_along_each_axis) {
  Property property;
  property.checks = {CheckOf<Rotary>([](const Rotary& line, Precision, Draw&) {
    const Tensor x({1, 1, 1, 4}, {1, 0, 1, 0});
    const std::array<Position, 1> at = {2};
    const Tensor y = line.rotate(x, at, Role::query);
    // The pairs that it declares, and the cosines of both: 2 of the one axis, 0 of the other.
    return Residual{static_cast<double>(line.pairs.at(0).first), y.data[0], y.data[2]};
  })};
  const auto found = trial(property, testing_encodings::axial(), all_f64);
  ASSERT_TRUE(found);
  Replay rows(Case::parse("axis=0")), columns(Case::parse("axis=1")), third(Case::parse("axis=2"));
  const Residual along_rows = (*found)(rows), along_columns = (*found)(columns);
  EXPECT_EQ(along_rows.error, 0);
  EXPECT_NEAR(along_rows.bound, std::cos(2.0), 1e-15);
  EXPECT_EQ(along_rows.ceiling, 1);
  EXPECT_EQ(along_columns.error, 2);
  EXPECT_EQ(along_columns.bound, 1);
  EXPECT_NEAR(along_columns.ceiling, std::cos(1.0), 1e-15);
  EXPECT_THROW((*found)(third), NoAnswer);
}

TEST(Trial, of_positions_on_a_grid_have_logits_and_an_operator) {
  for (const Encoding& one :
       {on_axis(testing_encodings::axial(), 0), on_axis(testing_encodings::axial(), 1)}) {
    EXPECT_EQ(positions_of(one).axes, 1u);
    for (const Pair& pair : pairs_of(one)) EXPECT_EQ(pair.axis, 0u);
    EXPECT_TRUE(run_of<Score>(one));
    EXPECT_TRUE(run_of<Attention>(one));
  }
}

// Of a pair of tokens, which may be at different places.
TEST(Trial, of_positions_on_a_grid_has_the_bounds_of_both_tokens) {
  Contextual of_grid{.dim = 1};
  of_grid.positions.axes = 2;
  of_grid.error = [](auto, auto, std::span<const double> query, std::span<const double> key,
                     const Precision&) { return query[0] + 8 * query[1] + 64 * key[0] + 512 * key[1]; };
  const std::vector<double> one = {1};
  const auto bound = [&](std::size_t axis) {
    return logit_error(as<Contextual>(on_axis(of_grid, axis)), one, one, 2, 5, all_f64);
  };
  EXPECT_EQ(bound(0), 2 + 64 * 5);
  EXPECT_EQ(bound(1), 8 * 2 + 512 * 5);
}

TEST(Trial, of_calls_asks_whether_they_apply_and_gives_the_precision) {
  Property property;
  property.checks = {CallCheck{[](const Encoding& one) { return std::holds_alternative<Bias>(one); },
                               [](const Encoding&, Precision p, Draw&) {
                                 return Residual{p.result, 9, 10};
                               }}};
  EXPECT_FALSE(trial(property, encoding("rope"), all_f32).has_value());
  Replay draw{Case{}};
  for (const char* precision : {"f32", "bf16", "f64"}) {
    const Precision p = Precision::parse(precision);
    EXPECT_EQ((*trial(property, encoding("alibi"), p))(draw).error, p.result);
  }
}

}  // namespace
}  // namespace posproof::trial_test
