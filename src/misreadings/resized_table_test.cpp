#include "catalogue/misreadings/resized_table.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_resized_table_test {
namespace {

// All entries of the cells, in the order in which they are read.
using Flat = std::function<std::vector<double>(const Tensor& cells)>;

const testing::Formulas<Flat> formulas = {
    {"channels are not moved behind rows and columns: [dim, height, width] is read as [height width, dim]",
     [](const Tensor& cells) {
       std::vector<double> out;
       for (std::size_t c = 0; c < cells.width(); ++c)
         for (std::size_t r = 0; r < cells.rows(); ++r) out.push_back(cells.at(r, c));
       return out;
     }},
};

TEST(MisreadResizedTable, has_the_rows_that_the_sentence_says) {
  testing::expect_formulas<Table>(
      "resized_table", misreadings::resized_table, formulas, {"", "method=cubic std=1"},
      [](const Table& made, const Arguments& p, const Flat& flat, const std::string& where) {
        const Table right = as<Table>(encoding_named("resized_table").make(p.parameters()));
        const std::size_t kept = p.width("kept_rows"), cells = p.width("height") * p.width("width");
        std::vector<Position> all(kept + cells), of_cells(cells);
        std::iota(all.begin(), all.end(), 0);
        std::iota(of_cells.begin(), of_cells.end(), static_cast<Position>(kept));
        const Tensor found = made.rows(all, 1), before = right.rows(all, 1);
        std::vector<double> expected(before.data.begin(),
                                     before.data.begin() + static_cast<std::ptrdiff_t>(kept * made.dim));
        for (const double entry : flat(right.rows(of_cells, 1))) expected.push_back(entry);
        EXPECT_EQ(found.data, expected) << where;
      });
}

TEST(MisreadResizedTable, is_none_of_one_channel_or_cell) {
  for (const std::string words : {"dim=1 table=seeded", "dim=4 height=1 width=1"})
    for (const Misreading& one : misreadings::resized_table.misreadings)
      EXPECT_THROW(one.make(with(encoding_named("resized_table"), Case::parse(words))), Refusal) << words;
}

}  // namespace
}  // namespace posproof::misreadings_resized_table_test
