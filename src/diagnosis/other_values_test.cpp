// Settings that are tried where no usual one explains what a subject answers.
#include "diagnosis/other_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "core/formats.h"
#include "diagnosis/diagnosis.h"
#include "exact/numbers.h"
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

TEST(OtherOrders, are_all_of_a_short_list) {
  Words out;
  for (const Parameters& other : other_orders(schema, {}))
    out.push_back("parts=" + text(*other.find("parts")) + " powers=" + text(*other.find("powers")));
  EXPECT_EQ(out, (Words{"parts=[1,4,2] powers=[3]", "parts=[2,1,4] powers=[3]", "parts=[2,4,1] powers=[3]",
                        "parts=[4,1,2] powers=[3]", "parts=[4,2,1] powers=[3]"}));
}

// The axes of a grid in another order are a file of another shape.
TEST(OtherOrders, are_none_of_a_grid) {
  const Schema of_a_grid{{{"grid", type::List{2}, std::vector{2.0, 3.0}, {std::vector{2.0, 3.0}}, "grid"}}};
  EXPECT_TRUE(other_orders(of_a_grid, {}).empty());
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
  // The trained number of one head stands for those of all.
  const std::string kerple = "heads=3 r1=[0.5,1,2] r2=";
  EXPECT_EQ(
      said("kerple", kerple + "[0.3,2,4]", kerple + "[0.3]"),
      (Words{
          "--r2 [0.3,0.3,0.3] | power: exponent of the distance; else its factor; the last one is repeated"}));
  for (const std::string& one : said("kerple", kerple + "[0.3,2,4]", kerple + "[0.3,0.3,4]"))
    EXPECT_EQ(one.find("--r2"), one.npos) << one;
  const std::string cubic = "dim=2 from_height=4 from_width=5 height=3 width=8 method=cubic table=seeded";
  EXPECT_EQ(
      said("resized_table", cubic, cubic + " antialias=true coefficient=-0.5"),
      (Words{"--antialias true --coefficient -0.5 | true: filters as wide as the step, cut at the border; "
             "of the cubic: -0.75 PyTorch, -0.5 PIL, JAX and PyTorch with antialias"}));
}

// The axes of a list are taken for others: one setting says more than which pairs rotate by which axis.
TEST(OtherOrders, explain_parts_that_are_exchanged) {
  const std::string three = "axes=3 dim=32 layout=interleaved parts=";
  const Words found = said("axial_rope", three + "[8,12,12]", three + "[12,12,8]");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found.front().starts_with("--parts [12,12,8] | ")) << found.front();
  for (const std::string& one : said("axial_rope", three + "[8,12,12]", three + "[12,10,10]"))
    EXPECT_EQ(one.find("--parts"), one.npos) << one;
  const std::string resized = "dim=16 coordinates=resized grid=[6,5] trained_grid=";
  const Words exchanged = said("axial_rope", resized + "[8,7]", resized + "[7,8]");
  ASSERT_EQ(exchanged.size(), 1u);
  EXPECT_TRUE(exchanged.front().starts_with("--trained_grid [7,8] | ")) << exchanged.front();
}

// Whose trained numbers, or whose lists, are kept in another format than declared.
TEST(RoundedNumbers, are_told_from_what_is_near) {
  const auto in_9_bits = [](double x) { return std::ldexp(std::nearbyint(std::ldexp(x, 9)), -9); };
  const auto in_f32 = [](double x) { return static_cast<double>(to_f32(x)); };
  const struct {
    std::string family, words, list;
    double (*format)(double);
    Precision precision;
    Words expected;
  } all[] = {
      {"shaw", "dim=4", "", &to_bf16, all_f32, {"trained numbers are rounded to bf16"}},
      {"shaw", "dim=4", "", &to_f16, all_f32, {"trained numbers are rounded to f16"}},
      {"transformer_xl", "dim=4", "", in_f32, all_f64, {"trained numbers are rounded to f32"}},
      {"fire", "width=8 heads=2", "", &to_bf16, all_f32, {"trained numbers are rounded to bf16"}},
      {"cable", "dim=4", "", &to_bf16, all_f32, {"trained numbers are rounded to bf16"}},
      {"gaussian_fourier", "dim=8", "", &to_f16, all_f32, {"random numbers are rounded to f16"}},
      {"kerple", "heads=2 r1=[0.3,1.7] r2=[0.7,0.1]", "r1", &to_bf16, all_f32, {"r1 is rounded to bf16"}},
      {"kerple",
       "heads=2 r1=[0.3,1.7] r2=[0.7,0.1]",
       "r1 r2",
       &to_f16,
       all_f32,
       {"r1 and r2 are rounded to f16"}},
      {"kerple", "heads=2 r1=[3,1]", "r1", &to_bf16, all_f32, {}},
      {"shaw", "dim=4", "", in_9_bits, all_f32, {}},
  };
  for (const auto& one : all) {
    const EncodingSpec& spec = encoding_named(one.family);
    const Parameters parameters = with(spec, Case::parse(one.words));
    Parameters kept = parameters;
    for (const std::string name : {"r1", "r2"})
      if (one.list.find(name) != one.list.npos) {
        auto list = std::get<std::vector<double>>(*kept.find(name));
        for (double& x : list) x = one.format(x);
        kept.set(name, list);
      }
    std::optional<exact::SeededNumbersIn> scope;
    if (one.list.empty()) scope.emplace(one.format);
    const Subject subject{"made", "", spec.oracle(kept), one.precision};
    scope.reset();
    Words said;
    for (const Explanation& of : diagnose(spec, one.family, parameters, subject, {}, 1))
      if (of.what.find("rounded to") != of.what.npos) said.push_back(of.what);
    EXPECT_EQ(said, one.expected) << one.family << " " << one.words;
  }
}

// The grid alone: the row of the class token is as it was. Of half of the grid nothing is said.
TEST(RoundedNumbers, are_those_behind_kept_rows) {
  const EncodingSpec& spec = encoding_named("resized_table");
  const Parameters parameters =
      with(spec, Case::parse("dim=4 from_height=3 from_width=2 height=4 width=3 kept_rows=1 table=seeded"));
  const auto said = [&](Position from) {
    // Numbers may be drawn where it is made, or where it answers.
    const auto in_bf16 = [](const auto& what) {
      const exact::SeededNumbersIn scope(&to_bf16);
      return what();
    };
    Table wrong = as<Table>(spec.oracle(parameters));
    const Table rounded = in_bf16([&] { return as<Table>(spec.oracle(parameters)); });
    wrong.rows = [=, right = wrong.rows](const Positions& positions, Position length) {
      Tensor out = in_bf16([&] { return rounded.rows(positions, length); });
      const Tensor declared = right(positions, length);
      for (std::size_t r = 0; r < out.rows(); ++r)
        if (positions[r] < from) std::ranges::copy(declared.row(r), out.row(r).begin());
      return out;
    };
    Words out;
    for (const Explanation& of :
         diagnose(spec, "resized_table", parameters, {"made", "", wrong, all_f32}, {}, 1))
      if (of.what.find("rounded to") != of.what.npos) out.push_back(of.what);
    return out;
  };
  EXPECT_EQ(said(0), Words{"trained numbers are rounded to bf16"});
  EXPECT_EQ(said(1), Words{"trained numbers, but those of kept rows, are rounded to bf16"});
  EXPECT_EQ(said(7), Words{});
}

// ---- lists, and what does not matter

TEST(OtherSettings, of_lists_are_the_first_or_the_last_number_for_all_and_orders_of_few) {
  const EncodingSpec& m_rope = encoding_named("m_rope");
  const auto of_sections = [](const std::vector<Parameters>& all) {
    std::vector<std::string> out;
    for (const Parameters& one : all) out.push_back(text(*one.find("sections")));
    return out;
  };
  const Parameters given = with(m_rope, Case::parse("dim=18 sections=[2,3,4]"));
  EXPECT_EQ(of_sections(shared_numbers(m_rope.parameters, given)),
            (std::vector<std::string>{"[2,2,2]", "[4,4,4]"}));
  EXPECT_EQ(other_orders(m_rope.parameters, given).size(), 3u * 2 * 1 - 1);
  const EncodingSpec& rope = encoding_named("rope");
  const auto orders = [&](const std::string& words) {
    return other_orders(rope.parameters, with(rope, Case::parse("scaling=longrope " + words))).size();
  };
  EXPECT_EQ(orders("dim=8 factors=[1,2,3,5]"), 4u * 3 * 2 * 1 - 1);
  EXPECT_EQ(orders("dim=10 factors=[1,2,3,5,7]"), 0u);
}

// A factor without a scaling is nothing to change by itself.
TEST(OtherSettings, are_of_what_matters) {
  const EncodingSpec& rope = encoding_named("rope");
  const auto with_another_factor_alone = [&](const std::string& words) {
    const Parameters declared = Arguments(rope.parameters, with(rope, Case::parse(words))).parameters();
    return std::ranges::count_if(other_settings(rope.parameters, declared), [&](Parameters other) {
      const bool differs = text(*other.find("factor")) != text(*declared.find("factor"));
      other.set("factor", *declared.find("factor"));
      return differs && other == declared;
    });
  };
  EXPECT_GT(with_another_factor_alone("dim=8 scaling=linear factor=4"), 0);
  EXPECT_EQ(with_another_factor_alone("dim=8"), 0);
}

}  // namespace
}  // namespace posproof::other_values_test
