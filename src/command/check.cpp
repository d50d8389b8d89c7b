#include <fmt/format.h>

#include <memory>

#include "attention/reference_attention.h"
#include "command/commands.h"
#include "command/options.h"
#include "command/terminal.h"
#include "report/json.h"
#include "report/words.h"
#include "run/agreement.h"
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

struct Arguments {
  Common common;
  std::string property;
  std::string subject;  // empty: our own
  std::string words;    // of a case to replay; empty: search
  bool sandbox = false;
};

// The claim that our own encoding fails this property for these parameters.
const Claim* claimed_failure(const Chosen& chosen, const Property& property) {
  for (const Claim& claim : claims_of(chosen.spec))
    if (!claim.holds && claim.property == &property && claim.when.met(chosen.parameters)) return &claim;
  return nullptr;
}

// Where a failure is claimed, the search may miss it; its witness may not.
int exit_of_claimed(const Claim& claim, const Chosen& chosen, const Verdict& found, bool json) {
  const ClaimResult witness = judge(claim, chosen.spec, {});
  if (witness.status != ClaimStatus::as_claimed) {
    if (!json) write(fmt::format("  claimed to fail: {}: {}\n", name(witness.status), witness.why));
    return broken;
  }
  if (!json)
    write(fmt::format("  fails as claimed, because {}\n  witness  {}  off by {:.3g}{}\n", claim.because,
                      claim.witness, claim.by,
                      std::holds_alternative<Refuted>(found) ? "" : " (what was searched does not show it)"));
  return as_claimed;
}

int exit_of(const Verdict& verdict) {
  if (std::holds_alternative<Refuted>(verdict)) return broken;
  return std::holds_alternative<Holds>(verdict) ? as_claimed : not_checked;
}

// One property, searched or replayed, of our own encoding or of a foreign subject.
int run_check(const Chosen& chosen, const Arguments& arguments) {
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
  const Property* catalogued = agreeing || remembering ? nullptr : &property_named(property_id);
  const Property property = agreeing ? agreement(truth) : remembering ? history(truth, subject) : *catalogued;
  if (subject.live && !foreign.empty()) note_interrupts();
  Verdict verdict =
      NotApplicable{fmt::format("{} cannot be asked of {}", property_id, kind(subject.encoding))};
  if (const auto one = trial(property, subject.encoding, subject.precision)) {
    const Plan plan{.seed = common.seed, .id = property_id, .budget = common.budget()};
    if (words.empty()) {
      verdict = agreeing      ? agreement_searched(truth, subject.encoding, subject.precision, plan)
                : remembering ? history_searched(truth, subject, plan)
                              : search(*one, plan);
    } else {
      verdict = replay(*one, Case::parse(words));
    }
  }
  std::string again = fmt::format("posproof check {} {}", property_id, encoding_id);
  for (const auto& [name, value] : parameters.fields())
    if (text(value) != text(*standard(spec).find(name))) again += fmt::format(" --{} {}", name, text(value));
  if (!foreign.empty())
    again += fmt::format(" {}{}", report::quoted(subject.name), in_sandbox ? " --sandbox" : "");
  write(common.json ? report::json(property_id, verdict, subject.containment)
                    : report::verdict(subject.name, property_id, property, verdict, subject.precision, again,
                                      style()) +
                          report::contained(subject.containment));
  if (foreign.empty() && catalogued != nullptr)
    if (const Claim* claim = claimed_failure(chosen, *catalogued))
      return exit_of_claimed(*claim, chosen, verdict, common.json);
  return exit_of(verdict);
}

}  // namespace

Command check_command() {
  const auto arguments = std::make_shared<Arguments>();
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
