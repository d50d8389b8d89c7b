#include "catalogue/misreadings/deberta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

// By the bucket of an offset that is beyond half the span.
testing::LogitFormula by(Position (*bucket)(Real n, Real mid, Real longest)) {
  return [bucket](const Arguments& p, std::span<const double> q, std::span<const double> k, Position i,
                  Position j, std::size_t) {
    const Position span = p.whole("span"), mid = span / 2;
    const std::size_t rows = 2 * p.width("span");
    const Tensor keys = inside::trained(rows, q.size(), p.whole("table_seed")),
                 queries = inside::trained(rows, q.size(), p.whole("table_seed") + 1);
    const auto row = [&](Position offset) {
      const Position n = offset < 0 ? -offset : offset;
      const Position of = n <= mid ? n : mid + bucket(Real(n), Real(mid), Real(p.whole("max_position")));
      return std::size_t(std::max<Position>(0, std::min(span + (offset < 0 ? -of : of), 2 * span - 1)));
    };
    const Position of_key = p.is("p2c", "paper") ? j - i : i - j;
    return (inside::dot(q, k) + inside::dot(q, keys.row(row(i - j))) +
            inside::dot(k, queries.row(row(of_key)))) /
           inside::root(3 * q.size());
  };
}

TEST(MisreadDeberta, is_what_the_sentence_says) {
  const auto& all = misreadings::deberta;
  testing::expect_logits(
      "deberta", all,
      {{all.misreadings.front().what, &of_four},
       {"buckets are rounded down, not up", by([](Real n, Real mid, Real longest) {
          return Position(std::floor(std::log(n / mid) / std::log((longest - 1) / mid) * (mid - 1)));
        })},
       {"buckets are rounded to the nearest, not up", by([](Real n, Real mid, Real longest) {
          return Position(std::round(std::log(n / mid) / std::log((longest - 1) / mid) * (mid - 1)));
        })},
       {"the last bucket is reached at max_position, not one before it",
        by([](Real n, Real mid, Real longest) {
          return Position(std::ceil(std::log(n / mid) / std::log(longest / mid) * (mid - 1)));
        })},
       {"the logarithm is multiplied by all buckets beyond the first half, not by one less",
        by([](Real n, Real mid, Real longest) {
          return Position(std::ceil(std::log(n / mid) / std::log((longest - 1) / mid) * mid));
        })}},
      {"", "p2c=paper table_seed=2"});
}

TEST(MisreadDeberta, is_none_of_other_offsets) {
  const auto refused = [](std::size_t n, const std::string& words) {
    EXPECT_THROW(
        misreadings::deberta.misreadings.at(n).make(with(encoding_named("deberta"), Case::parse(words))),
        Refusal)
        << words;
  };
  refused(0, "offsets=log_buckets");
  for (std::size_t n = 1; n < misreadings::deberta.misreadings.size(); ++n) refused(n, "offsets=linear");
}

}  // namespace
}  // namespace posproof::misreadings_deberta_test
