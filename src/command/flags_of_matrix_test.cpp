// What every flag of `posproof matrix` does.
#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "command/testing/flags.h"
#include "run/agreement.h"

namespace posproof::testing::flags_of_matrix_test {
namespace {

using Json = nlohmann::json;

// Every `encoding.property` that there is, in the order of the catalogue, that contains the part.
std::vector<std::string> cells_containing(const std::string& part) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view encoding, std::string_view property) {
    const std::string cell = fmt::format("{}.{}", encoding, property);
    if (cell.find(part) != std::string::npos) out.push_back(cell);
  };
  for (const auto& [encoding, spec] : catalogue::encodings()) {
    add(encoding, agreement_id);
    for (const auto& [property, value] : catalogue::properties()) add(encoding, property);
  }
  return out;
}

std::vector<std::string> cells(const Json& matrix) {
  std::vector<std::string> out;
  for (const Json& cell : matrix)
    out.push_back(cell["encoding"].get<std::string>() + "." + cell["property"].get<std::string>());
  return out;
}

// What stands in the text for a cell.
std::string word(const Json& cell) {
  std::string out;
  for (const Json& answer : cell["answers"]) {
    const std::string verdict = answer["verdict"], claim = answer["claim"];
    std::string one = verdict == "holds" ? "holds" : verdict == "refuted" ? "fails" : "";
    if (claim == "none" && cell["property"] != "agrees_with_its_oracle" && !one.empty()) one += "?";
    out += (out.empty() ? "" : " / ") + one;
  }
  return out;
}

}  // namespace

std::vector<FlagRow> rows(const std::string&) {
  const std::string matrix = "matrix --filter rope.rotary/preserves_norm ";
  const auto worst = [](const Ran& ran) { return parsed(ran)[0]["answers"][0]["worst_at"]; };
  return {
      {"matrix", "--filter", "matrix --cases 2 --json --filter learned.table/is",
       "matrix --cases 20 --json --filter e.call/treats",
       [](const Ran& learned, const Ran& calls) {
         EXPECT_EQ(learned.code + calls.code, 0);
         EXPECT_EQ(cells(parsed(learned)), cells_containing("learned.table/is"));
         EXPECT_EQ(cells(parsed(calls)), cells_containing("e.call/treats"));
         EXPECT_GT(parsed(calls).size(), 10u);
         // A name before the dot is that encoding alone: m_rope is another.
         const auto rope = cells(parsed(posproof("matrix --cases 2 --json --filter rope.call/is")));
         EXPECT_EQ(rope, std::vector<std::string>{"rope.call/is_stateless"});
       }},
      {"matrix", "--json", "matrix --cases 3 --filter s.", "matrix --cases 3 --filter s. --json",
       [](const Ran& text, const Ran& json) {
         const Json said = parsed(json);
         std::map<std::string, std::string> rows;  // a property's line: its words, one an encoding
         std::vector<std::string> encodings;
         for (const Json& cell : said) {
           const std::string encoding = cell["encoding"];
           if (encodings.empty() || encodings.back() != encoding) encodings.push_back(encoding);
           rows[cell["property"]];
         }
         std::size_t wide = 8, column = 16;
         for (const std::string& encoding : encodings) column = std::max(column, encoding.size());
         for (const auto& [property, row] : rows) wide = std::max(wide, property.size());
         for (auto& [property, row] : rows) {
           row = fmt::format("{:{}}", property, wide);
           for (const std::string& encoding : encodings) {
             std::string here;
             for (const Json& cell : said)
               if (cell["encoding"] == encoding && cell["property"] == property) here = word(cell);
             row += fmt::format("  {:{}}", here, column);
           }
           row.erase(row.find_last_not_of(' ') + 1);
           EXPECT_TRUE(says(text, "\n" + row + "\n")) << row;
         }
         EXPECT_GT(rows.size(), 20u);
         EXPECT_EQ(text.code, 0);
         EXPECT_EQ(json.code, 0);
       }},
      {"matrix", "--seed", matrix + "--json --cases 5 --seed 1", matrix + "--json --cases 5 --seed 2",
       [=](const Ran& one, const Ran& other) {
         EXPECT_TRUE(worst(one).is_string());
         EXPECT_NE(worst(one), worst(other));
         EXPECT_EQ(posproof(matrix + "--json --cases 5 --seed 2").said, other.said);
         EXPECT_EQ(posproof(matrix + "--json --cases 5").said, one.said) << "the standard seed is 1";
       }},
      {"matrix", "--cases", matrix + "--json --cases 5", matrix + "--json --cases 7",
       [](const Ran& five, const Ran& seven) {
         EXPECT_EQ(parsed(five)[0]["answers"][0]["cases"], 5);
         EXPECT_EQ(parsed(seven)[0]["answers"][0]["cases"], 7);
       }},
      {"matrix", "--time", matrix + "--cases 1000000000 --time 0.05", matrix + "--cases 5 --time 30",
       [](const Ran& cut, const Ran& done) {
         EXPECT_EQ(cut.code, 3);
         EXPECT_EQ(
             cut.said.find("NOT CHECKED  rope.rotary/preserves_norm: stopped by `--time` (0.05 s) after "),
             0u);
         EXPECT_TRUE(says(cut, "\nrotary/preserves_norm  not checked / fails\n"));
         EXPECT_EQ(done.code, 0);
         EXPECT_TRUE(says(done, "\nrotary/preserves_norm  holds / fails\n"));
       }},
  };
}

TEST(FlagsOfMatrix, do_what_they_say) {
  run_rows(rows(""));
}

}  // namespace posproof::testing::flags_of_matrix_test
