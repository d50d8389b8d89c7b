#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>

#include "attention/reference_attention.h"
#include "catalogue/encodings.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/terminal.h"
#include "report/json.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/recorded.h"
#include "search/trial.h"
#include "subject/subject.h"

namespace posproof::command {
namespace {

struct Arguments {
  Common common;
  std::string property;
  std::string subject;  // empty: our own
  std::string words;    // of a case to replay; empty: search
  std::map<std::string, Options, std::less<>> options;
};

int exit_of(const Verdict& verdict) {
  if (std::holds_alternative<Refuted>(verdict)) return broken;
  return std::holds_alternative<Holds>(verdict) ? as_claimed : not_checked;
}

// One property, searched or replayed, of our own encoding or of a foreign subject.
int run_check(std::string_view encoding_id, const EncodingSpec& spec, const Parameters& parameters,
              const Arguments& arguments) {
  const auto& [common, property_id, foreign, words, options] = arguments;
  const Encoding truth = spec.oracle(parameters);
  const bool agreeing = property_id == agreement_id;
  const Property property = agreeing ? agreement(truth) : property_named(property_id);
  const Subject subject =
      foreign.empty() ? Subject{std::string(encoding_id), "built in", spec.make(parameters), all_f64, true}
                      : open(foreign, {.encoding = std::string(encoding_id),
                                       .parameters = parameters,
                                       .declared = attention::in_every_kind(truth),
                                       .call_time = common.call_time()});
  Verdict verdict =
      NotApplicable{fmt::format("{} cannot be asked of {}", property_id, kind(subject.encoding))};
  if (const auto one = trial(property, subject.encoding, subject.precision)) {
    const Plan plan{.seed = common.seed, .id = property_id, .budget = common.budget()};
    if (words.empty()) {
      verdict = agreeing ? agreement_searched(truth, subject.encoding, subject.precision, plan)
                         : search(*one, plan);
    } else {
      verdict = replay(*one, Case::parse(words));
    }
  }
  std::string again = fmt::format("posproof check {} {}", property_id, encoding_id);
  for (const auto& [name, value] : parameters.fields())
    if (text(value) != text(*standard(spec).find(name))) again += fmt::format(" --{} {}", name, text(value));
  if (!foreign.empty()) again += " " + report::quoted(foreign);
  write(common.json ? report::json(property_id, verdict)
                    : report::verdict(subject.name, property_id, property, verdict, subject.precision, again,
                                      style()));
  return exit_of(verdict);
}

}  // namespace

void add_check(CLI::App& app, int& code) {
  const auto arguments = std::make_shared<Arguments>();
  auto* check = app.add_subcommand("check", "one property, searched or replayed");
  check
      ->add_option("PROPERTY", arguments->property,
                   "as in `posproof list properties`, or agrees_with_its_oracle")
      ->required();
  check->require_subcommand(1);
  for (const auto& [id, spec] : catalogue::encodings()) {
    const std::string name(id);
    auto* one = check->add_subcommand(name, std::string(spec->summary));
    arguments->options[name].add(*one, *spec);
    add_common(*one, arguments->common);
    one->add_option("SUBJECT", arguments->subject,
                    "cmd:'PROGRAM ARGS'[@precision] or table:FILE[@precision], table:COS,SIN[@precision] for "
                    "the cache of a rotary encoding; left out: our own");
    one->add_option("--case", arguments->words, "replay this case, as a counterexample prints it");
    one->add_option("--call-time", arguments->common.call_seconds, "longest time for one answer, seconds")
        ->capture_default_str();
    one->callback([arguments, &code, name, spec = spec] {
      code = run_check(name, *spec, arguments->options.at(name).read(*spec), *arguments);
    });
  }
}

}  // namespace posproof::command
