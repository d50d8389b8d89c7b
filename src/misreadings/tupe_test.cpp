#include "catalogue/misreadings/tupe.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_tupe_test {
namespace {

using testing::LogitFormula, testing::Real;

// The rows of the two tables that a pair of tokens has; alike: those of theta1 and theta2 are (0, 0) and (1,
// 1).
struct Rows {
  std::size_t query, key;
};

LogitFormula at(Rows (*rows)(std::size_t i, std::size_t j)) {
  return [rows](const Arguments& p, std::span<const double> q, std::span<const double> k, Position i,
                Position j, std::size_t) {
    const std::int64_t seed = p.whole("table_seed");
    const Tensor of_queries = inside::trained(p.width("length"), q.size(), seed),
                 of_keys = inside::trained(p.width("length"), q.size(), seed + 1);
    const auto [query, key] = rows(std::size_t(i), std::size_t(j));
    Real sum = 0;
    for (std::size_t c = 0; c < q.size(); ++c)
      sum += Real(q[c]) * k[c] + Real(of_queries.at(query, c)) * of_keys.at(key, c);
    return sum / inside::root(2 * q.size());
  };
}

TEST(MisreadTupe, is_what_the_sentence_says) {
  testing::expect_logits(
      "tupe", misreadings::tupe,
      {{"the logit of the first token with itself is theta2's, not theta1's: the column is written after the row",
        at([](std::size_t i, std::size_t j) {
          return j == 0 ? Rows{1, 1} : i == 0 ? Rows{0, 0} : Rows{i + 1, j + 1};
        })},
       {"theta1 and theta2 are exchanged", at([](std::size_t i, std::size_t j) {
          return i == 0 ? Rows{1, 1} : j == 0 ? Rows{0, 0} : Rows{i + 1, j + 1};
        })},
       {"the first token is untied as a query alone, and like the others as a key",
        at([](std::size_t i, std::size_t j) {
          return i == 0 ? Rows{0, 0} : Rows{i + 1, j + 1};
        })},
       {"the first token is untied as a key alone, and like the others as a query",
        at([](std::size_t i, std::size_t j) {
          return j == 0 ? Rows{1, 1} : Rows{i + 1, j + 1};
        })},
       {"the projections of the two positions are in each other's place",
        at([](std::size_t i, std::size_t j) {
          return i == 0 ? Rows{0, 0} : j == 0 ? Rows{1, 1} : Rows{j + 1, i + 1};
        })},
       {"the other tokens have the rows from 0 on: token t has row t, not t + 1",
        at([](std::size_t i, std::size_t j) {
          return i == 0 ? Rows{0, 0} : j == 0 ? Rows{1, 1} : Rows{i, j};
        })},
       {"the relative biases are those of i - j: earlier and later keys are exchanged",
        [](const Arguments& p, std::span<const double> q, std::span<const double> k, Position i, Position j,
           std::size_t head) {
          // T5's buckets of distances below 8 are they, later keys' 16 more; theta1 has 16, theta2 32.
          const Tensor biases = inside::trained(33, 1, p.whole("table_seed") + 2);
          const auto past = static_cast<std::size_t>(std::abs(i - j));
          const std::size_t entry = i == 0 ? 16 : j == 0 ? 32 : past + (i > j ? 16 : 0);
          const LogitFormula right = at([](std::size_t a, std::size_t b) {
            return a == 0 ? Rows{0, 0} : b == 0 ? Rows{1, 1} : Rows{a + 1, b + 1};
          });
          return right(p, q, k, i, j, head) + biases.data.at(entry);
        }}},
      {"", "table_seed=2"});
}

// theta1 has entry 16 of the biases, theta2 entry 32.
TEST(MisreadTupe, has_the_biases_of_theta) {
  const Parameters words = with(encoding_named("tupe"), Case::parse("dim=2 length=4 relative=t5"));
  const Tensor biases = inside::trained(33, 1, 3);
  const auto bias_of = [&](const Encoding& one, const Encoding& without, Position i, Position j) {
    const std::vector<Position> query = {i}, key = {j};
    const Tensor zero({1, 2});
    return as<Contextual>(one).logits(zero, zero, query, key).data[0] -
           as<Contextual>(without).logits(zero, zero, query, key).data[0];
  };
  Parameters plain = words;
  plain.set("relative", std::string("none"));
  const auto& corner = misreadings::tupe.misreadings[0];
  const Encoding with_biases = corner.make(words), without = corner.make(plain);
  EXPECT_NEAR(bias_of(with_biases, without, 0, 2), biases.data[16], 1e-15);
  EXPECT_NEAR(bias_of(with_biases, without, 0, 0), biases.data[32], 1e-15);
  EXPECT_NEAR(bias_of(with_biases, without, 2, 0), biases.data[32], 1e-15);
  EXPECT_NEAR(bias_of(with_biases, without, 2, 1), biases.data[1], 1e-15);
}

TEST(MisreadTupe, is_none_where_the_first_token_is_tied) {
  for (const Misreading& one : misreadings::tupe.misreadings)
    EXPECT_THROW(one.make(with(encoding_named("tupe"), Case::parse("cls=tied"))), Refusal) << one.what;
}

// Token t has row t, the first, too.
TEST(MisreadTupe, exchanges_biases_of_a_first_token_that_is_tied) {
  const Misreading& exchanged = misreadings::tupe.misreadings.back();
  const Parameters words = with(encoding_named("tupe"), Case::parse("dim=2 length=8 cls=tied relative=t5"));
  const auto logits = [&](const Encoding& of, Position i, Position j) {
    const Tensor zero({1, 2});
    const std::vector<Position> query = {i}, key = {j};
    return as<Contextual>(of).logits(zero, zero, query, key).data[0];
  };
  const Encoding right = encoding_named("tupe").make(words), wrong = exchanged.make(words);
  const Tensor biases = inside::trained(33, 1, 3);
  EXPECT_EQ(logits(wrong, 3, 3), logits(right, 3, 3));
  EXPECT_NEAR(logits(wrong, 0, 5) - logits(right, 0, 5), biases.data[5] - biases.data[21], 1e-15);
  EXPECT_NEAR(logits(wrong, 5, 0) - logits(right, 5, 0), biases.data[21] - biases.data[5], 1e-15);
}

}  // namespace
}  // namespace posproof::misreadings_tupe_test
