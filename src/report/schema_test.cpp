#include "report/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catalogue/encodings.h"
#include "catalogue/encodings/rope.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "subject/parameter_file.h"

namespace posproof::report {
namespace {

using Json = nlohmann::json;

Json encoding(std::string_view id) {
  for (const Json& one : Json::parse(json_of_encodings()))
    if (one["id"] == id) return one;
  return {};
}

// As a validator reads the words that are used here.
bool valid(const Json& schema, const Json& value) {
  for (const auto& [name, one] : value.items()) {
    const auto found = schema["properties"].find(name);
    if (found == schema["properties"].end()) return false;
    const Json& has = *found;
    if (has.contains("enum") && std::find(has["enum"].begin(), has["enum"].end(), one) == has["enum"].end())
      return false;
    const std::string type = has.value("type", "");
    if (type == "boolean" && !one.is_boolean()) return false;
    if ((type == "integer" || type == "number") && !one.is_number()) return false;
    if (type == "integer" && one.get<double>() != std::floor(one.get<double>())) return false;
    if (has.contains("minimum") && one < has["minimum"]) return false;
    if (has.contains("maximum") && one > has["maximum"]) return false;
    if (has.contains("exclusiveMinimum") && one <= has["exclusiveMinimum"]) return false;
  }
  return true;
}

}  // namespace

TEST(Schema, of_a_parameter_has_its_type_range_words_and_standard) {
  const Json rope = encoding("rope")["schema"]["properties"];
  EXPECT_EQ(rope["dim"], (Json{{"type", "integer"},
                               {"minimum", 1},
                               {"maximum", 1048576},
                               {"default", 64},
                               {"description", "width of a head"}}));
  EXPECT_EQ(rope["layout"]["enum"], (Json{"half_split", "interleaved"}));
  EXPECT_EQ(rope["truncate"]["type"], "boolean");
  EXPECT_EQ(rope["truncate"]["default"], true);
  EXPECT_EQ(rope["base"]["exclusiveMinimum"], 0.0);
  EXPECT_EQ(rope["attention_factor"]["minimum"], 0.0);
}

// What the schema accepts, `--spec` reads and the encoding takes; what it refuses is refused.
TEST(Schema, accepts_what_the_encoding_does) {
  const Json schema = encoding("rope")["schema"];
  for (const auto& [json, accepted] : {std::pair{R"({"dim":8,"layout":"interleaved"})", true},
                                       {R"({"scaling":"yarn","truncate":false})", true},
                                       {R"({"dim":0})", false},
                                       {R"({"dim":2.5})", false},
                                       {R"({"dim":"8"})", false},
                                       {R"({"layout":"neox"})", false},
                                       {R"({"base":0})", false},
                                       {R"({"base":0.5})", true},
                                       {R"({"attention_factor":0})", true},
                                       {R"({"truncate":1})", false},
                                       {R"({"bse":1})", false}}) {
    bool taken = true;
    try {
      with(encodings::rope, parameters_of("x.json", json));
    } catch (const Refusal&) {
      taken = false;
    }
    EXPECT_EQ(valid(schema, Json::parse(json)), accepted) << json;
    EXPECT_EQ(taken, accepted) << json;
  }
}

// As JSON has them: a flag is true or false.
Json value_of(const Parameter& parameter, const Value& value) {
  if (std::holds_alternative<type::Flag>(parameter.type)) return text(value) == "true";
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return *list;
  return std::get<std::string>(value);
}

Json where_of(const Condition& condition) {
  Json out = Json::object();
  for (const auto& [parameter, values] : condition.all)
    for (const Value& value : values) out[std::string(parameter)].push_back(text(value));
  return out;
}

std::string type_of(const Parameter& parameter) {
  return std::holds_alternative<type::Whole>(parameter.type)  ? "whole"
         : std::holds_alternative<type::Real>(parameter.type) ? "real"
         : std::holds_alternative<type::Word>(parameter.type) ? "word"
         : std::holds_alternative<type::Flag>(parameter.type) ? "flag"
                                                              : "list";
}

TEST(Schema, says_of_every_parameter_what_the_encoding_does) {
  for (const auto& [id, spec] : catalogue::encodings()) {
    const Json one = encoding(id);
    EXPECT_EQ(one["summary"], spec->summary);
    EXPECT_EQ(one["formula"], spec->formula);
    EXPECT_EQ(one["source"], spec->source);
    EXPECT_EQ(one["kind"], kind(spec->make({})));
    EXPECT_EQ(one["schema"]["title"], "parameters of " + std::string(id));
    EXPECT_EQ(one["schema"]["type"], "object");
    EXPECT_EQ(one["schema"]["additionalProperties"], false);
    EXPECT_EQ(one["schema"]["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for (std::size_t n = 0; n < spec->parameters.all.size(); ++n) {
      const Parameter& parameter = spec->parameters.all[n];
      const Json& said = one["parameters"][n];
      EXPECT_EQ(said["name"], parameter.name);
      EXPECT_EQ(said["type"], type_of(parameter)) << parameter.name;
      EXPECT_EQ(said["allowed"], allowed(parameter.type));
      EXPECT_EQ(said["standard"], value_of(parameter, parameter.standard)) << parameter.name;
      EXPECT_EQ(said["unit"], parameter.unit);
      EXPECT_EQ(said["meaning"], parameter.meaning);
      EXPECT_EQ(said["convention"], parameter.convention);
      EXPECT_EQ(said["matters_where"], where_of(parameter.matters_where));
      Json searched = Json::array();
      for (const Value& value : parameter.grid) searched.push_back(value_of(parameter, value));
      EXPECT_EQ(said["searched"], searched) << parameter.name;
      const Json& allowing = one["schema"]["properties"][std::string(parameter.name)];
      EXPECT_EQ(allowing["default"], said["standard"]);
      EXPECT_EQ(allowing["description"], parameter.meaning);
      if (const auto* list = std::get_if<type::List>(&parameter.type)) {
        EXPECT_EQ(allowing["type"], "array");
        EXPECT_EQ(allowing["items"], (Json{{"type", "number"}}));
        EXPECT_EQ(allowing["maxItems"], list->longest);
      }
    }
  }
}

TEST(Schema, says_of_every_claim_and_relation_what_the_encoding_does) {
  for (const auto& [id, spec] : catalogue::encodings()) {
    const Json one = encoding(id);
    const std::vector<Claim>& claims = claims_of(*spec);
    ASSERT_EQ(one["claims"].size(), claims.size());
    for (std::size_t n = 0; n < claims.size(); ++n) {
      Json expected = {{"property", id_of(*claims[n].property)},
                       {"holds", claims[n].holds},
                       {"where", where_of(claims[n].when)}};
      if (!claims[n].holds) {
        expected["witness"] = claims[n].witness;
        expected["by"] = claims[n].by;
        expected["because"] = claims[n].because;
      }
      if (claims[n].follows_from != nullptr) expected["follows_from"] = claims[n].follows_from->name;
      EXPECT_EQ(one["claims"][n], expected);
    }
    for (std::size_t n = 0; n < spec->parameters.relations.size(); ++n) {
      const Relation& relation = spec->parameters.relations[n];
      EXPECT_EQ(one["relations"][n], (Json{{"between", relation.between},
                                           {"where", where_of(relation.where)},
                                           {"allowed", relation.allowed}}));
    }
  }
}

TEST(Schema, lists_every_parameter_and_claim) {
  const Json all = Json::parse(json_of_encodings());
  ASSERT_EQ(all.size(), catalogue::encodings().size());
  for (const Json& one : all) {
    const EncodingSpec& spec = encoding_named(one["id"].get<std::string>());
    EXPECT_EQ(one["parameters"].size(), spec.parameters.all.size());
    EXPECT_EQ(one["schema"]["properties"].size(), spec.parameters.all.size());
    EXPECT_EQ(one["relations"].size(), spec.parameters.relations.size());
    EXPECT_GT(one["claims"].size(), spec.claims.size());
  }
  const Json rope = encoding("rope");
  EXPECT_EQ(rope["kind"], "rotary");
  const auto& parameters = rope["parameters"];
  const auto factor =
      std::ranges::find_if(parameters, [](const Json& one) { return one["name"] == "factor"; });
  ASSERT_NE(factor, parameters.end());
  EXPECT_EQ((*factor)["type"], "real");
  EXPECT_EQ((*factor)["matters_where"]["scaling"][0], "linear");
}

}  // namespace posproof::report
