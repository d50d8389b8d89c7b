#include "run/drawn_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "catalogue/encodings.h"
#include "catalogue/properties.h"
#include "identify/identified.h"
#include "run/agreement.h"
#include "search/generate.h"
#include "search/trial.h"

namespace posproof::drawn_names_test {
namespace {

using Names = std::set<std::string, std::less<>>;

// Biases are cheap, and draw most.
void collect(const Trial& trial, std::string_view id, const Encoding& encoding, Names& names) {
  for (std::uint64_t n = 0; n < (std::holds_alternative<Bias>(encoding) ? 100 : 10); ++n) {
    RandomDraw draw(1, id, n);
    try {
      trial(draw);
    } catch (const Discard&) {
    } catch (const Inapplicable&) {
    } catch (const Refusal&) {
    }
    for (const auto& field : draw.drawn().fields()) names.insert(without_number(field.name));
  }
}

// Every name that a property draws under for an encoding of the catalogue is known, and there is no other.
TEST(DrawnNames, are_those_of_all_properties) {
  Names found;
  for (const auto& [id, spec] : catalogue::encodings()) {
    Parameters small;
    for (const auto& [name, value] : {std::pair{"dim", 4.0}, {"heads", 2.0}})
      if (spec->parameters.find(name) != nullptr && makes_sense(*spec, Case{{{name, value}}}))
        small.set(name, value);
    const Encoding encoding = spec->make(small);
    Names names;
    for (const auto& [property_id, property] : catalogue::properties())
      if (const auto one = trial(*property, encoding, all_f64)) collect(*one, property_id, encoding, names);
    collect(*trial(agreement(encoding), encoding, all_f64), agreement_id, encoding, names);
    for (const std::string& name : names) {
      EXPECT_TRUE(is_drawn(name, encoding)) << id << " draws " << name;
      found.insert(name);
    }
  }
  for (const DrawnName& one : drawn_names()) EXPECT_TRUE(found.contains(one.name)) << one.name;
}

TEST(DrawnNames, have_numbers_where_there_are_several) {
  EXPECT_EQ(without_number("i12"), "i#");
  EXPECT_EQ(without_number("t1_part"), "t#");
  EXPECT_EQ(without_number("arranged_i"), "arranged");
  EXPECT_TRUE(is_drawn("i", Table{}));
  EXPECT_TRUE(is_drawn("i3", Bias{}));
  EXPECT_FALSE(is_drawn("k3", Bias{}));
  EXPECT_TRUE(is_drawn("step", Bias{}));
  EXPECT_FALSE(is_drawn("step", Contextual{}));
  EXPECT_FALSE(is_drawn("dim", Table{}));
}

}  // namespace
}  // namespace posproof::drawn_names_test
