// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/shaw.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "encodings/asked.h"
#include "encodings/seeded.h"

namespace posproof::shaw_test {
namespace {

using namespace asked;

TEST(Shaw, has_the_golden_logits) {
  expect_logits(encodings::shaw, "dim=4 clip=5", {{0, 0}, {3, 1}, {1, 3}, {9, 2}, {2, 60}},
                {0.52182611116172794, -0.25137648745991991, -1.0882844381399849, 0.66369815858853383,
                 -2.6041373579175538});
}

TEST(Shaw, is_mirrored_where_the_offset_is_query_minus_key) {
  for (const auto& [i, j] : Places{{0, 0}, {3, 1}, {1, 3}, {90, 2}})
    EXPECT_EQ(logit(encodings::shaw, "dim=4 clip=5 relative=query_minus_key", q4, k4, i, j),
              logit(encodings::shaw, "dim=4 clip=5", q4, k4, j, i));
}

TEST(Shaw, takes_larger_offsets_for_the_largest) {
  const auto at = [](Position i, Position j) { return logit(encodings::shaw, "dim=4 clip=5", q4, k4, i, j); };
  EXPECT_EQ(at(5, 0), at(1000, 0));
  EXPECT_EQ(at(0, 5), at(0, 6));
  EXPECT_NE(at(4, 0), at(5, 0));
  EXPECT_NE(at(0, 4), at(0, 5));
}

// SpeechT5's pos_seq >= max_length is max_length - 1: the same table but for its last row.
TEST(Shaw, takes_larger_offsets_for_the_last_but_one_where_there_are_2k_rows) {
  for (const std::string relative : {"key_minus_query", "query_minus_key"}) {
    const auto at = [&](const std::string& last, Position offset) {
      const Position i = relative == "key_minus_query" ? 50 : 50 + offset, j = 100 + offset - i;
      return logit(encodings::shaw, "dim=4 clip=5 relative=" + relative + " last_offset=" + last, q4, k4, i,
                   j);
    };
    for (const Position offset : {-9, -6, -5, -4, -1, 0, 1, 3, 4})
      EXPECT_EQ(at("clip_minus_one", offset), at("clip", offset)) << relative << " " << offset;
    for (const Position offset : {5, 6, 40}) {
      EXPECT_EQ(at("clip_minus_one", offset), at("clip_minus_one", 4)) << relative << " " << offset;
      EXPECT_NE(at("clip_minus_one", offset), at("clip", offset)) << relative << " " << offset;
    }
  }
}

TEST(Shaw, has_no_vector_beyond_the_largest_offset_where_it_is_zero) {
  // Offsets 0, -2, 2, and on either side the last with a vector and the first without one: q4.k4 / 2 is
  // -0.875.
  expect_logits(encodings::shaw, "dim=4 clip=5 beyond=zero",
                {{0, 0}, {3, 1}, {1, 3}, {7, 2}, {8, 2}, {2, 7}, {2, 8}, {2, 60}},
                {0.52182611116172794, -0.25137648745991991, -1.0882844381399849, 0.66369815858853383, -0.875,
                 -2.6041373579175538, -0.875, -0.875});
  expect_logits(encodings::shaw, "dim=4 clip=5 beyond=zero last_offset=clip_minus_one",
                {{7, 2}, {8, 2}, {2, 7}}, {0.66369815858853383, -0.875, -0.875});
}

// VITS, attentions.py: a table of 2n - 1 rows, zeros outside the window; the products with it, a zero behind
// each row and n - 1 behind all, are read in rows of 2n - 1, without the first n - 1 columns.
TEST(Shaw, is_what_skewing_a_padded_table_gives) {
  constexpr std::size_t n = 5, dim = 2, clip = 2;
  std::vector<double> queries, products;
  for (std::size_t i = 0; i < n; ++i) {
    const double q[dim] = {1.0 + static_cast<double>(i), 0.5 - static_cast<double>(i)};
    queries.insert(queries.end(), q, q + dim);
    for (std::size_t r = 0; r < 2 * n - 1; ++r) {
      const std::size_t first = (r - (n - 1 - clip)) * dim;  // of the table without zeros
      const bool inside = r + clip >= n - 1 && r <= n - 1 + clip;
      products.push_back(inside ? q[0] * seeded(1, first, 1) + q[1] * seeded(1, first + 1, 1) : 0);
    }
    products.push_back(0);
  }
  products.resize(products.size() + n - 1);
  const std::array<Position, n> at = {0, 1, 2, 3, 4};
  for (const Encoding& made : {encodings::shaw.make(Case::parse("dim=2 clip=2 beyond=zero")),
                               encodings::shaw.oracle(Case::parse("dim=2 clip=2 beyond=zero"))}) {
    const Tensor logits = as<Contextual>(made).logits(Tensor({n, dim}, queries), Tensor({n, dim}), at, at);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        EXPECT_NEAR(logits.at(i, j), products[i * (2 * n - 1) + n - 1 + j] / std::sqrt(2.0), 2e-15)
            << i << " " << j;
  }
}

TEST(Shaw, has_another_largest_offset_for_keys_after_the_query) {
  const Places places = {{0, 0}, {3, 1}, {1, 3}, {9, 2}, {2, 60}, {2, 3}};
  expect_logits(encodings::shaw, "dim=4 clip=5 clip_right=1", places,
                {0.52182611116172794, -0.25137648745991991, -0.8281204154338917, 0.66369815858853383,
                 -0.8281204154338917, -0.8281204154338917});
  expect_logits(encodings::shaw, "dim=4 clip=5 clip_right=1 beyond=zero", places,
                {0.52182611116172794, -0.25137648745991991, -0.875, -0.875, -0.875, -0.8281204154338917});
  // Offsets are i - j: from -1 to 5, the keys after the query first.
  expect_logits(encodings::shaw, "dim=4 clip=5 clip_right=1 relative=query_minus_key", places,
                {-2.5013336881719574, -0.25137648745991991, 0.66369815858853383, -0.8281204154338917,
                 0.66369815858853383, 0.66369815858853383});
  expect_logits(encodings::shaw, "dim=4 clip=5 clip_right=0", {{0, 0}, {3, 1}, {1, 3}},
                {0.52182611116172794, -0.25137648745991991, 0.52182611116172794});
}

// Rows of the same table: later keys are moved to the last with a row, or the query on by as many as are
// missing in front.
TEST(Shaw, has_on_either_side_the_rows_of_an_equal_table) {
  const auto at = [](const std::string& words, Position i, Position j) {
    return logit(encodings::shaw, "dim=4 " + words, q4, k4, i, j);
  };
  for (Position i = 0; i < 10; ++i)
    for (Position j = 0; j < 10; ++j) {
      EXPECT_EQ(at("clip=5 clip_right=2", i, j), at("clip=5", i, std::min(j, i + 2))) << i << " " << j;
      EXPECT_EQ(at("clip=2 clip_right=5", i, j), at("clip=5", i + 3, std::min(j, i + 5))) << i << " " << j;
      EXPECT_EQ(at("clip=5 clip_right=5", i, j), at("clip=5", i, j)) << i << " " << j;
      EXPECT_EQ(at("clip=5 clip_right=4", i, j), at("clip=5 last_offset=clip_minus_one", i, j));
    }
}

TEST(Shaw, says_which_contents_it_takes) {
  const std::array<Position, 1> one = {0};
  const auto ask = [&](const Encoding& encoding) {
    return message([&] { as<Contextual>(encoding).logits(Tensor({1, 4}), Tensor({2, 4}), one, one); });
  };
  EXPECT_EQ(ask(encodings::shaw.make(Case::parse("dim=4"))),
            "logits of q [1, 4] and k [2, 4]; allowed: [1, 4] and [1, 4]");
  EXPECT_EQ(ask(encodings::shaw.oracle(Case::parse("dim=4"))),
            "shaw: q is [1, 4] and k is [1, 4], [1, 4] and [2, 4] came");
}

}  // namespace
}  // namespace posproof::shaw_test
