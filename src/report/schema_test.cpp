#include "report/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/experiments.h"
#include "catalogue/identities.h"
#include "catalogue/properties.h"
#include "report/named.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "subject/parameter_file.h"

namespace posproof::report::report_schema_test {
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

TEST(Catalogues, of_properties_say_what_each_states_and_refutes) {
  const Json all = Json::parse(json_of_properties());
  ASSERT_EQ(all.size(), catalogue::properties().size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto& [id, property] = catalogue::properties()[n];
    EXPECT_EQ(all[n]["id"], id);
    EXPECT_EQ(all[n]["statement"], property->statement);
    EXPECT_EQ(all[n]["formula"], property->formula);
    EXPECT_EQ(all[n]["source"], property->source);
    EXPECT_EQ(all[n]["universal"], property->universal) << id;
    EXPECT_EQ(all[n]["asked_of_live_subjects_only"], property->needs == Needs::live_subject) << id;
    ASSERT_EQ(all[n]["refutes"].size(), property->must_reject.size());
    for (std::size_t m = 0; m < property->must_reject.size(); ++m)
      EXPECT_EQ(all[n]["refutes"][m], property->must_reject[m].wrong);
  }
}

TEST(Catalogues, of_identities_say_what_they_compare) {
  const Json all = Json::parse(json_of_identities());
  ASSERT_EQ(all.size(), catalogue::identities().size());
  const auto same = [&](std::string_view id) {
    return *std::ranges::find_if(all, [id](const Json& one) { return one["id"] == id; });
  };
  EXPECT_EQ(same("llama3_is_by_parts"), Json::parse(R"({
      "id": "llama3_is_by_parts",
      "statement": "Llama 3's scaling is NTK by parts between its two factors: 1 and 4 rotations as it was released.",
      "formula": "alpha = low_freq_factor < beta = high_freq_factor",
      "source": "Peng et al. 2023, YaRN, definition 2; Llama 3.1 as released, apply_scaling",
      "left": "rope", "right": "rope", "where": {"scaling": ["llama3"]},
      "refutes": ["the last channel of the last token is 2^-19 larger"]})"));
  EXPECT_EQ(same("cope_of_open_gates_is_shaw_shifted_by_one")["right"], "shaw");
}

TEST(Catalogues, of_experiments_say_where_each_report_is) {
  const Json all = Json::parse(json_of_experiments());
  ASSERT_EQ(all.size(), catalogue::experiments().size());
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto& [id, experiment] = catalogue::experiments()[n];
    EXPECT_EQ(all[n], (Json{{"id", id},
                            {"question", experiment->question},
                            {"method", experiment->method},
                            {"report", "reports/" + std::string(id) + ".md"}}));
  }
}

TEST(Catalogues, are_one_object_together) {
  const Json all = Json::parse(json_of_catalogues());
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(all["encodings"], Json::parse(json_of_encodings()));
  EXPECT_EQ(all["properties"], Json::parse(json_of_properties()));
  EXPECT_EQ(all["identities"], Json::parse(json_of_identities()));
  EXPECT_EQ(all["experiments"], Json::parse(json_of_experiments()));
  EXPECT_EQ(all["defects"], Json::parse(json_of_defects()));
}

// With its own fields, and what it is.
TEST(Catalogues, have_the_objects_that_explain_writes) {
  const auto explained = [](std::string_view name) { return Json::parse(json(everything_called(name)))[0]; };
  const auto with = [](Json object, std::string_view what) {
    object["what"] = what;
    return object;
  };
  const Json all = Json::parse(json_of_catalogues());
  EXPECT_EQ(explained("rope"), with(encoding("rope"), "encoding"));
  EXPECT_EQ(explained(catalogue::properties()[3].id), with(all["properties"][3], "property"));
  EXPECT_EQ(explained(catalogue::identities()[1].id), with(all["identities"][1], "identity"));
  EXPECT_EQ(explained(catalogue::experiments()[2].id), with(all["experiments"][2], "experiment"));
  EXPECT_EQ(explained(all["defects"][5]["id"].get<std::string>()), with(all["defects"][5], "defect"));
}

TEST(Schema, lists_every_defect_with_its_sources_and_what_refutes_it) {
  const Json all = Json::parse(json_of_defects());
  std::size_t defects = 0;
  for (const auto& [family, of] : catalogue::defects()) defects += of->defects.size();
  ASSERT_EQ(all.size(), defects);
  const auto named = [&](std::string_view id) {
    return *std::ranges::find_if(all, [id](const Json& one) { return one["id"] == id; });
  };
  EXPECT_EQ(named("sinusoidal/integer_division_exponent"), Json::parse(R"({
      "id": "sinusoidal/integer_division_exponent", "family": "sinusoidal",
      "wrong": "w_i = 1: 2i/d is divided in whole numbers", "shipped": true,
      "sources": [{"name": "Kyubyong/transformer#81",
                   "url": "https://github.com/Kyubyong/transformer/issues/81"}],
      "recorded": ["sin-integer-division-exponent"], "setting": {"dim": "4"},
      "refuted_by": "table/has_geometric_wavelengths", "precision": "f32"})"));
  const Json kin = named("rope/angle_products_in_f16");
  EXPECT_EQ(kin["shipped"], false);
  EXPECT_EQ(kin["sources"][1]["url"], "https://github.com/huggingface/transformers/issues/29285");
  EXPECT_EQ(kin["recorded"], Json::array());
  EXPECT_EQ(kin["refuted_by"], "agrees_with_its_oracle");
  EXPECT_EQ(named("rope/angles_in_bf16")["precision"], "bf16/f32");
  EXPECT_EQ(named("rope/llama3_constants_ignored")["setting"],
            Json::parse(R"({"dim": "6", "scaling": "llama3", "factor": "16"})"));
}

}  // namespace posproof::report::report_schema_test
