#include "logits_by_term.h"

#include <gtest/gtest.h>

namespace posproof::experiments::logits_by_term_test {
namespace {

TEST(LogitsByTerm, a_shift_moves_every_row_by_k) {
  const Matrix p = sinusoidal_rows(12, 20), moved = p * shift(12, 3).transpose();
  EXPECT_LT((moved.topRows(17) - p.bottomRows(17)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(LogitsByTerm, add_up_to_the_logits_of_the_sum) {
  attention::Generator numbers(1);
  const Matrix x = normal(numbers, 5, 6), p = sinusoidal_rows(6, 5), w = normal(numbers, 6, 6),
               y = 0.3 * x + p;
  EXPECT_LT((terms(x, p, w).logits(0.3) - y * w * y.transpose()).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(LogitsByTerm, look_back_where_the_largest_is_k_before) {
  Matrix logits = Matrix::Zero(4, 4);
  logits(1, 0) = 1, logits(2, 1) = 1, logits(3, 1) = 1;
  EXPECT_DOUBLE_EQ(looking_back(logits, 1), 2.0 / 3);
  EXPECT_DOUBLE_EQ(looking_back(logits, 2), 1.0 / 2);
}

}  // namespace
}  // namespace posproof::experiments::logits_by_term_test
