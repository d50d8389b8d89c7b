#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "attention/reference_attention.h"
#include "catalogue/identities.h"
#include "catalogue/properties.h"
#include "command/answered.h"
#include "command/commands.h"
#include "command/exit_code.h"
#include "command/options.h"
#include "command/script_file.h"
#include "command/terminal.h"
#include "gate/backward.h"
#include "gate/checked.h"
#include "gate/history.h"
#include "gate/wrong_answer.h"
#include "report/configured.h"
#include "report/json.h"
#include "report/reproduce.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/claims.h"
#include "run/identities.h"
#include "run/narrowed.h"
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
  std::string positions;
  bool sandbox = false;
  std::string reproduce;  // a file, for an issue
};

// The claim that our own encoding fails this property for these parameters. What holds for them is claimed
// before it, and a failure is claimed of some parameters, not of all.
const Claim* claimed_failure(const Chosen& chosen, const Property& property) {
  for (const Claim& claim : claims_of(chosen.spec))
    if (claim.property == &property && claim.when.met(chosen.parameters))
      return claim.holds ? nullptr : &claim;
  return nullptr;
}

Verdict verdict_of(std::string_view id, const std::optional<Trial>& asked, const Encoding& truth,
                   const Subject& subject, const CheckArguments& arguments, const Case& inputs) {
  if (!asked) return NotApplicable{fmt::format("{} cannot be asked of {}", id, kind(subject.encoding))};
  if (!arguments.words.empty()) return replay(*asked, inputs);
  const Plan plan{.seed = arguments.common.seed, .id = std::string(id), .budget = arguments.common.budget()};
  if (id == agreement_id) return agreement_searched(truth, subject.encoding, subject.precision, plan);
  if (id == history_id) return history_searched(truth, subject, plan);
  return search(*asked, plan);
}

std::vector<std::string> property_words() {
  std::vector<std::string> out = {std::string(agreement_id), std::string(backward_id),
                                  std::string(history_id)};
  for (const auto& [id, property] : catalogue::properties()) out.emplace_back(id);
  for (const auto& [id, identity] : catalogue::identities()) out.emplace_back(id);
  return out;
}

// The parameters with those of a recorded case in their place, and the case without them. Throws
// std::invalid_argument where a parameter was given in both ways, and differs.
std::pair<Chosen, Case> with_those_of(const Chosen& chosen, const Case& recorded) {
  auto [named, inputs] = split(chosen.spec, recorded);
  Parameters given = chosen.given;
  for (const auto& [name, value] : named.fields()) {
    const Value* other = given.find(name);
    if (other != nullptr && text(*other) != text(value))
      throw std::invalid_argument(
          fmt::format("--{} `{}`: the case has `{}={}`", name, text(*other), name, text(value)));
    given.set(name, value);
  }
  return {{chosen.id, chosen.spec, with(chosen.spec, given), given, chosen.configured}, std::move(inputs)};
}

// An identity is asked of its left encoding, with parameters of which it is said.
Parameters said_of(const Identity& identity, std::string_view id, const Chosen& chosen) {
  if (&chosen.spec != identity.left)
    throw std::invalid_argument(
        fmt::format("`{}` is asked of {}; `{}` came", id, id_of(*identity.left), chosen.id));
  return with(chosen.spec, completed(identity, chosen.given));
}

// One property, searched or replayed, of our own encoding or of a foreign subject.
int run_check(const Chosen& asked, const CheckArguments& arguments) {
  auto [chosen, inputs] = with_those_of(asked, Case::parse(arguments.words));
  const Identity* identity = identity_named(arguments.property);
  if (identity != nullptr) chosen.parameters = said_of(*identity, arguments.property, chosen);
  chosen.parameters = as_answered_by(arguments.subject, std::move(chosen.parameters));
  const auto& [encoding_id, spec, parameters, given, configured] = chosen;
  const auto& [common, property_id, foreign, words, positions, in_sandbox, script_path] = arguments;
  refuse_sandbox_of_our_own(in_sandbox, foreign);
  ScriptFile script_file(script_path);
  const auto between = range(positions);
  Encoding truth = spec.oracle(parameters);
  Subject subject = foreign.empty()
                        ? Subject{std::string(encoding_id), "built in", spec.make(parameters), all_f64, true}
                        : open(foreign, {.encoding = std::string(encoding_id),
                                         .parameters = parameters,
                                         .declared = attention::in_every_kind(truth),
                                         .call_time = common.call_time(),
                                         .sandbox = in_sandbox});
  meet(between, truth, subject);
  if (between) subject.encoding = narrowed(std::move(subject.encoding), between->first, between->second);
  const bool agreeing = property_id == agreement_id, remembering = property_id == history_id,
             backward = property_id == backward_id;
  if (backward && !subject.backward)
    throw std::invalid_argument(fmt::format(
        "`{}` is asked of a program that has a backward pass: `backward` in its handshake, vjp= in the Python SDK",
        backward_id));
  const Property* catalogued =
      agreeing || remembering || backward || identity != nullptr ? nullptr : &property_named(property_id);
  const Property property = agreeing      ? agreement(truth)
                            : remembering ? history(truth, subject)
                            : backward    ? backward_agreement(truth)
                            : identity    ? property_of(*identity, parameters)
                                          : *catalogued;
  if (subject.live && !foreign.empty()) note_interrupts();
  const Checked one = checked(property_id, property, truth, subject);
  Verdict verdict;
  std::shared_ptr<const WrongAnswer> wrong;
  {
    Progress progress(Progress::Says::all_the_time);
    progress(property_id, 1, 1);
    verdict = verdict_of(property_id, trial(property, one.encoding, subject.precision), truth, subject,
                         arguments, inputs);
    if (auto* refuted = std::get_if<Refuted>(&verdict); refuted != nullptr && interrupted() == 0)
      wrong = look_at_answers(one, subject.precision, *refuted).wrong;
  }
  const std::string again =
      report::again(property_id, encoding_id, parameters, foreign.empty() ? nullptr : &subject, between);
  const Claim* claim =
      foreign.empty() && catalogued != nullptr ? claimed_failure(chosen, *catalogued) : nullptr;
  std::optional<ClaimResult> witness;
  if (claim != nullptr) witness = judge(*claim, spec, {});
  std::optional<std::string> script;
  if (wrong) script = report::script(*wrong, {encoding_id, property_id, spec, parameters});
  if (common.json) {
    const auto replayed = witness ? std::optional(report::Replayed{*claim, *witness}) : std::nullopt;
    write(report::with_configuration(report::json(property_id, verdict, subject.containment, replayed),
                                     configured));
  } else {
    write(report::verdict(subject.name, property_id, property, verdict, subject.precision, again, style()) +
          report::contained(subject.containment));
    if (wrong) write(report::reproduced(script_file.named(script)));
    if (witness) write(report::claimed_to_fail(*claim, *witness, verdict));
  }
  return script_file.save(script, witness ? exit_of(*witness) : exit_of(verdict));
}

}  // namespace

Command check_command() {
  const auto arguments = std::make_shared<CheckArguments>();
  return {
      .name = "check",
      .help = "check one property, by a search or on one case",
      .options =
          {{.names = "PROPERTY",
            .field = &arguments->property,
            .help =
                "as in `posproof list properties` or `posproof list identities`, or agrees_with_its_oracle",
            .required = true,
            .words = &property_words}},
      .after_encoding = with_common(
          arguments->common,
          {{.names = "SUBJECT",
            .field = &arguments->subject,
            .help = "cmd:'PROGRAM ARGS', lib:LIBRARY or table:FILE, each with [@precision], "
                    "table:COS,SIN[@precision] for the cache of a rotary encoding; left out: our own",
            .words = &schemes},
           {"--case", &arguments->words,
            "replay this case, as a counterexample or a witness is printed; parameters in it are used"},
           {"--positions", &arguments->positions, "only these, FIRST:LAST, both included"},
           reproduce(arguments->reproduce),
           sandbox(arguments->sandbox),
           call_time(arguments->common.call_seconds)}),
      .run = [arguments](const Chosen& chosen) { return run_check(chosen, *arguments); }};
}

}  // namespace posproof::command
