// Settings that are tried where no usual one explains what a subject answers.
#include "diagnosis/other_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "diagnosis/diagnosis.h"
#include "run/catalogued.h"

namespace posproof::other_values_test {
namespace {

using Words = std::vector<std::string>;

const Schema schema{
    {{"dim", type::any_width, 4.0, {4.0}, "width"},
     {"clip", type::Whole{1, 100}, 8.0, {2.0, 5.0}, "the last offset"},
     {"base", type::Real{}, 10000.0, {10000.0}, "base"},
     {"order",
      type::Word{{"given", "other"}},
      std::string("given"),
      {std::string("given"), std::string("other")},
      "order"},
     {"sides", type::Flag{}, std::string("true"), {std::string("true"), std::string("false")}, "sides"},
     {"parts", type::List{4}, std::vector{1.0, 2.0, 4.0}, {std::vector{1.0}}, "parts"},
     {"powers", type::List{4}, std::vector{3.0}, {std::vector{3.0}}, "powers"},
     {"share", type::Real{}, 1.0, {1.0, 0.5}, "share", "", true},
     {"table_seed", type::any_whole, 1.0, {1.0}, "seed"}}};

// What differs from the standard setting, in the order in which it is tried.
Words tried(const std::string& of) {
  const Parameters standard = Arguments(schema, {}).parameters();
  Words out;
  for (const Parameters& other : other_settings(schema, {})) {
    std::string words;
    for (const auto& [name, value] : other.fields())
      if (text(value) != text(*standard.find(name)))
        words += (words.empty() ? "" : " ") + name + "=" + text(value);
    if (words.starts_with(of + "=")) out.push_back(words);
  }
  return out;
}

TEST(OtherSettings, are_neighbours_orders_and_two_words_at_once) {
  EXPECT_EQ(tried("clip"),
            (Words{"clip=7", "clip=9", "clip=6", "clip=10", "clip=16", "clip=4", "clip=0", "clip=1"}));
  EXPECT_EQ(tried("base"),
            (Words{"base=9999", "base=10001", "base=9998", "base=10002", "base=20000", "base=5000", "base=0",
                   "base=1", "base=100000", "base=1000", "base=100000000", "base=100", "base=0.0001",
                   "base=10", "base=500000", "base=1000000"}));
  EXPECT_EQ(tried("parts"),
            (Words{"parts=[4,2,1]", "parts=[2,1,4]", "parts=[2,4,1]", "parts=[1,4,2]", "parts=[4,1,2]",
                   "parts=[0.5,1,2]", "parts=[2,4,8]", "parts=[3] powers=[1,2,4]"}));
  EXPECT_EQ(tried("powers"), (Words{"powers=[1.5]", "powers=[6]"}));
  EXPECT_EQ(tried("order"), (Words{"order=other sides=false", "order=other share=0.5"}));
  EXPECT_EQ(tried("sides"), Words{"sides=false share=0.5"});
  EXPECT_EQ(tried("dim"), Words{});
  EXPECT_EQ(tried("table_seed"), Words{});
}

// What a subject of another setting is said to be.
Words said(const std::string& family, const std::string& declared, const std::string& is) {
  const EncodingSpec& spec = encoding_named(family);
  const Parameters parameters = with(spec, Case::parse(declared));
  const Subject subject{"made", "", spec.make(with(spec, Case::parse(is))), all_f32};
  Words out;
  for (const Explanation& one : diagnose(spec, family, parameters, subject, {}, 1))
    out.push_back(one.what + " | " + one.meaning);
  return out;
}

TEST(OtherSettings, explain_what_no_usual_setting_does) {
  EXPECT_EQ(said("pope", "dim=2", "dim=2 base=1000"),
            (Words{"--base 1000 | base of the frequencies base^(-c/dim)"}));
  EXPECT_EQ(said("pope", "dim=2", "dim=2 base=1234"), Words{});
  const std::string cubic = "dim=2 from_height=4 from_width=5 height=3 width=8 method=cubic table=seeded";
  EXPECT_EQ(
      said("resized_table", cubic, cubic + " antialias=true coefficient=-0.5"),
      (Words{"--antialias true --coefficient -0.5 | true: filters as wide as the step, cut at the border; "
             "of the cubic: -0.75 PyTorch, -0.5 PIL, JAX and PyTorch with antialias"}));
}

}  // namespace
}  // namespace posproof::other_values_test
