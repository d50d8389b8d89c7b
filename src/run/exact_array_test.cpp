#include "run/exact_array.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "run/catalogued.h"
#include "subject/dtype.h"

namespace posproof::exact_array_test {
namespace {

Encoding truth_of(std::string_view id, std::string_view parameters) {
  const EncodingSpec& spec = encoding_named(id);
  return spec.oracle(with(spec, Case::parse(parameters)));
}

// All values of the array, put together from its pieces.
std::vector<double> values_of(const ExactArray& array) {
  std::vector<std::byte> all(count(array.shape) * bytes(array.format));
  array.give(
      [&](std::size_t at, std::span<const std::byte> piece) {
        ASSERT_LE(at + piece.size(), all.size());
        std::copy(piece.begin(), piece.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
      },
      1);
  std::vector<double> out(count(array.shape));
  unpack(array.format, all.data(), out);
  return out;
}

std::string refused(const Encoding& encoding, Position first, Position last) {
  try {
    exact_array(encoding, Format::f32, first, last);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ExactArray, of_rows_is_the_tables_in_a_sequence_up_to_its_last_position) {
  const Encoding truth = truth_of("normalized_index", "dim=2");
  const ExactArray array = exact_array(truth, Format::f64, 1, 4);
  EXPECT_EQ(array.shape, (Shape{4, 2}));
  EXPECT_EQ(array.rounding, "correctly rounded, ties to even");
  EXPECT_EQ(values_of(array), (std::vector<double>{.25, .25, .5, .5, .75, .75, 1, 1}));
  EXPECT_EQ(exact_array(truth, Format::bf16, 1, 4).rounding,
            "correctly rounded to f64, and that to bf16, ties to even");
}

// With its exact entries and without, of two heads, each position against each.
TEST(ExactArray, of_a_bias_has_every_head_query_and_key) {
  for (const std::string_view words : {"heads=3", "heads=2 form=symmetric", "heads=2 rows=key_index"}) {
    const auto bias = as<Bias>(truth_of("alibi", words));
    std::vector<Position> at = {5, 6, 7, 8, 9};
    const Tensor right = bias.bias(at, at);
    Bias plain = bias;
    plain.exact.reset();
    for (const Encoding& one : {Encoding(bias), Encoding(plain)}) {
      const ExactArray array = exact_array(one, Format::f64, 5, 9);
      EXPECT_EQ(array.shape, right.shape) << words;
      EXPECT_EQ(values_of(array), right.data) << words;
    }
  }
}

// More than 2^24 bytes, which are given in two pieces.
TEST(ExactArray, of_a_large_bias_comes_in_pieces_that_follow_each_other) {
  const ExactArray array = exact_array(truth_of("alibi", "heads=1"), Format::bf16, 0, 2899);
  std::size_t pieces = 0, given = 0;
  array.give(
      [&](std::size_t at, std::span<const std::byte> piece) {
        EXPECT_EQ(at, given);
        given += piece.size();
        ++pieces;
      },
      1);
  EXPECT_EQ(given, 2u * 2900 * 2900);
  EXPECT_EQ(pieces, 2u);
}

// Of a rotation both parts, or one.
TEST(ExactArray, of_a_rotation_is_the_part_that_is_asked_for) {
  const auto of = [rope = truth_of("rope", "dim=4 base=4")](RotaryPart part) {
    return values_of(exact_array(rope, Format::f64, 3, 4, part));
  };
  const std::vector<double> cosines = of(RotaryPart::cosines), sines = of(RotaryPart::sines),
                            both = of(RotaryPart::both);
  const double angles[] = {3, 1.5, 4, 2};
  ASSERT_TRUE(cosines.size() == 4 && sines.size() == 4 && both.size() == 8);
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_DOUBLE_EQ(cosines[n], std::cos(angles[n]));
    EXPECT_DOUBLE_EQ(sines[n], std::sin(angles[n]));
    for (const double value : {cosines[n], sines[n]})
      EXPECT_NE(std::ranges::find(both, value), both.end()) << value;
  }
}

// Up to the farthest position that there is; an offset moves it, and a bias has none.
TEST(ExactArray, ends_at_the_farthest_position) {
  constexpr Position farthest = Position{1} << 40;
  const Encoding bias = truth_of("alibi", "heads=1"), rows = truth_of("sinusoidal", "dim=2"),
                 ahead = truth_of("sinusoidal", "dim=2 offset=3");
  for (const auto& [one, offset] : {std::pair{&bias, 0}, {&rows, 0}, {&ahead, 3}}) {
    const Position last = farthest - offset;
    EXPECT_EQ(refused(*one, last, last), "not refused");
    EXPECT_EQ(refused(*one, last, last + 1),
              fmt::format("position {}{}; allowed: -1099511627776 to 1099511627776", last + 1,
                          offset == 0 ? "" : " with offset 3"));
  }
  EXPECT_EQ(refused(bias, -farthest, -farthest), "not refused");
}

TEST(ExactArray, is_refused_where_there_is_none) {
  const Encoding learned = truth_of("learned", "dim=1 length=10 offset=2"),
                 rows = truth_of("sinusoidal", "dim=2");
  EXPECT_EQ(refused(learned, 0, 7), "not refused");
  EXPECT_EQ(refused(learned, 0, 8), "positions 0:8: the encoding is defined for 0 to 7");
  EXPECT_EQ(refused(learned, -1, 7), "positions -1:7: the encoding is defined for 0 to 7");
  EXPECT_EQ(refused(rows, 5, 4), "positions `5:4`; allowed: FIRST:LAST, the first not past the last");
  EXPECT_EQ(refused(rows, -5, 1 << 21), "not refused") << "it says nothing of an end";
  EXPECT_EQ(
      refused(truth_of("none", ""), 0, 4),
      "the answers of this kind, contextual, depend on more than the position; a table, a rotary encoding or a "
      "bias can be written");
  for (const std::string grid : {"sincos_2d", "axial_rope"})
    EXPECT_EQ(
        refused(truth_of(grid, ""), 0, 4),
        "a position has 2 numbers; only encodings of one number are written for a range of positions, and "
        "those with a `grid` for its places");
}

// Row by row of a grid of 2 x 3: of a table its rows, of a rotation the cosines and sines of its pairs in the
// order of their channels, whatever the head.
TEST(ExactArrayOfAGrid, has_a_row_for_each_place) {
  const auto table = as<Table>(truth_of("sincos_2d", "dim=8 offset=1"));
  const ExactArray rows = exact_array_of_grid(table, Format::f64, {2, 3});
  EXPECT_EQ(rows.name, "rows");
  EXPECT_EQ(rows.shape, (Shape{6, 8}));
  EXPECT_EQ(rows.grid, (Shape{2, 3}));
  const std::vector<Position> places = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
  EXPECT_EQ(values_of(rows), table.rows({places, 2}, 1).data);

  const auto rotary =
      as<Rotary>(truth_of("axial_rope", "dim=10 heads=3 layout=interleaved axis_order=reversed"));
  const ExactArray both = exact_array_of_grid(rotary, Format::f64, {2, 3}),
                   cosines = exact_array_of_grid(rotary, Format::f64, {2, 3}, RotaryPart::cosines),
                   sines = exact_array_of_grid(rotary, Format::f64, {2, 3}, RotaryPart::sines);
  EXPECT_EQ(both.name + cosines.name + sines.name, "cos_sincos_cachesin_cache");
  EXPECT_EQ(both.shape, (Shape{6, 10}));
  EXPECT_EQ(sines.shape, (Shape{6, 4}));
  const std::vector<double> all = values_of(both), c = values_of(cosines), s = values_of(sines);
  for (std::size_t place = 0; place < 6; ++place)
    for (std::size_t i = 0; i < 4; ++i) {
      const double angle = static_cast<double>(i < 2 ? place % 3 : place / 3) * (i % 2 == 0 ? 1 : 0.01);
      EXPECT_NEAR(c[4 * place + i], std::cos(angle), unit_f64) << place << " " << i;
      EXPECT_NEAR(s[4 * place + i], std::sin(angle), unit_f64) << place << " " << i;
      EXPECT_EQ(all[10 * place + 2 * i], c[4 * place + i]);
      EXPECT_EQ(all[10 * place + 2 * i + 1], s[4 * place + i]);
    }
  for (std::size_t place = 0; place < 6; ++place)
    EXPECT_EQ(all[10 * place + 8] + all[10 * place + 9], 0) << "in no pair";

  // Pairs of rows and columns in turn, which the reference has one axis after the other: their columns stand
  // in the order of their channels.
  const EncodingSpec& spec = encoding_named("axial_rope");
  const Encoding by_parts = spec.make(with(spec, Case::parse("dim=8 order=alternating")));
  const std::vector<double> in_turn =
      values_of(exact_array_of_grid(by_parts, Format::f64, {2, 3}, RotaryPart::sines));
  for (std::size_t place = 0; place < 6; ++place)
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(in_turn[4 * place + i],
                  std::sin(static_cast<double>(i % 2 == 0 ? place / 3 : place % 3) * (i < 2 ? 1 : 0.01)),
                  unit_f64)
          << place << " " << i;
}

TEST(ExactArrayOfAGrid, is_refused_where_there_is_none) {
  const auto refused_grid = [](const Encoding& of, const Shape& grid) -> std::string {
    try {
      exact_array_of_grid(of, Format::f32, grid);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "not refused";
  };
  const std::string places = "written are the places of tables and rotations, with an extent for each number";
  EXPECT_EQ(refused_grid(truth_of("sincos_2d", ""), {2, 3, 4}), places);
  EXPECT_EQ(refused_grid(truth_of("relative_table", ""), {2, 3}), places);
  EXPECT_EQ(refused_grid(truth_of("mixed_rope", "dim=8 heads=2 shared=false"), {2, 3}),
            "each head is rotated by angles of its own: they are not one table");
  EXPECT_NE(refused_grid(truth_of("sincos_2d", ""), {1 << 20, 1 << 20}).find("allowed: at most"),
            std::string::npos);
  EXPECT_EQ(refused_grid(truth_of("axial_rope", "dim=8"), {2, 3}), "not refused");
}

}  // namespace
}  // namespace posproof::exact_array_test
