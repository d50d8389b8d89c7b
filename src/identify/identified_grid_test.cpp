// Of which grid a file of rotations is.
#include "identify/identified_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "run/catalogued.h"

namespace posproof::identified_grid_test {
namespace {

// The rotations of a grid of 6 x 4 in a file that is read with so many columns. `wrong` of its places,
// counted row by row, are those of the next one.
Rotary read_with(Position columns, const std::vector<Position>& wrong = {}) {
  constexpr Position rows = 6, all = 24;
  auto out = as<Rotary>(encoding_named("axial_rope").make(Case::parse("dim=8")));
  out.positions.last_on_axis = {all / columns - 1, columns - 1};
  out.positions.hi = std::max(all / columns, columns) - 1;
  out.rotate = [=, own = out.rotate](const Tensor& x, const Positions& at, Role role) {
    std::vector<Position> places;
    for (std::size_t n = 0; n < at.size(); ++n) {
      EXPECT_LT(at.flat()[2 * n], all / columns) << "past the last row";
      EXPECT_LT(at.flat()[2 * n + 1], columns) << "past the last column";
      const Position place = at.flat()[2 * n] * columns + at.flat()[2 * n + 1],
                     there = place + (std::ranges::find(wrong, place) != wrong.end() ? 1 : 0);
      places.insert(places.end(), {there / (all / rows), there % (all / rows)});
    }
    return own(x, {places, 2}, role);
  };
  return out;
}

// Each place from the first one on: numbers that begin at 3 rotate as those that begin at 0.
TEST(IdentifiedGrid, is_rotated_from_its_origin) {
  const std::string words = "dim=8 base=100 offset=";
  const auto from_0 = as<Rotary>(encoding_named("axial_rope").make(Case::parse(words + "0"))),
             from_3 =
                 from_the_origin(as<Rotary>(encoding_named("axial_rope").make(Case::parse(words + "3"))));
  Tensor x({1, 1, 4, 8});
  for (std::size_t n = 0; n < x.data.size(); ++n) x.data[n] = std::sin(static_cast<double>(n));
  const std::vector<Position> at = {0, 0, 1, 0, 0, 1, 5, 7};
  const Positions places(at, 2);
  const Tensor ought = from_0.rotate(x, places, Role::query), is = from_3.rotate(x, places, Role::query);
  // Angles below 16, 4 and 8 are rounded by 2^-50, 2^-52 and 2^-51, times a pair's norm, which is below
  // 2^0.5: 2^-48 together. A dozen products, sums and quotients of numbers below 2 add 2^-53 each, less than
  // 2^-49.
  for (std::size_t n = 0; n < is.data.size(); ++n) EXPECT_NEAR(is.data[n], ought.data[n], 0x1p-47) << n;
}

// [places, 1, pairs] are places as [places, pairs] are, and [rows, columns, pairs] say their grid.
TEST(IdentifiedGrid, of_a_cache_is_each_of_so_many_places) {
  const auto grids = [](const Shape& shape) {
    std::set<std::string> out;
    for (const Candidate& one : grid_caches({shape, shape})) out.insert(text(*one.parameters.find("grid")));
    return out;
  };
  using Grids = std::set<std::string>;
  EXPECT_EQ(grids({24, 8}), (Grids{"[4,6]", "[6,4]"}));
  EXPECT_EQ(grids({24, 1, 8}), (Grids{"[4,6]", "[6,4]"}));
  EXPECT_EQ(grids({3, 8, 8}), Grids{"[3,8]"});
  EXPECT_EQ(grids({24}), Grids{});
  // Of a film, frame by frame, each of which has 4 rows and columns at least.
  EXPECT_EQ(grids({32, 8}), (Grids{"[4,8]", "[8,4]", "[2,4,4]"}));
  EXPECT_EQ(grids({48, 8}), (Grids{"[4,12]", "[6,8]", "[8,6]", "[12,4]", "[2,4,6]", "[2,6,4]", "[3,4,4]"}));
  EXPECT_EQ(grids({3, 5, 7, 8}), Grids{"[3,5,7]"});
}

// By the slowest pair first: the fastest has turned a few times before -40.
TEST(IdentifiedGrid, knows_the_numbers_of_its_first_place) {
  const auto of = [](const std::string& words) {
    return as<Rotary>(encoding_named("axial_rope").make(Case::parse(words)));
  };
  const Rotary whole = of("dim=24 base=100"),
               cropped =
                   of("dim=24 base=100 coordinates=cropped grid=[6,8] crop_start=[-40,3] crop_stop=[-34,11]");
  const std::vector<double> found = first_place(cropped, whole);
  ASSERT_EQ(found.size(), 2u);
  // An angle of 40 is rounded by 2^-48, and the fastest pair rotates by 1 a step.
  EXPECT_NEAR(found[0], -40, 1e-12);
  EXPECT_NEAR(found[1], 3, 1e-12);
  EXPECT_EQ(first_place(whole, whole), (std::vector<double>{0, 0}));
}

// Two arrays have a column for each pair or each channel; one has cosines for both, and sines behind them.
TEST(IdentifiedGrid, of_a_cache_has_a_width_and_a_layout) {
  const auto shapes = [](const std::vector<Shape>& arrays) {
    std::set<std::string> out;
    for (const Candidate& one : grid_caches(arrays))
      out.insert(text(*one.parameters.find("dim")) + " " + one.parameters.word("layout"));
    return out;
  };
  using Set = std::set<std::string>;
  EXPECT_EQ(shapes({{24, 8}, {24, 8}}),
            (Set{"16 half_split", "8 half_split", "8 half_split_by_axis", "8 interleaved"}));
  EXPECT_EQ(shapes({{24, 16}}), (Set{"16 half_split", "16 half_split_by_axis", "16 interleaved",
                                     "8 half_split", "8 half_split_by_axis", "8 interleaved"}));
  EXPECT_EQ(shapes({{24, 7}}), (Set{"7 half_split", "7 half_split_by_axis", "7 interleaved"}));
}

// Entries of the first place are 0 and 1, within a thousandth.
TEST(IdentifiedGrid, of_a_table_begins_at_0) {
  const auto proposes = [](double off) {
    auto table = as<Table>(encoding_named("sincos_2d").make(Case::parse("dim=16 base=100")));
    table.rows = [off, own = table.rows](const Positions& at, Position length) {
      Tensor rows = own(at, length);
      for (std::size_t r = 0; r < rows.rows(); ++r) rows.at(r, 5) += off;
      return rows;
    };
    return !measured_grid_candidates(table, all_f32).empty();
  };
  for (const double off : {0.0, 0.9e-3, -0.9e-3}) EXPECT_TRUE(proposes(off)) << off;
  for (const double off : {1.1e-3, -1.1e-3}) EXPECT_FALSE(proposes(off)) << off;
}

// Slower and slower: a sine that is larger than one before is of no ladder. Here of the last pair of rows.
TEST(IdentifiedGrid, of_a_table_has_a_ladder_that_falls) {
  const auto bases = [](double step) {
    auto table = as<Table>(encoding_named("sincos_2d").make(Case::parse("dim=24 base=100 layout=sin_cos")));
    table.rows = [step, own = table.rows](const Positions& at, Position length) {
      Tensor rows = own(at, length);
      for (std::size_t r = 0; r < rows.rows(); ++r)
        if (at.flat()[2 * r] == 1) rows.at(r, 5) = step;
      return rows;
    };
    std::set<double> out;
    for (const Candidate& one : measured_grid_candidates(table, all_f32))
      out.insert(one.parameters.real("base"));
    return out;
  };
  EXPECT_TRUE(bases(0.8).contains(100));
  EXPECT_TRUE(bases(std::sin(std::pow(100.0, -5.0 / 6))).contains(100));
}

// One of all axes, or a list of one for each.
TEST(IdentifiedGrid, of_a_table_has_the_bases_and_the_divisors_of_each_axis) {
  const auto proposes = [](const std::string& words) {
    const Parameters own = Case::parse(words);
    const auto table =
        as<Table>(encoding_named("sincos_2d").make(Case::parse("dim=24 layout=sin_cos " + words)));
    return std::ranges::any_of(measured_grid_candidates(table, all_f32), [&](const Candidate& one) {
      return std::ranges::all_of(own.fields(), [&](const auto& field) {
        const Value* value = one.parameters.find(field.name);
        return value != nullptr && text(*value) == text(field.value);
      });
    });
  };
  for (const std::string words : {"base=100 factor=2", "base=100 factors=[2,4]", "bases=[100,50]"})
    EXPECT_TRUE(proposes(words)) << words;
}

TEST(IdentifiedGrid, is_the_one_where_each_pair_rotates_along_one_number) {
  EXPECT_EQ(of_its_grid(read_with(4)), OfItsGrid::yes);
  for (const Position columns : {2, 3, 6, 8, 12})
    EXPECT_EQ(of_its_grid(read_with(columns)), OfItsGrid::no) << columns;
  // One place that is another is none of a grid, the last too.
  // Each channel along one number, and what were taken for pairs along two.
  Rotary other_pairs = read_with(4);
  ASSERT_EQ(other_pairs.pairs.size() % 2, 0u);
  for (std::size_t i = 0; 2 * i < other_pairs.pairs.size(); ++i)
    std::swap(other_pairs.pairs[i].second, other_pairs.pairs[i + other_pairs.pairs.size() / 2].second);
  EXPECT_EQ(of_its_grid(other_pairs), OfItsGrid::in_other_pairs);
  for (const Position place : {0, 5, 22})
    EXPECT_EQ(of_its_grid(read_with(4, {place})), OfItsGrid::no) << place;
}

}  // namespace
}  // namespace posproof::identified_grid_test
