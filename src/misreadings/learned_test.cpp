#include "catalogue/misreadings/learned.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_learned_test {
namespace {

using testing::Real, testing::RowFormula;

// The number of an entry in the declared table, by its row and column in the one that is read.
RowFormula numbered(std::size_t (*number)(std::size_t row, std::size_t column, std::size_t length,
                                          std::size_t dim)) {
  return [number](const Arguments& p, const std::vector<double>& position) {
    const std::size_t length = p.width("length"), dim = p.width("dim"),
                      row = static_cast<std::size_t>(position.front()) +
                            static_cast<std::size_t>(p.whole("offset"));
    std::vector<Real> out;
    for (std::size_t c = 0; c < dim; ++c) {
      const std::size_t n = number(row, c, length, dim);
      const double held =
          p.is("table", "index") ? static_cast<double>(n) : seeded(p.width("table_seed"), n, p.real("std"));
      out.push_back(p.is("scale", "none") ? Real{held} : held / std::sqrt(static_cast<Real>(dim)));
    }
    return out;
  };
}

TEST(MisreadLearned, is_what_the_sentence_says) {
  testing::expect_rows(
      "learned", misreadings::learned,
      {{"the table's numbers are read as [dim, length], transposed: the row of a position is a column of that",
        numbered([](std::size_t row, std::size_t column, std::size_t length, std::size_t) {
          return column * length + row;
        })},
       // Number n of the transpose, which has `length` columns.
       {"the table is transposed, and its numbers are read as [length, dim] again",
        numbered([](std::size_t row, std::size_t column, std::size_t length, std::size_t dim) {
          const std::size_t n = row * dim + column, of_dim = n / length, of_length = n % length;
          return of_length * dim + of_dim;
        })}},
      {"", "table=seeded", "table=seeded offset=2 scale=inverse_root_of_dim"});
}

TEST(MisreadLearned, is_none_of_one_row_or_column_or_with_a_row_of_zeros) {
  for (const Misreading& one : misreadings::learned.misreadings)
    for (const std::string words : {"dim=1", "dim=2 length=1", "dim=2 length=4 padding_row=1"})
      EXPECT_THROW(one.make(with(encoding_named("learned"), Case::parse(words))), Refusal) << words;
}

}  // namespace
}  // namespace posproof::misreadings_learned_test
