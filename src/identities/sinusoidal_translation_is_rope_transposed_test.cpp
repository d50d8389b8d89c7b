#include "catalogue/identities/sinusoidal_translation_is_rope_transposed.h"

#include <gtest/gtest.h>

#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sinusoidal.h"
#include "core/call.h"
#include "identities/sides.h"
#include "run/catalogued.h"

namespace posproof::sinusoidal_translation_is_rope_transposed_test {
namespace {

// The earlier row is rotated with what it is off by: a sine's share comes from both of its entries.
TEST(SinusoidalTranslationIsRopeTransposed, allows_what_the_rotation_hands_on) {
  const Identity& identity = identities::sinusoidal_translation_is_rope_transposed;
  const Parameters words = with(encodings::sinusoidal, Case::parse("dim=2"));
  const Arguments parameters(encodings::sinusoidal.parameters, words);
  const Encoding left = encodings::sinusoidal.oracle(words),
                 right = encodings::rope.oracle(identity.right_of(parameters).value());
  const Sides sides{left, left, right, parameters, all_f32};
  const identities::Side rows = identities::left_side(sides, {.positions = {.whole = {3, 5}}, .length = 6});
  const identities::Side turned = identities::right_side(
      sides, {.positions = {.whole = {2}},
              .contents = {Tensor({1, 1, 1, 2}, {rows.value.at(0, 0), rows.value.at(0, 1)})}});
  const double both = rows.error.at(0, 0) + rows.error.at(0, 1);
  Replay draw(Case::parse("t=3 k=2"));
  const double allowed = identity.check(sides, draw).bound;
  const double sine = rows.error.at(1, 0) + turned.error.data[0] + both,
               cosine = rows.error.at(1, 1) + turned.error.data[1] + both;
  EXPECT_LE(std::min(std::abs(allowed / sine - 1), std::abs(allowed / cosine - 1)), 8 * unit_f64);
}

}  // namespace
}  // namespace posproof::sinusoidal_translation_is_rope_transposed_test
