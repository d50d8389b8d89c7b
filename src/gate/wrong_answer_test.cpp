// Which answer to a counterexample is wrong, where, and whether that is all that is wrong with it.
#include "gate/wrong_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "catalogue/properties/call/is_stateless.h"
#include "catalogue/properties/rotary/composes.h"
#include "catalogue/properties/rotary/preserves_norm.h"
#include "core/failure.h"
#include "core/function.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/case_result.h"
#include "search/trial.h"

namespace posproof::wrong_answer_test {
namespace {

const Parameters parameters = Case::parse("dim=4 heads=2");

Encoding truth(const Precision& = all_f64) {
  return encoding_named("rope").oracle(parameters);
}
Encoding right() {
  return encoding_named("rope").make(parameters);
}

// As `how` changes what is right.
Encoding changed(Function<void(const Call&, Tensor&)> how) {
  return answered_by(right(), [how = std::move(how)](const Call& call) {
    Tensor out = answer(right(), call);
    how(call, out);
    return out;
  });
}

bool holds_position(const Call& call, Position t) {
  return std::ranges::find(call.positions.whole, t) != call.positions.whole.end();
}

Shown of(const Property& property, const Encoding& subject, const std::string& at,
         const Precision& p = all_f64) {
  return shown(trial_of(property, p), truth(), subject, p, Case::parse(at));
}

const std::string one_token = "batch=1 tokens=1 t=3 role=query x=[1,0,0,0]";

TEST(WrongAnswer, of_agreement_is_the_entry_that_refutes_it) {
  // the second head's last channel
  const Encoding wrong = changed([](const Call&, Tensor& out) { out.data[7] += 0.5; });
  const Property property = agreement(truth());
  const Shown found = of(property, wrong, one_token);
  ASSERT_TRUE(found.wrong);
  EXPECT_TRUE(found.by_answers_alone);
  EXPECT_TRUE(found.wrong->before.empty());
  EXPECT_EQ(found.wrong->call.positions.whole, (std::vector<Position>{3}));
  EXPECT_EQ(found.wrong->at, 7u);
  EXPECT_EQ(found.wrong->given.data[7], found.wrong->exact.data[7] + 0.5);
  EXPECT_EQ(found.wrong->exact, answer(truth(), found.wrong->call));
  EXPECT_EQ(found.wrong->instead, "");
  const Place place = found.wrong->place.value();
  EXPECT_EQ(place.axes, (std::vector<std::pair<Axis, std::size_t>>{
                            {Axis::batch, 0}, {Axis::head, 1}, {Axis::token, 0}, {Axis::channel, 3}}));
  EXPECT_EQ(place.position, (std::vector<double>{3}));
  EXPECT_EQ(place.answers, 1u);
  const CaseResult refuted = run_repaired(*trial(property, wrong, all_f64), Case::parse(one_token));
  EXPECT_EQ(place.off.error, refuted.residual.error);
  EXPECT_EQ(place.off.bound, refuted.residual.bound);
}

TEST(WrongAnswer, of_several_is_the_first_and_the_others_are_counted) {
  const Encoding wrong = changed([](const Call& call, Tensor& out) {
    if (holds_position(call, 7)) out.data[0] += 1;
  });
  const Shown found =
      of(properties::rotary::composes, wrong, "batch=1 n=1 i1=5 x=[1,0,0,0,0,0,0,0] t1=7 role=query");
  ASSERT_TRUE(found.wrong);
  EXPECT_EQ(found.wrong->place.value().answer, 1u);
  EXPECT_EQ(found.wrong->place->answers, 3u);
  ASSERT_EQ(found.wrong->before.size(), 1u);
  EXPECT_EQ(found.wrong->before[0].positions.whole, (std::vector<Position>{5}));
  EXPECT_EQ(found.wrong->call.positions.whole, (std::vector<Position>{7}));
  EXPECT_TRUE(found.by_answers_alone);
}

TEST(WrongAnswer, of_several_wrong_ones_all_are_put_right) {
  const Encoding wrong = changed([](const Call& call, Tensor& out) {
    if (holds_position(call, 5)) out.data[0] += 1;
    if (holds_position(call, 7)) out.data[1] += 1;
    if (holds_position(call, 12)) out.data[2] += 1;
  });
  const Shown found =
      of(properties::rotary::composes, wrong, "batch=1 n=1 i1=5 x=[1,0,0,0,0,0,0,0] t1=7 role=query");
  ASSERT_TRUE(found.wrong);
  EXPECT_EQ(found.wrong->place.value().answer, 0u);
  EXPECT_TRUE(found.by_answers_alone);
}

// Corrected answers are asked on with: they are rounded as a right subject's are.
TEST(WrongAnswer, that_is_put_right_is_rounded) {
  const Encoding wrong = answered_by(right(), [](const Call& call) {
    for (const Tensor& content : call.contents)
      for (const double x : content.data)
        if (x != nearest(Format::f32, x)) throw std::logic_error("no number of f32");
    Tensor out = answer(right(), call);
    for (double& x : out.data) x = nearest(Format::f32, holds_position(call, 5) ? x + 1 : x);
    return out;
  });
  const Shown found = of(properties::rotary::composes, wrong,
                         "batch=1 n=1 i1=5 x=[1,0,0,0,0,0,0,0] t1=7 role=query", all_f32);
  ASSERT_TRUE(found.wrong);
  EXPECT_TRUE(found.by_answers_alone);
}

TEST(WrongAnswer, is_none_where_each_is_right_and_the_case_fails_all_the_same) {
  const Property picky{.statement = "No token.",
                       .formula = "",
                       .source = "",
                       .checks = {CallCheck{[](const Encoding&) { return true; },
                                            [](const Encoding& encoding, Precision, Draw& draw) {
                                              const Position t = draw.position("t", Domain(0, 9));
                                              answer(encoding, sequence(encoding, {t}));
                                              return holds_if(false);
                                            }}},
                       .must_reject = {}};
  const Shown right_ones = of(picky, right(), "t=3");
  EXPECT_FALSE(right_ones.wrong);
  EXPECT_FALSE(right_ones.by_answers_alone);
  const Encoding wrong = answered_by(right(), [](const Call& call) {
    Tensor out = answer(right(), call);
    out.data[0] += 1;
    return out;
  });
  const Shown both = of(picky, wrong, "t=3");
  EXPECT_TRUE(both.wrong);
  EXPECT_FALSE(both.by_answers_alone) << "with the exact answer it fails as well: a finding of its own";
}

TEST(WrongAnswer, is_not_looked_for_in_a_case_that_does_not_fail) {
  EXPECT_FALSE(of(agreement(truth()), right(), one_token).wrong);
  const auto times = std::make_shared<int>(0);
  const Encoding once =
      changed([times](const Call&, Tensor& out) { out.data[0] += (*times)++ == 0 ? 1 : 0; });
  EXPECT_TRUE(of(agreement(truth()), once, one_token).by_answers_alone) << "asked again, it is right";
  EXPECT_FALSE(of(agreement(truth()), once, one_token).wrong);
}

TEST(WrongAnswer, may_be_none_at_all) {
  const Encoding raising = answered_by(right(), [](const Call& call) -> Tensor {
    if (holds_position(call, 7)) throw Failure(Failure::How::died, "it died", "rotate(x): it died");
    return answer(right(), call);
  });
  const Shown found =
      of(properties::rotary::composes, raising, "batch=1 n=1 i1=5 x=[1,0,0,0,0,0,0,0] t1=7 role=query");
  ASSERT_TRUE(found.wrong);
  EXPECT_EQ(found.wrong->instead, "rotate(x): it died");
  EXPECT_EQ(found.wrong->how, Failure::How::died);
  EXPECT_EQ(found.wrong->before.size(), 1u);
  EXPECT_EQ(found.wrong->call.positions.whole, (std::vector<Position>{7}));
  EXPECT_FALSE(found.wrong->place);
  EXPECT_FALSE(found.by_answers_alone) << "nothing stands in the place of no answer";
}

// A subject of a kind that the truth has not is compared as a whole operator.
TEST(WrongAnswer, of_another_kind_is_an_entry_of_the_whole_operator) {
  const Encoding rows = encoding_named("sinusoidal").make(Case::parse("dim=4")),
                 rotary = encoding_named("rope").oracle(Case::parse("dim=4"));
  const Property property = agreement(rotary);
  const Shown found = shown(trial_of(property, all_f64), rotary, rows, all_f64,
                            Case::parse("tokens=2 mask=none q=[1,0*7] k=[1,0*7] v=[1,0*7]"));
  ASSERT_TRUE(found.wrong);
  EXPECT_TRUE(std::holds_alternative<Attention>(found.wrong->truth));
  EXPECT_EQ(found.wrong->place.value().axes.front().first, Axis::query);
}

}  // namespace
}  // namespace posproof::wrong_answer_test
