// Which conventions a subject is compared with.
#include "identify/identified_proposals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/call.h"
#include "run/catalogued.h"
#include "subject/testing/npy.h"

namespace posproof::identified_proposals_test {
namespace {

std::size_t proposed_on_a_grid(double factor_of_the_last_row) {
  const Encoding of_grid = encoding_named("sincos_2d").oracle(Case::parse("dim=32"));
  Call places{.positions = {.axes = 2}, .length = 7};
  for (Position y = 0; y < 7; ++y)
    for (Position x = 0; x < 5; ++x) places.positions.whole.insert(places.positions.whole.end(), {y, x});
  Tensor rows = answer(of_grid, places);
  for (double& entry : rows.row(6)) entry *= factor_of_the_last_row;  // of the place (1, 1)
  const testing::Written file("identified_proposals.npy", rows, true);
  const Unidentified asked(file.subject(), {});
  const std::vector<Proposed> all = Proposals(asked).on_a_grid();
  return static_cast<std::size_t>(std::ranges::count_if(all, [](const Proposed& one) {
    return one.candidate.encoding == "sincos_2d" && text(*one.candidate.parameters.find("grid")) == "[7,5]";
  }));
}

// Squares of a row sum to half its width, within a part in 64.
TEST(Proposals, of_a_grid_are_made_where_rows_are_sines_and_cosines) {
  EXPECT_GT(proposed_on_a_grid(1), 0u);
  const double most = 1.0 / 64;
  for (const double off : {0.95 * most, -0.95 * most})
    EXPECT_GT(proposed_on_a_grid(std::sqrt(1 + off)), 0u) << off;
  for (const double off : {1.05 * most, -1.05 * most, -1.0})
    EXPECT_EQ(proposed_on_a_grid(std::sqrt(1 + off)), 0u) << off;
}

// Numbers of a grid may begin at 1.
TEST(Proposals, of_a_live_rotation_count_places_from_0_and_from_1) {
  const Candidate right{"axial_rope", Case::parse("dim=8")};
  const EncodingSpec& spec = encoding_named(right.encoding);
  const Unidentified asked({"made", "", spec.make(right.parameters), all_f32}, right);
  std::vector<double> offsets;
  const Proposals proposals(asked);
  for (const Proposed& one : proposals.all()) {
    if (one.candidate.encoding != right.encoding) continue;
    Parameters all = with(spec, one.candidate.parameters);
    const double offset = all.real("offset");
    all.set("offset", 0.0);
    if (all == with(spec, right.parameters)) offsets.push_back(offset);
  }
  std::ranges::sort(offsets);
  EXPECT_EQ(offsets, (std::vector<double>{0, 1}));
}

}  // namespace
}  // namespace posproof::identified_proposals_test
