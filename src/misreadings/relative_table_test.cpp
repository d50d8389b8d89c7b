#include "catalogue/misreadings/relative_table.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_relative_table_test {
namespace {

// The row behind those of offsets, where the query, the key or both are the class token.
using Row = std::function<std::size_t(bool query, bool key)>;

const testing::Formulas<Row> formulas = {
    {"the rows of the class token as a query and as a key are exchanged",
     [](bool query, bool key) { return query && key ? 2u
                                       : query      ? 1u
                                                    : 0u; }},
    {"the class token has one row as a query and as a key",
     [](bool query, bool key) { return query && key ? 2u : 0u; }},
    {"the class token has for itself the row that it has as a query",
     [](bool query, bool) { return query ? 0u : 1u; }},
    {"the class token has for itself the row that it has as a key",
     [](bool, bool key) { return key ? 1u : 0u; }},
    {"the rows of the class token stand in reverse order: as both, as a key, as a query",
     [](bool query, bool key) { return query && key ? 0u
                                       : query      ? 2u
                                                    : 1u; }},
};

// A class token and two tokens of a window of three rows and four columns, whose offsets have 35 rows.
TEST(MisreadRelativeTable, has_the_rows_that_the_sentence_says) {
  testing::expect_formulas<Bias>(
      "relative_table", misreadings::relative_table, formulas, {"", "table=seeded scale=0.5"},
      [](const Bias& made, const Arguments& p, const Row& row, const std::string& where) {
        const std::vector<Position> places = {-1, -1, 0, 0, 2, 1};
        const Tensor all = made.bias(Positions(places, 2), Positions(places, 2)),
                     right = as<Bias>(encoding_named("relative_table").make(p.parameters()))
                                 .bias(Positions(places, 2), Positions(places, 2));
        for (std::size_t h = 0; h < 2; ++h)
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
              double expected = right.at(h * 3 + i, j);
              if (i == 0 || j == 0) {
                const std::size_t at = 35 + row(i == 0, j == 0);
                expected = p.real("scale") *
                           (p.is("table", "index")
                                ? static_cast<double>(at + 38 * h)
                                : seeded(static_cast<std::uint64_t>(p.whole("table_seed")), at * 2 + h, 1.0));
              }
              EXPECT_EQ(all.at(h * 3 + i, j), expected) << where;
            }
      });
}

TEST(MisreadRelativeTable, is_none_without_a_class_token) {
  for (const std::string words : {"heads=2 height=3 width=4", "heads=2 axes=line width=4"})
    for (const Misreading& one : misreadings::relative_table.misreadings)
      EXPECT_THROW(one.make(with(encoding_named("relative_table"), Case::parse(words))), Refusal) << one.what;
}

}  // namespace
}  // namespace posproof::misreadings_relative_table_test
