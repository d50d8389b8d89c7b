#include "run/diagnose.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "catalogue/defects.h"
#include "run/agreement.h"
#include "run/trial.h"

namespace posproof {
namespace {

// A wrong explanation is worse than none: every case must agree, many must have been able not to, and the case that
// refuted the subject must be among them.
bool behaves_like(const Encoding& candidate, const Subject& subject, Precision precision, const Case& counterexample,
                  std::uint64_t seed) {
  constexpr std::uint64_t cases = 60;
  const auto one = trial(agreement(candidate), subject.encoding, precision);
  if (!one) return false;
  try {
    if (!counterexample.empty() && !std::holds_alternative<Holds>(replay(*one, counterexample))) return false;
  } catch (const std::exception&) {
    return false;  // another shape: the counterexample cannot be asked of it
  }
  Plan plan{.seed = seed, .id = "diagnosis"};
  plan.budget = {.cases = cases,
                 .shrinks = 0,
                 .time = std::chrono::milliseconds(5000),
                 .shrink_time = std::chrono::milliseconds(0)};
  const Verdict verdict = search(*one, plan);
  const auto* holds = std::get_if<Holds>(&verdict);
  return holds != nullptr && holds->telling >= cases / 2;
}

bool is_shape(std::string_view parameter) { return parameter == "dim" || parameter == "heads" || parameter == "length"; }

}  // namespace

std::vector<Explanation> diagnose(const EncodingSpec& spec, std::string_view id, const Parameters& parameters,
                                  const Subject& subject, const Case& counterexample, std::uint64_t seed) {
  std::vector<Explanation> found;
  for (const Parameter& parameter : spec.parameters) {
    if (is_shape(parameter.name)) continue;
    for (const Value& value : parameter.grid) {
      Parameters other = parameters;
      other.set(parameter.name, value);
      if (other == parameters) continue;
      try {
        if (behaves_like(spec.oracle(other), subject, subject.precision, counterexample, seed))
          found.push_back({Explanation::Kind::convention, fmt::format("--{} {}", parameter.name, text(value)),
                           std::string(parameter.meaning), ""});
      } catch (const Refusal&) {  // this value makes no sense with the others
      }
    }
  }
  for (const auto& [family, defects] : catalogue::defects()) {
    if (family != id) continue;
    for (const Defect& defect : defects->defects) {
      try {
        // The defect is computed in its own arithmetic; both it and the subject may round.
        if (behaves_like(defect.make(parameters), subject, subject.precision, counterexample, seed))
          found.push_back({Explanation::Kind::defect, fmt::format("{}/{}", family, defect.name),
                           std::string(defect.wrong), std::string(defect.sources)});
      } catch (const Refusal&) {
      }
    }
  }
  return found;
}

}  // namespace posproof
