#include "identities/sides.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/call.h"
#include "run/catalogued.h"
#include "search/generate.h"

namespace posproof::sides_test {
namespace {

struct Asked {
  bool at_real = false;
  double last = 0;
};

// Zeros, at whole positions or at real ones; where it was asked is written down.
Encoding zeros(bool real, Position last, Asked& asked) {
  Table out{.dim = 1};
  out.positions.hi = last;
  out.positions.real = real;
  out.rows = [&asked](const Positions& at, Position) {
    asked.at_real = asked.at_real || !at.are_whole();
    for (std::size_t n = 0; n < at.size(); ++n) asked.last = std::max(asked.last, at.at(n));
    return Tensor({at.size(), 1});
  };
  return out;
}

// Two sides have the positions that both have.
TEST(Sides, are_asked_at_positions_that_both_have) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const Arguments parameters(spec.parameters, Parameters{});
  for (const bool left_is_real : {false, true})
    for (const bool right_is_real : {false, true}) {
      Asked asked;
      const Encoding left = zeros(left_is_real, 20, asked), right = zeros(right_is_real, 10, asked);
      for (std::uint64_t n = 0; n < 30; ++n) {
        RandomDraw draw(1, "sides_test", n);
        EXPECT_EQ(identities::same_answers({left, left, right, parameters, all_f64}, draw).error, 0);
      }
      EXPECT_EQ(asked.at_real, left_is_real && right_is_real);
      EXPECT_EQ(asked.last, 10);
    }
}

}  // namespace
}  // namespace posproof::sides_test
