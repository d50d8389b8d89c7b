#include "catalogue/misreadings/shaw.h"

#include <gtest/gtest.h>

#include "encodings/clipped.h"
#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_shaw_test {
namespace {

using testing::Real;

Real of_the_key(const Arguments& p, std::span<const double> q, std::span<const double> k, Position,
                Position j, std::size_t) {
  const std::size_t rows = clipped::Rows(p).count();
  const Tensor table = inside::trained(rows, q.size(), p.whole("table_seed"));
  std::size_t row = 0;
  for (Position t = 0; t < j && row + 1 < rows; ++t) ++row;
  return (inside::dot(q, k) + inside::dot(q, table.row(row))) / inside::root(q.size());
}

TEST(MisreadShaw, is_what_the_sentence_says) {
  testing::expect_logits(
      "shaw", misreadings::shaw,
      {{"the vector is that of the key's position, at most the last row, not of its offset from the query",
        &of_the_key}},
      {"dim=4 clip=2", "dim=4 clip=3 table_seed=2"});
}

}  // namespace
}  // namespace posproof::misreadings_shaw_test
