#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/named.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/identities.h"
#include "run/sharpness.h"

namespace posproof::report {
namespace {

// ` (2.3 bounds)` where it is wrong by little.
std::string seen(std::string_view id, const Property& property, const NegativeExample& example) {
  if (property.yes_or_no) return "";
  const Sharpness found = sharpness(property, example, {.id = std::string(id)});
  return found.is_sharp() ? fmt::format(" ({})", found.text()) : "";
}

}  // namespace

std::string explain(std::string_view id, const Property& property) {
  std::string out = fmt::format("property {}\n  {}\n  {}\n  source: {}\n", id, property.statement,
                                property.formula, property.source);
  if (property.needs == Needs::live_subject) out += "  asked of live implementations only\n";
  for (const NegativeExample& example : property.must_reject)
    out += fmt::format("  refutes: {}{}\n", example.wrong, seen(id, property, example));
  if (property.yes_or_no) out += "  nothing is wrong by little: it is so or it is not\n";
  if (!property.never_fails_of.empty())
    out += fmt::format("  no wrong number makes it fail for: {}\n", fmt::join(property.never_fails_of, ", "));
  if (!property.not_in_16_bits.empty())
    out += fmt::format("  not asked in 16 bits: {}\n", property.not_in_16_bits);
  return out;
}

std::string explain(std::string_view id, const EncodingSpec& spec) {
  std::string out =
      fmt::format("encoding {}\n  {}\n  {}\n  source: {}\n", id, spec.summary, spec.formula, spec.source);
  for (const Parameter& parameter : spec.parameters)
    out += fmt::format("  --{:14} {}\n", parameter.name, help(parameter));
  for (const Claim& claim : claims_of(spec)) {
    const std::string when = claim.when.text();
    out += fmt::format(
        "  {} {}{}{}\n", claim.holds ? "holds" : "fails", id_of(*claim.property),
        when.empty() ? "" : " where " + when,
        claim.follows_from == nullptr ? "" : fmt::format(", follows from: {}", claim.follows_from->name));
    if (!claim.holds)
      out += fmt::format("        by {:.3g}, because {}\n        at {}\n", claim.by, claim.because,
                         claim.witness);
  }
  return out;
}

std::string explain(std::string_view id, const Identity& identity) {
  std::string out = fmt::format("identity {}\n  {}\n  {}\n  source: {}\n  said of: {}\n  compared with: {}\n",
                                id, identity.statement, identity.formula, identity.source, left_of(identity),
                                id_of(*identity.right));
  for (const WrongSide& wrong : identity.must_reject) {
    const Property property = property_of(identity, Case::parse(wrong.setting));
    for (const NegativeExample& example : property.must_reject)
      if (example.wrong == wrong.wrong)
        out += fmt::format("  refutes: {}{}\n", example.wrong, seen(id, property, example));
  }
  return out + fmt::format("  ask it: posproof check {} {}\n", id, id_of(*identity.left));
}

std::string explain(std::string_view id, const Defect& defect) {
  return fmt::format("defect {}\n  {}\n  seen in: {}\n  shows at: {}\n  refuted by: {}\n", id, defect.wrong,
                     defect.sources, defect.setting.empty() ? "the standard parameters" : defect.setting,
                     defect.refuted_by == nullptr ? agreement_id : id_of(*defect.refuted_by));
}

std::string explain(std::string_view id, const Experiment& experiment) {
  return fmt::format("experiment {}\n  {}\n  {}\n  report: reports/{}.md\n", id, experiment.question,
                     experiment.method, id);
}

std::string explain(const Named& named) {
  struct {
    std::string operator()(const Entry<Property>& one) const { return explain(one.id, *one.value); }
    std::string operator()(const Entry<EncodingSpec>& one) const { return explain(one.id, *one.value); }
    std::string operator()(const Entry<Identity>& one) const { return explain(one.id, *one.value); }
    std::string operator()(const Entry<Experiment>& one) const { return explain(one.id, *one.value); }
    std::string operator()(const Entry<Defect>& one) const { return explain(one.id, *one.value); }
    std::string operator()(const NamedParameter& one) const {
      return fmt::format("parameter --{} of {}\n  {}\n", one.parameter->name, fmt::join(one.encodings, ", "),
                         help(*one.parameter));
    }
    std::string operator()(const Meaning& one) const {
      return fmt::format("{}\n  {}\n  used in: {}\n", fmt::join(one.names, ", "), one.text, one.used_in);
    }
  } text;
  return std::visit(text, named);
}

}  // namespace posproof::report
