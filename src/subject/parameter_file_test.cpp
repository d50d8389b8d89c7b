#include "subject/parameter_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace posproof::parameter_file_test {
namespace {

std::string refused(std::string_view json) {
  try {
    parameters_of("x.json", json);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ParameterFile, is_an_object_of_numbers_words_flags_and_lists) {
  EXPECT_EQ(parameters_of("x.json", R"({"dim":8,"layout":"half_split","cut":true,"all":[1,0.5]})").text(),
            "all=[1,0.5] cut=true dim=8 layout=half_split");
  EXPECT_EQ(parameters_of("x.json", R"({"cut":false})").text(), "cut=false");
  EXPECT_EQ(refused("[8]"), "`x.json` is no JSON object of parameters");
  EXPECT_EQ(refused("{"), "`x.json` is not JSON");
  EXPECT_EQ(refused(R"({"dim":null})"),
            "`x.json`: `dim=null`; allowed: a number, a word, true, false or a list of numbers");
  EXPECT_EQ(refused(R"({"dim":["8"]})"),
            "`x.json`: `dim=[\"8\"]`; allowed: a number, a word, true, false or a list of numbers");
}

TEST(ParameterFile, that_could_be_read_in_two_ways_or_without_end_is_refused) {
  EXPECT_EQ(refused(R"({"dim":8,"dim":16})"), "`x.json` has the key `dim` twice");
  EXPECT_EQ(refused("{\"dim\":" + std::string(100000, '[') + std::string(100000, ']') + "}"),
            "`x.json` is nested deeper than 16");
  std::string many = "{\"a\":1";
  for (int n = 0; n < 999; ++n) many += fmt::format(",\"a{}\":1", n);
  EXPECT_EQ(refused(many + "}"), "not refused");
  many += ",\"one_more\":1";
  EXPECT_EQ(refused(many + "}"), "`x.json` has 1001 parameters; allowed: at most 1000");
  EXPECT_LT(refused("{\"dim\":[\"" + std::string(100000, 'x') + "\"]}").size(), 300u);
}

}  // namespace
}  // namespace posproof::parameter_file_test
