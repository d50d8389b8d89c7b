#include "run/identities.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "catalogue/identities.h"
#include "run/catalogued.h"
#include "run/claims.h"
#include "search/trial.h"

namespace posproof {
namespace {

// Why it says nothing of these parameters; none where it does.
std::optional<std::string> not_said(const Identity& identity, const Parameters& left) {
  for (const auto& one : identity.where.all)
    if (!Condition{{one}}.met(left))
      return fmt::format("`{}={}`: {} is said where {}", one.parameter, text(*left.find(one.parameter)),
                         id_of(identity), identity.where.text());
  if (identity.right_of(Arguments(identity.left->parameters, left))) return std::nullopt;
  return fmt::format("`{}`: {} does not apply to these parameters together", left.text(), id_of(identity));
}

// The spec with the values of the identity in place of its grid.
EncodingSpec spec_of(const Identity& identity) {
  EncodingSpec spec = *identity.left;
  for (const auto& [name, values] : identity.where.all)
    for (Parameter& parameter : spec.parameters.all)
      if (parameter.name == name) parameter.grid = values;
  return spec;
}

}  // namespace

std::string_view id_of(const Identity& identity) {
  for (const auto& [id, value] : catalogue::identities())
    if (value == &identity) return id;
  return "";
}

const Identity* identity_named(std::string_view id) {
  for (const auto& entry : catalogue::identities())
    if (entry.id == id) return entry.value;
  return nullptr;
}

std::string left_of(const Identity& identity) {
  const std::string where = identity.where.text();
  return fmt::format("{}{}{}", id_of(*identity.left), where.empty() ? "" : " where ", where);
}

Parameters completed(const Identity& identity, const Parameters& given) {
  Parameters out = given;
  const Parameters standard = posproof::standard(*identity.left);
  for (const auto& one : identity.where.all)
    if (!given.has(one.parameter) && !Condition{{one}}.met(standard)) out.set(one.parameter, one.values[0]);
  return out;
}

Property property_of(const Identity& identity, const Parameters& given) {
  const Parameters parameters = with(*identity.left, completed(identity, given));
  if (const auto why = not_said(identity, parameters)) throw Refusal(*why);
  const auto arguments = std::make_shared<const Arguments>(identity.left->parameters, parameters);
  const Encoding left = identity.left->oracle(parameters);
  const Encoding right = identity.right->oracle(*identity.right_of(*arguments));
  Property out{.statement = identity.statement,
               .formula = identity.formula,
               .source = identity.source,
               .checks = {},
               .must_reject = {}};
  out.checks.push_back(CallCheck{
      [kind = left.index()](const Encoding& subject) { return subject.index() == kind; },
      [check = identity.check, arguments, left, right](const Encoding& subject, Precision p, Draw& draw) {
        return check({subject, left, right, *arguments, p}, draw);
      }});
  for (const WrongSide& wrong : identity.must_reject)
    if (with(*identity.left, Case::parse(wrong.setting)) == parameters)
      out.must_reject.push_back(
          {std::string(wrong.wrong),
           [make = wrong.make, spec = identity.left, parameters] { return make(spec->make(parameters)); },
           wrong.precision});
  return out;
}

Trial identity_over_grid(const Identity& identity) {
  const auto spec = std::make_shared<const EncodingSpec>(spec_of(identity));
  const Trial trial_of_all =
      over_grid(*spec, {}, [&identity](const Parameters& parameters) -> std::optional<Trial> {
        if (not_said(identity, with(*identity.left, parameters))) return std::nullopt;
        return trial(property_of(identity, parameters), identity.left->make(parameters), all_f64);
      });
  return [spec, trial_of_all](Draw& draw) { return trial_of_all(draw); };
}

Verdict identity_searched(const Identity& identity, const Plan& plan) {
  return search(identity_over_grid(identity), plan);
}

}  // namespace posproof
