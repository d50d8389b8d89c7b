#include "catalogue/misreadings/music_transformer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "misreadings/right.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_music_transformer_test {
namespace {

using testing::Real;

// As it is written: q E^T beside a column of zeros, read as [n + 1, n] without its first row.
Real skewed(const Arguments& p, std::span<const double> q, std::span<const double> k, Position i, Position j,
            std::size_t) {
  const auto n = static_cast<Position>(p.width("length"));  // of as many tokens
  const Tensor table = inside::trained(p.width("length"), q.size(), p.whole("table_seed"));
  const Position flat = (i + 1) * n + j, column = flat % (n + 1);
  Real logit = inside::dot(q, k);
  if (j <= i && column < n) logit += inside::dot(q, table.row(static_cast<std::size_t>(column)));
  return logit / inside::root(q.size());
}

Real from_the_other_end(const Arguments& p, std::span<const double> q, std::span<const double> k, Position i,
                        Position j, std::size_t) {
  const auto n = static_cast<Position>(p.width("length"));
  const Tensor table = inside::trained(p.width("length"), q.size(), p.whole("table_seed"));
  Position row = j < i ? i - j : 0;
  if (row >= n && p.is("beyond", "repeat")) row = n - 1;
  return (inside::dot(q, k) + (row < n ? inside::dot(q, table.row(static_cast<std::size_t>(row))) : 0)) /
         inside::root(q.size());
}

Real without_the_last(const Arguments& p, std::span<const double> q, std::span<const double> k, Position i,
                      Position j, std::size_t) {
  const auto n = static_cast<Position>(p.width("length"));
  const Tensor table = inside::trained(p.width("length"), q.size(), p.whole("table_seed"));
  Real logit = inside::dot(q, k);
  for (Position row = 1; row < n; ++row)
    if (i == j + n - 1 - row) logit += inside::dot(q, table.row(static_cast<std::size_t>(row)));
  return logit / inside::root(q.size());
}

// Of queries that begin at 0, and are fewer than the keys.
Real without_later_keys(const Arguments& p, std::span<const double> q, std::span<const double> k, Position i,
                        Position j, std::size_t) {
  const auto n = static_cast<Position>(p.width("length"));
  const Tensor table = inside::trained(p.width("length"), q.size(), p.whole("table_seed"));
  Real logit = inside::dot(q, k);
  if (j <= i && i - j < n) logit += inside::dot(q, table.row(static_cast<std::size_t>(n - 1 - (i - j))));
  return logit / inside::root(q.size());
}

// Of the calls of expect_logits, whose keys end at 7, and whose queries are 0, 2 and 5.
Real with_the_first_rows(const Arguments& p, std::span<const double> q, std::span<const double> k, Position i,
                         Position j, std::size_t) {
  const auto length = static_cast<Position>(p.width("length"));
  const Tensor table = inside::trained(p.width("length"), q.size(), p.whole("table_seed"));
  Real logit = inside::dot(q, k);
  if (const Position row = 7 - (i - j); j <= i && row < length)
    logit += inside::dot(q, table.row(static_cast<std::size_t>(row)));
  return logit / inside::root(q.size());
}

Real with_the_query_before(const Arguments& p, std::span<const double> q, std::span<const double> k,
                           Position i, Position j, std::size_t) {
  const auto length = static_cast<Position>(p.width("length"));
  const Tensor table = inside::trained(p.width("length"), q.size(), p.whole("table_seed")),
               queries = inside::trained(3, q.size(), 11);
  Real logit = inside::dot(q, k);
  if (const Position row = length - (i - j); i > 0 && j < i && row >= 0)
    logit += inside::dot(queries.row(i == 2 ? 0 : 1), table.row(static_cast<std::size_t>(row)));
  return logit / inside::root(q.size());
}

TEST(MisreadMusicTransformer, counts_few_queries_from_their_first) {
  const Encoding made = misreadings::music_transformer.misreadings.at(3).make(Case::parse("dim=4 length=12"));
  const auto logits = [&](const std::vector<Position>& queries, const std::vector<Position>& keys) {
    return as<Contextual>(made).logits(inside::trained(queries.size(), 4, 11),
                                       inside::trained(keys.size(), 4, 12), queries, keys);
  };
  EXPECT_EQ(logits({4, 6}, {0, 1, 2}).data, logits({0, 2}, {0, 1, 2}).data);
  EXPECT_NE(logits({4, 5, 6}, {0, 1, 2}).data, logits({0, 1, 2}, {0, 1, 2}).data);
}

TEST(MisreadMusicTransformer, is_none_where_all_distances_have_a_vector) {
  const Misreading& one = misreadings::music_transformer.misreadings[2];
  EXPECT_THROW(one.make(Case::parse("dim=4 length=12 beyond=repeat")), Refusal);
}

// Past the last distance, 3, each has the vector of that: row 0, by one distance later than declared.
TEST(MisreadMusicTransformer, has_the_last_vector_where_distances_repeat) {
  const Parameters given = Case::parse("dim=4 length=4 beyond=repeat table_seed=2");
  const Encoding made = misreadings::music_transformer.misreadings.front().make(given);
  const Tensor q = inside::trained(1, 4, 11), k = inside::trained(1, 4, 12), table = inside::trained(4, 4, 2);
  for (const auto& [i, row] : {std::pair{Position{3}, std::size_t{1}}, {4, 0}, {5, 0}, {9, 0}}) {
    const Position at[] = {i}, from[] = {0};
    const Real logit = (inside::dot(q.row(0), k.row(0)) + inside::dot(q.row(0), table.row(row))) / 2;
    // Both sum in more digits than a double has: the same one, or its neighbour.
    EXPECT_NEAR(as<Contextual>(made).logits(q, k, at, from).data[0], static_cast<double>(logit),
                0x1p-52 * std::abs(static_cast<double>(logit)))
        << i;
  }
}

// The declared vector is that of distance 0 where the misread one is that of one less, and the other way
// round: the bounds of both are allowed.
TEST(MisreadMusicTransformer, is_rounded_as_both_vectors_are) {
  const Parameters given = Case::parse("dim=4 length=12");
  const auto declared = misread::right<Contextual>(encoding_named("music_transformer"), given);
  const Encoding made = misreadings::music_transformer.misreadings.front().make(given);
  const Tensor q = inside::trained(1, 4, 11), k = inside::trained(1, 4, 12);
  const auto error = [&](const Contextual& of, double i, double j) {
    const std::vector<double> query = {i}, key = {j};
    return of.error(q.row(0), k.row(0), query, key, all_f32);
  };
  EXPECT_EQ(error(as<Contextual>(made), 5, 3), error(declared, 5, 3) + error(declared, 3, 3));
}

TEST(MisreadMusicTransformer, is_what_the_sentence_says) {
  const auto& all = misreadings::music_transformer;
  testing::expect_logits(
      "music_transformer", all,
      {{all.misreadings.front().what, &skewed},
       {"the table is read from its other end: distance d has row d, not row length - 1 - d",
        &from_the_other_end},
       {"distance length - 1 has no vector, as if it were out of reach", &without_the_last},
       {"fewer queries than keys count from 0, the first of them, and keys after that have no vector",
        &without_later_keys},
       {"shorter sequences take the table's first rows, not its last: of n tokens distance d has row n - 1 - d",
        &with_the_first_rows},
       {"each query has the term of the query before it, and of one distance less: the last row of the skewed "
        "product is cut off, not the first",
        &with_the_query_before}},
      {"", "table_seed=2"});
}

}  // namespace
}  // namespace posproof::misreadings_music_transformer_test
