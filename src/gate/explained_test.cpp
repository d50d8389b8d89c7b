// What is looked into behind a refutation, and when no more.
#include "gate/explained.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "gate/testing/gated.h"
#include "run/agreement.h"
#include "search/trial.h"

namespace posproof::explained_test {
namespace {

using namespace gated;

// A rotation that is wrong from its third call on, and how often it was started anew.
struct Explained {
  bool needs_history = false;
  int renewed = 0;
};

Explained explained(BudgetClock::duration left) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse("dim=4"));
  const Encoding truth = spec.oracle(parameters);
  const auto calls = std::make_shared<int>(0), renewed = std::make_shared<int>(0);
  const Encoding subject = answered_by(truth, [=](const Call& call) {
    return ++*calls >= 3 ? all_zero(answer(truth, call)) : answer(truth, call);
  });
  const Property property = agreement(truth);
  const Trial asked = *trial(property, subject, all_f64);
  GateResult gated{.encoding = "rope",
                   .parameters = parameters,
                   .subject = {"made", "", subject, all_f64},
                   .results = {{std::string(agreement_id), &property, search(asked, {.id = "explained"})}},
                   .skipped = {},
                   .explanations = {},
                   .made = {}};
  gated.subject.renew = [=] { *calls = 0, ++*renewed; };
  EXPECT_TRUE(gated.refuted());
  explain({.spec = spec,
           .truth = truth,
           .expected = {.encoding = "rope", .parameters = parameters, .declared = {truth}},
           .seed = 1,
           .deadline = BudgetClock::now() + left,
           .trial = [&](std::string_view) -> const Trial& { return asked; }},
          gated);
  return {gated.results.front().needs_history, *renewed};
}

TEST(Explained, asks_nothing_of_a_new_object_after_its_time) {
  const Explained in_time = explained(std::chrono::minutes(10)), late = explained(BudgetClock::duration(0));
  EXPECT_TRUE(in_time.needs_history);
  EXPECT_EQ(in_time.renewed, 2) << "for the counterexample, and for what explains it";
  EXPECT_FALSE(late.needs_history);
  EXPECT_EQ(late.renewed, 1);
}

}  // namespace
}  // namespace posproof::explained_test
