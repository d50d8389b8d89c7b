#include "report/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/identities.h"
#include "catalogue/properties.h"
#include "defects/sources.h"
#include "report/named.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"

namespace posproof::report {
namespace {

using Json = nlohmann::ordered_json;

// A flag is true or false in JSON, and a whole number has no point.
Json as_json(const Type& type, const Value& value) {
  if (std::holds_alternative<type::Flag>(type)) return std::get<std::string>(value) == "true";
  if (std::holds_alternative<type::Whole>(type)) return static_cast<std::int64_t>(std::get<double>(value));
  return std::visit([](const auto& one) { return Json(one); }, value);
}

Json as_json(const Condition& condition) {
  Json out = Json::object();
  for (const auto& [parameter, values] : condition.all)
    for (const Value& value : values) out[parameter].push_back(text(value));
  return out;
}

// The type and its range, in the words of JSON schema.
struct Allowing {
  Json operator()(const type::Whole& whole) const {
    return {{"type", "integer"}, {"minimum", whole.lo}, {"maximum", whole.hi}};
  }
  Json operator()(const type::Real& real) const {
    return {{"type", "number"}, {real.from ? "minimum" : "exclusiveMinimum", real.lo}};
  }
  Json operator()(const type::Word& word) const { return {{"enum", word.words}}; }
  Json operator()(const type::Flag&) const { return {{"type", "boolean"}}; }
  Json operator()(const type::List& list) const {
    return {{"type", "array"}, {"items", {{"type", "number"}}}, {"maxItems", list.longest}};
  }
};

Json schema_of(std::string_view id, const EncodingSpec& spec) {
  Json properties = Json::object();
  for (const Parameter& parameter : spec.parameters) {
    Json one = {{"description", parameter.meaning}};
    one.update(std::visit(Allowing{}, parameter.type));
    one["default"] = as_json(parameter.type, parameter.standard);
    properties[parameter.name] = std::move(one);
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", fmt::format("parameters of {}", id)},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

Json parameter_of(const Parameter& parameter) {
  static constexpr std::array<std::string_view, 5> types = {"whole", "real", "word", "flag", "list"};
  Json out = {{"name", parameter.name},
              {"type", types[parameter.type.index()]},
              {"allowed", allowed(parameter.type)},
              {"standard", as_json(parameter.type, parameter.standard)},
              {"searched", Json::array()},
              {"unit", parameter.unit},
              {"meaning", parameter.meaning},
              {"convention", parameter.convention},
              {"matters_where", as_json(parameter.matters_where)}};
  for (const Value& value : parameter.grid) out["searched"].push_back(as_json(parameter.type, value));
  return out;
}

Json relation_of(const Relation& relation) {
  return {{"between", relation.between}, {"where", as_json(relation.where)}, {"allowed", relation.allowed}};
}

Json claim_of(const Claim& claim) {
  Json out = {{"property", id_of(*claim.property)}, {"holds", claim.holds}, {"where", as_json(claim.when)}};
  if (!claim.holds) out.update({{"witness", claim.witness}, {"by", claim.by}, {"because", claim.because}});
  if (claim.follows_from != nullptr) out["follows_from"] = claim.follows_from->name;
  return out;
}

Json as_json(std::string_view id, const EncodingSpec& spec) {
  Json out = {{"id", id},
              {"kind", kind(spec.make({}))},
              {"summary", spec.summary},
              {"formula", spec.formula},
              {"source", spec.source},
              {"parameters", Json::array()},
              {"relations", Json::array()},
              {"claims", Json::array()},
              {"schema", schema_of(id, spec)}};
  for (const Parameter& parameter : spec.parameters) out["parameters"].push_back(parameter_of(parameter));
  for (const Relation& relation : spec.parameters.relations)
    out["relations"].push_back(relation_of(relation));
  for (const Claim& claim : claims_of(spec)) out["claims"].push_back(claim_of(claim));
  return out;
}

Json as_json(std::string_view id, const Property& property) {
  Json out = {{"id", id},
              {"statement", property.statement},
              {"formula", property.formula},
              {"source", property.source},
              {"universal", property.universal},
              {"asked_of_live_subjects_only", property.needs == Needs::live_subject},
              {"refutes", Json::array()}};
  for (const NegativeExample& example : property.must_reject) out["refutes"].push_back(example.wrong);
  return out;
}

Json as_json(std::string_view id, const Identity& identity) {
  Json out = {{"id", id},
              {"statement", identity.statement},
              {"formula", identity.formula},
              {"source", identity.source},
              {"left", id_of(*identity.left)},
              {"right", id_of(*identity.right)},
              {"where", as_json(identity.where)},
              {"refutes", Json::array()}};
  for (const WrongSide& wrong : identity.must_reject) out["refutes"].push_back(wrong.wrong);
  return out;
}

Json as_json(std::string_view id, const Experiment& experiment) {
  return {{"id", id},
          {"question", experiment.question},
          {"method", experiment.method},
          {"report", fmt::format("reports/{}.md", id)}};
}

Json as_json(std::string_view id, const Defect& defect) {
  Json sources = Json::array(), setting = Json::object();
  for (const auto& [name, url] : sources_of(defect)) sources.push_back({{"name", name}, {"url", url}});
  const Case smallest = Case::parse(defect.setting);
  for (const auto& [name, value] : smallest.fields()) setting[name] = text(value);
  return {{"id", id},
          {"family", id.substr(0, id.find('/'))},
          {"wrong", defect.wrong},
          {"shipped", !is_kin(defect)},
          {"sources", sources},
          {"recorded", defect.recorded},
          {"setting", setting},
          {"precision", defect.precision.word()},
          {"refuted_by", defect.refuted_by == nullptr ? agreement_id : id_of(*defect.refuted_by)}};
}

Json encodings() {
  Json out = Json::array();
  for (const auto& [id, spec] : catalogue::encodings()) out.push_back(as_json(id, *spec));
  return out;
}

Json properties() {
  Json out = Json::array();
  for (const auto& [id, property] : catalogue::properties()) out.push_back(as_json(id, *property));
  return out;
}

Json identities() {
  Json out = Json::array();
  for (const auto& [id, identity] : catalogue::identities()) out.push_back(as_json(id, *identity));
  return out;
}

Json experiments() {
  Json out = Json::array();
  for (const auto& [id, experiment] : catalogue::experiments()) out.push_back(as_json(id, *experiment));
  return out;
}

Json defects() {
  Json out = Json::array();
  for (const auto& [family, all] : catalogue::defects())
    for (const Defect& defect : all->defects)
      out.push_back(as_json(fmt::format("{}/{}", family, defect.name), defect));
  return out;
}

// An encoding has a `kind` of its own, so this is called `what`.
Json with_kind(std::string_view what, const Json& fields) {
  Json out = {{"what", what}};
  out.update(fields);
  return out;
}

struct Object {
  Json operator()(const Entry<EncodingSpec>& one) const {
    return with_kind("encoding", as_json(one.id, *one.value));
  }
  Json operator()(const Entry<Property>& one) const {
    return with_kind("property", as_json(one.id, *one.value));
  }
  Json operator()(const Entry<Identity>& one) const {
    return with_kind("identity", as_json(one.id, *one.value));
  }
  Json operator()(const Entry<Experiment>& one) const {
    return with_kind("experiment", as_json(one.id, *one.value));
  }
  Json operator()(const Entry<Defect>& one) const { return with_kind("defect", as_json(one.id, *one.value)); }
  Json operator()(const NamedParameter& one) const {
    Json out = with_kind("parameter", parameter_of(*one.parameter));
    out["encodings"] = one.encodings;
    return out;
  }
  Json operator()(const Meaning& one) const {
    return {{"what", "word"}, {"names", one.names}, {"text", one.text}, {"used_in", one.used_in}};
  }
};

std::string written(const Json& json) {
  return json.dump(2) + "\n";
}

}  // namespace

std::string json_of_encodings() {
  return written(encodings());
}

std::string json_of_properties() {
  return written(properties());
}

std::string json_of_identities() {
  return written(identities());
}

std::string json_of_experiments() {
  return written(experiments());
}

std::string json_of_defects() {
  return written(defects());
}

std::string json_of_catalogues() {
  return written({{"encodings", encodings()},
                  {"properties", properties()},
                  {"identities", identities()},
                  {"experiments", experiments()},
                  {"defects", defects()}});
}

std::string json(const std::vector<Named>& named) {
  Json out = Json::array();
  for (const Named& one : named) out.push_back(std::visit(Object{}, one));
  return written(out);
}

}  // namespace posproof::report
