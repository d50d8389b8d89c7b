// Golden numbers by mpmath at 40 digits, from the formula and SplitMix64 alone.
#include "catalogue/encodings/tupe.h"
#include <gtest/gtest.h>
#include "catalogue/encodings/t5_bias.h"
#include "encodings/seeded.h"

#include <cmath>

#include "encodings/asked.h"

namespace posproof::tupe_test {
namespace {

using namespace asked;

const Places places = {{0, 0}, {0, 5}, {5, 0}, {3, 1}, {2, 60}};

TEST(Tupe, has_the_golden_logits) {
  expect_logits(encodings::tupe, "dim=4", places,
                {-0.20935043441561148, -0.20935043441561148, -0.60991228426626421, -0.50791801402093376,
                 -0.40430652328432977});
  expect_logits(encodings::tupe, "dim=4 cls=tied relative=t5", places,
                {-0.86322852207267438, -1.2361031285712334, 0.85810521649740782, -2.8792136091396778,
                 -1.0511589448612067});
  expect_logits(encodings::tupe, "dim=4 relative=t5", places,
                {0.48514808979737182, 0.48514808979737182, -2.2871202011072215, -2.1100503019307061,
                 -1.1567283282341763});
}

TEST(Tupe, gives_the_first_token_the_same_logit_with_all_others) {
  const auto at = [](Position i, Position j) { return logit(encodings::tupe, "dim=4", q4, k4, i, j); };
  EXPECT_EQ(at(0, 1), at(0, 40));
  EXPECT_EQ(at(1, 0), at(40, 0));
  EXPECT_NE(at(0, 1), at(1, 0));
  EXPECT_NE(at(1, 2), at(1, 3));
}

// What is added for the positions does not depend on the contents.
TEST(Tupe, adds_a_logit_of_the_positions_to_that_of_the_contents) {
  const Numbers zeros(4);
  const auto added = [](const Numbers& q, const Numbers& k, Position i, Position j) {
    return logit(encodings::tupe, "dim=4", q, k, i, j) - logit(encodings::tupe, "dim=4", q, k, 0, 0);
  };
  for (const auto& [i, j] : places) EXPECT_NEAR(added(q4, k4, i, j), added(zeros, zeros, i, j), 1e-15);
}

TEST(Tupe, has_the_biases_of_t5_where_the_first_token_is_tied) {
  const std::array<Position, 1> query = {2}, key = {40};
  const double bucket = encodings::t5_bias.make<Bias>(Case::parse("heads=1")).bias(query, key).data.at(0);
  EXPECT_NEAR(logit(encodings::tupe, "dim=4 cls=tied relative=t5", q4, k4, 2, 40) -
                  logit(encodings::tupe, "dim=4 cls=tied", q4, k4, 2, 40),
              seeded(3, static_cast<std::uint64_t>(bucket), 1), 1e-15);
}

TEST(Tupe, ends_where_its_tables_do) {
  for (const auto& [words, last] :
       {std::pair<std::string, Position>{"dim=2 length=8", 6}, {"dim=2 length=8 cls=tied", 7}})
    for (const bool exact : {false, true}) {
      const Encoding made =
          exact ? encodings::tupe.oracle(Case::parse(words)) : encodings::tupe.make(Case::parse(words));
      EXPECT_EQ(positions_of(made).hi, last);
      EXPECT_TRUE(positions_of(made).ends);
      EXPECT_EQ(message([&, last = last] { logit(made, {0, 0}, {0, 0}, 0, last); }), "nothing was thrown");
      EXPECT_THROW(logit(made, {0, 0}, {0, 0}, 0, last + 1), Refusal);
      EXPECT_THROW(logit(made, {0, 0}, {0, 0}, last + 1, 0), Refusal);
    }
}

}  // namespace
}  // namespace posproof::tupe_test
