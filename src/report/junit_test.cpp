#include "report/junit.h"

#include <gtest/gtest.h>

namespace posproof::report {
namespace {

TEST(Junit, nothing_learned_is_never_a_pass) {
  GateResult gated;
  gated.encoding = "rope";
  gated.parameters = Case::parse("dim=8");
  gated.subject.name = "cmd:\"a\" & b";
  const auto asked = [&](const char* id, Verdict verdict) {
    gated.results.push_back({.id = id, .property = nullptr, .verdict = std::move(verdict)});
  };
  asked("rotary/preserves_norm", Holds{.cases = 10, .vacuous = 1, .worst = {0, 1, 2}, .worst_at = {}});
  asked("score/depends_on_offset", Refuted{.counterexample = Case::parse("i=3 t=1"),
                                           .residual = {0.5, 0.25, 1},
                                           .found_after = 1,
                                           .shrinks = 0});
  asked("call/order", Undecided{"no telling case"});
  asked("call/shape", Errored{"it said <\x01>\n", Case::parse("i=1")});
  asked("bias/decays", NotApplicable{"no bias"});
  EXPECT_EQ(
      junit(gated),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"posproof gate rope dim=8\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"2\">\n"
      "  <testcase classname=\"cmd:&quot;a&quot; &amp; b\" name=\"rotary/preserves_norm\"/>\n"
      "  <testcase classname=\"cmd:&quot;a&quot; &amp; b\" name=\"score/depends_on_offset\">"
      "<failure message=\"off by 0.5, rounding allows 0.25, at i=3 t=1\"/></testcase>\n"
      "  <testcase classname=\"cmd:&quot;a&quot; &amp; b\" name=\"call/order\">"
      "<skipped message=\"undecided: no telling case\"/></testcase>\n"
      "  <testcase classname=\"cmd:&quot;a&quot; &amp; b\" name=\"call/shape\">"
      "<error message=\"it said &lt;?&gt;&#10;, at i=1\"/></testcase>\n"
      "  <testcase classname=\"cmd:&quot;a&quot; &amp; b\" name=\"bias/decays\">"
      "<skipped message=\"not applicable: no bias\"/></testcase>\n"
      "</testsuite>\n");
}

}  // namespace
}  // namespace posproof::report
