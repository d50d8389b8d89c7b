#include "gate/backward.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof::backward_test {
namespace {

Rotary rope(const std::string& parameters) {
  const EncodingSpec& spec = encoding_named("rope");
  return spec.oracle<Rotary>(with(spec, Case::parse(parameters)));
}

Tensor drawn(const Shape& shape, std::uint64_t seed) {
  Tensor x(shape);
  for (double& value : x.data)
    value = static_cast<double>(static_cast<std::int64_t>(seed = mixed(seed)) % 64) / 64;
  return x;
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.data.size(); ++n) sum += a.data[n] * b.data[n];
  return sum;
}

const std::vector<std::string> settings = {"dim=8", "dim=8 layout=interleaved", "dim=10 rotary_dim=4 heads=2",
                                           "dim=8 direction=backward", "dim=8 scaling=yarn factor=4"};

// <R x, y> = <x, R^T y>, which says of all entries of R^T what they are.
TEST(Backward, the_transposed_rotation_moves_from_one_side_of_a_product_to_the_other) {
  for (const std::string& setting : settings) {
    const Rotary forward = rope(setting), back = transposed(forward);
    const Shape shape = {2, forward.heads, 3, forward.dim};
    const std::vector<Position> at = {0, 1, 700, 5, 100000, 2};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Tensor x = drawn(shape, seed), y = drawn(shape, seed + 100);
      EXPECT_NEAR(dot(forward.rotate(x, at, Role::key), y), dot(x, back.rotate(y, at, Role::key)), 0x1p-44)
          << setting;
    }
  }
}

TEST(Backward, transposed_twice_is_the_rotation_itself_with_its_pairs) {
  for (const std::string& setting : settings) {
    const Rotary forward = rope(setting), twice = transposed(transposed(forward));
    const Tensor x = drawn({1, forward.heads, 2, forward.dim}, 3);
    const std::vector<Position> at = {7, 300};
    EXPECT_EQ(twice.rotate(x, at, Role::query), forward.rotate(x, at, Role::query)) << setting;
    ASSERT_EQ(twice.pairs.size(), forward.pairs.size());
    EXPECT_EQ(transposed(forward).pairs[0].first, forward.pairs[0].second);
    EXPECT_EQ(transposed(forward).pairs[0].second, forward.pairs[0].first);
    EXPECT_EQ(transposed(forward).exact, nullptr) << "its cosines would be taken for sines";
  }
}

Verdict asked(const Rotary& subject) {
  const auto one = trial(backward_agreement(rope("dim=8")), subject, all_f32);
  return search(*one, {.id = std::string(backward_id), .budget = {.cases = 100}});
}

TEST(Backward, a_gradient_that_is_rotated_forward_is_refuted) {
  EXPECT_TRUE(std::holds_alternative<Holds>(asked(transposed(rope("dim=8")))));
  EXPECT_TRUE(std::holds_alternative<Refuted>(asked(rope("dim=8"))));
  EXPECT_TRUE(std::holds_alternative<Refuted>(asked(transposed(rope("dim=8 base=9990")))));
}

TEST(Backward, says_what_it_asks) {
  const Property property = backward_agreement(rope("dim=8"));
  EXPECT_EQ(
      property.statement,
      "The gradient with respect to what was rotated is the gradient with respect to the result, rotated back.");
  EXPECT_EQ(property.formula, "dL/dx = R(t)^T dL/dy");
}

}  // namespace
}  // namespace posproof::backward_test
