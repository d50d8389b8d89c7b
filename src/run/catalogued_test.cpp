#include "run/catalogued.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"

namespace posproof::catalogued_test {
namespace {

TEST(Catalogued, everything_is_found_by_its_id_and_has_it) {
  for (const auto& [id, property] : catalogue::properties()) {
    EXPECT_EQ(&property_named(id), property);
    EXPECT_EQ(id_of(*property), id);
  }
  for (const auto& [id, spec] : catalogue::encodings()) {
    EXPECT_EQ(&encoding_named(id), spec);
    EXPECT_EQ(id_of(*spec), id);
  }
  EXPECT_EQ(id_of(Property{}), "");
  EXPECT_EQ(id_of(EncodingSpec(encoding_named("rope"))), "") << "a copy is in no catalogue";
}

// Claimed of every encoding that they can be asked of, without its writing so.
TEST(Catalogued, universal_are_these) {
  std::vector<std::string> universal;
  for (const auto& [id, property] : catalogue::properties())
    if (property->universal) universal.emplace_back(id);
  std::ranges::sort(universal);
  EXPECT_EQ(universal, (std::vector<std::string>{"attention/is_causal", "call/agrees_in_chunks",
                                                 "call/is_stateless", "call/takes_positions_in_any_order",
                                                 "call/treats_batch_rows_independently"}));
}

TEST(Catalogued, what_is_not_there_is_refused_with_what_is_near) {
  const auto refused = [](const auto& named) -> std::string {
    try {
      named();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "not refused";
  };
  EXPECT_EQ(refused([] { encoding_named("ropes"); }),
            "there is no encoding `ropes`; near it: rope, cope, pope; all: posproof list encodings");
  EXPECT_EQ(refused([] {
              property_named("rotary/preserve_norm");
            }).find("there is no property `rotary/preserve_norm`; near it: rotary/preserves_norm, "),
            0u);
}

}  // namespace
}  // namespace posproof::catalogued_test
