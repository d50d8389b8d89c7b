// Completion as shells do it, and the manual page against the help that it is made from.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "command/command_line.h"
#include "command/commands.h"
#include "command/completion.h"
#include "command/manual.h"
#include "command/testing/flags.h"

namespace posproof::testing::words_for_shells_test {
namespace {

using Words = std::vector<std::string>;

bool is_there(const std::string& program) {
  return ran("command -v " + program + " >/dev/null").code == 0;
}

// A folder that is gone at the end, with the bash completion and a file `x.npy`.
class Shells {
 public:
  Shells() {
    std::filesystem::create_directories(folder_ / "sub");
    report::replace_file(folder_ / "bash", posproof("completion bash").said);
    report::replace_file(folder_ / "zsh", posproof("completion zsh").said);
    report::replace_file(folder_ / "fish", posproof("completion fish").said);
    report::replace_file(folder_ / "x.npy", "");
  }
  ~Shells() { std::filesystem::remove_all(folder_); }
  Shells(const Shells&) = delete;
  Shells& operator=(const Shells&) = delete;

  std::string folder() const { return folder_.string(); }

  // What bash offers for the last of each line's words, which a bar divides as readline does: the lines of
  // one bash.
  std::vector<std::set<std::string>> offered(const Words& asked) const {
    std::string script = fmt::format("cd {0}; . {0}/bash\n", folder());
    for (const std::string& line : asked) {
      std::string words;
      for (const std::string& word : split(line)) words += fmt::format(" '{}'", word);
      script += fmt::format(
          "COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _posproof; "
          "printf '%s\\n' \"${{COMPREPLY[@]}}\" END\n",
          words);
    }
    report::replace_file(folder_ / "script", script);
    std::vector<std::set<std::string>> out(1);
    for (const std::string& line : lines(ran(fmt::format("bash --norc {}/script 2>&1", folder())).said)) {
      if (line == "END")
        out.emplace_back();
      else if (!line.empty())
        out.back().insert(line);
    }
    out.pop_back();
    return out;
  }

 private:
  static Words split(const std::string& line) {
    Words out;
    std::istringstream in(line + "|");
    for (std::string word; std::getline(in, word, '|');) out.push_back(word);
    return out;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("posproof_shells_" + std::to_string(::getpid()));
};

TEST(Completion, bash_offers_what_may_stand_there) {
  if (!is_there("bash")) GTEST_SKIP() << "there is no bash";
  using Set = std::set<std::string>;
  Set encodings, pages;
  for (const auto& [id, spec] : catalogue::encodings()) encodings.emplace(id);
  for (const auto& [id, experiment] : catalogue::experiments()) pages.emplace(id);
  for (const std::string& id : encodings) pages.emplace("encodings/" + id);
  const std::vector<std::pair<std::string, Set>> rows = {
      {"posproof|ga", {"gate"}},
      {"posproof|",
       {"matrix", "check", "gate", "accuracy", "identify", "oracle", "report", "list", "explain",
        "completion", "manual", "serve", "--help", "--version"}},
      {"posproof|gate|", encodings},
      {"posproof|gate|sinu", {"sinusoidal"}},
      {"posproof|check|rotary/c", {"rotary/composes"}},
      {"posproof|check|answers", {"answers_like_a_new_object"}},
      {"posproof|check|rotary/composes|ali", {"alibi"}},
      {"posproof|check|rotary/composes|rope|--cas", {"--case", "--cases"}},
      {"posproof|gate|rope|--la", {"--layout"}},
      {"posproof|gate|alibi|--la", {}},
      {"posproof|accuracy|rope|--la", {"--layout"}},
      {"posproof|oracle|rope|--la", {"--layout"}},
      {"posproof|gate|rope|--layout|", {"half_split", "interleaved"}},
      {"posproof|gate|rope|--layout|=|int", {"interleaved"}},
      {"posproof|gate|rope|--layout|=", {"half_split", "interleaved"}},
      {"posproof|gate|sinusoidal|--layout|s", {"sin_cos"}},
      {"posproof|gate|rope|--dim|", {}},
      {"posproof|gate|rope|--json|--ju", {"--junit"}},
      {"posproof|gate|rope|--junit|x", {"x.npy"}},
      {"posproof|gate|rope|c", {"cmd:"}},
      {"posproof|gate|rope|l", {"lib:"}},
      {"posproof|gate|rope|table|:", {"bash", "fish", "script", "sub", "x.npy", "zsh"}},
      {"posproof|gate|rope|table|:|x", {"x.npy"}},
      {"posproof|oracle|rope|--dtype|b", {"bf16"}},
      {"posproof|oracle|rope|-o|su", {"sub"}},
      {"posproof|accuracy|rope|--threads|", {}},
      {"posproof|list|", {"encodings", "properties", "identities", "experiments", "defects"}},
      {"posproof|list|--", {"--json", "--help"}},
      {"posproof|report|", pages},
      {"posproof|explain|negative", {"negative\\ example"}},
      {"posproof|explain|rope/angles_in_bf", {"rope/angles_in_bf16"}},
      {"posproof|completion|f", {"fish"}},
      {"posproof|no_such_command|", {}},
  };
  Words asked;
  for (const auto& [line, words] : rows) asked.push_back(line);
  const Shells shells;
  const auto offered = shells.offered(asked);
  ASSERT_EQ(offered.size(), rows.size());
  for (std::size_t n = 0; n < rows.size(); ++n) EXPECT_EQ(offered[n], rows[n].second) << rows[n].first;
}

TEST(Completion, is_read_by_the_shells_that_there_are) {
  const Shells shells;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (!is_there(shell)) continue;
    const Ran checked = ran(fmt::format("{} -n {}/{} 2>&1", shell, shells.folder(), shell));
    EXPECT_EQ(checked.code, 0) << shell << checked.said;
    EXPECT_EQ(checked.said, "") << shell;
  }
}

// Words of a command that takes no encoding, in the order of its options; one without words has no line.
TEST(Completion, of_fish_has_the_words_of_positional_options_and_the_options) {
  std::string first, second, third;
  bool flag = false;
  const std::vector<command::Command> commands = {
      {.name = "do",
       .help = "does it",
       .options = {{.names = "PLAIN", .field = &first},
                   {"WHAT", &second, "", command::Option::OneOf{"this", "that"}},
                   {"--how", &third, "in which way", command::Option::OneOf{"well", "badly"}},
                   {"-f,--fast", &flag, "fast"}},
       .run = [] { return 0; }}};
  const std::string said = command::fish_completion(commands);
  EXPECT_TRUE(said.ends_with(
      "complete -c posproof -n '__posproof_at - 1' -a do -d 'does it'\n"
      "complete -c posproof -n '__posproof_at - 1' -l version -d 'the version'\n"
      "complete -c posproof -n 'true' -s h -l help -d 'the help'\n"
      "complete -c posproof -n '__posproof_behind do 2 -' -a \"(printf 'this\\nthat\\n')\"\n"
      "complete -c posproof -n '__posproof_behind do 2 -' -l how -x -a 'well badly' -d 'in which way'\n"
      "complete -c posproof -n '__posproof_behind do 2 -' -s f -l fast -d 'fast'\n"))
      << said.substr(said.size() > 700 ? said.size() - 700 : 0);
}

// What stands without a name in a command line is no option of that name.
TEST(Completion, of_bash_has_no_positional_word_among_the_options) {
  std::string first, second;
  const std::vector<command::Command> commands = {
      {.name = "do",
       .help = "does it",
       .options = {{.names = "PLAIN", .field = &first}, {.names = "--how", .field = &second}},
       .run = [] { return 0; }}};
  const std::string said = command::bash_completion(commands);
  EXPECT_NE(said.find("'do - options') printf '%s\\n' '--how' '--help' ;;\n"), said.npos) << said;
}

// zsh and fish may be absent: every command, encoding, option and word is in their files all the same.
TEST(Completion, of_zsh_and_fish_has_every_option_of_the_help) {
  const std::string zsh = posproof("completion zsh").said, fish = posproof("completion fish").said;
  EXPECT_EQ(zsh.find("#compdef posproof\n"), 0u);
  for (const auto& [id, spec] : catalogue::encodings()) {
    EXPECT_TRUE(zsh.find(fmt::format("'gate {} options') printf '%s\\n' '--", id)) != std::string::npos)
        << id;
    for (const Parameter& parameter : spec->parameters) {
      const std::string line = fmt::format("'__posproof_behind gate 3 {}' -l {} -x -a '", id, parameter.name);
      EXPECT_TRUE(fish.find(line) != std::string::npos) << line;
    }
  }
  EXPECT_NE(
      fish.find("'__posproof_behind check 4 rope' -l layout -x -a 'half_split interleaved' -d 'channels"),
      std::string::npos);
  EXPECT_NE(fish.find("'__posproof_behind oracle 3 -' -s o -l output -r -F -d 'FILE.npy"), std::string::npos);
  EXPECT_NE(fish.find("'__posproof_behind gate 3 -' -l json -d 'write JSON'"), std::string::npos);
  EXPECT_NE(fish.find("'__posproof_at check 2' -a \"(printf 'agrees_with_its_oracle\\n"), std::string::npos);
  EXPECT_NE(fish.find("'__posproof_at check 3' -a \"(printf 'alibi\\n"), std::string::npos);
  EXPECT_NE(fish.find("'__posproof_at - 1' -a gate -d 'check an implementation"), std::string::npos);
}

// troff back to text: no fonts, no escapes.
std::string text_of(std::string troff) {
  const auto all = [&](const std::string& from, const std::string& to) {
    for (auto at = troff.find(from); at != std::string::npos; at = troff.find(from, at + to.size()))
      troff.replace(at, from.size(), to);
  };
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\\fB", ""},
                                 {"\\fI", ""},
                                 {"\\fR", ""},
                                 {"\\-", "-"},
                                 {"\\&", ""},
                                 {"\\(ga", "`"},
                                 {"\\(aq", "'"},
                                 {"\\e", "\\"}})
    all(from, to);
  return troff;
}

// Options and their help, as the help of the program has them: `-o,--output` and what stands behind it.
std::vector<std::pair<std::string, std::string>> helped(const std::string& help) {
  std::vector<std::pair<std::string, std::string>> out;
  bool options = false;
  for (const std::string& line : lines(help)) {
    if (!line.starts_with(" "))
      options = line == "Options:" || line == "Parameters:" || line == "Positionals:";
    if (!options || !line.starts_with("  ")) continue;
    constexpr std::size_t column = 30;  // where CLI11 puts the help; a longer name has a line of its own
    std::string name;
    std::istringstream(line) >> name;
    if (!line.starts_with("   ")) out.emplace_back(name, "");
    if (line.size() > column && line[column - 1] == ' ') out.back().second += line.substr(column);
  }
  return out;
}

TEST(Manual, has_every_option_with_the_words_of_the_help) {
  const Ran manual = posproof("manual");
  EXPECT_EQ(manual.code, 0);
  EXPECT_EQ(manual.said, command::manual_page(command::program(), command::all_commands()));
  const std::string text = text_of(manual.said);
  std::size_t seen = 0;
  const auto expect = [&](const std::string& words) {
    for (const auto& [names, help] : helped(posproof(words + " --help").said)) {
      if (names == "-h,--help" || names == "--version") continue;
      std::string head = names;
      if (const auto comma = head.find(','); comma != std::string::npos) head.insert(comma + 1, " ");
      const auto at = text.find("\n.TP\n" + head), entry = text.find("\n" + help, at);
      EXPECT_TRUE(at != std::string::npos && entry != std::string::npos)
          << words << ": " << head << ": " << help;
      ++seen;
    }
  };
  for (const std::string words : {"matrix", "report", "list", "explain", "completion", "check",
                                  "check rotary/composes rope", "oracle sinusoidal", "accuracy alibi"})
    expect(words);
  for (const auto& [id, spec] : catalogue::encodings()) {
    expect(fmt::format("gate {}", id));
    EXPECT_NE(text.find(fmt::format(".SS {}\n{}\n", text_of(std::string(id)), spec->summary)),
              std::string::npos)
        << id;
  }
  EXPECT_GT(seen, 150u);
  const auto program = command::program();
  EXPECT_EQ(manual.said.find(
                ".TH POSPROOF 1 \"\" \"posproof 0.1.0\"\n.SH NAME\nposproof \\- the conformance suite"),
            0u);
  EXPECT_TRUE(text.ends_with("\n.SH EXIT STATUS\n" + program.footer + "\n"));
  EXPECT_NE(text.find("\nposproof check PROPERTY ENCODING [parameters] [SUBJECT] [options]\n"),
            std::string::npos);
  EXPECT_NE(text.find("\nposproof explain ID ... [options]\n"), std::string::npos);
  const std::size_t synopsis = text.find("\n.SH SYNOPSIS\n"), behind = text.find("\n.SH COMMANDS\n");
  for (const command::Command& one : command::all_commands()) {
    const std::size_t at = text.find(fmt::format("\nposproof {}", one.name), synopsis);
    EXPECT_TRUE(at < behind) << one.name;
  }
  EXPECT_NE(text.find("\n--cases VALUE\ncases for each property (standard: 300)\n"), std::string::npos);
  EXPECT_NE(text.find("\n--json\nwrite JSON\n"), std::string::npos);
}

TEST(Manual, is_troff_without_warnings) {
  if (!is_there("groff")) GTEST_SKIP() << "there is no groff";
  const Ran formatted =
      ran(fmt::format("{} manual | groff -man -Tutf8 -ww 2>&1 >/dev/null", POSPROOF_BINARY));
  EXPECT_EQ(formatted.said, "");
  EXPECT_EQ(formatted.code, 0);
}

// A line may begin with what troff takes for a request.
TEST(Manual, shows_words_that_troff_would_obey) {
  bool flag = false;
  const command::Command odd{
      .name = "odd", .help = ".br 'and' \\fB", .options = {{"--x-y", &flag, "'quoted'\n.TP"}}, .run = [] {
        return 0;
      }};
  const std::string page = command::manual_page({"posproof: it", "1.2", ".end"}, std::vector{odd});
  EXPECT_NE(page.find("\n\\&.br \\(aqand\\(aq \\efB\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\n.TP\n\\fB\\-\\-x\\-y\\fR\n\\&\\(aqquoted\\(aq\n\\&.TP\n"), std::string::npos)
      << page;
  EXPECT_TRUE(page.ends_with(".SH EXIT STATUS\n\\&.end\n"));
}

TEST(Completion, quotes_what_a_shell_would_read) {
  std::string what;
  const std::vector<command::Command> commands = {
      {.name = "do",
       .help = "does what it's told",
       .options = {{.names = "WHAT", .field = &what, .allowed = command::Option::OneOf{"it's"}}},
       .run = [] { return 0; }}};
  const std::string bash = command::bash_completion(commands), fish = command::fish_completion(commands);
  EXPECT_NE(bash.find(R"('do - 1') printf '%s\n' 'it'\''s' ;;)"), bash.npos) << bash.substr(0, 400);
  EXPECT_NE(fish.find(R"(-a do -d 'does what it'\''s told')"), fish.npos) << fish.substr(0, 1500);
}

TEST(Completion, of_bash_asks_for_no_value_of_a_flag) {
  bool flag = false;
  std::string text;
  const std::vector<command::Command> commands = {
      {.name = "do",
       .help = "does it",
       .options = {{.names = "--flag", .field = &flag}, {.names = "--text", .field = &text}},
       .run = [] { return 0; }}};
  const std::string said = command::bash_completion(commands);
  EXPECT_NE(said.find("'do -'' --text')"), said.npos) << said.substr(0, 400);
  EXPECT_EQ(said.find("'do -'' --flag')"), said.npos) << said.substr(0, 400);
}

}  // namespace
}  // namespace posproof::testing::words_for_shells_test
