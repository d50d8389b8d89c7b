#include "report/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catalogue/encodings.h"
#include "run/catalogued.h"
#include "run/claimed.h"

namespace posproof::report {
namespace {

using Json = nlohmann::ordered_json;

// A flag is true or false in JSON, and a whole number has no point.
Json of(const Type& type, const Value& value) {
  if (std::holds_alternative<type::Flag>(type)) return std::get<std::string>(value) == "true";
  if (std::holds_alternative<type::Whole>(type)) return static_cast<std::int64_t>(std::get<double>(value));
  return std::visit([](const auto& one) { return Json(one); }, value);
}

Json of(const Condition& condition) {
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
    one["default"] = of(parameter.type, parameter.standard);
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
              {"standard", of(parameter.type, parameter.standard)},
              {"searched", Json::array()},
              {"unit", parameter.unit},
              {"meaning", parameter.meaning},
              {"convention", parameter.convention},
              {"matters_where", of(parameter.matters_where)}};
  for (const Value& value : parameter.grid) out["searched"].push_back(of(parameter.type, value));
  return out;
}

Json relation_of(const Relation& relation) {
  return {{"between", relation.between}, {"where", of(relation.where)}, {"allowed", relation.allowed}};
}

Json claim_of(const Claim& claim) {
  Json out = {{"property", id_of(*claim.property)}, {"holds", claim.holds}, {"where", of(claim.when)}};
  if (!claim.holds) out.update({{"witness", claim.witness}, {"by", claim.by}, {"because", claim.because}});
  if (claim.follows_from != nullptr) out["follows_from"] = claim.follows_from->name;
  return out;
}

}  // namespace

std::string json_of_encodings() {
  Json out = Json::array();
  for (const auto& [id, spec] : catalogue::encodings()) {
    Json one = {{"id", id},
                {"kind", kind(spec->make({}))},
                {"summary", spec->summary},
                {"formula", spec->formula},
                {"source", spec->source},
                {"parameters", Json::array()},
                {"relations", Json::array()},
                {"claims", Json::array()},
                {"schema", schema_of(id, *spec)}};
    for (const Parameter& parameter : spec->parameters) one["parameters"].push_back(parameter_of(parameter));
    for (const Relation& relation : spec->parameters.relations)
      one["relations"].push_back(relation_of(relation));
    for (const Claim& claim : claims_of(*spec)) one["claims"].push_back(claim_of(claim));
    out.push_back(std::move(one));
  }
  return out.dump(2) + "\n";
}

}  // namespace posproof::report
