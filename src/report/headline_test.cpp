#include "report/headline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/testing/found.h"
#include "run/agreement.h"

namespace posproof::report::headline_test {
namespace {

using namespace posproof::testing;

const Holds held{.cases = 3, .vacuous = 0, .worst = {0, 1, 2}, .worst_at = {}};
const Refuted off{Case::parse("t=1"), {1, 0, 1}, 1, 0};

GateResult found(const std::vector<Verdict>& verdicts) {
  GateResult out = nothing_found();
  for (std::size_t n = 0; n < verdicts.size(); ++n) asked(out, fmt::format("p{}", n), verdicts[n]);
  return out;
}

std::string line(const GateResult& gated) {
  const Headline said = headline(gated);
  return fmt::format("{} {}", said.verdict, in_words(said, gated));
}

TEST(Headline, is_one_verdict_with_a_count_and_a_reason) {
  EXPECT_EQ(line(found({held, held})), "HOLDS 2 of 2 properties");
  EXPECT_EQ(line(found({held, off, off})), "REFUTED 2 of 3 properties; cause: not known");
  EXPECT_EQ(line(found({held, Undecided{"stopped\nhere"}, Errored{"late", {}}})),
            "NOT DECIDED 1 of 3 properties hold; p1: here");
  EXPECT_EQ(line(found({held, Errored{"late", {}}, Undecided{"stopped"}})),
            "NOT DECIDED 1 of 3 properties hold; p1: late");
  EXPECT_EQ(line(found({NotApplicable{"no bias"}})), "NOT DECIDED 0 of 1 properties hold; p0: no bias");
  EXPECT_EQ(line(found({})), "NOT DECIDED 0 of 0 properties hold; no property was asked");
  EXPECT_EQ(line(found({off, Undecided{"stopped"}})), "REFUTED 1 of 2 properties; cause: not known");
  GateResult looser = found({off});
  looser.seeming = {.answers = 3, .word = "bf16", .share = 0.5, .declared_share = 40};
  EXPECT_EQ(line(looser), "REFUTED 1 of 1 properties; no answer is off by more than rounding in `@bf16`");
  looser.seeming.declared_share = 1.5;
  EXPECT_EQ(line(looser), "REFUTED 1 of 1 properties; no answer is off by more than rounding in `@bf16`");
  looser.seeming.declared_share = 1;
  EXPECT_EQ(line(looser), "REFUTED 1 of 1 properties; cause: not known");
  looser.seeming = {.answers = 3, .word = "", .declared_share = 40};
  EXPECT_EQ(line(looser), "REFUTED 1 of 1 properties; cause: not known");
  looser.holds_as = "f32+iterated";
  EXPECT_EQ(line(looser),
            "REFUTED 1 of 1 properties; nothing is off by more than rounding in `@f32+iterated`");
  GateResult some = found({held});
  some.not_checked = {"positions 5 to 9", "more"};
  EXPECT_EQ(line(some), "NOT DECIDED 1 of 1 properties hold; not checked: positions 5 to 9");
  some.interrupted = "interrupted by SIGTERM";
  EXPECT_EQ(line(some),
            "NOT DECIDED 1 of 1 properties hold; not checked: positions 5 to 9; interrupted by SIGTERM");
}

TEST(Headline, names_the_cause) {
  GateResult gated = found({off, off});
  gated.explanations = {{Explanation::Kind::defect, "rope/x", "what it computes", "a#1"}};
  EXPECT_EQ(headline(gated).cause, "defect rope/x");
  gated.explanations.push_back({Explanation::Kind::defect, "rope/y", "the same", "b#2"});
  EXPECT_EQ(headline(gated).cause, "defect rope/x or defect rope/y");
  gated.explanations.push_back({Explanation::Kind::measured, "positions are doubled", "", ""});
  gated.explanations.push_back({Explanation::Kind::measured, "keys are not rotated", "", ""});
  EXPECT_EQ(headline(gated).cause, "positions are doubled; keys are not rotated");
  gated.explanations.push_back({Explanation::Kind::convention, "--base 100", "the base", ""});
  EXPECT_EQ(headline(gated).cause, "`--base 100`") << "it may not be wrong at all";

  gated = found({held, off});
  auto& refuted = std::get<Refuted>(gated.results[1].verdict);
  refuted.instead = "/home/me/x.py: rows(positions [1]): it is killed by SIGSEGV";
  EXPECT_EQ(headline(gated).cause, "rows(positions [1]): it is killed by SIGSEGV") << "not where it lies";
  refuted.instead = "/home/me/x.py: rows(positions [1]): Traceback\n  File x\nValueError: no \x1b row\n";
  EXPECT_EQ(headline(gated).cause, "ValueError: no \\x1b row");
  refuted.instead += "\n\n";
  EXPECT_EQ(headline(gated).cause, "ValueError: no \\x1b row");
  gated.results[1].needs_history = true;
  EXPECT_EQ(headline(gated).cause, "answers depend on the calls before");
  gated = found({off});
  gated.results[0].id = history_id;
  EXPECT_EQ(headline(gated).cause, "answers depend on the calls before");
}

// Where it is wrong does not say why: a cause of any kind comes before.
TEST(Headline, says_where_it_is_wrong_where_no_cause_is_known) {
  GateResult gated = found({held, off});
  gated.seeming = {.answers = 3, .word = "bf16", .share = 0.5, .declared_share = 40};
  gated.explanations = {{Explanation::Kind::place, "wrong in head 1 of 2 alone", "", ""}};
  EXPECT_EQ(headline(gated).cause, "");
  EXPECT_EQ(line(gated), "REFUTED 1 of 2 properties; cause: not known; wrong in head 1 of 2 alone");
  gated.results[1].needs_history = true;
  EXPECT_EQ(line(gated), "REFUTED 1 of 2 properties; cause: answers depend on the calls before");
  gated.explanations.push_back({Explanation::Kind::measured, "positions are doubled", "", ""});
  EXPECT_EQ(line(gated), "REFUTED 1 of 2 properties; cause: positions are doubled");
}

// A question of many positions is several calls of code that takes an offset: it may fail on a new object by
// the first of these.
TEST(Headline, says_that_answers_depend_on_calls_where_one_question_is_several_of_them) {
  GateResult gated = found({off, off});
  gated.results[1].id = history_id;
  EXPECT_EQ(headline(gated).cause, "") << "each question is one call";
  gated.subject.takes_positions = "offset";
  EXPECT_EQ(headline(gated).cause, "answers depend on the calls before");
  gated.results[1].id = "another";
  EXPECT_EQ(headline(gated).cause, "") << "nothing is remembered";
}

}  // namespace
}  // namespace posproof::report::headline_test
