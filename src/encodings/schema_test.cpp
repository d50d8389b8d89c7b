// What each parameter of each encoding may be, is without saying otherwise, is searched at, and whether
// another value of it is what another project may have meant (`convention`). It stands in schemas.txt, a line
// for each: changed there, it is changed for everyone who calls the program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "catalogue/encodings.h"
#include "test_paths.h"

namespace posproof::encodings_schema_test {
namespace {

// `learned std: where table is seeded: finite numbers above 0; standard 0.02; searched: 0.02 1`, as `explain`
// prints it after the meaning.
std::string line_of(std::string_view id, const Parameter& parameter) {
  const std::string where = parameter.matters_where.text(), all = help(parameter);
  const auto begin = all.rfind(" (") + 2;
  return fmt::format("{} {}: {}{}{}", id, parameter.name,
                     where.empty() ? "" : fmt::format("where {}: ", where),
                     all.substr(begin, all.size() - begin - 1), parameter.convention ? "; convention" : "");
}

std::vector<std::string> lines_now() {
  std::vector<std::string> lines;
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Parameter& parameter : spec->parameters) lines.push_back(line_of(id, parameter));
  return lines;
}

std::vector<std::string> lines_kept() {
  std::ifstream file(POSPROOF_SOURCE "/src/encodings/schemas.txt");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(Schemas, are_those_of_schemas_txt) {
  const auto now = lines_now(), kept = lines_kept();
  for (const std::string& line : now)
    EXPECT_TRUE(std::ranges::find(kept, line) != kept.end()) << "schemas.txt lacks\n" << line;
  for (const std::string& line : kept)
    EXPECT_TRUE(std::ranges::find(now, line) != now.end()) << "schemas.txt has what no encoding says\n"
                                                           << line;
  EXPECT_EQ(now, kept) << "in another order, or twice";
}

}  // namespace
}  // namespace posproof::encodings_schema_test
