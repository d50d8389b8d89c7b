#include "diagnosis/time_limit.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/call.h"
#include "core/spec.h"
#include "diagnosis/call_fits.h"
#include "diagnosis/diagnosis.h"
#include "diagnosis/made_candidate.h"
#include "run/catalogued.h"

namespace posproof::time_limit_test {
namespace {

constexpr auto over = BudgetClock::time_point::min(), never = BudgetClock::time_point::max();

TEST(TimeLimit, holds_while_it_lives) {
  EXPECT_NO_THROW(TimeLimit::go_on());
  {
    const TimeLimit none(never);
    EXPECT_NO_THROW(TimeLimit::go_on());
    {
      const TimeLimit passed(over);
      EXPECT_THROW(TimeLimit::go_on(), TimeIsOver);
      // A candidate that is left out because it fails is another matter.
      EXPECT_THROW(made_candidate([]() -> Encoding { return {}; }), TimeIsOver);
    }
    EXPECT_NO_THROW(TimeLimit::go_on());
  }
  const TimeLimit soon(BudgetClock::now() + std::chrono::hours(1));
  EXPECT_NO_THROW(TimeLimit::go_on());
}

// Every rule that is tried on calls compares its answers there, a thousand rules without another question.
TEST(TimeLimit, holds_where_answers_are_compared) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Encoding truth = spec.make(with(spec, Case::parse("heads=1")));
  const Call call{.batch = 1, .positions = {{1}}, .keys = {{0, 1}}};
  const Tensor given = answer(truth, call);
  const auto compared = [&] {
    return right_rows(model_of(truth, all_f32), truth, call, given, given, farthest(call));
  };
  EXPECT_EQ(compared(), std::vector<bool>{true});
  const TimeLimit passed(over);
  EXPECT_THROW(compared(), TimeIsOver);
}

TEST(TimeLimit, ends_a_diagnosis_that_says_so) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse("dim=4"));
  const Subject subject{"made", "", spec.make(with(spec, Case::parse("dim=4 base=1000"))), all_f32};
  const auto said = [&](BudgetClock::time_point deadline) {
    return diagnose(spec, "rope", parameters, subject, {}, 1, deadline);
  };
  const auto all = said(never), cut = said(over);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().kind, Explanation::Kind::measured);
  EXPECT_EQ(all.front().what, "frequencies are base^(-2i/4) with base 1000, not 10000");
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut.front().kind, Explanation::Kind::unfinished);
  EXPECT_NO_THROW(TimeLimit::go_on()) << "the limit ended with the diagnosis";
}

}  // namespace
}  // namespace posproof::time_limit_test
