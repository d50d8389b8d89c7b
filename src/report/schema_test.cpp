#include "report/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catalogue/encodings.h"
#include "catalogue/encodings/rope.h"
#include "run/catalogued.h"
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
  const Json& factor = rope["parameters"][8];
  EXPECT_EQ(factor["name"], "factor");
  EXPECT_EQ(factor["type"], "real");
  EXPECT_EQ(factor["matters_where"]["scaling"][0], "linear");
}

}  // namespace posproof::report
