#include "gate/gate.h"

#include <memory>
#include <optional>

#include "command/answered.h"
#include "command/commands.h"
#include "command/exit_code.h"
#include "command/options.h"
#include "command/script_file.h"
#include "command/terminal.h"
#include "report/configured.h"
#include "report/file.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/reproduce.h"
#include "report/words.h"
#include "subject/interrupt.h"

namespace posproof::command {
namespace {

struct GateArguments {
  Common common;
  std::string subject, filter, positions;
  std::string junit;      // a file, for CI
  std::string reproduce;  // a file, for an issue
  bool exhaustive = false, sandbox = false, in_full = false;
};

int run_gate(const Chosen& chosen, const GateArguments& arguments) {
  const Common& common = arguments.common;
  std::optional<report::NewFile> junit;  // one that cannot be written is refused before the run
  if (!arguments.junit.empty()) junit.emplace(arguments.junit, 0);
  ScriptFile script_file(arguments.reproduce);
  std::optional<GateResult> gated;
  {
    Progress progress(Progress::Says::all_the_time);
    progress("starting the subject", 0, 1);
    note_interrupts();
    gated = gate(
        chosen.id, chosen.spec, as_answered_by(arguments.subject, chosen.parameters), arguments.subject,
        {.two_heads = !chosen.given.has("heads"),
         .seed = common.seed,
         .budget = common.budget(),
         .filter = arguments.filter,
         .call_time = common.call_time(),
         .total = milliseconds(common.total_seconds),
         .positions = range(arguments.positions),
         .sandbox = arguments.sandbox,
         .exhaustive = arguments.exhaustive,
         .progress = [&](std::string_view property, std::size_t done,
                         std::size_t of) { progress(property, done, of); },
         .ended =
             [&](const PropertyResult& result) { progress.line(report::ended(result, style_of_errors())); },
         .called = [&] { progress.called(); }});
  }
  const std::optional<std::string> script = report::script(*gated);
  write(common.json ? report::with_configuration(report::json(*gated), chosen.configured)
                    : report::gated(*gated, style(),
                                    {.in_full = arguments.in_full, .reproduced = script_file.named(script)}));
  const int verdict = script_file.save(script, exit_of(*gated));
  return junit ? saved(*junit, report::junit(*gated), verdict) : verdict;
}

}  // namespace

Command gate_command() {
  const auto arguments = std::make_shared<GateArguments>();
  return {
      .name = "gate",
      .help = "check an implementation against everything that an encoding claims",
      .after_encoding = with_common(
          arguments->common,
          {{.names = "SUBJECT",
            .field = &arguments->subject,
            .help =
                "cmd:'PROGRAM ARGS', lib:LIBRARY or table:FILE, each with [@precision]; table:COS,SIN[@precision] for "
                "the cache of a rotary encoding, or one array, or its frequencies alone",
            .required = true,
            .words = &schemes},
           {"--junit", &arguments->junit, "write a JUnit XML file, too", Option::NewFile{}},
           reproduce(arguments->reproduce),
           {"--in-full", &arguments->in_full, "print what follows from another refutation in full, too"},
           {"--positions", &arguments->positions, "only these, FIRST:LAST, both included"},
           {"--exhaustive", &arguments->exhaustive,
            "compare a program at every position, as a file is; --time is the limit"},
           {"--filter", &arguments->filter, "only properties whose id contains this"},
           sandbox(arguments->sandbox),
           call_time(arguments->common.call_seconds),
           total_time(arguments->common.total_seconds)}),
      .run = [arguments](const Chosen& chosen) { return run_gate(chosen, *arguments); }};
}

}  // namespace posproof::command
