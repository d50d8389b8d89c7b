#include "search/trial.h"

#include <gtest/gtest.h>

#include "core/spec.h"
#include "core/testing/axial.h"
#include "run/catalogued.h"
#include "run/claimed.h"

namespace posproof {
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

// Statements about a kind, a score or an operator speak of positions of one number.
TEST(Trial, of_positions_on_a_grid_are_of_calls_alone) {
  const Encoding grid = testing_encodings::axial();
  EXPECT_EQ(run_of<Rotary>(grid), std::nullopt);
  EXPECT_EQ(run_of<Score>(grid), std::nullopt);
  EXPECT_EQ(run_of<Attention>(grid), std::nullopt);
}

TEST(Trial, of_calls_asks_whether_they_apply_and_gives_the_precision) {
  Property property;
  property.checks = {CallCheck{[](const Encoding& one) { return std::holds_alternative<Bias>(one); },
                               [](const Encoding&, Precision p, Draw&) {
                                 return Residual{p.result, 9, 10};
                               }}};
  EXPECT_FALSE(trial(property, encoding("rope"), all_f32).has_value());
  Replay draw{Case{}};
  EXPECT_EQ((*trial(property, encoding("alibi"), all_f32))(draw).error, unit_f32);
}

}  // namespace
}  // namespace posproof
