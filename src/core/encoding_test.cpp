#include "core/encoding.h"

#include <gtest/gtest.h>

namespace posproof::encoding_test {
namespace {

// One query of two keys: each entry is allowed its value times the mask's first number.
Attention allowed_its_values() {
  Attention out{.dim = 1, .value_dim = 2};
  out.errors = [](const Tensor& q, const Tensor&, const Tensor& v, const Mask& mask, const Precision& p) {
    Tensor errors({q.rows(), v.width()});
    for (std::size_t c = 0; c < v.width(); ++c) errors.at(0, c) = p.result * mask.data[0] * v.at(0, c);
    return errors;
  };
  return out;
}

TEST(OperatorErrors, of_all_entries_the_largest_is_one) {
  const Tensor q({1, 1}), k({2, 1}), v({2, 2}, {3, 5, 0, 0});
  const Mask mask({1, 2}, {2, 1});
  EXPECT_EQ(largest_error(allowed_its_values(), q, k, v, mask, all_f32), 10 * unit_f32);
  EXPECT_EQ(largest_error(allowed_its_values(), q, k, Tensor({2, 2}, {7, 5, 9, 9}), mask, all_f32),
            14 * unit_f32);
}

TEST(OperatorErrors, another_operator_is_allowed_the_largest_in_every_entry) {
  const Tensor q({1, 1}), k({2, 1}), v({2, 2}, {3, 5, 0, 0});
  const Mask mask({1, 2}, {2, 1});
  EXPECT_EQ(as_other_operators(allowed_its_values(), 3).errors(q, k, v, mask, all_f32),
            Tensor({1, 2}, {30 * unit_f32, 30 * unit_f32}));
  EXPECT_FALSE(as_other_operators(Attention{}, 3).errors);
}

}  // namespace
}  // namespace posproof::encoding_test
