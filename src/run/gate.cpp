#include "run/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "attention/plug.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/trial.h"

namespace posproof {

bool Gated::refuted() const {
  return std::any_of(asked.begin(), asked.end(),
                     [](const Asking& a) { return std::holds_alternative<Refuted>(a.verdict); });
}

bool Gated::undecided() const {
  return std::any_of(asked.begin(), asked.end(), [](const Asking& a) {
    return !std::holds_alternative<Refuted>(a.verdict) && !std::holds_alternative<Holds>(a.verdict);
  });
}

std::vector<Encoding> in_every_kind(const Encoding& encoding) {
  std::vector<Encoding> kinds = {encoding};
  if (!std::holds_alternative<Contextual>(encoding))
    if (const auto logits = attention::lift(encoding)) kinds.emplace_back(*logits);
  if (!std::holds_alternative<Attention>(encoding)) kinds.emplace_back(attention::plug(encoding));
  return kinds;
}

Encoding narrowed(Encoding encoding, Position lo, Position hi) {
  const auto narrow = [&](Domain& domain) {
    if (std::max(domain.lo, lo) > std::min(domain.hi, hi))
      throw std::invalid_argument(fmt::format("positions {}:{} were asked for, the subject has {}:{}", lo, hi,
                                              domain.lo, domain.hi));
    domain.ends = domain.ends && hi >= domain.hi && lo <= domain.lo;
    domain.lo = std::max(domain.lo, lo);
    domain.hi = std::min(domain.hi, hi);
    std::erase_if(domain.hard, [&](Position t) { return t < domain.lo || t > domain.hi; });
  };
  std::visit(
      [&](auto& kind) {
        if constexpr (requires { kind.positions; }) narrow(kind.positions);
      },
      encoding);
  return encoding;
}

Gated gate(std::string_view encoding_id, const EncodingSpec& spec, const Parameters& parameters,
           std::string_view subject, const GateOptions& options) {
  const Encoding truth = spec.oracle(parameters);
  Gated gated{.encoding = std::string(encoding_id),
              .parameters = parameters,
              .subject = open(subject, {.encoding = std::string(encoding_id),
                                        .parameters = parameters,
                                        .declared = in_every_kind(truth),
                                        .call_time = options.call_time}),
              .asked = {},
              .not_asked = {},
              .explanations = {},
              .agreement = agreement(truth)};

  if (options.positions)
    gated.subject.encoding =
        narrowed(std::move(gated.subject.encoding), options.positions->first, options.positions->second);

  struct Selected {
    std::string id;
    const Property* property;
    Trial trial;
  };
  std::vector<Selected> selected;
  const auto select = [&](std::string id, const Property& property) {
    if (id.find(options.filter) == std::string::npos) return;
    if (property.of == Asked::live && !gated.subject.live) {
      gated.not_asked.push_back(fmt::format("{}: a file answers no calls", id));
      return;
    }
    auto one = trial(property, gated.subject.encoding, gated.subject.precision);
    if (!one) {
      gated.not_asked.push_back(
          fmt::format("{}: cannot be asked of a subject that gives {}", id, kind(gated.subject.encoding)));
      return;
    }
    const bool twice =
        std::any_of(selected.begin(), selected.end(), [&](const Selected& s) { return s.id == id; });
    if (!twice) selected.push_back({std::move(id), &property, std::move(*one)});
  };
  select(std::string(agreement_id), gated.agreement);
  for (const Claim& claim : spec.claims)
    if (claim.holds && claim.when.met(parameters)) select(std::string(id_of(*claim.property)), *claim.property);

  for (std::size_t n = 0; n < selected.size(); ++n) {
    const Selected& one = selected[n];
    if (options.progress) options.progress(one.id, n + 1, selected.size());
    const Plan plan{.seed = options.seed, .id = one.id, .budget = options.budget};
    Verdict verdict = search(one.trial, plan);
    if (const auto* none = std::get_if<NotApplicable>(&verdict))
      gated.not_asked.push_back(fmt::format("{}: {}", one.id, none->why));
    else
      gated.asked.push_back({one.id, one.property, std::move(verdict)});
  }
  if (gated.refuted()) {
    Case counterexample;
    for (const Asking& asking : gated.asked)
      if (const auto* refuted = std::get_if<Refuted>(&asking.verdict); refuted && asking.id == agreement_id)
        counterexample = refuted->counterexample;
    gated.explanations = diagnose(spec, encoding_id, parameters, gated.subject, counterexample, options.seed);
  }
  return gated;
}

}  // namespace posproof
