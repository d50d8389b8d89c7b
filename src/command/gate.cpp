#include "run/gate.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>

#include "catalogue/encodings.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/terminal.h"
#include "report/file.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/words.h"

namespace posproof::command {
namespace {

struct Arguments {
  Common common;
  std::string subject, filter, positions;
  std::string junit;  // a file, for CI
  bool exhaustive = false;
  std::map<std::string, Options, std::less<>> options;
};

int run_gate(std::string_view id, const EncodingSpec& spec, const Parameters& parameters,
             const Arguments& arguments) {
  const Common& common = arguments.common;
  std::optional<GateResult> gated;
  {
    Progress progress;
    gated = gate(id, spec, parameters, arguments.subject,
                 {.seed = common.seed,
                  .budget = common.budget(),
                  .filter = arguments.filter,
                  .call_time = common.call_time(),
                  .positions = range(arguments.positions),
                  .exhaustive = arguments.exhaustive,
                  .progress = [&](std::string_view property, std::size_t done, std::size_t of) {
                    progress(property, done, of);
                  }});
  }
  if (!arguments.junit.empty()) report::replace_file(arguments.junit, report::junit(*gated));
  write(common.json ? report::json(*gated) : report::gated(*gated, style()));
  if (gated->refuted()) return broken;
  return gated->undecided() || gated->results.empty() ? not_checked : as_claimed;
}

}  // namespace

void add_gate(CLI::App& app, int& code) {
  const auto arguments = std::make_shared<Arguments>();
  auto* gate =
      app.add_subcommand("gate", "a foreign implementation against everything that an encoding claims");
  gate->require_subcommand(1);
  for (const auto& [id, spec] : catalogue::encodings()) {
    const std::string name(id);
    auto* one = gate->add_subcommand(name, std::string(spec->summary));
    arguments->options[name].add(*one, *spec);
    add_common(*one, arguments->common);
    one->add_option(
           "SUBJECT", arguments->subject,
           "cmd:'PROGRAM ARGS'[@precision] or table:FILE[@precision]; table:COS,SIN[@precision] for the "
           "cache of a rotary encoding")
        ->required();
    one->add_option("--junit", arguments->junit, "write a JUnit XML file, too");
    one->add_option("--positions", arguments->positions, "only these, FIRST:LAST, both included");
    one->add_flag("--exhaustive", arguments->exhaustive,
                  "ask a live subject for every position, as a file is; --time is the limit");
    one->add_option("--filter", arguments->filter, "only properties whose id contains this");
    one->add_option("--call-time", arguments->common.call_seconds, "longest time for one answer, seconds")
        ->capture_default_str();
    one->callback([arguments, &code, name, spec = spec] {
      code = run_gate(name, *spec, arguments->options.at(name).read(*spec), *arguments);
    });
  }
}

}  // namespace posproof::command
