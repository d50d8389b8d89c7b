#include "run/identities.h"

#include <gtest/gtest.h>

#include "catalogue/encodings/rope.h"
#include "catalogue/identities.h"
#include "catalogue/identities/interpolation_at_s_t_is_rope_at_t.h"
#include "catalogue/identities/llama3_is_by_parts.h"
#include "catalogue/identities/p_rope_of_all_pairs_is_rope.h"
#include "core/spoiled.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof {
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
                .find("p_rope_of_all_pairs_is_rope says nothing of these parameters together"),
            std::string::npos);
  EXPECT_EQ(refused(llama3_is_by_parts, ""), "not refused");
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

}  // namespace
}  // namespace posproof
