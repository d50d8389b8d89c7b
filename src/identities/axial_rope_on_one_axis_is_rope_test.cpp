#include "catalogue/identities/axial_rope_on_one_axis_is_rope.h"

#include <gtest/gtest.h>

#include "catalogue/encodings/axial_rope.h"
#include "core/call.h"
#include "run/identities.h"
#include "search/search.h"
#include "search/trial.h"

namespace posproof::axial_rope_on_one_axis_is_rope_test {
namespace {

// One number of every place counts twice.
Encoding twice_on(std::size_t axis, const Encoding& right) {
  return answered_by(right, [axis, right](const Call& call) {
    Call other = call;
    for (std::size_t n = axis; n < other.positions.whole.size(); n += 2) other.positions.whole[n] *= 2;
    return answer(right, other);
  });
}

TEST(AxialRopeOnOneAxisIsRope, is_asked_of_either_axis) {
  const Parameters words = with(encodings::axial_rope, Case::parse("dim=8 layout=interleaved"));
  const Encoding right = encodings::axial_rope.make(words);
  const Property property = property_of(identities::axial_rope_on_one_axis_is_rope, words);
  const auto found = [&](const Encoding& subject) {
    return search(*trial(property, subject, all_f32),
                  {.id = "either_axis", .budget = {.cases = 12, .shrinks = 0}});
  };
  EXPECT_TRUE(std::holds_alternative<Holds>(found(right)));
  for (const std::size_t axis : {0, 1})
    EXPECT_TRUE(std::holds_alternative<Refuted>(found(twice_on(axis, right)))) << axis;
}

}  // namespace
}  // namespace posproof::axial_rope_on_one_axis_is_rope_test
