// What a terminal shows of a gate and of one verdict, word for word.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/json.h"
#include "report/testing/found.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/catalogued.h"

namespace posproof::report::gated_words_test {
namespace {

using namespace posproof::testing;

std::string said(const Verdict& verdict, std::string_view subject = "", std::string_view again = "",
                 const Precision& precision = all_f32) {
  return report::verdict(subject, "score/x", norm_stays, verdict, precision, again, {});
}

Holds held(Residual worst) {
  return {.cases = 300, .vacuous = 20, .worst = worst, .worst_at = {}};
}

TEST(ReportVerdict, that_holds_is_one_line_with_the_share_in_percent) {
  const std::string begin =
      "HOLDS      score/x                                       300 cases, 20 of them vacuous, "
      "error at most ";
  EXPECT_EQ(said(held({1, 8, 16}), "cmd:x", "posproof check"), begin + "13 % of the bound\n");
  EXPECT_EQ(said(held({3, 4, 16})), begin + "75 % of the bound\n");
  EXPECT_EQ(said(held({0, 0, 16})), begin + "0 % of the bound\n");
  EXPECT_EQ(said(held({0.0123, 1, 16})), begin + "1.3 % of the bound\n");
  EXPECT_EQ(said(held({1, 1, 16})), begin + "100 % of the bound\n");
}

Refuted off(Residual residual) {
  return {
      .counterexample = Case::parse("t=3 q=[0.25,0]"), .residual = residual, .found_after = 1, .shrinks = 0};
}

TEST(ReportVerdict, that_is_refuted_is_the_whole_story) {
  EXPECT_EQ(said(off({0.5, 0.125, 1}), "cmd:x", "posproof check score/x rope 'cmd:x'",
                 Precision::parse("bf16/f32")),
            "REFUTED    cmd:x  score/x\n"
            "  The norm stays.  |x| = 1\n"
            "  off by 0.5, rounding in bf16 over f32 allows 0.125\n"
            "  at  t=3 q=[0.25,0]\n"
            "  again: posproof check score/x rope 'cmd:x' --case 't=3 q=[0.25,0]'\n");
  EXPECT_EQ(said(off({0.123456789, 1.0 / 3, 1})),
            "REFUTED    score/x\n"
            "  The norm stays.  |x| = 1\n"
            "  off by 0.123457, rounding in f32 allows 0.333333\n"
            "  at  t=3 q=[0.25,0]\n");
  EXPECT_EQ(said(off({nan, 0.125, 1})),
            "REFUTED    score/x\n"
            "  The norm stays.  |x| = 1\n"
            "  the answer is not a number\n"
            "  at  t=3 q=[0.25,0]\n");
  EXPECT_NE(said(off({infinite, 0.125, 1})).find("\n  off by inf, rounding in f32 allows 0.125\n"),
            std::string::npos);
}

// The entry is the whole refutation, part of it, or of agreement, which says nothing else.
TEST(ReportVerdict, says_where_an_answer_is_wrong) {
  Refuted refuted = off({2, 1, 4});
  refuted.place = wrong_entry();
  const std::string
      entry =
          "answer 2 of 3, token 0 (position 7), channel 3 (second of pair 1): expected 1, got 0.25, off by 0.75; "
          "rounding in f32 allows 0.125\n  at  t=3 q=[0.25,0]\n",
      statement = "  The norm stays.  |x| = 1\n";
  EXPECT_EQ(said(refuted), "REFUTED    score/x\n" + statement +
                               "  off by 2, rounding in f32 allows 1\n  an answer is wrong: " + entry);
  const auto of_agreement = [&] {
    return report::verdict("", agreement_id, norm_stays, refuted, all_f32, "", {});
  };
  EXPECT_NE(of_agreement().find(statement), std::string::npos);
  refuted.residual = refuted.place->off;
  EXPECT_EQ(said(refuted), "REFUTED    score/x\n" + statement + "  " + entry);
  EXPECT_EQ(of_agreement(), "REFUTED    agrees_with_its_oracle\n  " + entry);
}

TEST(ReportVerdict, says_what_came_instead_of_an_answer_what_repeats_and_what_matters) {
  Refuted refuted = off({nan, 0, 0});
  refuted.instead = "rows: error: \x1b[31m";
  refuted.repeats = false;
  refuted.irrelevant = {"k", "v"};
  EXPECT_EQ(said(refuted, "", "again"),
            "REFUTED    score/x\n"
            "  The norm stays.  |x| = 1\n"
            "  rows: error: \\x1b[31m\n"
            "  at  t=3 q=[0.25,0]\n"
            "  flaky: asked again, alone, the same case did not fail\n"
            "  does not matter: k, v\n"
            "  again: again --case 't=3 q=[0.25,0]'\n");
}

TEST(ReportVerdict, that_is_none_says_why) {
  const std::string statement = "\n  The norm stays.  |x| = 1\n";
  EXPECT_EQ(said(Undecided{"only vacuous cases"}, "", "again"),
            "UNDECIDED  score/x" + statement + "  only vacuous cases\n");
  EXPECT_EQ(said(NotApplicable{"no bias"}, "rope", "again"),
            "NOT APPLICABLE  rope  score/x" + statement + "  no bias\n");
  EXPECT_EQ(said(Errored{"late", Case::parse("t=8")}, "", "again"),
            "ERRORED    score/x" + statement + "  late\n  at  t=8\n  again: again --case 't=8'\n");
  EXPECT_EQ(said(Errored{"late", Case::parse("t=8")}),
            "ERRORED    score/x" + statement + "  late\n  at  t=8\n");
  EXPECT_EQ(said(Errored{"late", {}}, "", "again"), "ERRORED    score/x" + statement + "  late\n");
}

// All of it, but for what stands between the two places.
const std::string findings =
    "REFUTED  sinusoidal --dim 4 --offset 2 of cmd:./x --fast: 5 of 10 properties; cause: `--layout sin_cos`\n"
    "  x 1.0 gives table in bf16 over f32\n"
    "  contained: no network, no devices\n"
    "  not contained: reading files\n"
    "every case agrees with `--layout sin_cos` instead (where sines stand)\n"
    "measured: positions are one ahead\n"
    "behaves exactly like defect rope/angles_in_bf16 (candle#3520)\n"
    "  angles are rounded\n"
    "located: wrong in head 1 of 2 alone\n"
    "REFUTED    b/refuted\n"
    "  The norm stays.  |x| = 1\n"
    "  off by 0.5, rounding in bf16 over f32 allows 0.125\n"
    "  at  t=3 q=[0.25,0]\n"
    "  does not matter: q, k\n"
    "  again: posproof check b/refuted sinusoidal --dim 4 --offset 2 'cmd:./x --fast' --sandbox --case 't=3 "
    "q=[0.25,0]'\n"
    "REFUTED    c/raises\n"
    "  The norm stays.  |x| = 1\n"
    "  rows(positions [1]): error: no <row>\n"
    "  at  t=4\n"
    "  flaky: asked again, alone, the same case did not fail\n"
    "  again: posproof check c/raises sinusoidal --dim 4 --offset 2 'cmd:./x --fast' --sandbox --case 't=4'\n"
    "REFUTED    e/history\n"
    "  The norm stays.  |x| = 1\n"
    "  the answer is not a number\n"
    "  at  t=6\n"
    "  it depends on the calls before: a new object that is asked only this is right, see "
    "answers_like_a_new_object\n";
const std::string the_rest =
    "UNDECIDED  f/undecided\n"
    "  The norm stays.  |x| = 1\n"
    "  stopped by `--time` (1 s)\n"
    "ERRORED    g/errored\n"
    "  The norm stays.  |x| = 1\n"
    "  no answer within 20 s\n"
    "  at  t=8\n"
    "  again: posproof check g/errored sinusoidal --dim 4 --offset 2 'cmd:./x --fast' --sandbox --case 't=8'\n"
    "ERRORED    h/errored\n"
    "  The norm stays.  |x| = 1\n"
    "  it broke down\n"
    "NOT APPLICABLE  i/none\n"
    "  The norm stays.  |x| = 1\n"
    "  no bias\n"
    "HOLDS      a/holds                                       300 cases, 20 of them vacuous, error at most 13 % of "
    "the bound\n"
    "observed   a call repeated: same bits in 27 of 27 calls\n"
    "           a batch row or token alone: same bits in 15 of 18 calls, at most 0.5 apart, first at t=1\n"
    "precision  seems to work in `bf16/f32`: 40 answers use at most 50 % of what that allows, 25 % of what "
    "`bf16/f32` does\n"
    "accuracy\n"
    "  400 entries in f32, positions 0 to 99: 2 (0.5 %) are not the exact value correctly rounded\n"
    "  largest error  3.5 ulp at position 7, column 2\n"
    "  largest error  0.25 at position 98, column 3: an angle of which this is the sine or cosine is off by that "
    "many radians at least\n"
    "  HOLDS  every entry is within what rounding in bf16 over f32 allows, at most 50 % of it\n"
    "NOT CHECKED  positions 5 to 9\n"
    "NOT CHECKED  and others\n"
    "alike      exponent: `rotary_dim` and `dim`\n"
    "alike      another\n"
    "skipped    call/x: a file answers no calls\n"
    "skipped    call/y: none\n"
    "10 properties asked: 2 errored, 1 holds, 1 not applicable, 5 refuted, 1 undecided\n";

TEST(ReportGate, says_the_verdict_its_cause_what_was_refuted_and_the_rest) {
  EXPECT_EQ(gated(everything_found(), {}),
            findings +
                "REFUTED    d/raises: fails in the same way as c/raises\n"
                "REFUTED    j/follows: follows from b/refuted (--in-full prints each)\n" +
                the_rest);
}

TEST(ReportGate, names_the_positions_that_were_asked_for) {
  GateResult found = everything_found();
  found.positions = {-5, 7};
  const std::string said = gated(found, {}, {.in_full = true});
  EXPECT_TRUE(
      said.starts_with("REFUTED  sinusoidal --dim 4 --offset 2 --positions=-5:7 of cmd:./x --fast: "));
  EXPECT_NE(
      said.find("  again: posproof check b/refuted sinusoidal --dim 4 --offset 2 --positions=-5:7 'cmd:./x "),
      std::string::npos);
}

TEST(ReportGate, prints_what_follows_in_full_where_that_is_asked_for) {
  EXPECT_EQ(
      gated(everything_found(), {}, {.in_full = true}),
      findings +
          "REFUTED    j/follows\n"
          "  The norm stays.  |x| = 1\n"
          "  off by 2, rounding in bf16 over f32 allows 1\n"
          "  an answer is wrong: answer 2 of 3, token 0 (position 7), channel 3 (second of pair 1): expected 1, "
          "got 0.25, off by 0.75; rounding in bf16 over f32 allows 0.125\n"
          "  at  t=7\n"
          "  again: posproof check j/follows sinusoidal --dim 4 --offset 2 'cmd:./x --fast' --sandbox --case "
          "'t=7'\n"
          "  follows from b/refuted\n"
          "REFUTED    d/raises: fails in the same way as c/raises\n" +
          the_rest);
}

TEST(ReportGate, has_one_line_for_all_that_follow_from_one) {
  GateResult some = nothing_found();
  for (const char* id : {"a", "b", "c", "d", "e"}) testing::asked(some, id, off({1, 0, 1}));
  some.results[1].follows_from = some.results[2].follows_from = "a";
  some.results[3].same_as = some.results[4].same_as = "b";
  const std::string text = gated(some, {});
  EXPECT_NE(
      text.find("'\nREFUTED    d, e: fail in the same way as b\n"
                "REFUTED    b, c: follow from a (--in-full prints each)\n5 properties asked: 5 refuted\n"),
      std::string::npos)
      << text;
}

TEST(ReportGate, says_as_what_all_that_was_refuted_would_hold) {
  GateResult steps = nothing_found();
  steps.holds_as = "f32+iterated";
  const std::string text = gated(steps, {});
  EXPECT_NE(
      text.find("precision  would hold as `@f32+iterated`: each frequency is the one before times a ratio\n"),
      std::string::npos)
      << text;
}

TEST(ReportGate, a_place_explains_nothing) {
  GateResult refuted = nothing_found();
  testing::asked(refuted, "b/refuted", off({0.5, 0.125, 1}));
  refuted.explanations = {{Explanation::Kind::place, "wrong in head 1 of 2 alone", "", ""}};
  const std::string text = gated(refuted, {});
  EXPECT_NE(text.find("; cause: not known; wrong in head 1 of 2 alone\n"), std::string::npos) << text;
  EXPECT_NE(text.find("located: wrong in head 1 of 2 alone\n"
                      "no other setting of the encoding and no known defect explains every case\n"),
            std::string::npos)
      << text;
}

TEST(ReportGate, says_that_what_explains_it_was_not_sought_to_the_end) {
  GateResult refuted = nothing_found();
  testing::asked(refuted, "b/refuted", off({0.5, 0.125, 1}));
  refuted.explanations = {{Explanation::Kind::unfinished, "the time was over", "", ""}};
  const std::string text = gated(refuted, {});
  EXPECT_NE(text.find("; cause: not known\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnot explained: the time was over (--budget gives more)\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("no known defect"), std::string::npos) << text;
  EXPECT_NE(json(refuted).find(R"("kind": "unfinished")"), std::string::npos) << json(refuted);
}

TEST(ReportGate, says_nothing_of_what_is_not_there) {
  EXPECT_EQ(
      gated(nothing_found(), {}),
      "NOT DECIDED  sinusoidal --dim 4 --offset 2 of cmd:./x --fast: 0 of 0 properties hold; no property was "
      "asked\n"
      "  x 1.0 gives table in bf16 over f32\n"
      "0 properties asked: \n");
  GateResult refuted = nothing_found();
  testing::asked(refuted, "b/refuted", off({0.5, 0.125, 1}));
  EXPECT_EQ(gated(refuted, {}),
            "REFUTED  sinusoidal --dim 4 --offset 2 of cmd:./x --fast: 1 of 1 properties; cause: not known\n"
            "  x 1.0 gives table in bf16 over f32\n"
            "no other setting of the encoding and no known defect explains every case\n"
            "REFUTED    b/refuted\n"
            "  The norm stays.  |x| = 1\n"
            "  off by 0.5, rounding in bf16 over f32 allows 0.125\n"
            "  at  t=3 q=[0.25,0]\n"
            "  again: posproof check b/refuted sinusoidal --dim 4 --offset 2 'cmd:./x --fast' --case 't=3 "
            "q=[0.25,0]'\n"
            "1 properties asked: 1 refuted\n");
  refuted.interrupted = "interrupted by SIGINT";
  EXPECT_EQ(gated(refuted, {}).find("no known defect"), std::string::npos)
      << "none was looked for to the end";
}

TEST(ReportGate, names_the_script_or_the_option_where_an_answer_is_wrong) {
  GateResult wrong = nothing_found();
  testing::asked(wrong, "b/refuted", off({0.5, 0.125, 1}));
  wrong.results.back().wrong = std::make_shared<WrongAnswer>();
  EXPECT_NE(gated(wrong, {}).find(
                "\nreproduce  --reproduce FILE.py writes a script for an issue, which needs neither "
                "posproof nor its SDK\n1 properties asked"),
            std::string::npos)
      << gated(wrong, {});
  EXPECT_NE(
      gated(wrong, {}, {.reproduced = "a\x1b.py"})
          .find(
              "\nreproduce  a\\x1b.py: a script for an issue; put the code under test into `subject` and run "
              "it\n1 properties asked"),
      std::string::npos);
}

TEST(ReportGate, says_of_a_property_that_ended_what_it_is) {
  const GateResult all = everything_found();
  EXPECT_EQ(ended(all.results[0], {}), "HOLDS      a/holds");
  EXPECT_EQ(ended(all.results[1], {.colour = true}), "\x1b[31mREFUTED  \x1b[0m  b/refuted");
}

TEST(ReportAgain, names_the_property_the_setting_and_the_subject) {
  const Parameters parameters = Case::parse("dim=8 base=10000 layout=sin_cos");
  Subject subject = nothing_found().subject;
  EXPECT_EQ(again("score/x", "sinusoidal", parameters, nullptr),
            "posproof check score/x sinusoidal --dim 8 --layout sin_cos");
  EXPECT_EQ(again("score/x", "sinusoidal", parameters, &subject),
            "posproof check score/x sinusoidal --dim 8 --layout sin_cos 'cmd:./x --fast'");
  subject.containment.contained = {"no network"};
  EXPECT_EQ(again("score/x", "sinusoidal", {}, &subject),
            "posproof check score/x sinusoidal 'cmd:./x --fast' --sandbox");
}

TEST(ReportAgain, names_the_positions_that_were_asked_for) {
  const Subject program{.name = "cmd:./x", .description = "", .encoding = Table{}, .precision = all_f32};
  EXPECT_EQ(again("score/x", "sinusoidal", {}, &program, std::pair{Position{-5000}, Position{7}}),
            "posproof check score/x sinusoidal --positions=-5000:7 'cmd:./x'");
}

TEST(ReportAgain, says_whether_a_claimed_failure_fails) {
  Claim claim{.property = &norm_stays, .holds = false};
  claim.witness = "dim=2 t=1";
  claim.by = 1.2345;
  claim.because = "it turns";
  const ClaimResult fails{ClaimStatus::as_claimed, off({1, 0, 1}), ""};
  EXPECT_EQ(claimed_to_fail(claim, fails, off({1, 0, 1})),
            "  fails as claimed\n  witness  dim=2 t=1  off by 1.23\n  because  it turns\n");
  EXPECT_EQ(
      claimed_to_fail(claim, fails, held({0, 1, 2})),
      "  fails as claimed\n  witness  dim=2 t=1  off by 1.23 (what was searched does not show it)\n  because  it turns\n");
  EXPECT_EQ(
      claimed_to_fail(claim, {ClaimStatus::stale, held({0, 1, 2}), "the recorded witness no longer fails"},
                      off({1, 0, 1})),
      "  claimed to fail: stale: the recorded witness no longer fails\n");
}

TEST(ReportStyle, paints_a_word_by_what_it_means) {
  const Style plain, colour{.colour = true};
  for (const auto& [word, code] : {std::pair{"HOLDS    ", 32},
                                   {"REFUTED", 31},
                                   {"BROKEN", 31},
                                   {"STALE", 31},
                                   {"ERRORED  ", 31},
                                   {"UNDECIDED", 33},
                                   {"NOT CHECKED", 33},
                                   {"NOT APPLICABLE", 33}}) {
    EXPECT_EQ(plain.paint(word), word);
    EXPECT_EQ(colour.paint(word), fmt::format("\x1b[{}m{}\x1b[0m", code, word));
  }
  GateResult some = everything_found();
  const std::string text = gated(some, colour);
  for (const std::string painted :
       {"\x1b[32mHOLDS    \x1b[0m  a/holds ", "\x1b[31mREFUTED  \x1b[0m  b/refuted\n",
        "\x1b[31mREFUTED  \x1b[0m  d/raises: fails", "\x1b[31mREFUTED\x1b[0m  sinusoidal ",
        "\x1b[33mUNDECIDED\x1b[0m  f/undecided\n", "\x1b[31mERRORED  \x1b[0m  g/errored\n",
        "\x1b[33mNOT APPLICABLE\x1b[0m  i/none\n", "  \x1b[32mHOLDS\x1b[0m  every entry",
        "\x1b[33mNOT CHECKED\x1b[0m  positions 5 to 9\n"})
    EXPECT_NE(text.find(painted), std::string::npos) << painted << "\n" << text;
}

TEST(ReportWords, have_an_option_for_each_parameter_that_is_not_standard) {
  const auto words = [](const char* parameters) {
    return options(encoding_named("sinusoidal"), Case::parse(parameters));
  };
  EXPECT_EQ(words("dim=64 base=10000"), "");
  EXPECT_EQ(words("layout=cos_sin dim=8"), " --dim 8 --layout cos_sin") << "in the order of the encoding";
  EXPECT_EQ(words("offset=-1 amplitude=0.5"), " --offset -1 --amplitude 0.5");
  EXPECT_EQ(contained({}), "");
  EXPECT_EQ(contained({{"a", "b"}, {"c", "d"}}), "  contained: a, b\n  not contained: c, d\n");
}

}  // namespace
}  // namespace posproof::report::gated_words_test
