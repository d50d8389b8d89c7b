#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "catalogue/defects.h"
#include "catalogue/defects/alibi.h"
#include "catalogue/defects/learned.h"
#include "catalogue/defects/rope.h"
#include "catalogue/defects/sinusoidal.h"
#include "catalogue/encodings.h"
#include "run/agreement.h"
#include "search/trial.h"

namespace posproof {
namespace {

const EncodingSpec& spec_of(std::string_view family) {
  for (const auto& [id, spec] : catalogue::encodings())
    if (id == family) return *spec;
  throw std::logic_error("no encoding has the name of the family " + std::string(family));
}

const Defect& defect(const DefectFamily& family, std::string_view name) {
  for (const Defect& one : family.defects)
    if (one.name == name) return one;
  throw std::logic_error("no defect " + std::string(name));
}

Verdict searched(const Property& property, const Encoding& encoding, Precision precision,
                 std::string_view id) {
  return search(*trial(property, encoding, precision), {.id = std::string(id)});
}

TEST(Defects, have_names_of_their_own_and_a_source) {
  for (const auto& [family, defects] : catalogue::defects()) {
    std::set<std::string_view> names;
    for (const Defect& one : defects->defects) {
      EXPECT_TRUE(names.insert(one.name).second) << family << " has two named " << one.name;
      EXPECT_NE(one.sources.find_first_of("#@"), std::string_view::npos) << family << "/" << one.name;
      EXPECT_FALSE(one.wrong.empty()) << family << "/" << one.name;
    }
  }
}

// Without the defect the property that refutes it holds at the same settings, and so does agreement with the
// oracle: it is the defect that is refuted, not the setting.
TEST(Defects, are_what_is_wrong_at_their_settings) {
  std::set<std::string> seen;
  for (const auto& [family, defects] : catalogue::defects())
    for (const Defect& one : defects->defects) {
      const EncodingSpec& spec = spec_of(family);
      const Parameters parameters = with(spec, Case::parse(one.setting));
      const Property agrees = agreement(spec.oracle(parameters));
      for (const Property* property : {&agrees, one.refuted_by}) {
        if (property == nullptr) continue;
        const std::string id =
            fmt::format("{} {} {} {}", family, one.setting, one.precision.word(), property->formula);
        if (!seen.insert(id).second) continue;
        const Verdict verdict = searched(*property, spec.make(parameters), one.precision, id);
        EXPECT_TRUE(std::holds_alternative<Holds>(verdict)) << id << ": " << name(verdict);
      }
    }
}

std::string refused(const DefectFamily& family, std::string_view name, std::string_view parameters) {
  for (const auto& [id, value] : catalogue::defects())
    if (value == &family) {
      try {
        defect(family, name).make(with(spec_of(id), Case::parse(parameters)));
      } catch (const Refusal& refusal) {
        return refusal.what();
      }
    }
  return "not refused";
}

TEST(Defects, refuse_what_makes_no_difference) {
  EXPECT_EQ(refused(defects::rope, "base_ignored", "base=10000"),
            "the same where `base=10000` or one pair rotates");
  EXPECT_EQ(refused(defects::rope, "pairing_swapped", "dim=2"),
            "the layouts are the same where one pair rotates");
  EXPECT_EQ(refused(defects::rope, "warp_shuffle_limit", "dim=32"), "the same up to 32 channels");
  EXPECT_EQ(refused(defects::rope, "position_plus_head", "heads=1"), "the same for one head");
  EXPECT_EQ(refused(defects::rope, "scaling_ignored", "dim=4 scaling=llama3"),
            "there is no scaling, or it leaves every pair as it is");
  EXPECT_EQ(refused(defects::rope, "yarn_attention_factor_ignored", "scaling=yarn factor=1"),
            "the attention factor is 1 by right");
  EXPECT_EQ(refused(defects::sinusoidal, "integer_division_exponent", "dim=2"),
            "the first frequency is 1 by right");
  EXPECT_EQ(refused(defects::alibi, "geometric_for_any_head_count", "heads=8"),
            "the slopes are the same for these heads");
  EXPECT_EQ(refused(defects::learned, "offset_missing", "offset=0"), "the same without an offset");
}

}  // namespace
}  // namespace posproof
