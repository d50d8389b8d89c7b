#include "logits_by_term.h"

#include <gtest/gtest.h>

#include "core/precision.h"

namespace posproof::experiments::logits_by_term_test {
namespace {

// Rows, and the cosines and sines of the shift, are correctly rounded: 2^-54 each, of which two and two with
// factors whose squares sum to 1. Two products, their sum and the row itself are rounded once: below 7 *
// 2^-54.
TEST(LogitsByTerm, a_shift_moves_every_row_by_k) {
  const Matrix p = sinusoidal_rows(12, 20), moved = p * shift(12, 3).transpose();
  EXPECT_LT((moved.topRows(17) - p.bottomRows(17)).cwiseAbs().maxCoeff(), 0x1p-51);
}

// Of the absolute numbers, 2^-53 for each rounding: on both sides two sums of six products, and at most four
// more.
TEST(LogitsByTerm, add_up_to_the_logits_of_the_sum) {
  attention::Generator numbers(1);
  const Matrix x = normal(numbers, 5, 6), p = sinusoidal_rows(6, 5), w = normal(numbers, 6, 6),
               y = 0.3 * x + p, most = 0.3 * x.cwiseAbs() + p.cwiseAbs(),
               off = terms(x, p, w).logits(0.3) - y * w * y.transpose(),
               allowed = 2 * 16 * unit_f64 * most * w.cwiseAbs() * most.transpose();
  EXPECT_TRUE((off.array().abs() <= allowed.array()).all());
}

TEST(LogitsByTerm, look_back_where_the_largest_is_k_before) {
  Matrix logits = Matrix::Zero(4, 4);
  logits(1, 0) = 1, logits(2, 1) = 1, logits(3, 1) = 1;
  EXPECT_DOUBLE_EQ(looking_back(logits, 1), 2.0 / 3);
  EXPECT_DOUBLE_EQ(looking_back(logits, 2), 1.0 / 2);
}

}  // namespace
}  // namespace posproof::experiments::logits_by_term_test
