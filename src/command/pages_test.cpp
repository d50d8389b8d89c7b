// Every command that the pages show runs as it stands there, and ends as the page says. Those that take long
// are in pages_long.cpp.
#include "command/testing/pages.h"

#include <map>
#include <set>

#include "catalogue/encodings.h"
#include "command/commands.h"
#include "report/file.h"

namespace posproof::testing::pages_test {
namespace {

TEST(Pages, show_commands_that_run) {
  if (std::string(POSPROOF_PYTHON).empty()) GTEST_SKIP() << "there is no Python that imports numpy";
  std::size_t count = 0;
  for (const std::string& page : pages_with_commands()) count += run_as_shown(page, false);
  EXPECT_GE(count, 30u);
}

// The README has a line for each command, with the words that its own help has.
TEST(Pages, of_the_readme_show_every_command) {
  std::set<std::string> shown, there;
  for (const std::string& synopsis : shown_in("README.md").synopses) {
    std::istringstream words(synopsis);
    std::string program, command;
    words >> program >> command;
    if (program == "posproof") shown.insert(command);
  }
  for (const command::Command& command : command::all_commands()) there.insert(command.name);
  shown.insert({"matrix", "manual"});  // they have no words behind them: their lines are commands
  EXPECT_EQ(shown, there);
}

TEST(Pages, of_the_readme_name_every_encoding) {
  const std::string readme = report::file_bytes(POSPROOF_SOURCE "/README.md").value();
  const auto begin = readme.find("## The encodings it knows"), end = readme.find("## From a Python function");
  ASSERT_LT(begin, end);
  const std::string section = readme.substr(begin, end - begin);
  for (const auto& [id, spec] : catalogue::encodings())
    EXPECT_NE(section.find(fmt::format("`{}`", id)), std::string::npos) << id;
}

// What `identify` prints of the cache that the README has written before.
TEST(Pages, of_the_readme_show_what_identify_prints) {
  const std::string readme = report::file_bytes(POSPROOF_SOURCE "/README.md").value();
  const auto begin = readme.find("    IDENTIFIED  rope"), end = readme.find("\n\n", begin);
  ASSERT_LT(begin, end);
  std::string shown = readme.substr(begin, end - begin) + "\n";
  shown = std::regex_replace(shown, std::regex("(^|\n) {4}"), "$1");
  const Clone clone({});
  for (const std::string part : {"cos", "sin"})
    ASSERT_EQ(
        clone.run(fmt::format("posproof oracle rope --dim 64 --base 500000 --part {0} -o {0}.npy", part))
            .code,
        0);
  EXPECT_EQ(clone.run("posproof identify table:cos.npy,sin.npy").said, shown);
}

TEST(Pages, say_how_many_lines_the_program_in_cpp_has) {
  std::ifstream in(POSPROOF_SOURCE "/examples/cpp_rope.cpp");
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line);) {
    const auto text = line.find_first_not_of(' ');
    lines += text != std::string::npos && line.compare(text, 2, "//") != 0 ? 1 : 0;
  }
  const std::string page = report::file_bytes(POSPROOF_SOURCE "/examples/README.md").value();
  EXPECT_NE(page.find(fmt::format("takes {} lines without comments: [cpp_rope.cpp]", lines)),
            std::string::npos)
      << lines;
}

// A page of each kind of mistake: a test that finds no command, or that takes every exit code, would pass.
TEST(Pages, are_read_as_they_are_meant) {
  const Shown readme = shown_in("README.md");
  ASSERT_FALSE(readme.files.empty());
  EXPECT_EQ(readme.files[0].name, "my_subject.py");
  EXPECT_NE(readme.files[0].bytes.find("\nserve("), std::string::npos) << readme.files[0].bytes;
  std::map<int, int> codes;
  for (const std::string& page : pages_with_commands())
    for (const ShownCommand& command : shown_in(page).commands) ++codes[command.code];
  EXPECT_GT(codes[0], 20);
  EXPECT_GT(codes[1], 4);

  Shown shown;
  for (const std::string words :
       {"./run posproof gate rope cmd:x   # exit 1: it is wrong", "posproof list  # all",
        "posproof gate ENCODING SUBJECT", "posproof explain ID  # exit 2", "ctest --preset x",
        "posproof check a b --case '...'", "posproof matrix        check everything"})
    pages::add(shown, 7, words);
  ASSERT_EQ(shown.commands.size(), 3u);
  EXPECT_EQ(shown.commands[0].words, "./run posproof gate rope cmd:x");
  EXPECT_EQ(shown.commands[0].code, 1);
  EXPECT_EQ(shown.commands[0].line, 7u);
  EXPECT_EQ(shown.commands[1].words, "posproof list");
  EXPECT_EQ(shown.commands[1].code, 0);
  EXPECT_EQ(shown.commands[2].words, "posproof matrix");
  EXPECT_EQ(shown.synopses.size(), 3u);
}

}  // namespace
}  // namespace posproof::testing::pages_test
