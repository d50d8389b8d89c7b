// The command line, assembled: src/command has the commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "command/commands.h"
#include "core/encoding.h"
#include "run/catalogued.h"
#include "subject/subject.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace posproof::command {
namespace {

// Words for a command, or for an encoding after `gate`, that there is not: CLI11 would only say that one is
// missing.
std::optional<std::string> unknown_name(const CLI::App& app, int argc, char** argv) {
  const auto names = [](const CLI::App& of) {
    std::vector<std::string> all;
    for (const CLI::App* one : of.get_subcommands(nullptr)) all.push_back(one->get_name());
    return all;
  };
  const auto missing = [&](std::string_view what, const std::string& word,
                           const std::vector<std::string>& all) -> std::optional<std::string> {
    if (word.rfind('-', 0) == 0 || std::find(all.begin(), all.end(), word) != all.end()) return std::nullopt;
    return fmt::format("there is no {} `{}`; near it: {}; all: {}", what, word,
                       fmt::join(nearest(word, all), ", "), fmt::join(all, ", "));
  };
  if (argc < 2) return std::nullopt;
  const std::string first = argv[1];
  if (auto unknown = missing("command", first, names(app))) return unknown;
  const int at = first == "gate" || first == "accuracy" || first == "oracle" ? 2
                 : first == "check"                                          ? 3
                                                                             : argc;
  if (at >= argc) return std::nullopt;
  return missing("encoding", argv[at], names(*app.get_subcommand(first)));
}

// What a case takes it gives back, and the next one takes it again: memory stays with the process, large
// arrays as well, instead of being mapped anew and faulted in page by page each time.
void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

struct Command {
  std::string_view name;
  void (*add)(CLI::App&, int&);
};
constexpr std::array<Command, 8> commands = {{{"matrix", &add_matrix},
                                              {"check", &add_check},
                                              {"gate", &add_gate},
                                              {"accuracy", &add_accuracy},
                                              {"oracle", &add_oracle},
                                              {"report", &add_report},
                                              {"list", &add_list},
                                              {"explain", &add_explain}}};

// The one that is asked for alone: the options of every encoding under every command take longer than many a
// check. All where it is none of them, or is asked what there is.
void add_commands(CLI::App& app, int& code, int argc, char** argv) {
  const auto named = [&](const Command& command) { return argc > 1 && command.name == argv[1]; };
  const bool one = std::any_of(commands.begin(), commands.end(), named);
  for (const Command& command : commands)
    if (!one || named(command)) command.add(app, code);
}

int run(int argc, char** argv) {
  int code = as_claimed;
  CLI::App app{"posproof: the conformance suite for positional encodings"};
  app.require_subcommand(1);
  app.set_version_flag("--version", POSPROOF_VERSION);
  app.footer(
      "Exit: 0 as claimed, 1 something is broken, 2 wrong command line, 3 something was not checked,\n"
      "4 the subject could not be started.");
  add_commands(app, code, argc, argv);

  try {
    if (const auto unknown = unknown_name(app, argc, argv)) throw std::invalid_argument(*unknown);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? as_claimed : usage;
  }
  return code;
}

}  // namespace
}  // namespace posproof::command

int main(int argc, char** argv) {
  using namespace posproof::command;
  keep_memory();
  try {
    return run(argc, argv);
  } catch (const posproof::SubjectError& error) {
    fmt::print(stderr, "posproof: {}\n", error.what());
    return no_subject;
  } catch (const posproof::Refusal& error) {
    fmt::print(stderr, "posproof: {}\n", error.what());
    return usage;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "posproof: {}\n", error.what());
    return usage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "posproof: {}\n", error.what());
    return not_checked;
  }
}
