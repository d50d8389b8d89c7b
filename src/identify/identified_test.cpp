// The settings of an encoding that are tried, each of its words with each.
#include "identify/identified.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace posproof::identified_test {
namespace {

using Texts = std::vector<std::string>;

Parameter whole(std::string_view name, type::Whole range, std::vector<Value> grid, bool convention) {
  return {.name = name,
          .type = range,
          .standard = grid.front(),
          .grid = grid,
          .meaning = "",
          .convention = convention};
}

Texts texts(const EncodingSpec& spec, const Parameters& given, std::size_t most = 512) {
  Texts out;
  for (const Candidate& one : settings("made", spec, given, most)) out.push_back(one.parameters.text());
  return out;
}

// Of two neighbouring numbers, wherever they lie; three are measured, and so is what is no convention.
TEST(Identified, tries_words_and_conventions_of_two_numbers) {
  EncodingSpec spec{};
  spec.parameters.all = {whole("width", {0, 1}, {0.0, 1.0}, false), whole("first", {1, 2}, {1.0, 2.0}, true),
                         whole("three", {0, 2}, {0.0, 1.0, 2.0}, true)};
  EXPECT_EQ(texts(spec, {}), (Texts{"first=1", "first=2"}));
  EXPECT_EQ(texts(spec, Case::parse("first=2")), Texts{"first=2"});
  EXPECT_EQ(texts(spec, Case::parse("width=1 three=2")),
            (Texts{"width=1 three=2 first=1", "width=1 three=2 first=2"}));
  EXPECT_EQ(texts(spec, {}, 1), Texts{"first=1"});
}

}  // namespace
}  // namespace posproof::identified_test
