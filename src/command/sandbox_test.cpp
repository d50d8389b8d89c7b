// `--sandbox` as a user meets it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "command/testing/ran.h"
#include "report/words.h"
#include "subject/sandbox.h"
#include "subject/testing/subjects.h"

namespace posproof::command_sandbox_test {
namespace {

using testing::posproof;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SandboxOption, is_said_in_text_and_json) {
  try {
    sandboxed({"true"});
  } catch (const SubjectError& error) {
    GTEST_SKIP() << error.what();
  }
  const std::string subject = " --sandbox " + report::as_shell_word(testing::bad("nothing"));
  for (const std::string command :
       {"gate learned --dim 4 --filter is_prefix_stable", "check table/is_prefix_stable learned --dim 4",
        "accuracy learned --dim 4"}) {
    const auto text = posproof(command + subject), json = posproof(command + " --json" + subject);
    EXPECT_TRUE(says(text.said, "\n  contained: no network, ")) << text.said;
    EXPECT_TRUE(says(text.said, "\n  not contained: reading files, ")) << text.said;
    const auto parsed = nlohmann::json::parse(json.out);
    EXPECT_EQ(parsed["contained"].front(), "no network");
    EXPECT_EQ(parsed["not_contained"].front(), "reading files");
    EXPECT_EQ(text.code, json.code);
  }
  const auto without = posproof("gate learned --dim 4 --filter is_prefix_stable " +
                                report::as_shell_word(testing::bad("nothing")));
  EXPECT_FALSE(says(without.said, "contained")) << without.said;
}

TEST(SandboxOption, is_in_the_command_that_shows_a_case_again) {
  try {
    sandboxed({"true"});
  } catch (const SubjectError& error) {
    GTEST_SKIP() << error.what();
  }
  const std::string words = report::as_shell_word(testing::bad("nothing"));
  const auto ran = posproof("gate learned --dim 4 --filter agrees --sandbox " + words);
  EXPECT_TRUE(says(ran.said, words + " --sandbox --case ")) << ran.said;
}

TEST(SandboxOption, without_a_program_or_without_bubblewrap_is_refused) {
  EXPECT_EQ(posproof("accuracy rope --sandbox").code, 2);
  EXPECT_EQ(posproof("check table/is_prefix_stable learned --sandbox").code, 2);
  EXPECT_EQ(posproof("gate learned --sandbox table:x.npy").code, 2);
  const auto ran = testing::ran(
      fmt::format("PATH=/nowhere {} gate learned --sandbox cmd:/bin/true 2>&1", POSPROOF_BINARY));
  EXPECT_EQ(ran.code, 4);
  EXPECT_TRUE(says(ran.said, "apt-get install bubblewrap")) << ran.said;
}

}  // namespace
}  // namespace posproof::command_sandbox_test
