// What wrong positions of several numbers, wrong scales and wrong shifts come to, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "catalogue/defects.h"
#include "core/call.h"
#include "core/failure.h"
#include "run/catalogued.h"

namespace posproof::defects_grids_test {
namespace {

Encoding wrong(std::string_view family, std::string_view name, std::string_view words) {
  for (const auto& [id, defects] : catalogue::defects())
    for (const Defect& one : defects->defects)
      if (id == family && one.name == name) return one.make(with(encoding_named(family), Case::parse(words)));
  throw std::logic_error("no defect " + std::string(name));
}

Encoding right(std::string_view family, std::string_view words) {
  return encoding_named(family).make(Case::parse(words));
}

// Numbers of positions, and the contents 1, 2, 3, ..
Call call_of(const Encoding& encoding, std::vector<Position> numbers, std::size_t axes, std::size_t batch = 1,
             Role role = Role::query) {
  Call call{.batch = batch, .positions = {.whole = std::move(numbers), .axes = axes}, .role = role};
  call.length = 100;
  if (signature(encoding).has(Axis::key)) call.keys = call.positions;
  for (std::size_t n = 0; n < signature(encoding).takes.size(); ++n) {
    call.contents.emplace_back(shape_of_content(encoding, call, n));
    std::iota(call.contents.back().data.begin(), call.contents.back().data.end(), 1.0);
  }
  return call;
}

std::vector<double> answers(const Encoding& encoding, const Call& call) {
  return answer(encoding, call).data;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, std::string_view of) {
  ASSERT_EQ(found.size(), expected.size()) << of;
  for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-12) << of << " " << n;
}

// Asked at the first numbers it answers what the right one answers at the second.
struct Moved {
  std::string family, name, words;
  std::size_t axes;
  std::vector<Position> asked, answered;
  std::size_t batch = 1;
};

TEST(WrongGrids, answer_for_other_places) {
  const std::vector<Moved> all = {
      {"axial_rope", "halves_exchanged", "dim=8", 2, {3, 5, 0, 9}, {5, 3, 9, 0}},
      {"axial_rope", "halves_exchanged", "dim=12 axes=3", 3, {3, 5, 7}, {7, 5, 3}},
      // Tokens 0 to 5 of a grid of 2 x 3, by rows of two.
      {"axial_rope",
       "rows_of_the_height",
       "dim=8 coordinates=cells grid=[2,3]",
       2,
       {0, 0, 0, 1, 0, 2, 1, 0},
       {0, 0, 0, 1, 1, 0, 1, 1}},
      {"axial_rope", "ids_of_the_unpacked_grid", "dim=4", 2, {3, 5}, {6, 10}},
      {"sincos_2d", "axes_swapped", "dim=8", 2, {3, 5, 1, 2}, {5, 3, 2, 1}},
      {"m_rope", "frames_at_one_time", "dim=6 sections=[1,1,1]", 3, {3, 5, 7, 4, 4, 4}, {0, 5, 7, 4, 4, 4}},
      {"m_rope", "frames_at_one_time", "dim=6 sections=[1,1,1]", 3, {3, 3, 7}, {0, 3, 7}},
      {"m_rope", "ids_missing", "dim=6 sections=[1,1,1]", 3, {3, 5, 7, 9, 9, 9}, {0, 0, 0, 1, 1, 1}},
      // Planes 3 8 | 5 9 | 7 4 of two rows: the second row reads 8 5 9 where its own are 8 9 4.
      {"m_rope",
       "stride_of_the_chunk",
       "dim=6 sections=[1,1,1]",
       3,
       {3, 5, 7, 8, 9, 4},
       {3, 8, 5, 8, 5, 9},
       2},
      {"m_rope", "stride_of_the_chunk", "dim=6 sections=[1,1,1]", 3, {3, 5, 7, 8, 9, 4}, {3, 5, 7, 8, 9, 4}},
      {"resized_table",
       "added_before_the_class_token",
       "dim=1 from_height=1 from_width=4 height=1 width=4 kept_rows=2 table=index",
       1,
       {0, 1, 2, 3, 5},
       {0, 1, 0, 1, 3}},
      {"resized_table",
       "sampled_transposed",
       "dim=1 from_height=3 from_width=3 height=3 width=3 kept_rows=1 table=index",
       1,
       {0, 1, 2, 4, 9},
       {0, 1, 4, 2, 9}},
  };
  for (const auto& [family, name, words, axes, asked, answered, batch] : all) {
    const Encoding one = wrong(family, name, words), other = right(family, words);
    expect_near(answers(one, call_of(one, asked, axes, batch)),
                answers(other, call_of(other, answered, axes, batch)), family + "/" + name);
  }
}

TEST(WrongGrids, have_other_settings) {
  const auto same = [](std::string_view family, std::string_view name, std::string_view words,
                       std::string_view other, std::vector<Position> at, std::size_t axes) {
    const Encoding one = wrong(family, name, words), right_there = right(family, other);
    expect_near(answers(one, call_of(one, at, axes)), answers(right_there, call_of(right_there, at, axes)),
                name);
  };
  same("axial_rope", "even_split", "dim=8 axes=3 parts=[4,2,2]", "dim=8 axes=3", {3, 5, 7}, 3);
  same("m_rope", "assignment_swapped", "dim=12 sections=[2,2,2]",
       "dim=12 sections=[2,2,2] assignment=interleaved", {3, 5, 7}, 3);
  same("m_rope", "assignment_swapped", "dim=12 sections=[2,2,2] assignment=interleaved",
       "dim=12 sections=[2,2,2]", {3, 5, 7}, 3);
  // Of 8 channels each axis has 1 and 10^-1 in place of 1 and 10^-2, as the first half of a ladder of base
  // 10^2.
  same("axial_rope", "ladder_half_range", "dim=8", "dim=8 base=100", {3, 5}, 2);
  same("axial_rope", "ladder_half_range", "dim=8 factor=2", "dim=8 base=100 factor=2", {3, 5}, 2);
  same("axial_rope", "ladder_half_range", "dim=8 offset=2", "dim=8 base=100 offset=2", {3, 5}, 2);
  // A table of 2 x 3 read at (x, y): what a table resized to 3 x 2 has, transposed.
  const std::string words = "dim=1 from_height=2 from_width=3 table=index ";
  const Encoding transposed = wrong("resized_table", "sampled_transposed", words + "height=2 width=3");
  for (const char* one_entry : {"from_height=1 from_width=1 height=2 width=3", "height=1 width=1"})
    EXPECT_THROW(wrong("resized_table", "sampled_transposed", std::string("dim=1 table=index ") + one_entry),
                 Refusal);
  const Encoding turned = right("resized_table", words + "height=3 width=2");
  const Encoding exchanged = wrong("resized_table", "height_and_width_exchanged", words + "height=2 width=3");
  expect_near(answers(exchanged, call_of(exchanged, {0, 1, 2, 3, 4, 5}, 1)),
              {0.25, 1.75, 1.75, 3.25, 3.25, 4.75}, "height_and_width_exchanged");
  expect_near(answers(transposed, call_of(transposed, {0, 1, 2, 3, 4, 5}, 1)),
              answers(turned, call_of(turned, {0, 2, 4, 1, 3, 5}, 1)), "sampled_transposed");
}

TEST(WrongGrids, mix_columns_and_take_off_half_the_grid) {
  const Encoding one = wrong("sincos_2d", "stacked_on_the_wrong_axis", "dim=8"),
                 plain = right("sincos_2d", "dim=8");
  const std::vector<double> rows = answers(plain, call_of(plain, {3, 5}, 2));
  expect_near(answers(one, call_of(one, {3, 5}, 2)),
              {rows[0], rows[4], rows[1], rows[5], rows[2], rows[6], rows[3], rows[7]}, "stacked");
  const Encoding half = wrong("sincos_2d", "half_outside_the_bracket", "dim=4 normalize=centred grid=[2,3]");
  const double y = 2 * std::acos(-1.0) * (1 / (2 + 1e-6) - 0.5),
               x = 2 * std::acos(-1.0) * (2 / (3 + 1e-6) - 0.5);
  expect_near(answers(half, call_of(half, {1, 2}, 2)), {std::sin(y), std::cos(y), std::sin(x), std::cos(x)},
              "half");
}

// e^-2 in place of base^(-1/2), and e^-4 where ln(base) is above twice the width.
TEST(WrongGrids, round_an_exponent_down) {
  const Encoding of_8 = wrong("sincos_2d", "exponent_rounded_down", "dim=8 offset=1");
  const auto rows = [](std::vector<double> angles) {
    std::vector<double> out;
    for (const std::size_t part : {0, 1})
      for (const bool sine : {true, false})
        for (std::size_t j = 0; j < angles.size() / 2; ++j) {
          const double angle = angles[part * angles.size() / 2 + j];
          out.push_back(sine ? std::sin(angle) : std::cos(angle));
        }
    return out;
  };
  expect_near(answers(of_8, call_of(of_8, {3, 5}, 2)), rows({4, 4 * std::exp(-2.0), 6, 6 * std::exp(-2.0)}),
              "width 8");
  const Encoding large = wrong("sincos_2d", "exponent_rounded_down", "dim=8 base=1e10");
  expect_near(answers(large, call_of(large, {3, 5}, 2)), rows({3, 3 * std::exp(-4.0), 5, 5 * std::exp(-4.0)}),
              "a larger base");
  for (const char* words :
       {"dim=4", "dim=8 normalize=detr", "dim=8 divisor=half_minus_one", "dim=8 factor=2"})
    EXPECT_THROW(wrong("sincos_2d", "exponent_rounded_down", words), Refusal) << words;
}

TEST(WrongGrids, remember_how_many_tokens_there_were) {
  const std::string words = "dim=6 sections=[1,1,1]";
  const Encoding lost = wrong("m_rope", "delta_lost", words), plain = right("m_rope", words);
  const auto at = [&](const Encoding& one, std::vector<Position> numbers) {
    return answers(one, call_of(one, std::move(numbers), 3));
  };
  expect_near(at(lost, {9, 9, 9}), at(plain, {9, 9, 9}), "before a prompt");
  expect_near(at(lost, {0, 0, 0, 0, 0, 1, 0, 1, 0}), at(plain, {0, 0, 0, 0, 0, 1, 0, 1, 0}), "the prompt");
  expect_near(at(lost, {2, 2, 2}), at(plain, {3, 3, 3}), "a step behind three tokens");
  expect_near(at(lost, {3, 3, 3}), at(plain, {4, 4, 4}), "and the next");
  const Encoding thrice = wrong("m_rope", "tokens_counted_three_times", words);
  EXPECT_THROW(at(thrice, {0, 0, 0}), Failure);
  EXPECT_TRUE(at(thrice, {}).empty());
}

// Two tokens at 10 and 12 of width 4, whose zetas are 0.4/1.4 and 0.9/1.4 and whose angles t and t/100.
std::vector<double> stretched(const std::vector<double>& exponents, bool tiled = false) {
  std::vector<double> out;
  for (std::size_t token = 0; token < 2; ++token) {
    const double t = token == 0 ? 10 : 12;
    for (std::size_t i = 0; i < 2; ++i) {
      const double w = i == 0 ? 1 : 0.01, c = std::cos(t * w), s = std::sin(t * w);
      const auto a = static_cast<double>(4 * token + 2 * i + 1), b = a + 1;
      const auto zeta = [&](std::size_t channel) {
        const std::size_t of = tiled ? channel % 2 : i;
        return std::pow(of == 0 ? 0.4 / 1.4 : 0.9 / 1.4, exponents[token]);
      };
      out.push_back(zeta(2 * i) * (a * c - b * s));
      out.push_back(zeta(2 * i + 1) * (a * s + b * c));
    }
  }
  return out;
}

TEST(WrongXpos, has_other_exponents) {
  const auto at = [](std::string_view name, Role role) {
    const Encoding one = wrong("xpos", name, "dim=4");
    return answers(one, call_of(one, {10, 12}, 1, 1, role));
  };
  const double b = 512;
  expect_near(at("scale_tiled", Role::query), stretched({10 / b, 12 / b}, true), "tiled");
  expect_near(at("scale_tiled", Role::key), stretched({-10 / b, -12 / b}, true), "tiled");
  // Rows 0 and 1 of two, behind the half of two.
  expect_near(at("scale_by_row", Role::query), stretched({-1 / b, 0}), "by row");
  expect_near(at("scale_by_row", Role::key), stretched({1 / b, 0}), "by row");
  // 13 tokens: the centre is 6.
  expect_near(at("centre_of_each_call", Role::query), stretched({4 / b, 6 / b}), "centre");
  expect_near(at("centre_of_each_call", Role::key), stretched({-4 / b, -6 / b}), "centre");
  const Encoding twice = wrong("xpos", "frequencies_kept_for_scales", "dim=2");
  const Call call = call_of(twice, {10}, 1);
  expect_near(answers(twice, call), answers(right("xpos", "dim=2"), call), "the first call");
  const double c = std::cos(10.0), s = std::sin(10.0);
  expect_near(answers(twice, call), {10 * (c - 2 * s), 10 * (s + 2 * c)}, "the second");
}

TEST(WrongShifts, give_each_key_another_vector) {
  const Encoding shaw = right("shaw", "dim=1 clip=4"),
                 absolute = wrong("shaw", "indexed_absolutely", "dim=1 clip=4");
  Call call = call_of(shaw, {2, 3}, 1), at_0 = call;
  at_0.positions.whole = {0, 0};
  expect_near(answers(absolute, call), answers(shaw, at_0), "absolute");
  const Encoding xl = right("transformer_xl", "dim=2 form=bidirectional");
  const Encoding behind = wrong("transformer_xl", "shifted_by_one", "dim=2 form=bidirectional");
  call = call_of(xl, {5, 6}, 1);
  Call one_back = call;
  one_back.keys.whole = {4, 5};
  expect_near(answers(behind, call), answers(xl, one_back), "behind");
}

// Of five tokens the entry (0, 2) holds the score of query 1 for the distance 4, and (0, 1) a zero of the
// padding.
TEST(WrongShifts, leave_scores_of_the_next_query_above_the_diagonal) {
  const std::string words = "dim=2 form=bidirectional";
  const auto xl = as<Contextual>(right("transformer_xl", words));
  const Encoding one_sided = wrong("transformer_xl", "one_sided_shift", words);
  const Call call = call_of(xl, {0, 1, 2, 3, 4}, 1);
  const Tensor found = answer(one_sided, call), plain = answer(xl, call), none({5, 2});
  const std::vector<Position> at = {0, 1, 2, 3, 4};
  const Tensor of_position = xl.logits(call.contents[0], none, at, at);
  const double left_over = of_position.at(4, 0);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j <= i; ++j) EXPECT_EQ(found.at(i, j), plain.at(i, j));
  EXPECT_NEAR(found.at(0, 1), plain.at(0, 1) - of_position.at(0, 1), 1e-12);
  const Tensor q1({1, 2}, {call.contents[0].at(1, 0), call.contents[0].at(1, 1)}), k0({1, 2});
  const std::vector<Position> four = {4}, zero = {0};
  const double score = xl.logits(q1, k0, four, zero).at(0, 0);
  EXPECT_NEAR(found.at(0, 2), plain.at(0, 2) - of_position.at(0, 2) + score, 1e-12);
  EXPECT_NE(left_over, score);
}

TEST(WrongLongrope, takes_its_lists_at_other_lengths) {
  const std::string words =
      "dim=2 scaling=longrope original_length=64 short_factors=[1] factors=[4] attention_factor=1";
  const Encoding early = wrong("rope", "long_factors_at_the_boundary", words),
                 offset = wrong("rope", "factors_by_cache_offset", words);
  const auto second = [](const Encoding& one, std::vector<Position> at) {
    const Tensor out = answer(one, call_of(one, at, 1));
    return std::atan2(out.data[3], out.data[2]) - std::atan2(4.0, 3.0);
  };
  const auto angle = [](double a) { return std::remainder(a, 2 * std::acos(-1.0)); };
  EXPECT_NEAR(angle(second(early, {0, 62}) - 62), 0, 1e-12);
  EXPECT_NEAR(angle(second(early, {0, 63}) - 63.0 / 4), 0, 1e-12);
  EXPECT_NEAR(angle(second(early, {0, 64}) - 64.0 / 4), 0, 1e-12);
  EXPECT_NEAR(angle(second(offset, {0, 100}) - 100), 0, 1e-12);
  EXPECT_NEAR(angle(second(offset, {64, 100}) - 25), 0, 1e-12);
}

TEST(WrongGrids, have_a_half_to_take_off_where_an_axis_has_several_places) {
  const auto made = [](const std::string& grid) {
    return wrong("sincos_2d", "half_outside_the_bracket", "dim=8 normalize=centred grid=" + grid);
  };
  EXPECT_NO_THROW(made("[1,2]"));
  EXPECT_THROW(made("[1,1]"), Refusal);
}

}  // namespace
}  // namespace posproof::defects_grids_test
