// Every flag that the program has, by its own help, has a row that shows what it does.
#include <set>
#include <sstream>

#include "command/testing/flags.h"

namespace posproof::testing::flags_test {
namespace {

// The names under `Positionals:`, `Options:` and `Parameters:` of a help text: `--seed`, `-o,--output`,
// `SUBJECT`. The encoding's own parameters are shown by options_test.cpp, but for the files of them.
std::vector<std::string> names(const std::string& help) {
  std::vector<std::string> out;
  std::string group;
  for (const std::string& line : lines(help)) {
    if (line.ends_with(":") && !line.starts_with(" ")) group = line.substr(0, line.size() - 1);
    if (!line.starts_with("  ") || line.starts_with("   ") || group == "Subcommands") continue;
    std::string name;
    std::istringstream(line) >> name;
    if (group == "Parameters" && name != "--spec" && name != "--config") continue;
    out.push_back(name);
  }
  return out;
}

std::vector<std::string> commands() {
  std::vector<std::string> out;
  bool here = false;
  for (const std::string& line : lines(posproof("--help").said)) {
    if (here && line.empty()) break;
    if (here) out.push_back(line.substr(2, line.find(' ', 2) - 2));
    here = here || line == "Subcommands:";
  }
  return out;
}

TEST(Flags, have_a_row_each) {
  const Tables tables;
  std::set<std::pair<std::string, std::string>> shown;
  for (const auto rows :
       {&flags_of_accuracy_test::rows, &flags_of_check_test::rows, &flags_of_gate_test::rows,
        &flags_of_identify_test::rows, &flags_of_matrix_test::rows, &flags_of_oracle_test::rows,
        &flags_of_words_test::rows})
    for (const FlagRow& row : rows(tables.folder())) shown.emplace(row.command, row.name);

  EXPECT_EQ(commands(),
            (std::vector<std::string>{"matrix", "check", "gate", "accuracy", "identify", "oracle", "report",
                                      "list", "explain", "completion", "manual", "serve"}));
  std::set<std::pair<std::string, std::string>> there;
  const auto add = [&](const std::string& command, const std::string& words) {
    for (const std::string& name : names(posproof(words + " --help").said)) there.emplace(command, name);
  };
  add("", "");
  for (const std::string& command : commands()) {
    add(command, command);
    if (command != "check" && posproof(command + " --help").said.find("\nSubcommands:") != std::string::npos)
      add(command, command + " rope");
  }
  add("check", "check rotary/composes rope");
  EXPECT_GT(there.size(), 50u);
  for (const auto& [command, name] : there)
    EXPECT_TRUE(shown.contains({command, name}))
        << "no row shows what `" << name << "` of `posproof " << command
        << "` does: add one to the rows of flags_of_..._test.cpp";
  for (const auto& [command, name] : shown)
    EXPECT_TRUE(there.contains({command, name})) << "`posproof " << command << "` has no `" << name << "`";
}

}  // namespace
}  // namespace posproof::testing::flags_test
