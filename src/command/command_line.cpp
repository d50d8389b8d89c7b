#include "command/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "catalogue/encodings.h"
#include "command/grammar.h"
#include "command/options.h"
#include "command/terminal.h"
#include "core/asked_and_allowed.h"
#include "core/function.h"
#include "core/nearest.h"

namespace posproof::command {
namespace {

// CLI11 lets NaN into every range, takes -1 for the largest unsigned number, and says of 1.5 only that it
// could not be converted.
CLI::Validator number_in(const Option::Range& range, bool whole) {
  const auto allowed = [range, whole](const std::string& word) {
    double value = 0;
    if (CLI::detail::lexical_cast(word, value) && value >= range.lo && value <= range.hi &&
        (!whole || value == std::floor(value)))
      return std::string();
    const auto number = [whole](double x) {
      return whole ? fmt::format("{:.0f}", x) : fmt::format("{:g}", x);
    };
    return fmt::format("`{}`; allowed: a {} {}", word, whole ? "whole number" : "number",
                       range.hi == std::numeric_limits<double>::max()
                           ? fmt::format("of at least {}", number(range.lo))
                           : fmt::format("from {} to {}", number(range.lo), number(range.hi)));
  };
  return {allowed, "", ""};
}

CLI::Validator existing_file() {
  return {[](const std::string& word) {
            return CLI::ExistingFile(word).empty() ? std::string()
                                                   : fmt::format("`{}`: there is no such file", word);
          },
          "", ""};
}

// An empty word is not an absent one: a variable of a script that was not set, usually.
CLI::Validator not_empty() {
  return {[](const std::string& word) {
            return word.empty() ? std::string("an empty word was given") : std::string();
          },
          "", ""};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return {[words](const std::string& word) {
            if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
            return asked_and_allowed(fmt::format("`{}`", word), fmt::format("{}", fmt::join(words, ", "))) +
                   near_it(word, words);
          },
          fmt::format("{{{}}}", fmt::join(words, ",")), ""};
}

template <class Value>
CLI::Option* added(CLI::App& app, const Option& option, Value* field) {
  if constexpr (std::is_same_v<Value, bool>) {
    return app.add_flag(option.names, *field, option.help);
  } else {
    CLI::Option* out = app.add_option(option.names, *field, option.help);
    if constexpr (std::is_arithmetic_v<Value>) {
      const auto* range = std::get_if<Option::Range>(&option.allowed);
      out->check(number_in(range != nullptr ? *range : Option::Range{0, std::numeric_limits<double>::max()},
                           std::is_integral_v<Value>));
    } else {
      out->check(not_empty());
    }
    return out;
  }
}

void add(CLI::App& app, const Option& option) {
  CLI::Option* one = std::visit([&](auto* field) { return added(app, option, field); }, option.field);
  if (std::holds_alternative<Option::ExistingFile>(option.allowed)) one->check(existing_file());
  if (std::holds_alternative<Option::NewFile>(option.allowed))
    one->check([](const std::string& word) { return word.empty() ? "`` is not the name of a file" : ""; });
  if (const auto* words = std::get_if<Option::OneOf>(&option.allowed)) one->check(one_of(*words));
  if (option.shows_standard) one->capture_default_str();
  one->required(option.required)->group(option.group);
}

// To an app that outlives neither the command nor `code`, which has what `run` gave once it has parsed. Where
// `named` is the encoding that the words name, the others have no options: those of all of them take longer
// than many a check.
void add(CLI::App& app, const Command& command, int& code, const std::optional<std::string>& named = {}) {
  for (const Option& option : command.options) add(app, option);
  if (const auto* run = std::get_if<Function<int()>>(&command.run)) {
    app.callback([run, &code] { code = (*run)(); });
    return;
  }
  app.require_subcommand(1);
  for (const auto& [id, spec] : catalogue::encodings()) {
    CLI::App& one = *app.add_subcommand(std::string(id), std::string(spec->summary));
    if (named && *named != id) continue;
    refuse_clashes(command, id, *spec);
    const auto given = std::make_shared<GivenParameters>();
    for (const Option& option : given->options(*spec)) add(one, option);
    for (const Option& option : command.after_encoding) add(one, option);
    one.callback(
        [&run = std::get<Function<int(const Chosen&)>>(command.run), given, &code, id = id, spec = spec] {
          const std::vector<std::string> configured = given->configured();
          for (const std::string& line : configured) complain(line);
          code = run({id, *spec, given->read(*spec), given->given(), configured});
        });
  }
}

// CLI11 would only say that a command, or an encoding after `gate`, is missing.
void refuse_unknown(std::string_view what, const std::string& word, const std::vector<std::string>& all) {
  if (word.starts_with('-') || std::find(all.begin(), all.end(), word) != all.end()) return;
  throw std::invalid_argument(
      fmt::format("there is no {} `{}`{}; all: {}", what, word, near_it(word, all), fmt::join(all, ", ")));
}

bool asks_for_help(const std::string& word) {
  return word == "--help" || word == "-h";
}

// The words of one command, before CLI11 sees them: it would take the value of a misspelt option for the
// subject, and blame what stands behind it.
void refuse_mistakes(const Command& command, const std::vector<std::string>& words) {
  std::string called = fmt::format("posproof {}", command.name);
  if (!takes_encoding(command))
    return refuse_unknown_options(called, command.options, std::span(words).subspan(2));
  const std::size_t at = place_of_encoding(command);
  if (at >= words.size()) return;
  for (std::size_t n = 2; n <= at; ++n)
    if (words[n].starts_with('-') && !asks_for_help(words[n]))
      throw std::invalid_argument(fmt::format("`{}` was given where `{}` takes {}; see `{} --help`", words[n],
                                              called, n == at ? "the encoding" : command.options[n - 2].names,
                                              called));
  std::vector<std::string> encodings;
  for (const auto& [id, spec] : catalogue::encodings()) encodings.emplace_back(id);
  refuse_unknown("encoding", words[at], encodings);
  for (const auto& [id, spec] : catalogue::encodings())
    if (id == words[at])
      refuse_unknown_options(
          fmt::format("{} {}", called, fmt::join(std::span(words).subspan(2, at - 1), " ")),
          options_behind(command, *spec), std::span(words).subspan(at + 1));
}

// What CLI11 says of a mistake, as every other refusal says it: what was asked for, and what came in
// backquotes.
std::string in_our_words(const CLI::App& app, const CLI::ParseError& error) {
  const std::string said = error.what();
  const std::string name = said.substr(0, said.find(": ")),
                    rest = said.substr(std::min(said.size(), name.size() + 2));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return fmt::format("`{}` was not expected", rest);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const auto received = rest.find("received ");
    return received == std::string::npos
               ? fmt::format("{}: a value is missing", name)
               : fmt::format("{}: takes one value, {} came", name, rest.substr(received + 9));
  }
  if (said == "A subcommand is required")
    return app.get_subcommands().empty() ? "a command is required"
                                         : "an encoding is required; all: posproof list encodings";
  return said;
}

int parsed(CLI::App& app, const int& code, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream help, refusal;
    const bool asked = app.exit(error, help, refusal) == 0;
    write(help.str());
    if (!asked) complain(in_our_words(app, error) + "\nRun with --help for more information.");
    return asked ? as_claimed : usage;
  }
  return code;
}

}  // namespace

int run(const Program& program, std::span<const Command> commands, int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  const std::string first = argc > 1 ? words[1] : "-";
  refuse_unknown("command", first, names);
  if (first.size() > 1 && first.starts_with('-'))
    refuse_unknown_options("posproof", {{"--version", static_cast<bool*>(nullptr)}},
                           std::span(words).subspan(1, 1));

  int code = as_claimed;
  CLI::App app{program.description};
  app.require_subcommand(1);
  app.set_version_flag("--version", program.version);
  app.footer(program.footer);
  const bool one = std::find(names.begin(), names.end(), first) != names.end();
  for (const Command& command : commands) {
    if (one && command.name != first) continue;
    CLI::App& added = *app.add_subcommand(command.name, command.help);
    if (!one) continue;  // help, the version, or a word that is no command
    refuse_mistakes(command, words);
    const std::size_t at = place_of_encoding(command);
    add(added, command, code, at < words.size() ? words[at] : "");
  }
  return parsed(app, code, argc, argv);
}

int run(const Command& command, int argc, char** argv) {
  int code = as_claimed;
  CLI::App app{fmt::format("{}: {}", command.name, command.help)};
  add(app, command, code);
  return parsed(app, code, argc, argv);
}

}  // namespace posproof::command
