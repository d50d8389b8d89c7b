#include "report/words.h"

#include <gtest/gtest.h>

#include "report/accuracy.h"
#include "run/catalogued.h"

namespace posproof::report::report_words_test {
namespace {

TEST(ReportWords, are_quoted_as_a_shell_reads_them) {
  EXPECT_EQ(as_shell_word("cmd:a 'b' \\n \"c\""), R"('cmd:a '\''b'\'' \n "c"')");
  EXPECT_EQ(as_shell_word("\u20ac"), "'\u20ac'");
  EXPECT_EQ(as_shell_word("\x1b[2J'\\\xff\x7f"), R"($'\033[2J\'\\\377\177')");
}

// Whatever a subject, a file or the user says, a terminal is told nothing by it.
TEST(ReportWords, nothing_that_is_quoted_reaches_a_terminal) {
  const std::string bad = "\x1b]0;x\x07\xff\xc2\x9b";
  GateResult gated;
  gated.encoding = "sinusoidal";
  gated.subject.name = "table:" + bad;
  gated.subject.description = bad;
  gated.subject.encoding = Table{.dim = 4};
  gated.subject.precision = all_f64;
  const Property& property = property_named("table/has_constant_norm");
  for (const Verdict& verdict :
       {Verdict{Undecided{bad}}, Verdict{Errored{bad, Case::parse("t=1")}},
        Verdict{Refuted{
            .counterexample = Case::parse("t=1"), .residual = {1, 0, 1}, .found_after = 1, .shrinks = 0}},
        Verdict{NotApplicable{bad}}})
    gated.results.push_back({.id = "table/has_constant_norm", .property = &property, .verdict = verdict});
  gated.skipped.push_back(bad);
  gated.not_checked = {bad};
  gated.accuracy.emplace();
  gated.accuracy->errored = Errored{bad, Case::parse("t=1")};
  gated.accuracy->stopped = bad;
  const Parameters none;
  for (const std::string& said :
       {report::gated(gated, {}), accuracy({"sinusoidal", none, gated.subject, *gated.accuracy}, {})}) {
    for (const char c : said) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << said;
    EXPECT_NE(said.find(R"(table:\x1b]0;x\x07\xff\xc2\x9b)"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace posproof::report::report_words_test
