#include "tokens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/score/depends_on_order.h"
#include "search/search.h"
#include "search/testing/residuals.h"
#include "search/trial.h"
#include "testing/each_entry.h"

namespace posproof::tokens_test {
namespace {

TEST(Tokens, distinct_ones_differ_at_every_width) {
  for (const std::size_t dim : {1u, 2u, 16u, 17u, 128u})
    for (const std::size_t shift : {0u, 5u}) {
      const Tensor x = tokens::distinct(8, dim, shift);
      std::set<std::vector<double>> rows;
      for (std::size_t r = 0; r < 8; ++r) rows.insert({x.row(r).begin(), x.row(r).end()});
      EXPECT_EQ(rows.size(), 8u) << dim << " " << shift;
      for (const double value : x.data) EXPECT_LE(std::abs(value), 1.0);
    }
}

TEST(Tokens, rolled_moves_the_channels_of_each_token_on) {
  const Tensor x({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(tokens::rolled(x, 1, 3), Tensor({2, 3}, {2, 3, 1, 5, 6, 4}));
  EXPECT_EQ(tokens::rolled(x, 2, 2), Tensor({2, 2}, {3, 1, 6, 4}));
  EXPECT_EQ(tokens::rolled(x, 0, 4), Tensor({2, 4}, {1, 2, 3, 1, 4, 5, 6, 4}));
}

TEST(Tokens, every_drawn_mask_leaves_each_query_a_key) {
  for (const bool causal : {false, true})
    for (std::size_t n = 2; n <= 6; ++n) {
      Attention attention;
      attention.causal = causal;
      Enumerate draw;
      std::set<std::vector<double>> masks;
      do {
        const Mask mask = tokens::drawn_mask(draw, n, attention);
        EXPECT_EQ(mask.shape, (Shape{n, n}));
        masks.insert(mask.data);
        for (std::size_t i = 0; i < n; ++i) {
          const auto row = mask.row(i);
          EXPECT_TRUE(std::find(row.begin(), row.end(), 1.0) != row.end()) << draw.drawn().text();
        }
      } while (draw.next());
      // None, causal, n - 1 paddings, n - 1 windows narrower than the whole, of which width 1 is the blocks
      // of 1, n - 2 other blocks, and where it is asked for the last query that sees all, which of two tokens
      // is the causal mask.
      EXPECT_EQ(masks.size(), 2 + (n - 1) + (n - 1) + (n - 2) + (causal && n > 2 ? 1 : 0));
    }
}

Contextual plain_logits(double scale) {
  Contextual plain{.dim = 1, .positional = false};
  plain.logits = [scale](const Tensor& q, const Tensor& k, std::span<const Position>,
                         std::span<const Position>) {
    Tensor out({1, q.rows(), k.rows()});
    for (std::size_t i = 0; i < q.rows(); ++i)
      for (std::size_t j = 0; j < k.rows(); ++j) out.at(i, j) = scale * q.at(i, 0) * k.at(j, 0);
    return out;
  };
  plain.error = [scale](std::span<const double> q, std::span<const double> k, std::span<const double>,
                        std::span<const double>,
                        const Precision& p) { return 4 * p.result * std::abs(scale * q[0] * k[0]); };
  return plain;
}

Residual replayed(const Property& property, const Encoding& encoding, const std::string& words,
                  const Precision& p = all_f64) {
  return residuals::replayed(property, encoding, words, p);
}

// What has no position breaks nothing, and is off by the whole of what was asked for.
TEST(BreaksTheSymmetry, is_refuted_without_a_position_by_the_least_break) {
  const Residual r =
      replayed(properties::attention::breaks_the_symmetry, plain_logits(1), "n=4 permutation=[1,0,2,3]");
  EXPECT_FALSE(r.holds());
  EXPECT_TRUE(!r.vacuous());
  EXPECT_NEAR(r.error, 0x1p-11, 1e-15);
}

// In bf16 a slight position cannot be told from rounding: not refuted, and not telling either.
TEST(BreaksTheSymmetry, says_nothing_in_a_format_too_coarse_to_see) {
  const Residual r = replayed(properties::attention::breaks_the_symmetry, plain_logits(1),
                              "n=4 permutation=[1,0,2,3]", Precision::parse("bf16"));
  EXPECT_FALSE(!r.vacuous());
}

TEST(BreaksTheSymmetry, does_not_ask_for_the_identity_and_the_reversal) {
  for (const char* words : {"n=3 permutation=[0,1,2]", "n=3 permutation=[2,1,0]"})
    EXPECT_THROW(replayed(properties::attention::breaks_the_symmetry, plain_logits(1), words), Discard);
}

// An order that keeps no mask: a causal row of one key and one of two differ by the half of a unit value.
TEST(HasTheSymmetryOfItsMask, asks_for_a_break_where_the_mask_is_not_kept) {
  Attention attention{.dim = 2, .value_dim = 2};
  attention.errors = testing::each_entry([](const auto&...) { return 0.0; });
  attention.attend = [](const Tensor&, const Tensor&, const Tensor& v, const Mask&) { return v; };
  const Residual r = replayed(properties::attention::has_the_symmetry_of_its_mask, attention,
                              "n=2 mask=causal permutation=[1,0] x=[0,0,0,0]");
  EXPECT_FALSE(r.holds());
  EXPECT_EQ(r.error, 0.5);
}

TEST(DependsOnOrder, looks_ahead_only_where_keys_ahead_mean_anything) {
  Bias bias{.heads = 1, .positions = {0, 6}};
  std::set<Position> asked;
  bias.bias = [&asked](std::span<const Position>, std::span<const Position> keys) {
    asked.insert(keys.begin(), keys.end());
    return Tensor({1, 1, 1}, {static_cast<double>(keys[0])});
  };
  EXPECT_TRUE(replayed(properties::score::depends_on_order, bias, "i=3").holds());
  EXPECT_EQ(asked, (std::set<Position>{0, 1, 2, 3, 4, 5, 6}));
  asked.clear();
  bias.causal = true;
  EXPECT_TRUE(replayed(properties::score::depends_on_order, bias, "i=3").holds());
  EXPECT_EQ(asked, (std::set<Position>{0, 1, 2, 3}));
}

// A query without three positions before it, or after it where keys there mean something, is not asked.
TEST(DependsOnOrder, asks_queries_with_three_positions_on_every_side_that_means_anything) {
  Bias bias{.heads = 1, .positions = {0, 6}};
  std::set<Position> asked;
  bias.bias = [&asked](std::span<const Position> queries, std::span<const Position> keys) {
    asked.insert(queries.begin(), queries.end());
    return Tensor({1, 1, 1}, {static_cast<double>(keys[0])});
  };
  const auto queries = [&] {
    asked.clear();
    const Encoding encoding = bias;
    search(*trial(properties::score::depends_on_order, encoding, all_f32),
           {.id = "queries", .budget = {.cases = 100, .shrinks = 0}});
    return asked;
  };
  EXPECT_EQ(queries(), std::set<Position>{3});
  bias.causal = true;
  EXPECT_EQ(queries(), (std::set<Position>{3, 4, 5, 6}));
}

}  // namespace
}  // namespace posproof::tokens_test
