#include "run/claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <stdexcept>

#include "core/function.h"
#include "run/claimed.h"
#include "search/trial.h"

namespace posproof {
namespace {

Parameters drawn_parameters(const EncodingSpec& spec, const Condition& when, Draw& draw) {
  Parameters parameters;
  for (const Parameter& parameter : spec.parameters) {
    std::vector<Value> values;
    for (const Value& value : parameter.grid) {
      Parameters alone;
      alone.set(parameter.name, value);
      bool wanted = true;
      for (const auto& one : when.all)
        if (one.parameter == parameter.name) wanted = wanted && Condition{{one}}.met(alone);
      if (wanted) values.push_back(value);
    }
    parameters.set(parameter.name, draw.one_of(parameter.name, std::move(values)));
  }
  return parameters;
}

ClaimResult judge_fails(const Claim& claim, const EncodingSpec& spec) {
  Verdict verdict;
  const auto threw = [](ClaimStatus status, const std::exception& error) {
    return ClaimResult{status, Errored{error.what(), Case{}}, error.what()};
  };
  try {
    verdict = replay(*claim.property, spec, Case::parse(claim.witness));
  } catch (const std::invalid_argument& error) {  // no case of this property
    return threw(ClaimStatus::broken, error);
  } catch (const Refusal& error) {  // no setting of this encoding
    return threw(ClaimStatus::broken, error);
  } catch (const std::exception& error) {
    return threw(ClaimStatus::not_checked, error);
  }
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    if (same_to_three_digits(refuted->residual.error, claim.by))
      return {ClaimStatus::as_claimed, std::move(verdict), ""};
    std::string why =
        fmt::format("the witness is off by {:.3g}, recorded is {:.3g}", refuted->residual.error, claim.by);
    return {ClaimStatus::broken, std::move(verdict), std::move(why)};
  }
  if (std::holds_alternative<Holds>(verdict))
    return {ClaimStatus::stale, std::move(verdict), "the recorded witness no longer fails"};
  return stand(std::move(verdict));
}

}  // namespace

std::string_view name(ClaimStatus status) {
  switch (status) {
    case ClaimStatus::as_claimed:
      return "as claimed";
    case ClaimStatus::broken:
      return "broken";
    case ClaimStatus::stale:
      return "stale";
    case ClaimStatus::not_checked:
      return "not checked";
  }
  return "";
}

Trial over_grid(const EncodingSpec& spec, const Condition& when,
                Function<std::optional<Trial>(const Parameters&)> made) {
  // Building an encoding (a ladder of powers, a table) costs more than a case: each setting is built once.
  const auto trials = std::make_shared<std::map<std::string, std::optional<Trial>>>();
  return [&spec, when, made = std::move(made), trials](Draw& draw) {
    const Parameters parameters = drawn_parameters(spec, when, draw);
    const std::string key = parameters.text();
    auto found = trials->find(key);
    if (found == trials->end()) found = trials->emplace(key, made(parameters)).first;
    if (!found->second) throw Discard{};
    try {
      return (*found->second)(draw);
    } catch (const Inapplicable&) {  // in this setting; another may have what the statement speaks of
      throw Discard{};
    }
  };
}

Trial over_grid(const Property& property, const EncodingSpec& spec, const Condition& when) {
  return over_grid(spec, when, [&property, &spec](const Parameters& parameters) {
    return trial(property, spec.make(parameters), all_f64);
  });
}

Verdict replay(const Property& property, const EncodingSpec& spec, const Case& recorded) {
  const auto [given, inputs] = split(spec, recorded);
  const Encoding encoding = spec.make(given);
  const auto one = trial(property, encoding, all_f64);
  if (!one) return NotApplicable{cannot_be_asked(property, encoding)};
  return replay(*one, inputs);
}

ClaimResult stand(Verdict verdict) {
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    std::string why = fmt::format("off by {}, allowed {}, at {}", refuted->residual.error,
                                  refuted->residual.bound, refuted->counterexample.text());
    return {ClaimStatus::broken, std::move(verdict), std::move(why)};
  }
  if (const auto* errored = std::get_if<Errored>(&verdict)) {
    std::string why = fmt::format("{} at {}", errored->what, errored->at.text());
    return {ClaimStatus::not_checked, std::move(verdict), std::move(why)};
  }
  if (const auto* undecided = std::get_if<Undecided>(&verdict)) {
    std::string why = undecided->why;
    return {ClaimStatus::not_checked, std::move(verdict), std::move(why)};
  }
  if (const auto* not_applicable = std::get_if<NotApplicable>(&verdict)) {
    std::string why = not_applicable->why;
    return {ClaimStatus::not_checked, std::move(verdict), std::move(why)};
  }
  return {ClaimStatus::as_claimed, std::move(verdict), ""};
}

ClaimResult judge(const Claim& claim, const EncodingSpec& spec, const Plan& plan) {
  if (!claim.holds) return judge_fails(claim, spec);
  if (const Encoding standard = spec.make({}); !applies(*claim.property, standard))
    return stand(NotApplicable{cannot_be_asked(*claim.property, standard)});
  return stand(search(over_grid(*claim.property, spec, claim.when), plan));
}

}  // namespace posproof
