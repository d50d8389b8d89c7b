// How the gate shows failures: once, the first of them named, with the calls that they need.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <memory>
#include <utility>

#include "core/failure.h"
#include "gate/history.h"
#include "gate/testing/gated.h"
#include "run/agreement.h"
#include "run/narrowed.h"
#include "subject/interrupt.h"

namespace posproof::gate_failures_test {
namespace {

using namespace gated;

TEST(GateFailures, are_shown_once_and_the_first_is_named) {
  const Gated raising{"rope", "dim=4", [](const Encoding& right, const Call& call) -> Tensor {
                        if (!call.positions.whole.empty() && call.positions.whole.front() >= 3)
                          throw Failure(Failure::How::raised, "no such row", "rotate: no such row");
                        return answer(right, call);
                      }};
  const GateResult found = raising();
  const PropertyResult *first = asking(found, agreement_id), *second = asking(found, "rotary/is_linear");
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(first->same_as, "");
  EXPECT_GT(verdict<Refuted>(found, agreement_id).shrinks, 0u);
  EXPECT_EQ(second->same_as, agreement_id);
  EXPECT_EQ(verdict<Refuted>(found, "rotary/is_linear").shrinks, 0u);
  EXPECT_EQ(verdict<Refuted>(found, "rotary/is_linear").instead, "rotate: no such row");
  std::ptrdiff_t same = 0;
  for (const PropertyResult& one : found.results) {
    if (one.id == agreement_id || !std::holds_alternative<Refuted>(one.verdict)) continue;
    EXPECT_EQ(one.same_as, agreement_id) << one.id << ": the first of all, not the one before";
    ++same;
  }
  EXPECT_GT(same, 2);
}

// A property that fails otherwise has a finding of its own.
TEST(GateFailures, that_are_others_are_shown_each) {
  const Gated raising{"rope", "dim=4", [](const Encoding&, const Call& call) -> Tensor {
                        const std::string why =
                            call.positions.size() > call.batch ? "several tokens" : "alone";
                        throw Failure(Failure::How::raised, why, "rotate: " + why);
                      }};
  const GateResult found = raising();
  Texts shown;
  for (const PropertyResult& one : found.results)
    if (const auto* refuted = std::get_if<Refuted>(&one.verdict); refuted && one.same_as.empty())
      shown.push_back(refuted->instead);
  std::ranges::sort(shown);
  EXPECT_EQ(shown, (Texts{"rotate: alone", "rotate: several tokens"}));
}

// An interrupt comes while the failure is asked again, of a subject that is right then: what was seen stands.
// In a process of its own: the tests go on.
TEST(GateFailures, that_an_interrupt_leaves_unrepeated_stand) {
  const pid_t process = ::fork();
  if (process == 0) {
    note_interrupts();
    int wrong = 0;
    const Gated one{"rope", "dim=4", [&](const Encoding& right, const Call& call) {
                      if (++wrong == 2) ::raise(SIGINT);
                      return wrong == 1 ? all_zero(answer(right, call)) : answer(right, call);
                    }};
    const GateResult found = one(20, "rotary/preserves_norm");
    const auto* refuted = std::get_if<Refuted>(&found.results.front().verdict);
    ::_exit(interrupted() != SIGINT ? 2 : refuted == nullptr ? 3 : refuted->repeats ? 0 : 1);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
}

// Nor are they explained by half of what there is to say.
TEST(GateFailures, that_an_interrupt_leaves_half_explained_are_not_explained) {
  const pid_t process = ::fork();
  if (process == 0) {
    note_interrupts();
    bool explaining = false;
    int calls = 0;
    const Gated one{"rope", "dim=4", [&](const Encoding& right, const Call& call) {
                      if (explaining && ++calls == 10) ::raise(SIGINT);
                      return all_zero(answer(right, call));
                    }};
    GateOptions options{.budget = {.cases = 3}, .filter = std::string(agreement_id)};
    options.progress = [&](std::string_view what, std::size_t, std::size_t) {
      explaining = explaining || what == "what explains it";
    };
    const GateResult found = one.with_options(options);
    ::_exit(found.interrupted.empty() ? 2 : found.explanations.empty() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
}

// A subject with a memory: wrong from its third call on, or always. `renewed`: how often it was started anew.
GateResult remembering(int wrong_from, const std::string& filter = std::string(agreement_id),
                       int* renewed = nullptr) {
  const auto calls = std::make_shared<int>(0);
  Gated one{"rope", "dim=4", [=](const Encoding& right, const Call& call) {
              return ++*calls >= wrong_from ? all_zero(answer(right, call)) : answer(right, call);
            }};
  one.change = [=](Subject& subject) {
    subject.renew = [=] {
      *calls = 0;
      if (renewed != nullptr) ++*renewed;
    };
  };
  return one(20, filter);
}

TEST(GateFailures, that_need_what_was_asked_before_say_so) {
  int renewed = 0;
  const GateResult late = remembering(3), always = remembering(1, "rotary/", &renewed);
  ASSERT_TRUE(late.refuted() && always.refuted());
  EXPECT_TRUE(asking(late, agreement_id)->needs_history);
  EXPECT_EQ(asking(late, agreement_id)->follows_from, "") << "history was not asked";
  std::size_t fail = 0;
  for (const PropertyResult& one : always.results) {
    EXPECT_FALSE(one.needs_history) << one.id;
    fail += std::holds_alternative<Refuted>(one.verdict) ? 1 : 0;
  }
  EXPECT_GT(fail, 2u);
  EXPECT_EQ(renewed, 2) << "for the first of them, which shows at once, and for what explains it";
}

// What is wrong in calls of several positions is wrong in a call of few: no call before it is needed.
TEST(GateFailures, of_several_positions_need_no_history) {
  for (const bool raises : {false, true}) {
    Gated one{"rope", "dim=4", [=](const Encoding& right, const Call& call) {
                Tensor out = answer(right, call);
                const std::vector<Position>& at = call.positions.whole;
                const bool last =
                    call.batch == 1 && at.size() > 1 && at.back() == 2040 && at[at.size() - 2] == 2039;
                if (last && raises) throw Failure(Failure::How::raised, "no last row", "rotate: no last row");
                return last ? all_zero(std::move(out)) : out;
              }};
    one.change = [](Subject& subject) {
      Domain all(0, 2040);
      all.ends = true;
      subject.encoding = with_positions(std::move(subject.encoding), all);
      subject.live = true;
      subject.renew = [] {};
    };
    const GateResult found = one(20, "agrees_with");
    const Refuted& refuted = verdict<Refuted>(found, agreement_id);
    EXPECT_TRUE(refuted.repeats) << raises;
    EXPECT_EQ(refuted.counterexample.integer("tokens"), 2) << raises;
    EXPECT_FALSE(asking(found, agreement_id)->needs_history) << raises;
  }
}

// Each of them, not the first alone; they follow from history where that was asked.
TEST(GateFailures, that_need_what_was_asked_before_are_all_told) {
  for (const std::string filter : {"rotary/", "r"}) {
    const GateResult late = remembering(9, filter);
    const std::string from(filter == "r" ? history_id : "");
    std::size_t need = 0, fail = 0;
    for (const PropertyResult& one : late.results) {
      if (one.id == history_id || !std::holds_alternative<Refuted>(one.verdict)) continue;
      ++fail;
      need += one.needs_history ? 1 : 0;
      EXPECT_EQ(one.follows_from, one.needs_history ? from : "") << one.id;
    }
    EXPECT_GT(fail, 2u);
    EXPECT_EQ(need, fail) << filter;
  }
}

// A subject that does not start again is not asked what it does then.
TEST(GateFailures, of_what_cannot_be_started_again_stand) {
  Gated one{"rope", "dim=4",
            [](const Encoding& right, const Call& call) { return all_zero(answer(right, call)); }};
  one.change = [](Subject& subject) { subject.renew = [] { throw SubjectError("it is gone"); }; };
  const GateResult found = one(20, "rotary/preserves_norm");
  verdict<Refuted>(found, "rotary/preserves_norm");
  EXPECT_FALSE(found.results.front().needs_history);
  EXPECT_TRUE(found.explanations.empty());
}

// What is done besides is the cause where no answer says it, and place is none.
TEST(GateFailures, are_explained_by_what_calls_leave_behind_and_by_what_is_past_the_end) {
  const auto causes = [](const Gated& one, const std::string& filter, std::uint64_t cases = 4) {
    Texts out;
    for (const Explanation& explanation : one(cases, filter).explanations) out.push_back(explanation.what);
    return out;
  };
  const auto calls = std::make_shared<int>(0);
  Gated halving{"alibi", "heads=2", [=](const Encoding& right, const Call& call) {
                  Tensor out = answer(right, call);
                  for (double& entry : out.data) entry *= std::ldexp(1.0, -*calls);
                  ++*calls;
                  return out;
                }};
  halving.change = [=](Subject& subject) { subject.renew = [=] { *calls = 0; }; };
  EXPECT_EQ(causes(halving, "s_"), Texts{"each call multiplies the answers by 0.5: those to the first are as "
                                         "declared, to the next multiplied once"});
  const Gated clamped{"learned", "dim=3 length=8", [](const Encoding& right, Call call) {
                        for (Position& t : call.positions.whole) t = std::clamp<Position>(t, 0, 7);
                        return answer(right, call);
                      }};
  EXPECT_EQ(causes(clamped, "refuses"), Texts{"positions past 7 are not refused: they count as 7"});
  const Gated one_more{"learned", "dim=3 length=8", [](const Encoding& right, Call call) {
                         for (Position& t : call.positions.whole) t = t == 8 ? 0 : t;
                         return answer(right, call);
                       }};
  EXPECT_EQ(causes(one_more, "refuses", 200),
            Texts{"position 8, the first past the end, is not refused: it counts as 0"});
}

// A failure that another property showed already is looked at there alone.
TEST(GateFailures, that_were_shown_before_are_asked_of_no_new_object) {
  const auto calls = std::make_shared<int>(0);
  Gated one{"rope", "dim=4", [=](const Encoding& right, const Call& call) -> Tensor {
              if (++*calls >= 3) throw Failure(Failure::How::raised, "too many", "rotate: too many");
              return answer(right, call);
            }};
  one.change = [=](Subject& subject) { subject.renew = [=] { *calls = 0; }; };
  const GateResult found = one(20, "rotary/");
  ASSERT_GE(found.results.size(), 2u);
  EXPECT_TRUE(found.results[0].needs_history);
  EXPECT_EQ(found.results[1].same_as, found.results[0].id);
  EXPECT_FALSE(found.results[1].needs_history);
}

// What is wrong in every object stands by itself, and says nothing of what is wrong in an old one alone.
TEST(GateFailures, that_need_no_history_stand_beside_those_that_do) {
  const auto calls = std::make_shared<int>(0);
  Gated one{"rope", "dim=4", [=](const Encoding& right, Call call) {
              if (call.positions.whole.size() == 1) ++call.positions.whole[0];
              return ++*calls >= 9 ? all_zero(answer(right, call)) : answer(right, call);
            }};
  one.change = [=](Subject& subject) { subject.renew = [=] { *calls = 0; }; };
  const GateResult found = one(20);
  verdict<Refuted>(found, history_id);
  EXPECT_FALSE(asking(found, history_id)->needs_history);
  EXPECT_EQ(asking(found, history_id)->follows_from, "");
  verdict<Refuted>(found, agreement_id);
  EXPECT_FALSE(asking(found, agreement_id)->needs_history);
  EXPECT_EQ(asking(found, agreement_id)->follows_from, "");
  verdict<Refuted>(found, "rotary/preserves_norm");
  EXPECT_TRUE(asking(found, "rotary/preserves_norm")->needs_history);
  EXPECT_EQ(asking(found, "rotary/preserves_norm")->follows_from, history_id);
}

// A single token after other calls is rotated at 0: compared with a defect that was asked nothing before,
// either.
TEST(GateFailures, are_explained_by_a_subject_that_was_asked_nothing_before) {
  const auto called = std::make_shared<bool>(false);
  Gated one{"rope", "dim=4", [=](const Encoding& right, Call call) {
              if (*called && call.positions.whole.size() == call.batch)
                std::ranges::fill(call.positions.whole, Position{0});
              *called = true;
              return answer(right, call);
            }};
  one.change = [=](Subject& subject) { subject.renew = [=] { *called = false; }; };
  const GateResult found = one(100, std::string(agreement_id));
  Texts names;
  for (const Explanation& explanation : found.explanations) names.push_back(explanation.what);
  EXPECT_EQ(names,
            (Texts{"after the first call a single token counts as 0", "rope/decode_restarts_at_zero"}));
}

// A table is made for the first call and never grows: which positions are wrong depends on that call.
TEST(GateFailures, that_depend_on_the_first_call_are_measured_after_two_of_them) {
  const auto last = std::make_shared<Position>(0);
  Gated one{"rope", "dim=4", [=](const Encoding& right, Call call) {
              if (*last == 0) *last = std::max(Position{63}, *last_of(call.positions));
              for (Position& t : call.positions.whole) t = std::min(t, *last);
              return answer(right, call);
            }};
  one.change = [=](Subject& subject) { subject.renew = [=] { *last = 0; }; };
  const auto measured = [&](const std::string& filter) {
    Texts out;
    for (const Explanation& explanation : one(100, filter).explanations)
      if (explanation.kind == Explanation::Kind::measured) out.push_back(explanation.what);
    return out;
  };
  const Texts both = measured("");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(both[0].starts_with("positions past ")) << both[0];
  EXPECT_EQ(both[1], "after a first call at position 0: positions past 63 count as 63");
  one.change = [=](Subject& subject) {
    subject.renew = [=] { *last = 0; };
    subject.encoding = narrowed(std::move(subject.encoding), 5, 4096);
  };
  const Texts from_5 = measured("");
  ASSERT_EQ(from_5.size(), 2u);
  EXPECT_EQ(from_5[1], "after a first call at position 5: positions past 63 count as 63");
  one.change = [=](Subject& subject) { subject.renew = [=] { *last = 0; }; };
  EXPECT_EQ(measured(std::string(agreement_id)).size(), 1u) << "the history is not asked";
}

TEST(GateFailures, are_explained_and_what_holds_is_not) {
  const Gated ahead{"rope", "dim=4", [](const Encoding& right, Call call) {
                      for (Position& t : call.positions.whole) ++t;
                      return answer(right, call);
                    }};
  const GateResult found = ahead(20, std::string(agreement_id));
  ASSERT_EQ(found.explanations.size(), 2u);
  EXPECT_EQ(found.explanations[0].what, "positions are one ahead");
  EXPECT_EQ(found.explanations[1].what, "rope/one_position_ahead");
  EXPECT_TRUE(Gated({"rope", "dim=4"})(20, std::string(agreement_id)).explanations.empty());
}

}  // namespace
}  // namespace posproof::gate_failures_test
