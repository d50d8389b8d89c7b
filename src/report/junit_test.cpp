#include "report/junit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>
#include <vector>

namespace posproof::report {
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

TEST(Junit, has_the_accuracy_of_a_file) {
  GateResult gated;
  gated.encoding = "rope";
  gated.accuracy.emplace();
  gated.accuracy->entries = 400;
  gated.accuracy->wrong = 3;
  gated.accuracy->ulp = 1.5;
  gated.accuracy->largest = 0.25;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit(gated).c_str()));
  std::string said;
  for (const pugi::xml_node& one : document.child("testsuite").child("properties").children("property"))
    said += fmt::format("{}={};", one.attribute("name").value(), one.attribute("value").value());
  EXPECT_EQ(said, "entries=400;entries not correctly rounded=3;largest error in ulp=1.5;largest error=0.25;");
}

}  // namespace
}  // namespace posproof::report
