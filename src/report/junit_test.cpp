#include "report/junit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>
#include <vector>

#include "report/testing/found.h"

namespace posproof::report::junit_test {
namespace {

TEST(Junit, nothing_learned_is_never_a_pass) {
  GateResult gated;
  gated.encoding = "rope";
  gated.parameters = Case::parse("dim=8");
  gated.subject.name = "cmd:\"a\" & b \xe2\x82";  // cut short within a character
  const auto asked = [&](const char* id, Verdict verdict) {
    gated.results.push_back({.id = id, .property = nullptr, .verdict = std::move(verdict)});
  };
  asked("rotary/preserves_norm", Holds{.cases = 10, .vacuous = 1, .worst = {0, 1, 2}, .worst_at = {}});
  asked("score/depends_on_offset", Refuted{.counterexample = Case::parse("i=3 t=1"),
                                           .residual = {0.5, 0.25, 1},
                                           .found_after = 1,
                                           .shrinks = 0});
  asked("call/order", Undecided{"only vacuous cases"});
  asked("call/shape", Errored{"it said <\x01\xff>\r\n\u20ac", Case::parse("i=1")});
  asked("bias/decays", NotApplicable{"no bias"});
  gated.not_checked = {"5 positions \xe2\x82were not compared"};

  pugi::xml_document document;
  const std::string written = junit(gated);
  ASSERT_TRUE(document.load_string(written.c_str())) << written;
  EXPECT_EQ(written.rfind("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite ", 0), 0u) << written;
  const pugi::xml_node suite = document.child("testsuite");
  const auto attributes = [](const pugi::xml_node& node) {
    std::string out;
    for (const pugi::xml_attribute& one : node.attributes())
      out += fmt::format("{}={};", one.name(), one.value());
    return out;
  };
  EXPECT_EQ(attributes(suite), "name=posproof gate rope dim=8;tests=6;failures=1;errors=3;skipped=1;");
  std::vector<std::string> cases;
  for (const pugi::xml_node& one : suite.children("testcase")) {
    EXPECT_EQ(one.attribute("classname").value(), std::string("cmd:\"a\" & b ?"));
    const pugi::xml_node outcome = one.first_child();
    EXPECT_FALSE(outcome.next_sibling());
    cases.push_back(
        fmt::format("{} {} {}", one.attribute("name").value(), outcome.name(), attributes(outcome)));
  }
  EXPECT_EQ(cases,
            (std::vector<std::string>{
                "rotary/preserves_norm  ",
                "score/depends_on_offset failure message=off by 0.5, rounding allows 0.25, at i=3 t=1;",
                "call/order error message=undecided: only vacuous cases;",
                "call/shape error message=it said <?"
                "?>?\n\u20ac, at i=1;",
                "bias/decays skipped message=not applicable: no bias;",
                "not checked error message=5 positions ?were not compared;"}));
  EXPECT_FALSE(suite.child("properties"));
}

// Name, outcome and message of every case, in order.
std::vector<std::string> cases_of(const GateResult& gated) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(junit(gated).c_str()));
  std::vector<std::string> out;
  for (const pugi::xml_node& one : document.child("testsuite").children("testcase"))
    out.push_back(fmt::format("{}|{}|{}", one.attribute("name").value(), one.first_child().name(),
                              one.first_child().attribute("message").value()));
  return out;
}

TEST(Junit, has_every_verdict_of_a_gate) {
  EXPECT_EQ(
      cases_of(testing::everything_found()),
      (std::vector<std::string>{
          "a/holds||",
          "b/refuted|failure|off by 0.5, rounding allows 0.125, at t=3 q=[0.25,0]",
          "c/raises|failure|rows(positions [1]): error: no <row>, at t=4",
          "d/raises|failure|the same, at t=9",
          "e/history|failure|off by nan, rounding allows 0.5, at t=6",
          "f/undecided|error|undecided: stopped by `--time` (1 s)",
          "g/errored|error|no answer within 20 s, at t=8",
          "h/errored|error|it broke down, at ",
          "i/none|skipped|not applicable: no bias",
          "j/follows|failure|follows from b/refuted: off by 2, rounding allows 1, answer 2 of 3, token 0 "
          "(position 7), channel 3 (second of pair 1): expected 1, got 0.25, off by 0.75, rounding allows "
          "0.125, at t=7",
          "not checked|error|positions 5 to 9",
          "not checked|error|and others",
      }));
  const std::string written = junit(testing::everything_found());
  EXPECT_NE(
      written.find("<testsuite name=\"posproof gate sinusoidal dim=4 base=10000 layout=interleaved "
                   "divisor=half offset=2 odd=refuse amplitude=1\" tests=\"12\" failures=\"5\" errors=\"5\" "
                   "skipped=\"1\">\n  <properties>\n"),
      std::string::npos)
      << written;
}

TEST(Junit, says_where_a_failure_does_not_repeat) {
  GateResult gated = testing::nothing_found();
  testing::asked(gated, "a", Refuted{Case::parse("t=1"), {0.123456789, 1.0 / 3, 1}, 1, 0, false, {}});
  EXPECT_EQ(cases_of(gated),
            (std::vector<std::string>{
                "a|failure|off by 0.123457, rounding allows 0.333333, at t=1 (does not repeat)"}));
  auto& refuted = std::get<Refuted>(gated.results.back().verdict);
  refuted.place = testing::wrong_entry();
  refuted.residual = refuted.place->off;
  EXPECT_EQ(
      cases_of(gated),
      (std::vector<std::string>{
          "a|failure|answer 2 of 3, token 0 (position 7), channel 3 (second of pair 1): expected 1, got 0.25, "
          "off by 0.75, rounding allows 0.125, at t=1 (does not repeat)"}))
      << "that entry is all";
  GateResult none = testing::nothing_found();
  EXPECT_EQ(cases_of(none).size(), 0u);
  EXPECT_NE(junit(none).find(" tests=\"0\" failures=\"0\" errors=\"0\" skipped=\"0\""), std::string::npos);
}

// A tab and a line end stay; other control characters, of Latin-1 as well, and what is no character do not.
TEST(Junit, holds_what_xml_can_hold) {
  GateResult gated = testing::nothing_found();
  testing::asked(gated, "a",
                 NotApplicable{"\t \n \x1f \x7f \u009f \u00a0 \ufffe \uffff \ufffd \x80\x80 \xe2\x82 <&>\""});
  EXPECT_EQ(cases_of(gated),
            (std::vector<std::string>{"a|skipped|not applicable: \t \n ? ? ? \u00a0 ? ? \ufffd ? ? <&>\""}));
}

TEST(Junit, has_the_accuracy_of_a_file) {
  GateResult gated;
  gated.encoding = "rope";
  gated.accuracy.emplace();
  gated.accuracy->entries = 400;
  gated.accuracy->wrong = 3;
  gated.accuracy->ulp = 1.5;
  gated.accuracy->largest = 0.25;
  const auto said = [&] {
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(junit(gated).c_str()));
    std::string out;
    for (const pugi::xml_node& one : document.child("testsuite").child("properties").children("property"))
      out += fmt::format("{}={};", one.attribute("name").value(), one.attribute("value").value());
    return out;
  };
  const std::string start =
      "entries=400;entries not correctly rounded=3;largest error in ulp=1.5;largest error=";
  EXPECT_EQ(said(), start + "0.25;");
  gated.accuracy->largest = 0x1p-24;
  gated.accuracy->of_angles = true;
  EXPECT_EQ(said(), start + "<= 5.96047e-08;") << "a bound";
  gated.accuracy->largest_at = posproof::Entry{1, 2};
  EXPECT_EQ(said(), start + "5.96046e-08;");
}

}  // namespace
}  // namespace posproof::report::junit_test
