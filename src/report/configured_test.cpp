#include "report/configured.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace posproof::report::configured_test {
namespace {

TEST(Configured, is_the_first_member_of_the_json) {
  const std::string json = "{\n  \"a\": 1\n}\n";
  EXPECT_EQ(with_configuration(json, {}), json);
  EXPECT_EQ(with_configuration(json, {"x: 1", "y \"z\""}),
            "{\n  \"config\": [\"x: 1\",\"y \\\"z\\\"\"],\n  \"a\": 1\n}\n");
  EXPECT_EQ(nlohmann::json::parse(with_configuration(json, {"x"}))["config"][0], "x");
  EXPECT_EQ(with_configuration("[1]", {"x"}), "[1]");
}

}  // namespace
}  // namespace posproof::report::configured_test
