#include "run/identities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "catalogue/encodings/rope.h"
#include "catalogue/identities.h"
#include "catalogue/identities/a_ramp_between_corners_is_normalized_index.h"
#include "catalogue/identities/alibi_is_kerple_of_power_1.h"
#include "catalogue/identities/cope_of_open_gates_is_shaw_shifted_by_one.h"
#include "catalogue/identities/interpolation_at_s_t_is_rope_at_t.h"
#include "catalogue/identities/llama3_is_by_parts.h"
#include "catalogue/identities/p_rope_of_all_pairs_is_rope.h"
#include "catalogue/identities/resized_constants_are_constants.h"
#include "catalogue/identities/resized_mirror_images_are_mirrored.h"
#include "catalogue/identities/resized_table_of_its_own_size_is_learned.h"
#include "catalogue/identities/xpos_of_an_endless_gamma_is_rope.h"
#include "catalogue/identities/xpos_of_an_endless_scale_base_is_rope.h"
#include "core/call.h"
#include "core/error.h"
#include "core/spoiled.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof::identities_test {
namespace {

using namespace identities;

std::string refused(const Identity& identity, std::string_view words) {
  try {
    property_of(identity, Case::parse(words));
  } catch (const Refusal& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Identities, are_completed_by_the_first_values_of_which_they_are_said) {
  EXPECT_EQ(completed(interpolation_at_s_t_is_rope_at_t, {}).text(), "scaling=linear");
  EXPECT_EQ(completed(interpolation_at_s_t_is_rope_at_t, Case::parse("dim=8 factor=2")).text(),
            "dim=8 factor=2 scaling=linear");
  EXPECT_EQ(completed(p_rope_of_all_pairs_is_rope, {}).text(), "dim=2 kept_pairs=1");
  EXPECT_EQ(completed(llama3_is_by_parts, Case::parse("scaling=yarn")).text(), "scaling=yarn");
}

TEST(Identities, refuse_what_they_are_not_said_of) {
  EXPECT_EQ(refused(llama3_is_by_parts, "scaling=yarn"),
            "`scaling=yarn`: llama3_is_by_parts is said where scaling is llama3");
  EXPECT_EQ(
      refused(interpolation_at_s_t_is_rope_at_t, "factor=2.5"),
      "`factor=2.5`: interpolation_at_s_t_is_rope_at_t is said where scaling is linear, factor is 2 or 8");
  EXPECT_NE(refused(p_rope_of_all_pairs_is_rope, "dim=8 kept_pairs=1")
                .find("p_rope_of_all_pairs_is_rope does not apply to these parameters together"),
            std::string::npos);
  EXPECT_EQ(refused(llama3_is_by_parts, ""), "not refused");
}

TEST(Identities, refuse_where_the_other_side_is_not_there) {
  // No ramp between two factors that are one, and no r1 of a slope that is 0 in double.
  for (const auto& [identity, words] :
       {std::pair{&llama3_is_by_parts, "low_freq_factor=4"}, {&alibi_is_kerple_of_power_1, "max_bias=1e300"}})
    EXPECT_NE(refused(*identity, words).find("does not apply to these parameters together"),
              std::string::npos)
        << words;
  EXPECT_EQ(refused(llama3_is_by_parts, "low_freq_factor=3.5"), "not refused");
  EXPECT_EQ(refused(alibi_is_kerple_of_power_1, "max_bias=1000"), "not refused");
}

// Far from its centre an xPos is scaled, however large its scale base or its gamma.
TEST(Identities, of_an_endless_xpos_are_said_near_its_centre) {
  EXPECT_EQ(refused(xpos_of_an_endless_scale_base_is_rope, "centre=256"), "not refused");
  EXPECT_EQ(
      refused(xpos_of_an_endless_scale_base_is_rope, "centre=1e300"),
      "`centre=1e+300`: xpos_of_an_endless_scale_base_is_rope is said where scale_base is 1e+300, centre is 0 or 256");
  EXPECT_EQ(refused(xpos_of_an_endless_gamma_is_rope, "centre=256 scale_base=64"), "not refused");
  const std::string where =
      ": xpos_of_an_endless_gamma_is_rope is said where gamma is 1e+300, scale_base is 64 or 512, centre is 0 or 256";
  EXPECT_EQ(refused(xpos_of_an_endless_gamma_is_rope, "centre=1e300"), "`centre=1e+300`" + where);
  EXPECT_EQ(refused(xpos_of_an_endless_gamma_is_rope, "scale_base=1e-300"), "`scale_base=1e-300`" + where);
}

// What each says of itself can be asked: its words are those of the schemas, and each negative example is of
// a setting of which it is said.
TEST(Identities, speak_of_parameters_that_there_are) {
  for (const auto& [id, identity] : catalogue::identities()) {
    EXPECT_EQ(identity_named(id), identity);
    EXPECT_EQ(id_of(*identity), id);
    for (const auto& one : identity->where.all)
      EXPECT_NE(identity->left->parameters.find(one.parameter), nullptr) << id << " " << one.parameter;
    for (const WrongSide& wrong : identity->must_reject) {
      const Property property = property_of(*identity, Case::parse(wrong.setting));
      EXPECT_FALSE(property.must_reject.empty()) << id;
      EXPECT_TRUE(applies(property, identity->left->make(with(*identity->left, Case::parse(wrong.setting)))));
    }
  }
  EXPECT_EQ(identity_named("no_such_identity"), nullptr);
  EXPECT_EQ(left_of(llama3_is_by_parts), "rope where scaling is llama3");
}

TEST(Identities, are_asked_of_subjects_of_the_kind_of_their_left_side) {
  const Property property = property_of(llama3_is_by_parts, Case::parse("dim=4"));
  EXPECT_TRUE(applies(property, encodings::rope.make(Case::parse("dim=4 scaling=llama3"))));
  EXPECT_FALSE(applies(property, encoding_named("alibi").make({})));
}

// One case by hand: pair 0 at t = 4 and s = 2 rotates by 4 / 2 = 2 radians.
TEST(Identities, compare_one_case_with_the_right_side) {
  const Parameters words = Case::parse("dim=2 scaling=linear factor=2");
  const Property property = property_of(interpolation_at_s_t_is_rope_at_t, words);
  const Case one = Case::parse("batch=1 tokens=1 t=2 role=query x=[1,0]");
  const Encoding right = encodings::rope.make(words);
  EXPECT_TRUE(std::holds_alternative<Holds>(replay(*trial(property, right, all_f64), one)));
  // Off by 2^-45 of cos 2 = -0.416, which f64 does not allow and f32 does.
  const Encoding wrong = spoiled(right, [](const AnswerEntry& at, double exact) {
    return at.is_first() ? exact * (1 + 0x1p-45) : exact;
  });
  const Verdict refuted = replay(*trial(property, wrong, all_f64), one);
  ASSERT_TRUE(std::holds_alternative<Refuted>(refuted));
  EXPECT_NEAR(std::get<Refuted>(refuted).residual.error, 0.4161468365 * 0x1p-45,
              0x1p-54);  // of a double near 0.4
  EXPECT_TRUE(std::holds_alternative<Holds>(replay(*trial(property, wrong, all_f32), one)));
  // What is allowed: rounding on both sides, some units of 1.
  EXPECT_LT(std::get<Refuted>(refuted).residual.bound, 64 * unit_f64);
}

std::string right_of(const Identity& identity, std::string_view words) {
  const Parameters left = with(*identity.left, Case::parse(words));
  const auto right = identity.right_of(Arguments(identity.left->parameters, left));
  return right ? right->text() : "none";
}

TEST(Identities, of_resized_tables_have_these_right_sides) {
  EXPECT_EQ(
      right_of(resized_table_of_its_own_size_is_learned,
               "dim=2 from_height=4 height=4 from_width=5 width=5 kept_rows=3 table=seeded table_seed=7"),
      "dim=2 table=seeded table_seed=7 std=0.02 length=23");
  EXPECT_EQ(right_of(resized_table_of_its_own_size_is_learned,
                     "dim=2 from_height=4 height=4 from_width=5 width=5 kept_rows=3"),
            "dim=2 table=index length=23");
  EXPECT_EQ(right_of(resized_constants_are_constants,
                     "dim=2 from_height=4 height=3 from_width=8 width=5 kept_rows=1 table=constant"),
            "dim=2 height=3 width=5 kept_rows=1 table=constant method=first from_height=3 from_width=5");
  EXPECT_EQ(right_of(cope_of_open_gates_is_shaw_shifted_by_one, "length=4"), "none");
  EXPECT_NE(right_of(cope_of_open_gates_is_shaw_shifted_by_one, "length=5"), "none");
  EXPECT_EQ(right_of(a_ramp_between_corners_is_normalized_index, "dim=1 from_height=1 height=1"),
            "dim=1 range=zero_one");
  const std::string mirrored = "dim=1 table=mirrored align_corners=", filtered = " antialias=";
  EXPECT_EQ(right_of(resized_mirror_images_are_mirrored, mirrored + "true" + filtered + "true"), "none");
  EXPECT_NE(right_of(resized_mirror_images_are_mirrored, mirrored + "false" + filtered + "true"), "none");
  EXPECT_NE(right_of(resized_mirror_images_are_mirrored, mirrored + "true" + filtered + "false"), "none");
}

// What the check of an identity says of one case, with these tables on its sides.
Residual residual(const Identity& identity, std::string_view setting, const Encoding& left,
                  const Encoding& right, std::string_view asked) {
  const Parameters all = with(*identity.left, Case::parse(setting));
  const Arguments parameters(identity.left->parameters, all);
  Replay draw(Case::parse(asked));
  return identity.check({left, left, right, parameters, all_f64}, draw);
}

// Twice the roundings of the right side, 4 times as large as its entries of at most 1, and those of the left.
TEST(Identities, of_a_ramp_allow_what_both_sides_lose) {
  const Identity& ramp = a_ramp_between_corners_is_normalized_index;
  const std::string words =
      "dim=1 from_height=1 height=1 from_width=5 width=9 method=linear align_corners=true antialias=false "
      "table=index";
  const Parameters all = with(*ramp.left, Case::parse(words));
  const Encoding left = ramp.left->oracle(all),
                 right = ramp.right->oracle(Case::parse("dim=1 range=zero_one"));
  const Residual found =
      residual(ramp, words, left, right, "rows=1 t=5 n=7");  // the length is that of the axis
  Call call;
  call.positions.whole = {5};
  call.length = 9;
  const auto lost = [&](const Encoding& of) {
    const Tensor exact = answer(of, call);
    return bound(of, call, exact, all_f64).error.data[0] + unit_f64 * std::abs(exact.data[0]);
  };
  EXPECT_EQ(found.error, 0);
  EXPECT_DOUBLE_EQ(found.bound, lost(left) + 2 * 4 * lost(right));
}

// Of a table that counts its entries the row and the column that are compared can be read.
TEST(Identities, of_mirror_images_compare_the_opposite_place) {
  const Identity& mirrored = resized_mirror_images_are_mirrored;
  const std::string words =
      "dim=1 from_height=3 height=3 from_width=5 width=5 kept_rows=2 method=linear align_corners=false "
      "antialias=false table=index";
  const Encoding counted = mirrored.left->oracle(with(*mirrored.left, Case::parse(words)));
  // Row 0 and column 1 are the fourth entry: 2 + 1.
  const auto apart = [&](const std::string& asked) {
    return residual(mirrored, words, counted, counted, asked + " rows=1 t=3 n=17").error;
  };
  EXPECT_EQ(apart("down=0 across=0"), 0);
  EXPECT_EQ(apart("down=1 across=0"), 2 * 5);
  EXPECT_EQ(apart("down=0 across=1"), 3 - 1);
  EXPECT_EQ(apart("down=1 across=1"), 2 * 5 + 3 - 1);
  EXPECT_EQ(residual(mirrored, words, counted, counted, "down=1 across=1 rows=1 t=1 n=17").error, 0)
      << "a kept row";
}

}  // namespace
}  // namespace posproof::identities_test
