#include "identities/sides.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/identities/by_parts_above_all_rotations_is_interpolation.h"
#include "catalogue/identities/by_parts_below_all_rotations_is_rope.h"
#include "catalogue/identities/yarn_above_all_rotations_is_rope.h"
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

bool has_a_right_side(const Identity& identity, std::string_view parameters) {
  return identity
      .right_of(Arguments(identity.left->parameters, with(*identity.left, Case::parse(parameters))))
      .has_value();
}

// 4096 tokens at base 100: pairs of 1 and 1/10 radians a token, whichever way they rotate.
TEST(Identities, count_the_rotations_of_the_slowest_and_the_fastest_pair) {
  const EncodingSpec& rope = encoding_named("rope");
  for (const std::string words : {"", " direction=backward"}) {
    const Arguments parameters(
        rope.parameters,
        with(rope, Case::parse("dim=4 base=100 scaling=yarn factor=2 original_length=4096" + words)));
    const auto found = identities::rotations_of(parameters);
    EXPECT_DOUBLE_EQ(found.least, 409.6 / (2 * 3.14159265358979323846)) << words;
    EXPECT_DOUBLE_EQ(found.most, 4096 / (2 * 3.14159265358979323846)) << words;
  }
}

// Rotations in a length L at base b: L / 2 pi of the fastest pair, L b^(2/d - 1) / 2 pi of the slowest.
TEST(Identities, of_ramps_ask_nothing_where_a_pair_lies_on_them) {
  using namespace identities;
  const std::string above = "dim=8 scaling=by_parts beta_slow=100 beta_fast=200 original_length=";
  EXPECT_TRUE(has_a_right_side(by_parts_above_all_rotations_is_interpolation, above + "628"));
  EXPECT_FALSE(has_a_right_side(by_parts_above_all_rotations_is_interpolation, above + "629"));
  const std::string below =
      "dim=8 base=16 scaling=by_parts beta_slow=1 beta_fast=2 original_length=";  // b^(3/4): 8
  EXPECT_TRUE(has_a_right_side(by_parts_below_all_rotations_is_rope, below + "101"));
  EXPECT_FALSE(has_a_right_side(by_parts_below_all_rotations_is_rope, below + "100"));
  const std::string yarn = "dim=8 scaling=yarn attention_factor=1 beta_fast=1e9 original_length=628 base=";
  EXPECT_TRUE(has_a_right_side(yarn_above_all_rotations_is_rope, yarn + "100 beta_slow=1e4"));
  EXPECT_FALSE(has_a_right_side(yarn_above_all_rotations_is_rope, yarn + "101 beta_slow=1e4"));
}

TEST(Sides, begin_where_the_later_one_does) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const Arguments parameters(spec.parameters, Parameters{});
  for (const auto& [first_left, first_right] : {std::pair<Position, Position>{0, 5}, {5, 0}}) {
    Position first = 20;
    const auto from = [&first](Position lo) {
      Table out{.dim = 1};
      out.positions.lo = lo, out.positions.hi = 20;
      out.rows = [&first](const Positions& at, Position) {
        for (std::size_t n = 0; n < at.size(); ++n) first = std::min(first, at[n]);
        return Tensor({at.size(), 1});
      };
      return Encoding(out);
    };
    const Encoding left = from(first_left), right = from(first_right);
    for (std::uint64_t n = 0; n < 30; ++n) {
      RandomDraw draw(1, "sides_test", n);
      identities::same_answers({left, left, right, parameters, all_f64}, draw);
    }
    EXPECT_EQ(first, 5);
  }
}

}  // namespace
}  // namespace posproof::sides_test
