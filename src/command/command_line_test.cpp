// The command line in memory: what each kind of option takes, and what is refused in which words.
#include "command/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <limits>

#include "catalogue/encodings.h"
#include "core/function.h"
#include "report/file.h"

namespace posproof::command::command_line_test {
namespace {

struct Said {
  int code;
  std::string out, err;
};

// What a call gives and writes.
Said said(const Function<int()>& action) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Said out{-1, "", ""};
  try {
    out.code = action();
  } catch (const std::exception& error) {
    out.err = std::string("threw ") + error.what();
  }
  std::fflush(stdout);
  out.out = ::testing::internal::GetCapturedStdout();
  out.err += ::testing::internal::GetCapturedStderr();
  return out;
}

std::vector<char*> arguments(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  return out;
}

struct Fields {
  bool flag = false;
  unsigned small = 7;
  std::uint64_t large = 8;
  double real = 0.5;
  std::string text = "standard", file, fresh, word = "one";
  std::vector<std::string> names;
};

Command with_all(Fields& fields, int code) {
  return {.name = "try",
          .help = "tries all",
          .options = {{"--flag", &fields.flag, "a flag"},
                      {"--small", &fields.small, "from 1 to 9", Option::Range{1, 9}},
                      {"--large", &fields.large, "any"},
                      {"--real", &fields.real, "from 0.25 on",
                       Option::Range{0.25, std::numeric_limits<double>::max()}},
                      {.names = "-t,--text", .field = &fields.text, .help = "a text", .group = "Others"},
                      {"--file", &fields.file, "there", Option::ExistingFile{}},
                      {"--fresh", &fields.fresh, "new", Option::NewFile{}},
                      {"--word", &fields.word, "one of them", Option::OneOf{"one", "two"}},
                      {.names = "NAME",
                       .field = &fields.names,
                       .help = "names",
                       .required = true,
                       .shows_standard = false}},
          .run = [code] { return code; }};
}

Said tried(Fields& fields, std::vector<std::string> words, int code = 41) {
  words.insert(words.begin(), "prog");
  return said([&] {
    const auto argv = arguments(words);
    return run(with_all(fields, code), static_cast<int>(argv.size()), const_cast<char**>(argv.data()));
  });
}

TEST(CommandLine, gives_each_field_what_stands_behind_its_name) {
  Fields fields;
  const std::string there = ::testing::TempDir() + "posproof_command_line_" + std::to_string(::getpid());
  report::replace_file(there, "x");
  const Said all =
      tried(fields, {"a", "--flag", "--small", "9", "--large", "18446744073709551615", "--real", "0.25", "-t",
                     "x y", "--file", there, "--fresh", "z", "--word", "two", "b"});
  std::filesystem::remove(there);
  EXPECT_EQ(all.code, 41) << all.err;
  EXPECT_EQ(all.out + all.err, "");
  EXPECT_TRUE(fields.flag);
  EXPECT_EQ(fields.small, 9u);
  EXPECT_EQ(fields.large, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(fields.real, 0.25);
  EXPECT_EQ(fields.text, "x y");
  EXPECT_EQ(fields.file, there);
  EXPECT_EQ(fields.fresh, "z");
  EXPECT_EQ(fields.word, "two");
  EXPECT_EQ(fields.names, (std::vector<std::string>{"a", "b"}));
}

TEST(CommandLine, leaves_what_is_not_named_as_it_is) {
  Fields fields;
  EXPECT_EQ(tried(fields, {"a"}, 0).code, 0);
  EXPECT_FALSE(fields.flag);
  EXPECT_EQ(fields.small, 7u);
  EXPECT_EQ(fields.large, 8u);
  EXPECT_EQ(fields.real, 0.5);
  EXPECT_EQ(fields.text, "standard");
  EXPECT_EQ(fields.word, "one");
}

TEST(CommandLine, refuses_with_2_and_runs_nothing) {
  const auto refused = [](const std::vector<std::string>& words) {
    Fields fields;
    const Said one = tried(fields, words);
    EXPECT_EQ(one.code, usage) << one.err;
    EXPECT_EQ(one.out, "");
    EXPECT_TRUE(one.err.ends_with("\nRun with --help for more information.\n")) << one.err;
    return one.err.substr(0, one.err.find("\nRun with"));
  };
  const std::string small = "; allowed: a whole number from 1 to 9";
  EXPECT_EQ(refused({"a", "--small", "0"}), "posproof: --small: `0`" + small);
  EXPECT_EQ(refused({"a", "--small", "10"}), "posproof: --small: `10`" + small);
  EXPECT_EQ(refused({"a", "--small", "nan"}), "posproof: --small: `nan`" + small);
  EXPECT_EQ(refused({"a", "--small", ""}), "posproof: --small: ``" + small);
  EXPECT_EQ(refused({"a", "--large", "-1"}),
            "posproof: --large: `-1`; allowed: a whole number of at least 0");
  EXPECT_EQ(refused({"a", "--real", "0.24"}), "posproof: --real: `0.24`; allowed: a number of at least 0.25");
  EXPECT_EQ(refused({"a", "--real", "nan"}), "posproof: --real: `nan`; allowed: a number of at least 0.25");
  EXPECT_EQ(refused({"a", "--text", ""}), "posproof: --text: an empty word was given");
  EXPECT_EQ(refused({"a", "--fresh", ""}), "posproof: --fresh: an empty word was given");
  EXPECT_EQ(refused({""}), "posproof: NAME: an empty word was given");
  EXPECT_EQ(refused({"a", "--file", "/nowhere/x"}), "posproof: --file: `/nowhere/x`: there is no such file");
  EXPECT_EQ(refused({"a", "--word", "three"}), "posproof: --word: `three`; allowed: one, two");
  EXPECT_EQ(refused({}), "posproof: NAME is required");
  EXPECT_EQ(refused({"a", "--other"}), "posproof: `--other` was not expected");
  EXPECT_EQ(refused({"a", "--small", "1", "--small", "2"}), "posproof: --small: takes one value, 2 came");
  EXPECT_EQ(refused({"a", "--small", "1.5"}), "posproof: --small: `1.5`" + small);
  EXPECT_EQ(refused({"a", "--small"}), "posproof: --small: a value is missing");
}

TEST(CommandLine, helps_with_0_and_runs_nothing) {
  Fields fields;
  const Said help = tried(fields, {"--help"});
  EXPECT_EQ(help.code, as_claimed);
  EXPECT_EQ(help.err, "");
  EXPECT_EQ(help.out.find("try: tries all\nUsage: prog [OPTIONS] NAME...\n"), 0u) << help.out;
  for (const std::string line :
       {"  NAME TEXT ... REQUIRED      names\n", "  --flag                      a flag\n",
        "  --small UINT=7              from 1 to 9\n", "  --large UINT=8              any\n",
        "  --real FLOAT=0.5            from 0.25 on\n", "  --fresh TEXT                new\n",
        "\nOthers:\n  -t,--text TEXT=standard     a text\n"})
    EXPECT_NE(help.out.find(line), std::string::npos) << line << help.out;
}

// A program of three commands: one that stands alone, and two that take an encoding, one of them behind a
// word of its own.
struct Three {
  std::string word, ran;
  bool late = false;
  std::vector<Command> commands() {
    const auto of_encoding = [this](const Chosen& chosen) {
      ran = fmt::format("{} {} | {} | {} {}", chosen.id, chosen.parameters.text(), chosen.given.text(), word,
                        late);
      return 43;
    };
    return {{.name = "alone", .help = "stands alone", .run = [this] { return ran = "alone", 42; }},
            {.name = "with",
             .help = "takes one",
             .after_encoding = {{"--late", &late, "late"}},
             .run = of_encoding},
            {.name = "behind",
             .help = "takes a word, too",
             .options = {{.names = "WORD", .field = &word, .help = "a word", .required = true}},
             .run = of_encoding}};
  }
};

Said programmed(Three& three, std::vector<std::string> words) {
  words.insert(words.begin(), "prog");
  return said([&] {
    const auto argv = arguments(words);
    const std::vector<Command> commands = three.commands();
    return run({.description = "three", .version = "1.2", .footer = "the end"}, commands,
               static_cast<int>(argv.size()), const_cast<char**>(argv.data()));
  });
}

TEST(Program, runs_the_command_that_is_named_with_its_encoding) {
  const std::string standard = "length=512 dim=64 offset=0 table=seeded";
  Three three;
  EXPECT_EQ(programmed(three, {"alone"}).code, 42);
  EXPECT_EQ(three.ran, "alone");
  EXPECT_EQ(programmed(three, {"with", "raw_index"}).code, 43);
  EXPECT_EQ(three.ran.find("raw_index "), 0u) << three.ran;
  EXPECT_TRUE(three.ran.ends_with(" |  |  false")) << three.ran;
  EXPECT_EQ(programmed(three, {"with", "sinusoidal", "--dim", "8", "--late"}).code, 43);
  EXPECT_EQ(
      three.ran,
      "sinusoidal dim=8 base=10000 layout=interleaved divisor=half offset=0 odd=refuse amplitude=1 scale=1 direction=forward padding_row=-1 | dim=8 |  "
      "true");
  EXPECT_EQ(programmed(three, {"behind", "x", "sinusoidal", "--offset", "1"}).code, 43);
  EXPECT_EQ(
      three.ran,
      "sinusoidal dim=64 base=10000 layout=interleaved divisor=half offset=1 odd=refuse amplitude=1 scale=1 direction=forward padding_row=-1 | offset=1 "
      "| x true");
}

TEST(Program, names_what_is_near_a_name_that_there_is_not) {
  Three three;
  const auto refused = [&](const std::vector<std::string>& words) {
    const Said one = programmed(three, words);
    EXPECT_EQ(one.code, -1) << "it throws";
    return one.err;
  };
  EXPECT_EQ(refused({"alon"}), "threw there is no command `alon`; near it: alone; all: alone, with, behind");
  EXPECT_EQ(refused({"zzz"}), "threw there is no command `zzz`; all: alone, with, behind");
  const std::string encoding = "threw there is no encoding `ropes`; near it: rope, cope, pope; all: ";
  EXPECT_EQ(refused({"with", "ropes"}).find(encoding), 0u);
  EXPECT_EQ(refused({"behind", "x", "ropes"}).find(encoding), 0u);
  std::vector<std::string_view> all;
  for (const auto& [id, spec] : catalogue::encodings()) all.push_back(id);
  EXPECT_EQ(refused({"with", "ropes"}), encoding + fmt::format("{}", fmt::join(all, ", ")));
  EXPECT_EQ(three.ran, "");
}

// Where it was, the value of the misspelt option became the subject, and the subject was blamed.
TEST(Program, blames_the_word_that_is_no_option) {
  Three three;
  const auto refused = [&](const std::vector<std::string>& words) { return programmed(three, words).err; };
  EXPECT_EQ(
      refused({"with", "sinusoidal", "--dmi", "64", "x"}),
      "threw there is no option `--dmi` of `posproof with sinusoidal`; near it: --dim; all: posproof with "
      "sinusoidal --help");
  EXPECT_EQ(
      refused({"with", "sinusoidal", "--dim", "64", "--LAT=1", "--lattte"}),
      "threw there is no option `--LAT` of `posproof with sinusoidal`; near it: --late; all: posproof with "
      "sinusoidal --help");
  EXPECT_EQ(
      refused({"behind", "x", "sinusoidal", "-q"}),
      "threw there is no option `-q` of `posproof behind x sinusoidal`; all: posproof behind x sinusoidal "
      "--help");
  EXPECT_EQ(refused({"alone", "--late"}),
            "threw there is no option `--late` of `posproof alone`; all: posproof alone --help");
  EXPECT_EQ(refused({"--versoin"}),
            "threw there is no option `--versoin` of `posproof`; near it: --version; all: posproof --help");
  EXPECT_EQ(refused({"with", "--dim", "64", "sinusoidal"}),
            "threw `--dim` was given where `posproof with` takes the encoding; see `posproof with --help`");
  EXPECT_EQ(refused({"behind", "--late", "sinusoidal"}),
            "threw `--late` was given where `posproof behind` takes WORD; see `posproof behind --help`");
  EXPECT_EQ(three.ran, "");
  // Numbers below 0 are values, and behind `--` nothing is an option.
  EXPECT_EQ(programmed(three, {"with", "sinusoidal", "--offset", "-1"}).code, 43);
  EXPECT_EQ(refused({"alone", "--", "--late"}).find("posproof: `--late` was not expected"), 0u);
}

TEST(Program, has_help_and_a_version) {
  Three three;
  const Said version = programmed(three, {"--version"}), help = programmed(three, {"--help"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, "1.2\n");
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.out.find("three\nUsage: prog [OPTIONS] SUBCOMMAND\n"), 0u) << help.out;
  EXPECT_TRUE(help.out.ends_with("\n\nthe end\n")) << help.out;
  for (const std::string line :
       {"  alone                       stands alone\n", "  with                        takes one\n",
        "  behind                      takes a word, too\n"})
    EXPECT_NE(help.out.find(line), std::string::npos) << help.out;
  const Said with = programmed(three, {"with", "--help"});
  EXPECT_NE(with.out.find("\nSubcommands:\n  alibi "), std::string::npos) << with.out;
  for (const auto& [words, why] :
       {std::pair{std::vector<std::string>{}, "posproof: a command is required\n"},
        {{"with"}, "posproof: an encoding is required; all: posproof list encodings\n"},
        {{"behind"}, "posproof: WORD is required\n"},
        {{"alone", "x"}, "posproof: `x` was not expected\n"}}) {
    const Said refused = programmed(three, words);
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.err.find(why), 0u) << refused.err;
  }
  EXPECT_EQ(three.ran, "");
}

}  // namespace
}  // namespace posproof::command::command_line_test
