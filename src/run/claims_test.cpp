// A claim is judged as it was made, no more kindly; agreement allows what core/error.h allows, no more.
#include "run/claims.h"

#include <gtest/gtest.h>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "run/agreement.h"
#include "search/trial.h"

using namespace posproof;

namespace {

ClaimStatus status(const Claim& claim) {
  return judge(claim, encodings::raw_index, {.id = "claims_test"}).status;
}

const Property& norm = properties::table::has_constant_norm;

bool refuted(const EncodingSpec& spec, std::string_view parameters, const Encoding& subject,
             std::string_view at) {
  const Property agrees = agreement(spec.oracle(with(spec, Case::parse(parameters))));
  return std::holds_alternative<Refuted>(replay(*trial(agrees, subject, all_f32), Case::parse(at)));
}

}  // namespace

TEST(Claims, of_a_failure_have_the_size_of_their_witness) {
  EXPECT_EQ(status(fails(norm, "s=0 t=3", 3, "")), ClaimStatus::as_claimed);
  EXPECT_EQ(status(fails(norm, "s=0 t=3", 3.02, "")), ClaimStatus::broken);
  EXPECT_EQ(status(fails(norm, "s=0 t=3", 0, "")), ClaimStatus::broken);
}

TEST(Claims, of_a_failure_that_holds_are_stale) {
  EXPECT_EQ(status(fails(properties::table::distance_depends_on_offset, "k=1 s=0 t=1", 1, "")),
            ClaimStatus::stale);
}

TEST(Claims, of_a_failure_without_a_case_are_not_checked) {
  EXPECT_EQ(status(fails(norm, "s=0", 3, "")), ClaimStatus::not_checked);
  EXPECT_EQ(status(fails(norm, "s=0 t=3 u=1", 3, "")), ClaimStatus::not_checked);
}

TEST(Claims, that_something_holds_are_searched_over_the_grid) {
  EXPECT_EQ(status(holds(norm)), ClaimStatus::broken);
  EXPECT_EQ(status(holds(properties::table::is_defined_for_one_token)), ClaimStatus::as_claimed);
}

// The cosine of 0 may be off by 5 units of f32 and is off by 16.
TEST(Agreement, allows_a_row_its_error) {
  Table table =
      std::get<Table>(encodings::sinusoidal.make(with(encodings::sinusoidal, Case::parse("dim=2"))));
  EXPECT_FALSE(refuted(encodings::sinusoidal, "dim=2", table, "rows=1 t=0 n=1"));
  table.rows = [rows = table.rows](std::span<const Position> positions, Position n) {
    Tensor out = rows(positions, n);
    for (double& entry : out.data) entry *= 1 + 0x1p-20;
    return out;
  };
  EXPECT_TRUE(refuted(encodings::sinusoidal, "dim=2", table, "rows=1 t=0 n=1"));
}

// A pair at 0 may be off by 10 units of f32 and is off by 32.
TEST(Agreement, allows_a_turn_its_error) {
  Rotary rotary = std::get<Rotary>(encodings::rope.make(with(encodings::rope, Case::parse("dim=2"))));
  constexpr std::string_view at = "batch=1 tokens=1 t=0 role=query x=[1,0]";
  EXPECT_FALSE(refuted(encodings::rope, "dim=2", rotary, at));
  rotary.rotate = [rotate = rotary.rotate](const Tensor& x, std::span<const Position> positions, Role role) {
    Tensor out = rotate(x, positions, role);
    for (double& entry : out.data) entry *= 1 + 0x1p-19;
    return out;
  };
  EXPECT_TRUE(refuted(encodings::rope, "dim=2", rotary, at));
}
