// What every flag of `posproof report`, `list` and `explain` does, and those of the program itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/identities.h"
#include "catalogue/properties.h"
#include "command/commands.h"
#include "command/completion.h"
#include "command/testing/flags.h"
#include "report/named.h"
#include "report/schema.h"
#include "report/words.h"

namespace posproof::testing::flags_of_words_test {
namespace {

std::string listed_encodings(std::string_view indent = "") {
  std::string out;
  for (const auto& [id, spec] : catalogue::encodings())
    out += fmt::format("{}{:20} {}\n", indent, id, spec->summary);
  return out;
}

std::string listed_defects(std::string_view indent = "") {
  std::string out;
  for (const auto& [family, all] : catalogue::defects())
    for (const Defect& defect : all->defects)
      out += fmt::format("{}{:44} {}\n", indent, fmt::format("{}/{}", family, defect.name), defect.wrong);
  return out;
}

std::string listed_properties(std::string_view indent = "") {
  std::string out;
  for (const auto& [id, property] : catalogue::properties())
    out += fmt::format("{}{:44} {}\n", indent, id, property->statement);
  return out;
}

std::string listed_experiments(std::string_view indent = "") {
  std::string out;
  for (const auto& [id, experiment] : catalogue::experiments())
    out += fmt::format("{}{:36} {}\n", indent, id, experiment->question);
  return out;
}

std::string listed_identities(std::string_view indent = "") {
  std::string out;
  for (const auto& [id, identity] : catalogue::identities())
    out += fmt::format("{}{:46} {}\n", indent, id, identity->statement);
  return out;
}

// The command says its own purpose, and how it is used.
void expect_help(const Ran& ran, const std::string& purpose, const std::string& usage) {
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.said.find(fmt::format("{}\nUsage: {} {}", purpose, POSPROOF_BINARY, usage)), 0u) << usage;
}

FlagRow help_of(const std::string& command, const std::string& words, const std::string& purpose,
                const std::string& usage) {
  return {command, "-h,--help", words + " -h", words + " --help", [=](const Ran& brief, const Ran& long_one) {
            expect_help(brief, purpose, usage);
            EXPECT_EQ(brief.said, long_one.said);
          }};
}

}  // namespace

std::vector<FlagRow> rows(const std::string& folder) {
  const std::string one = folder + "/one", other = folder + "/other";
  return {
      {"list", "WHAT", "list", "list encodings",
       [](const Ran& all, const Ran& encodings) {
         EXPECT_EQ(encodings.said, listed_encodings());
         EXPECT_EQ(all.said, "encodings\n" + listed_encodings("  ") + "properties\n" +
                                 listed_properties("  ") + "identities\n" + listed_identities("  ") +
                                 "experiments\n" + listed_experiments("  ") + "defects\n" +
                                 listed_defects("  "));
         EXPECT_EQ(posproof("list properties").said, listed_properties());
         EXPECT_EQ(posproof("list identities").said, listed_identities());
         EXPECT_EQ(posproof("list experiments").said, listed_experiments());
         EXPECT_EQ(posproof("list defects").said, listed_defects());
       }},
      {"list", "--json", "list encodings --json", "list --json",
       [](const Ran& encodings, const Ran& all) {
         EXPECT_EQ(encodings.said, report::json_of_encodings());
         EXPECT_EQ(encodings.code + all.code, 0);
         EXPECT_EQ(all.said, report::json_of_catalogues());
         EXPECT_EQ(posproof("list properties --json").said, report::json_of_properties());
         EXPECT_EQ(posproof("list identities --json").said, report::json_of_identities());
         EXPECT_EQ(posproof("list experiments --json").said, report::json_of_experiments());
         EXPECT_EQ(posproof("list defects --json").said, report::json_of_defects());
       }},
      {"explain", "--json", "explain layout", "explain layout --json",
       [](const Ran& text, const Ran& json) {
         const auto found = report::everything_called("layout");
         ASSERT_GE(found.size(), 3u) << "a term, and a parameter of several encodings";
         std::vector<std::string> all;
         for (const auto& term : found) all.push_back(report::explain(term));
         EXPECT_EQ(text.said, fmt::format("{}", fmt::join(all, "\n")));
         EXPECT_EQ(json.said, report::json(found));
         EXPECT_EQ(text.code + json.code, 0);
       }},
      {"completion", "SHELL", "completion bash", "completion fish",
       [](const Ran& bash, const Ran& fish) {
         const auto commands = command::all_commands();
         EXPECT_EQ(bash.said, command::bash_completion(commands));
         EXPECT_EQ(fish.said, command::fish_completion(commands));
         EXPECT_EQ(posproof("completion zsh").said, command::zsh_completion(commands));
         EXPECT_EQ(bash.code + fish.code, 0);
         const Ran misspelt = posproof("completion bsh");
         EXPECT_EQ(misspelt.code, 2);
         EXPECT_EQ(lines(misspelt.said).front(),
                   "posproof: SHELL: `bsh`; allowed: bash, zsh, fish; near it: bash, zsh");
       }},
      {"explain", "ID", "explain rotary/preserves_norm", "explain rope",
       [](const Ran& property, const Ran& encoding) {
         for (const auto& [id, value] : catalogue::properties())
           if (id == "rotary/preserves_norm") {
             EXPECT_EQ(property.said, report::explain(id, *value));
           }
         for (const auto& [id, value] : catalogue::encodings())
           if (id == "rope") {
             EXPECT_EQ(encoding.said, report::explain(id, *value));
           }
         const auto& experiment = catalogue::experiments().front();
         EXPECT_EQ(posproof(fmt::format("explain {}", experiment.id)).said,
                   report::explain(experiment.id, *experiment.value));
         const auto& identity = catalogue::identities().front();
         EXPECT_EQ(posproof(fmt::format("explain {}", identity.id)).said,
                   report::explain(identity.id, *identity.value));
         const auto& family = catalogue::defects().back();
         const Defect& defect = family.value->defects.back();
         const std::string id = fmt::format("{}/{}", family.id, defect.name);
         const Ran said = posproof("explain " + id);
         EXPECT_EQ(said.said, report::explain(id, defect));
         EXPECT_EQ(said.code + property.code + encoding.code, 0);
         EXPECT_EQ(posproof("explain hard case").said,
                   report::explain(report::everything_called("hard_case").at(0)));
       }},
      {"report", "NAME", "report why_not_the_normalised_index -o " + one,
       "report no_such_experiment -o " + other,
       [=](const Ran& written, const Ran& unknown) {
         if (says(written, "gnuplot-nox")) return;
         EXPECT_EQ(written.code, 0);
         EXPECT_EQ(lines(written.said).front(), one + "/why_not_the_normalised_index.md");
         EXPECT_EQ(lines(written.said).back(),
                   fmt::format("{} files of {} changed", lines(written.said).size() - 1, one));
         EXPECT_EQ(report::file_bytes(one + "/why_not_the_normalised_index.md"),
                   report::file_bytes(POSPROOF_SOURCE "/reports/why_not_the_normalised_index.md"));
         EXPECT_EQ(unknown.code, 2);
         EXPECT_EQ(unknown.said,
                   "posproof: there is no experiment `no_such_experiment`; all: posproof list experiments\n");
         EXPECT_EQ(
             posproof("report translation_is -o " + other).said,
             "posproof: there is no experiment `translation_is`; near it: translation_is_a_rotation; all: "
             "posproof list experiments\n");
         EXPECT_FALSE(std::filesystem::exists(other));
       }},
      {"report", "-o,--output", "report why_not_the_normalised_index -o " + folder + "/a",
       "report why_not_the_normalised_index --output " + folder + "/b",
       [=](const Ran& a, const Ran& b) {
         if (says(a, "gnuplot-nox")) return;
         EXPECT_EQ(a.code + b.code, 0);
         EXPECT_EQ(report::file_bytes(folder + "/a/README.md"), report::file_bytes(folder + "/b/README.md"));
         EXPECT_TRUE(report::file_bytes(folder + "/b/README.md"));
         EXPECT_EQ(posproof("report why_not_the_normalised_index -o " + folder + "/b").said,
                   fmt::format("0 files of {}/b changed\n", folder));
       }},
      {"report", "--html", "report encodings/none --html -o " + folder + "/c",
       "report encodings/none -o " + folder + "/d",
       [=](const Ran& with, const Ran& without) {
         if (says(with, "gnuplot-nox")) return;
         EXPECT_EQ(lines(with.said).back(), folder + "/c/html/index.html");
         EXPECT_TRUE(report::file_bytes(folder + "/c/html/encodings/none.html"));
         EXPECT_EQ(report::file_bytes(folder + "/c/encodings/none.md"),
                   report::file_bytes(POSPROOF_SOURCE "/reports/encodings/none.md"));
         EXPECT_EQ(lines(without.said).back(),
                   fmt::format("{} files of {}/d changed", lines(without.said).size() - 1, folder));
         EXPECT_FALSE(std::filesystem::exists(folder + "/d/html"));
         EXPECT_EQ(with.code + without.code, 0);
       }},
      {"serve", "LIBRARY", "serve " POSPROOF_TEST_LIBRARY " </dev/null", "serve no_such_library.so",
       [](const Ran& there, const Ran& none) {
         EXPECT_EQ(there.said, "");
         EXPECT_EQ(there.code, 0);
         EXPECT_TRUE(says(none, "no_such_library.so")) << none.said;
         EXPECT_EQ(none.code, 2);
       }},
      {"", "--version", "--version", "--help",
       [](const Ran& version, const Ran& help) {
         EXPECT_EQ(version.said, "posproof 0.1.0\n");
         EXPECT_EQ(version.code + help.code, 0);
         EXPECT_TRUE(help.said.ends_with(
             "\n"
             "Exit: 0 as claimed, 1 something is broken, 2 wrong command line or output that could not be\n"
             "written, 3 something was not checked, 4 the subject could not be started, 130 interrupted\n"
             "(143 by SIGTERM, 129 by SIGHUP).\n"));
       }},
      help_of("", "", "posproof: the conformance suite for positional encodings", "[OPTIONS] SUBCOMMAND"),
      help_of("matrix", "matrix", "check every property of every encoding", "matrix [OPTIONS]"),
      help_of("check", "check rotary/composes rope",
              "query and key rotated pair by pair, by angles proportional to the position",
              "check rope [OPTIONS] [SUBJECT]"),
      help_of("gate", "gate rope",
              "query and key rotated pair by pair, by angles proportional to the position",
              "gate rope [OPTIONS] SUBJECT"),
      help_of("accuracy", "accuracy rope",
              "query and key rotated pair by pair, by angles proportional to the position",
              "accuracy rope [OPTIONS] [SUBJECT]"),
      help_of("oracle", "oracle rope",
              "query and key rotated pair by pair, by angles proportional to the position",
              "oracle rope [OPTIONS]"),
      help_of("identify", "identify", "find out which convention an implementation follows",
              "identify [OPTIONS] SUBJECT"),
      help_of("report", "report", "run the experiments and write reports/", "report [OPTIONS] [NAME...]"),
      help_of("list", "list", "list encodings, properties, identities, experiments and defects",
              "list [OPTIONS] [WHAT]"),
      help_of("explain", "explain",
              "explain what posproof prints: an id, a parameter, a verdict, an exit code, a term",
              "explain [OPTIONS] ID..."),
      help_of("completion", "completion", "print the completion script of a shell",
              "completion [OPTIONS] SHELL"),
      help_of("manual", "manual", "the manual page, in troff: posproof manual | man -l -",
              "manual [OPTIONS]"),
      help_of("serve", "serve", "answer the subject protocol for a shared library, as lib:LIBRARY has it",
              "serve [OPTIONS] LIBRARY"),
  };
}

TEST(FlagsOfWords, do_what_they_say) {
  const Tables tables;
  run_rows(rows(tables.folder()));
}

}  // namespace posproof::testing::flags_of_words_test
