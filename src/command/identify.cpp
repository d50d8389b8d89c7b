#include "identify/identify.h"

#include <memory>
#include <optional>
#include <string>

#include "command/commands.h"
#include "command/exit_code.h"
#include "command/options.h"
#include "command/terminal.h"
#include "report/identified.h"
#include "subject/interrupt.h"

namespace posproof::command {
namespace {

struct IdentifyArguments {
  std::string subject;
  unsigned dim = 0, heads = 0;
  bool json = false, sandbox = false;
  double call_seconds = 20;
};

std::optional<std::size_t> given(unsigned value) {
  return value == 0 ? std::nullopt : std::optional<std::size_t>(value);
}

int run_identify(const IdentifyArguments& arguments) {
  std::optional<Identified> found;
  {
    Progress progress;
    note_interrupts();
    found = identify(arguments.subject, {.dim = given(arguments.dim),
                                         .heads = given(arguments.heads),
                                         .call_time = milliseconds(arguments.call_seconds),
                                         .sandbox = arguments.sandbox,
                                         .progress = [&](std::string_view what) { progress(what, 0, 1); }});
  }
  if (interrupted() != 0) found->interrupted = interruption();
  write(arguments.json ? report::identified_json(*found, arguments.subject)
                       : report::identified(*found, arguments.subject, style()));
  return exit_of(*found);
}

}  // namespace

Command identify_command() {
  const auto arguments = std::make_shared<IdentifyArguments>();
  return {
      .name = "identify",
      .help = "find out which convention an implementation follows",
      .options =
          {{.names = "SUBJECT",
            .field = &arguments->subject,
            .help =
                "cmd:'PROGRAM ARGS', lib:LIBRARY or table:FILE (a table, a bias, of a rotary encoding its cache or its "
                "frequencies alone), each with [@precision]; table:COS,SIN[@precision]",
            .required = true,
            .words = &schemes},
           {.names = "--dim",
            .field = &arguments->dim,
            .help =
                "width that a program is asked with; standard: the first of 64, 128, 32, 96, 80, 256, 16 and "
                "8 that it answers",
            .allowed = Option::Range{1, 1 << 20},
            .shows_standard = false},
           {.names = "--heads",
            .field = &arguments->heads,
            .help =
                "heads that a program is asked with; standard: 1, of a bias the first of 8, 12, 16, 32, 4 and "
                "40 that it answers",
            .allowed = Option::Range{1, 1 << 14},
            .shows_standard = false},
           sandbox(arguments->sandbox),
           call_time(arguments->call_seconds),
           {"--json", &arguments->json, "write JSON"}},
      .run = [arguments] { return run_identify(*arguments); }};
}

}  // namespace posproof::command
