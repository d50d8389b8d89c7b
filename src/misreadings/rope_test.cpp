#include "catalogue/misreadings/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_rope_test {
namespace {

using testing::Real;

// The base over the declared one, of s, L/L0 and d.
using Growth = Real (*)(Real s, Real lengths, Real d);

const testing::Formulas<std::pair<Growth, Position>> growths = {
    {"the base is multiplied by (s L/L0)^(d/(d-2)): s - 1 is not taken off",
     {[](Real s, Real n, Real d) { return std::pow(s * n, d / (d - 2)); }, 0}},
    {"the base is multiplied by (s L/L0 - s)^(d/(d-2)): s is taken off, not s - 1",
     {[](Real s, Real n, Real d) { return std::pow(s * (n - 1), d / (d - 2)); }, 0}},
    {"the base is multiplied by (L/L0)^(d/(d-2)), without the factor s",
     {[](Real, Real n, Real d) { return std::pow(n, d / (d - 2)); }, 0}},
    {"the base is multiplied by s L/L0 - (s - 1) itself, without the power d/(d-2)",
     {[](Real s, Real n, Real) { return s * n - s + 1; }, 0}},
    {"the base is multiplied by (s L/L0 - (s - 1))^((d-2)/d): the power is upside down",
     {[](Real s, Real n, Real d) { return std::pow(s * n - s + 1, (d - 2) / d); }, 0}},
    {"the length of the call counts one less: its last position",
     {[](Real s, Real n, Real d) { return std::pow(s * n - s + 1, d / (d - 2)); }, -1}},
    {"the length of the call counts one more",
     {[](Real s, Real n, Real d) { return std::pow(s * n - s + 1, d / (d - 2)); }, 1}},
};

// As the frequencies of a call and as what rotates: by the sines and cosines of angles, half of the channels
// being 1 and the others 0.
TEST(MisreadRope, of_a_longer_call_has_the_base_that_the_sentence_says) {
  testing::expect_formulas<Rotary>(
      "rope", misreadings::rope, growths, {"", "base=500 rotary_dim=8"},
      [](const Rotary& made, const Arguments& p, const std::pair<Growth, Position>& read,
         const std::string& where) {
        const Real trained = p.real("original_length"), pairs = static_cast<Real>(made.pairs.size());
        for (const Position last : {Position{20}, Position{62}, Position{63}, Position{64}, Position{200}}) {
          const Real lengths = static_cast<Real>(last + 1 + read.second) / trained;
          const Real base =
              p.real("base") * (lengths > 1 ? read.first(p.real("factor"), lengths, 2 * pairs) : 1);
          const Position at[] = {1, last};
          Tensor x({1, 1, 2, 16});
          for (const Pair& pair : made.pairs) x.at(0, pair.first) = x.at(1, pair.first) = 1;
          const Tensor rotated = made.rotate(x, at, Role::query);
          const auto in_call = made.in_call(last);
          for (const Pair& pair : in_call->pairs) {
            const Real w = std::pow(base, -static_cast<Real>(pair.index) / pairs);
            ASSERT_NEAR(pair.frequency, static_cast<double>(w), 4e-16 * pair.frequency) << where;
            for (const std::size_t row : {0u, 1u}) {
              const Real angle = static_cast<Real>(at[row]) * w;
              ASSERT_NEAR(rotated.at(row, pair.first), static_cast<double>(std::cos(angle)), 1e-13) << where;
              ASSERT_NEAR(rotated.at(row, pair.second), static_cast<double>(std::sin(angle)), 1e-13) << where;
            }
          }
        }
      });
}

TEST(MisreadRope, is_none_where_the_base_does_not_depend_on_the_call) {
  const std::string grows = "scaling=dynamic_ntk factor=4 original_length=64";
  const std::vector<std::string> others = {"dim=16", "scaling=ntk factor=4", grows + " length=128",
                                           grows + " length_of=row"};
  for (const std::string& words : others)
    for (const Misreading& one : misreadings::rope.misreadings)
      EXPECT_THROW(one.make(with(encoding_named("rope"), Case::parse(words))), Refusal) << one.what << words;
}

}  // namespace
}  // namespace posproof::misreadings_rope_test
