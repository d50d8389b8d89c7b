#include "run/accuracy.h"
#include "attention/reference_attention.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "command/answered.h"
#include "command/commands.h"
#include "command/exit_code.h"
#include "command/options.h"
#include "command/terminal.h"
#include "gate/gate.h"
#include "report/accuracy.h"
#include "report/configured.h"
#include "report/file.h"
#include "report/json.h"
#include "run/narrowed.h"
#include "subject/interrupt.h"
#include "subject/subject.h"
#include "subject/words.h"

namespace posproof::command {
namespace {

struct AccuracyArguments {
  std::string subject;  // empty: our own
  std::string positions;
  std::string file;  // empty: to the terminal
  bool json = false, sandbox = false;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  double call_seconds = 20;
};

int run_accuracy(const Chosen& chosen, const AccuracyArguments& arguments) {
  const auto& [id, spec, declared, given, configured] = chosen;
  const Parameters parameters = as_answered_by(arguments.subject, declared);
  std::optional<report::NewFile> file;  // one that cannot be written is refused before anything runs
  if (!arguments.file.empty()) file.emplace(arguments.file, 0);
  Encoding truth = spec.oracle(parameters);
  refuse_sandbox_of_our_own(arguments.sandbox, arguments.subject);
  Subject subject = arguments.subject.empty()
                        ? Subject{std::string(id), "built in", spec.make(parameters), all_f64, true}
                        : open(arguments.subject, {.encoding = std::string(id),
                                                   .parameters = parameters,
                                                   .declared = attention::in_every_kind(truth),
                                                   .call_time = milliseconds(arguments.call_seconds),
                                                   .sandbox = arguments.sandbox});
  AccuracyOptions options;
  options.positions = range(arguments.positions);
  meet(options.positions, truth, subject);
  keep_within_format(truth, subject.precision, subject.encoding);
  options.threads = arguments.threads;
  if (subject.live && !arguments.subject.empty()) note_interrupts();
  Accuracy found;
  {
    Progress progress;
    options.progress = [&](Position done, Position of) {
      progress("positions", static_cast<std::size_t>(done), static_cast<std::size_t>(of));
    };
    found = accuracy(truth, subject, options);
  }
  const report::AccuracyReport page{id, parameters, subject, found};
  const std::string said = arguments.json ? report::with_configuration(report::json(page), configured)
                                          : report::accuracy(page, file ? report::Style{} : style());
  write(file ? printable(arguments.file) + "\n" + report::summary(found, subject.precision, style()) : said);
  return file ? saved(*file, said, exit_of(found)) : exit_of(found);
}

}  // namespace

Command accuracy_command() {
  const auto arguments = std::make_shared<AccuracyArguments>();
  return {
      .name = "accuracy",
      .help = "compare every entry with the exact number, by position",
      .after_encoding =
          {{.names = "SUBJECT",
            .field = &arguments->subject,
            .help =
                "cmd:'PROGRAM ARGS', lib:LIBRARY or table:FILE, each with [@precision], table:COS,SIN[@precision] for the "
                "cache of a rotary encoding; left out: our own",
            .words = &schemes},
           {"--positions", &arguments->positions,
            "only these, FIRST:LAST, both included, of a grid on each axis; standard: all that the subject "
            "has, and of one that says nothing of its end 0:4095, of a bias 0:1023"},
           {"-o,--output", &arguments->file, "write it to this file; the terminal has the summary",
            Option::NewFile{}},
           {.names = "--threads",
            .field = &arguments->threads,
            .help = "to compare with; standard: as many as there are processors",
            .allowed = Option::Range{1, 1024},
            .shows_standard = false},
           sandbox(arguments->sandbox),
           call_time(arguments->call_seconds),
           {"--json", &arguments->json, "write JSON, with the whole curve"}},
      .run = [arguments](const Chosen& chosen) { return run_accuracy(chosen, *arguments); }};
}

}  // namespace posproof::command
