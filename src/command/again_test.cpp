// The command that a counterexample prints, run as it is printed, shows the same failure.
#include <gtest/gtest.h>

#include "command/testing/flags.h"

namespace posproof::testing::again_test {
namespace {

// The lines of one refuted property: how far off, at which case, and the command.
struct Story {
  std::string id, off, at, again;
};

std::vector<Story> stories(const std::string& said) {
  std::vector<Story> out;
  for (const std::string& line : lines(said)) {
    if (line.starts_with("REFUTED    ")) out.push_back({line.substr(line.rfind(' ') + 1), "", "", ""});
    if (out.empty()) continue;
    if (line.starts_with("  off by ") || line.find(": expected ") != std::string::npos)
      out.back().off += line;
    if (line.starts_with("  at  ")) out.back().at = line;
    if (line.starts_with("  again: posproof ")) out.back().again = line.substr(line.find("posproof ") + 9);
  }
  return out;
}

TEST(Again, repeats_the_failure_that_it_stands_under) {
  const Tables tables;
  const std::string right = "table:" + tables.folder() + "/x.npy", odd = tables.folder() + "/it's \\ $x.npy";
  std::filesystem::copy(tables.folder() + "/y.npy", odd);
  for (
      const std::string& words :
      {"gate sinusoidal --dim 8 --offset 3 --cases 20 " + right,
       "gate sinusoidal --dim 8 --layout sin_cos --base 100 --cases 20 " + right,
       "gate sinusoidal --dim 8 --amplitude 0.5 --cases 20 " + right + "@bf16",
       "gate sinusoidal --dim 8 --cases 20 $'table:" + tables.folder() + "/it\\'s \\\\ $x.npy'",
       "check agrees_with_its_oracle sinusoidal --dim 8 --offset 3 --divisor half_minus_one " + right,
       "gate rope --dim 8 --layout interleaved --filter agrees --heads 3 " + test_subject("wrong=7"),
       "gate rope --dim 8 --scaling llama3 --factor 4 --filter agrees --cases 20 " + test_subject("wrong=7"),
       "gate alibi --heads 3 --max_bias 4 --cases 20 --filter agrees " + test_subject("wrong=-7"),
       "check agrees_with_its_oracle rope --dim 8 --base 100 " + test_subject("wrong=7"),
       "gate rope --dim 8 --positions=-90:90 --filter agrees " + test_subject("wrong=-7"),
       fmt::format(
           "gate rope --dim 8 --filter backward --cases 20 'cmd:{} {}/src/subject/testing/ways.py vjp forward'",
           POSPROOF_PYTHON, POSPROOF_SOURCE)}) {
    const auto bash = [](const std::string& one) {
      std::string quoted;
      for (const char c : one) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      return ran(fmt::format("bash -c '{} {}' 2>&1", POSPROOF_BINARY, quoted));
    };
    const bool gate = words.starts_with("gate");
    const Ran first = bash(words + (gate ? " --in-full" : ""));
    EXPECT_EQ(first.code, 1) << words << "\n" << first.said;
    const std::vector<Story> all = stories(first.said);
    EXPECT_FALSE(all.empty()) << first.said;
    for (const Story& story : all) {
      EXPECT_FALSE(story.again.empty()) << first.said;
      const Ran second = bash(story.again);
      EXPECT_EQ(second.code, 1) << story.again << "\n" << second.said;
      ASSERT_EQ(stories(second.said).size(), 1u) << story.again << "\n" << second.said;
      const Story shown = stories(second.said).front();
      EXPECT_EQ(shown.id, story.id);
      EXPECT_EQ(shown.off, story.off) << story.again;
      EXPECT_EQ(shown.at, story.at) << story.again;
      EXPECT_EQ(shown.again, story.again);
    }
  }
}

// What is standard is left out, and nothing else is.
TEST(Again, names_the_parameters_that_are_not_standard) {
  const Tables tables;
  const std::string right = "table:" + tables.folder() + "/x.npy";
  const Ran ran = posproof("check agrees_with_its_oracle sinusoidal --base 10000 --offset 3 --dim 8 " +
                           right + " --case 'rows=1 t=5 n=6'");
  EXPECT_EQ(stories(ran.said).front().again, "check agrees_with_its_oracle sinusoidal --dim 8 --offset 3 '" +
                                                 right + "' --case 'rows=1 t=5 n=6'");
  const Ran rope = posproof(
      "check rotary/preserves_norm rope --dim 4 --scaling yarn --case 'batch=1 n=1 i1=0 "
      "x=[1,0,0,0] role=query'");
  EXPECT_EQ(rope.code, 0) << "it fails as claimed";
  EXPECT_EQ(
      stories(rope.said).front().again,
      "check rotary/preserves_norm rope --dim 4 --scaling yarn --case 'batch=1 n=1 i1=0 x=[1,0,0,0] role=query'");
}

}  // namespace
}  // namespace posproof::testing::again_test
