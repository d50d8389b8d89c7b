// ./run: its help, what it says where something is missing, and how it calls the program.
#include "command/testing/pages.h"

namespace posproof::testing::run_script_test {
namespace {

// Whether `part` stands in what was said.
::testing::AssertionResult shows(const Ran& ran, const std::string& part) {
  if (ran.said.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "`" << part << "` is not said:\n" << ran.said;
}

TEST(RunScript, helps_on_stdout_with_0_and_refuses_other_words_with_2) {
  const Clone clone({});
  const Ran help = clone.run("./run --help 2>/dev/null");
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.said.find("usage: ./run COMMAND\n\n  test  "), 0u) << help.said;
  for (const std::string command : {"test", "report", "posproof", "performance", "build", "packages",
                                    "format", "fuzz", "mutants", "browser", "coverage"})
    EXPECT_TRUE(shows(help, "\n  " + command + " "));
  for (const std::string words : {"./run -h", "./run help"})
    EXPECT_EQ(clone.run(words).said, help.said) << words;
  for (const auto& [words, why] : {std::pair{"./run", "./run: a command is missing\nusage: "},
                                   {"./run tset", "./run: there is no command `tset`\nusage: "},
                                   {"./run packages tset", "./run: there is no command `tset`\nusage: "}}) {
    const Ran refused = clone.run(words);
    EXPECT_EQ(refused.code, 2) << words;
    EXPECT_EQ(refused.said.find(why), 0u) << refused.said;
  }
}

// PyTorch is 336 MB with what it needs.
TEST(RunScript, asks_for_pytorch_for_the_whole_of_the_tests_alone) {
  const Clone clone({});
  for (const std::string command : {"build", "posproof", "report", "performance", "test"}) {
    const Ran packages = clone.run("./run packages " + command);
    EXPECT_EQ(packages.code, 0);
    EXPECT_TRUE(shows(packages, "libcli11-dev\n"));
    EXPECT_EQ(packages.said.find("torch"), std::string::npos) << command;
  }
  EXPECT_TRUE(shows(clone.run("./run packages test whole"), "\npython3-torch\n"));
  EXPECT_TRUE(shows(clone.run("./run packages report"), "\ngnuplot-nox\n"));
  EXPECT_TRUE(shows(clone.run("./run packages browser"), "\nchromium-driver\n"));
  EXPECT_EQ(clone.run("./run packages test").said.find("chromium"), std::string::npos);
  EXPECT_EQ(clone.run("./run packages build").said.find("gnuplot"), std::string::npos);
  EXPECT_EQ(clone.run("./run packages posproof").said, clone.run("./run packages build").said);
}

TEST(RunScript, prints_the_line_to_paste_where_it_may_not_install) {
  const Clone clone({});
  clone.program("id", "echo 1000");
  clone.program("sudo", "exit 1");
  clone.program("apt-get", "echo \"$@\" >>apt");
  clone.program("dpkg-query", "case \"$4\" in cmake | libfmt-dev) exit 1 ;; esac; printf installed");
  const Ran refused = clone.run("POSPROOF_NO_INSTALL= ./run build");
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.said,
            "2 packages are missing, and this user may not install them: cmake libfmt-dev\n"
            "to install them, paste as root:\n"
            "  apt-get update && apt-get install -y --no-install-recommends cmake libfmt-dev\n"
            "and call again. With POSPROOF_NO_INSTALL=1 nothing is installed or looked for.\n");
  EXPECT_FALSE(std::filesystem::exists(clone.folder() / "apt"));

  clone.program("id", "echo 0");
  const Ran installed = clone.run("POSPROOF_NO_INSTALL= ./run build; cat apt");
  EXPECT_EQ(installed.code, 0) << installed.said;
  EXPECT_TRUE(shows(installed, "installing 2 packages and what they depend on: cmake libfmt-dev\n"));
  EXPECT_TRUE(shows(installed, "\ninstall -y -q --no-install-recommends cmake libfmt-dev\n"));
}

TEST(RunScript, runs_the_tests_or_the_fast_ones_or_all) {
  const Clone clone({});
  clone.program("cmake", "exit 0");
  clone.program("ctest", "echo \"ctest $*\"");
  EXPECT_EQ(clone.run("./run test 2>/dev/null").said, "ctest --preset release\n");
  EXPECT_EQ(clone.run("./run test fast 2>/dev/null").said, "ctest --preset fast\n");
  EXPECT_EQ(clone.run("./run test whole 2>/dev/null").said, "ctest --preset whole\n");
  const Ran refused = clone.run("./run test fats");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(shows(refused, "./run: `test` takes `fast`, `whole` or nothing, not `fats`\nusage: "));
}

// The words arrive as they are, the folder is the caller's, and stdout is the program's alone.
TEST(RunScript, calls_the_program_that_it_built) {
  const Clone clone({});
  clone.program(
      "cmake",
      "case \"$*\" in *--build*) echo '[0/2] Re-checking globbed directories...'; echo '[1/2] Building x'; echo 'x.cpp:1: warning'; echo '[2/2] Linking y';; esac");
  const Ran version = clone.run("./run posproof --version 2>/dev/null");
  EXPECT_EQ(version.said, posproof("--version").said);
  EXPECT_EQ(version.code, 0);
  const Ran built = clone.run("./run posproof --version 2>&1 >/dev/null");
  EXPECT_TRUE(shows(built, "x.cpp:1: warning\n"));
  EXPECT_TRUE(shows(built, "[2/2, about 0 s left] Linking y\n"));
  EXPECT_EQ(clone.run("./run posproof gate 'r o'").code, 2);
  EXPECT_TRUE(shows(clone.run("./run posproof gate 'r o'"), "there is no encoding `r o`"));
  const Ran oracle = clone.run(
      "cd examples && ../run posproof oracle sinusoidal --dim 2 --positions 0:1 -o 'a b.npy' && ls");
  EXPECT_EQ(oracle.code, 0) << oracle.said;
  EXPECT_TRUE(shows(oracle, "\na b.npy\n"));

  clone.program("cmake", "echo 'x.cpp:1: error'; exit 1");
  const Ran failed = clone.run("./run posproof --version");
  EXPECT_EQ(failed.code, 1);
  EXPECT_TRUE(shows(failed, "x.cpp:1: error\n"));
  EXPECT_EQ(failed.said.find("posproof 0"), std::string::npos);
}

}  // namespace
}  // namespace posproof::testing::run_script_test
