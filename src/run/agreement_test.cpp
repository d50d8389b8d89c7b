#include "run/agreement.h"

#include <gtest/gtest.h>

#include "core/formats.h"
#include "core/testing/axial.h"
#include "search/search.h"
#include "search/trial.h"

namespace posproof {
namespace {

using testing_encodings::axial;

Verdict asked(const Encoding& subject, Precision precision) {
  return search(*trial(agreement(axial()), subject, precision), {.id = "test"});
}

TEST(Agreement, of_positions_on_a_grid_holds_for_the_same_rotation) {
  const Verdict verdict = asked(axial(), all_f64);
  ASSERT_TRUE(std::holds_alternative<Holds>(verdict));
  EXPECT_GT(std::get<Holds>(verdict).cases - std::get<Holds>(verdict).vacuous, 100u);
}

TEST(Agreement, of_positions_on_a_grid_refutes_axes_in_each_others_place) {
  const Verdict verdict = asked(axial(true), all_f64);
  ASSERT_TRUE(std::holds_alternative<Refuted>(verdict));
  const Case& at = std::get<Refuted>(verdict).counterexample;
  EXPECT_TRUE((at.integer("t") == 1 && at.integer("t.1") == 0) ||
              (at.integer("t") == 0 && at.integer("t.1") == 1))
      << at.text();
}

TEST(Agreement, of_positions_on_a_grid_sees_a_second_axis_that_is_off_by_little) {
  Rotary slow = std::get<Rotary>(axial());
  slow.rotate = [exact = slow.rotate](const Tensor& x, const Positions& positions, Role role) {
    Tensor y = exact(x, positions, role);
    for (std::size_t r = 0; r < y.rows(); ++r) y.at(r, 3) *= 1 + 0x1p-18;
    return y;
  };
  EXPECT_TRUE(std::holds_alternative<Refuted>(asked(slow, all_f32)));
}

}  // namespace
}  // namespace posproof
