#include "catalogue/misreadings/deberta.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_deberta_test {
namespace {

using testing::Real;

// In calls of four tokens, as those are that testing::expect_logits asks.
Real of_four(const Arguments& p, std::span<const double> q, std::span<const double> k, Position i, Position j,
             std::size_t) {
  const std::size_t rows = 2 * p.width("span");
  const Tensor keys = inside::trained(rows, q.size(), p.whole("table_seed")),
               queries = inside::trained(rows, q.size(), p.whole("table_seed") + 1);
  const auto cut = [](Position offset) {
    return static_cast<std::size_t>(std::max(0L, std::min(offset + 4, 7L)));
  };
  const Position of_key = p.is("p2c", "paper") ? j - i : i - j;
  return (inside::dot(q, k) + inside::dot(q, keys.row(cut(i - j))) +
          inside::dot(k, queries.row(cut(of_key)))) /
         inside::root(3 * q.size());
}

TEST(MisreadDeberta, is_what_the_sentence_says) {
  const auto& all = misreadings::deberta;
  ASSERT_EQ(all.misreadings.size(), 1U);
  testing::expect_logits("deberta", all, {{all.misreadings.front().what, &of_four}},
                         {"", "p2c=paper table_seed=2"});
}

TEST(MisreadDeberta, is_none_of_buckets) {
  EXPECT_THROW(misreadings::deberta.misreadings.front().make(
                   with(encoding_named("deberta"), Case::parse("offsets=log_buckets"))),
               Refusal);
}

}  // namespace
}  // namespace posproof::misreadings_deberta_test
