#include <fmt/format.h>

#include <memory>
#include <optional>

#include "attention/reference_attention.h"
#include "command/commands.h"
#include "command/exit_code.h"
#include "command/options.h"
#include "command/terminal.h"
#include "report/json.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/backward.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/claims.h"
#include "run/history.h"
#include "run/recorded.h"
#include "search/trial.h"
#include "subject/interrupt.h"
#include "subject/subject.h"

namespace posproof::command {
namespace {

struct CheckArguments {
  Common common;
  std::string property;
  std::string subject;  // empty: our own
  std::string words;    // of a case to replay; empty: search
  bool sandbox = false;
};

// The claim that our own encoding fails this property for these parameters. What holds for them is claimed
// before it, and a failure is claimed of some parameters, not of all.
const Claim* claimed_failure(const Chosen& chosen, const Property& property) {
  for (const Claim& claim : claims_of(chosen.spec))
    if (claim.property == &property && claim.when.met(chosen.parameters))
      return claim.holds ? nullptr : &claim;
  return nullptr;
}

// One property, searched or replayed, of our own encoding or of a foreign subject.
int run_check(const Chosen& chosen, const CheckArguments& arguments) {
  const auto& [encoding_id, spec, parameters, given] = chosen;
  const auto& [common, property_id, foreign, words, in_sandbox] = arguments;
  refuse_sandbox_of_our_own(in_sandbox, foreign);
  const Encoding truth = spec.oracle(parameters);
  const bool agreeing = property_id == agreement_id, remembering = property_id == history_id;
  const Subject subject =
      foreign.empty() ? Subject{std::string(encoding_id), "built in", spec.make(parameters), all_f64, true}
                      : open(foreign, {.encoding = std::string(encoding_id),
                                       .parameters = parameters,
                                       .declared = attention::in_every_kind(truth),
                                       .call_time = common.call_time(),
                                       .sandbox = in_sandbox});
  const bool backward = property_id == backward_id && subject.backward;
  const Property* catalogued = agreeing || remembering || backward ? nullptr : &property_named(property_id);
  const Property property = agreeing      ? agreement(truth)
                            : remembering ? history(truth, subject)
                            : backward    ? backward_agreement(truth)
                                          : *catalogued;
  if (subject.live && !foreign.empty()) note_interrupts();
  Verdict verdict =
      NotApplicable{fmt::format("{} cannot be asked of {}", property_id, kind(subject.encoding))};
  if (const auto one = trial(property, backward ? *subject.backward : subject.encoding, subject.precision)) {
    const Plan plan{.seed = common.seed, .id = property_id, .budget = common.budget()};
    if (words.empty()) {
      verdict = agreeing      ? agreement_searched(truth, subject.encoding, subject.precision, plan)
                : remembering ? history_searched(truth, subject, plan)
                              : search(*one, plan);
    } else {
      verdict = replay(*one, Case::parse(words));
    }
  }
  const std::string again =
      report::again(property_id, encoding_id, parameters, foreign.empty() ? nullptr : &subject);
  const Claim* claim =
      foreign.empty() && catalogued != nullptr ? claimed_failure(chosen, *catalogued) : nullptr;
  std::optional<ClaimResult> witness;
  if (claim != nullptr) witness = judge(*claim, spec, {});
  if (common.json) {
    const auto replayed = witness ? std::optional(report::Replayed{*claim, *witness}) : std::nullopt;
    write(report::json(property_id, verdict, subject.containment, replayed));
  } else {
    write(report::verdict(subject.name, property_id, property, verdict, subject.precision, again, style()) +
          report::contained(subject.containment));
    if (witness) write(report::claimed_to_fail(*claim, *witness, verdict));
  }
  return witness ? exit_of(*witness) : exit_of(verdict);
}

}  // namespace

Command check_command() {
  const auto arguments = std::make_shared<CheckArguments>();
  return {.name = "check",
          .help = "one property, searched or replayed",
          .options = {{.names = "PROPERTY",
                       .field = &arguments->property,
                       .help = "as in `posproof list properties`, or agrees_with_its_oracle",
                       .required = true}},
          .after_encoding =
              with_common(arguments->common,
                          {{"SUBJECT", &arguments->subject,
                            "cmd:'PROGRAM ARGS'[@precision] or table:FILE[@precision], "
                            "table:COS,SIN[@precision] for the cache "
                            "of a rotary encoding; left out: our own"},
                           {"--case", &arguments->words, "replay this case, as a counterexample prints it"},
                           sandbox(arguments->sandbox),
                           call_time(arguments->common.call_seconds)}),
          .run = [arguments](const Chosen& chosen) { return run_check(chosen, *arguments); }};
}

}  // namespace posproof::command
