#include "depth_probe.h"

#include <gtest/gtest.h>

#include "attention/mask.h"
#include "attention/multi_head.h"

namespace posproof::experiments::depth_probe_test {
namespace {

Tensor tensor(const Matrix& x) {
  return {{static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.cols())},
          std::vector<double>(x.data(), x.data() + x.size())};
}

// The reference operator, written for tensors, gives the same.
TEST(DepthProbe, a_layer_is_attention_then_a_normalised_sum) {
  attention::Generator numbers(1);
  const Matrix x = normal(numbers, 5, 4);
  const Layer layer = random_layer(numbers, 4);
  for (const bool causal : {false, true}) {
    const Tensor reference = attention::multi_head(
        {tensor(layer.query), tensor(layer.key), tensor(layer.value), tensor(layer.output)},
        attention::heads(4, 1), tensor(x), tensor(x), causal ? mask::causal(5) : mask::none(5));
    const Matrix attended = Eigen::Map<const Matrix>(reference.data.data(), 5, 4);
    EXPECT_LT((layer_output(layer, x, false, causal) - layer_normalised(attended)).cwiseAbs().maxCoeff(),
              1e-12);
    EXPECT_LT((layer_output(layer, x, true, causal) - layer_normalised(attended + x)).cwiseAbs().maxCoeff(),
              1e-12);
  }
  Matrix row(1, 4);
  row << 1, 3, 1, 3;
  EXPECT_NEAR(layer_normalised(row)(0, 1), 1 / std::sqrt(1 + 1e-5), 1e-14);
}

// Read from a channel 2t + 1 it is the position; from one with an error of variance v, R^2 = 1 - v / var(t)
// where the probe does not know of it: fitted to the first sequence, which has none.
TEST(DepthProbe, reads_the_position_of_held_out_sequences) {
  Matrix exact(8, 1), off(8, 1);
  for (Index t = 0; t < 8; ++t) exact(t, 0) = 2 * static_cast<double>(t) + 1;
  off = exact;
  for (Index t = 0; t < 8; ++t) off(t, 0) += t % 2 == 0 ? 2 : -2;  // one position to either side
  EXPECT_NEAR(position_read({exact, exact}, 1, 1), 1, 1e-12);
  EXPECT_NEAR(position_read({exact, off}, 1, 1), 1 - 8.0 / 42, 1e-12);
  EXPECT_NEAR(position_read({exact, off, exact}, 1, 2), 1, 1e-12);  // the second is neither fitted nor read
  EXPECT_EQ(position_read({exact, Matrix(-10 * exact)}, 1, 1), 0);
}

// A sequence that is shifted as a whole is read all the same.
TEST(DepthProbe, reads_what_a_token_has_beside_the_mean_of_its_sequence) {
  Matrix exact(8, 1);
  for (Index t = 0; t < 8; ++t) exact(t, 0) = 2 * static_cast<double>(t) + 1;
  const Matrix shifted = exact.array() + 2;  // by one position
  const std::vector<Matrix> centred = less_their_means({exact, shifted});
  EXPECT_EQ(centred[0](0, 0), -7);
  EXPECT_EQ(centred[1], centred[0]);
  EXPECT_NEAR(position_read({exact, shifted}, 1, 1), 1 - 8.0 / 42, 1e-12);
  EXPECT_NEAR(position_read(centred, 1, 1), 1, 1e-12);
  EXPECT_NEAR(position_read(centred, 1, 1, false), 1, 1e-12);
  EXPECT_LT(position_read({shifted, shifted}, 1, 1, false), 0.99) << "without a constant it has no mean";
  EXPECT_NEAR(position_read(less_their_means({exact, Matrix(exact.array() * 2)}), 1, 1), 0, 1e-12);
}

}  // namespace
}  // namespace posproof::experiments::depth_probe_test
