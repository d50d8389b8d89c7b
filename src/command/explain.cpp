#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/grammar.h"
#include "command/terminal.h"
#include "core/nearest.h"
#include "report/named.h"

namespace posproof::command {
namespace {

// What an option says in each command that has it, parameters of encodings left out: those are in a
// catalogue.
std::vector<report::Meaning> meanings_of(const std::vector<Command>& commands) {
  std::vector<report::Meaning> out;
  for (const Command& command : commands)
    for (const auto* options : {&command.options, &command.after_encoding})
      for (const Option& option : *options) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const report::Meaning& one) {
          return one.names == spellings(option) && one.text == option.help;
        });
        if (same == out.end())
          out.push_back({spellings(option), option.help, "posproof " + command.name});
        else
          same->used_in += ", " + command.name;
      }
  return out;
}

std::vector<report::Meaning> words_of_the_command_line() {
  const std::vector<Command> commands = all_commands();
  std::vector<report::Meaning> out;
  for (const Command& command : commands)
    out.push_back({{command.name},
                   fmt::format("A command: {}.", command.help),
                   fmt::format("posproof {} --help", command.name)});
  for (report::Meaning& option : meanings_of(commands)) out.push_back(std::move(option));
  return out;
}

int run_explain(const std::string& name, bool json) {
  std::vector<report::Named> found = report::everything_called(name);
  std::vector<std::string> names = report::all_names();
  for (const report::Meaning& one : words_of_the_command_line())
    for (const std::string& own : one.names) {
      names.push_back(own);
      if (!report::same_name(own, name)) continue;
      found.emplace_back(one);
      break;
    }
  if (found.empty())
    throw std::invalid_argument(
        fmt::format("nothing is called `{}`{}; all: posproof list", name, near_it(name, names)));
  if (json) {
    write(report::json(found));
    return as_claimed;
  }
  for (std::size_t n = 0; n < found.size(); ++n) write((n == 0 ? "" : "\n") + report::explain(found[n]));
  return as_claimed;
}

}  // namespace

Command explain_command() {
  struct ExplainArguments {
    std::vector<std::string> words;
    bool json = false;
  };
  const auto arguments = std::make_shared<ExplainArguments>();
  return {
      .name = "explain",
      .help = "explain what posproof prints: an id, a parameter, a verdict, an exit code, a term",
      .options =
          {{.names = "ID",
            .field = &arguments->words,
            .help =
                "as in `posproof list`, as in reports/glossary.md, or another word that is printed, as a verdict or a label; several words are one name",
            .required = true,
            .shows_standard = false,
            .words = &report::all_names},
           {"--json", &arguments->json, "write JSON, an object for each thing that has this name"}},
      .run = [arguments] {
        return run_explain(fmt::format("{}", fmt::join(arguments->words, " ")), arguments->json);
      }};
}

}  // namespace posproof::command
