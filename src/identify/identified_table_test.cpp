// Settings that are proposed of a table's rows, near and far.
#include "identify/identified_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "identify/identified_grid.h"
#include "run/catalogued.h"

namespace posproof::identified_table_test {
namespace {

MeasuredRows rows_of(const std::string& words, Position end) {
  const auto table = as<Table>(encoding_named("sinusoidal").make(Case::parse(words)));
  std::vector<Position> near(256);
  std::iota(near.begin(), near.end(), Position{0});
  MeasuredRows out;
  for (Position t = 256; t < end; t *= 2) out.at.push_back(t);
  out.near = table.rows(near, end);
  if (!out.at.empty()) out.far = table.rows(out.at, end);
  for (Tensor* rows : {&out.near, &out.far})
    for (double& entry : rows->data) entry = to_bf16(entry);
  return out;
}

bool is_proposed(const MeasuredRows& rows, const std::string& words) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const Parameters wanted = with(spec, Case::parse(words));
  return std::ranges::any_of(table_candidates("sinusoidal", spec, rows, Precision::parse("bf16/f64")),
                             [&](const Candidate& one) { return with(spec, one.parameters) == wanted; });
}

// The first 256 rows in bf16 do not tell five digits of a base; those up to 2^20 do.
TEST(IdentifiedTable, follows_each_pair_over_the_far_rows) {
  for (const std::string words : {"dim=8 base=12345", "dim=8 base=54321 layout=sin_cos"}) {
    EXPECT_TRUE(is_proposed(rows_of(words, Position{1} << 20), words)) << words;
    EXPECT_FALSE(is_proposed(rows_of(words, 256), words)) << words;
  }
}

// One pair may be off, and its amplitude is not that of the others.
TEST(IdentifiedTable, proposes_the_amplitude_of_most_pairs) {
  const std::string words = "dim=16 base=500 amplitude=0.5";
  for (const double factor : {0.25, 4.0}) {
    MeasuredRows rows = rows_of(words, 4096);
    const auto table = as<Table>(encoding_named("sinusoidal").make(Case::parse(words)));
    for (Tensor* part : {&rows.near, &rows.far})
      for (std::size_t r = 0; r < part->rows(); ++r)
        for (const std::size_t c : {table.pairs[2].first, table.pairs[2].second}) part->at(r, c) *= factor;
    EXPECT_TRUE(is_proposed(rows, words)) << factor;
  }
}

// sqrt(2/16), as random_fourier has it, in all its digits.
TEST(IdentifiedTable, proposes_offsets_below_0_roots_of_the_width_and_scales) {
  for (const std::string words :
       {"dim=8 offset=-3", "dim=16 base=500 amplitude=0.35355339059327379", "dim=8 base=500 scale=0.5"})
    EXPECT_TRUE(is_proposed(rows_of(words, 4096), words)) << words;
}

// Behind a million rows angles are off by as many roundings in f64, and so is the phase that they show.
TEST(IdentifiedTable, proposes_offsets_of_rows_far_from_the_origin) {
  const std::string words = "dim=16 base=500 offset=7";
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const auto table = as<Table>(spec.make(Case::parse(words)));
  constexpr Position first = Position{1} << 20;
  std::vector<Position> near(256);
  std::iota(near.begin(), near.end(), first);
  MeasuredRows rows{.near = table.rows(near, 2 * first), .first = first};
  for (Position t = 256; t < first; t *= 2) rows.at.push_back(first + t);
  rows.far = table.rows(rows.at, 2 * first);
  const Parameters wanted = with(spec, Case::parse(words));
  EXPECT_TRUE(
      std::ranges::any_of(table_candidates("sinusoidal", spec, rows, all_f64),
                          [&](const Candidate& one) { return with(spec, one.parameters) == wanted; }));
}

// Of rows that begin at a position: offsets in use, with as many rows before these, and the one that it
// shows.
TEST(IdentifiedTable, proposes_offsets_of_tables_without_frequencies) {
  const auto proposes = [](const std::string& family, const std::string& words, Position first,
                           std::size_t length) {
    const EncodingSpec& spec = encoding_named(family);
    const Parameters wanted = with(spec, Case::parse(words));
    MeasuredRows rows;
    rows.first = first;
    rows.length = length;
    rows.near = as<Table>(spec.make(wanted)).rows(std::vector{first, first + 1, first + 2}, first + 3);
    return std::ranges::any_of(table_candidates(family, spec, rows, all_f32),
                               [&](const Candidate& one) { return with(spec, one.parameters) == wanted; });
  };
  const EncodingSpec& index = encoding_named("raw_index");
  for (const Candidate& one :
       table_candidates("raw_index", index, {.near = Tensor({2, 1}, {0.5, 1.5})}, all_f32))
    EXPECT_TRUE(makes_sense(index, one.parameters)) << one.parameters.text();
  EXPECT_TRUE(proposes("raw_index", "offset=7", 10, 0));
  EXPECT_TRUE(proposes("learned", "dim=4 length=302 offset=2 table=index", 0, 300));
}

TEST(IdentifiedTable, proposes_each_setting_of_a_table_without_an_offset_once) {
  for (const std::string id : {"binary", "one_hot"}) {
    const EncodingSpec& spec = encoding_named(id);
    const auto table = as<Table>(spec.make(Case::parse("dim=8")));
    std::vector<std::string> seen;
    for (const Candidate& one :
         table_candidates(id, spec, {.near = table.rows(std::vector<Position>{0, 1, 2}, 3)}, all_f32))
      seen.push_back(with(spec, one.parameters).text());
    ASSERT_FALSE(seen.empty());
    std::ranges::sort(seen);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << id;
  }
}

// It rotates the other way, three pairs of eight are none, and words that change nothing at an even width.
TEST(IdentifiedTable, proposes_what_most_pairs_are_and_nothing_twice) {
  EXPECT_FALSE(is_proposed(rows_of("dim=8 base=500 direction=backward", 4096), "dim=8 base=500"));
  const auto with_wrong_pairs = [](std::size_t count) {
    const std::string words = "dim=16 base=500";
    MeasuredRows rows = rows_of(words, 4096);
    const auto table = as<Table>(encoding_named("sinusoidal").make(Case::parse(words)));
    for (std::size_t n = 0; n < count; ++n)
      for (Tensor* part : {&rows.near, &rows.far})
        for (std::size_t r = 0; r < part->rows(); ++r) part->at(r, table.pairs[2 * n].first) = 0;
    return is_proposed(rows, words);
  };
  EXPECT_TRUE(with_wrong_pairs(2));
  EXPECT_FALSE(with_wrong_pairs(3));
  const EncodingSpec& spec = encoding_named("sinusoidal");
  std::vector<std::string> odd;
  for (const Candidate& one :
       table_candidates("sinusoidal", spec, rows_of("dim=8 base=500", 4096), Precision::parse("bf16/f64")))
    odd.push_back(with(spec, one.parameters).word("odd"));
  ASSERT_FALSE(odd.empty());
  EXPECT_EQ(std::ranges::count(odd, odd.front()), std::ssize(odd));
}

// By the position that is counted: row 1 is position 4.
TEST(IdentifiedTable, proposes_the_padding_row_behind_the_offset) {
  const std::string words = "dim=8 base=500 offset=3 padding_row=4";
  MeasuredRows rows = rows_of("dim=8 base=500 offset=3", 4096);
  rows.zero_row = 1;
  EXPECT_TRUE(is_proposed(rows, words));
}

// Of rows of a grid: the base and the factor of settings whose frequencies along each axis are the fastest
// one and its powers of the base; the slowest is off by so many times what rounding may put it off, together
// with the fastest, to which it is relative.
std::vector<std::string> proposed_of_a_grid(double fastest, double base, const Precision& precision = all_f32,
                                            double times = 0, const Function<void(Table&)>& change = {}) {
  std::vector<double> w;
  for (int i = 0; i < 4; ++i) w.push_back(fastest * std::pow(base, -i / 4.0));
  // A result and four units of a table, twice: an angle is that of its sine, up to 1. And four of an angle.
  const auto off = [&](double of) {
    return 2 * (precision.result + 4 * precision.table()) / of + 4 * precision.angle;
  };
  w[3] *= 1 + times * (off(w[3]) + off(w[0]));
  Table table{.dim = 16};
  table.positions = {0, 13};
  table.positions.axes = 2;
  table.rows = [w](const Positions& at, Position) {
    Tensor out({at.size(), 16});
    for (std::size_t r = 0; r < at.size(); ++r)
      for (std::size_t axis = 0; axis < 2; ++axis)
        for (std::size_t i = 0; i < 4; ++i) {
          out.at(r, 8 * axis + i) = std::sin(at.at(r, axis) * w[i]);
          out.at(r, 8 * axis + 4 + i) = std::cos(at.at(r, axis) * w[i]);
        }
    return out;
  };
  if (change) change(table);
  std::vector<std::string> out;
  for (const auto& [encoding, given] : measured_grid_candidates(table, precision)) {
    const Parameters one = with(encoding_named(encoding), given);
    if (one.word("divisor") != "half") continue;
    const std::string words = fmt::format("{} {}", one.real("base"), one.real("factor"));
    if (std::ranges::find(out, words) == out.end()) out.push_back(words);
  }
  return out;
}

TEST(IdentifiedGrid, proposes_the_base_of_one_step_along_an_axis) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(proposed_of_a_grid(1, 100), Texts{"100 1"});
  EXPECT_EQ(proposed_of_a_grid(0.5, 100), (Texts{"251.98 2", "251.9842105430734 2", "100 2"}));
  EXPECT_EQ(proposed_of_a_grid(0.8, 50).back(), "50 1.25");
  // A step of more than a quarter of a turn is passed over.
  EXPECT_EQ(proposed_of_a_grid(2, 100).back(), "100 1.58114");
  const auto has_base = [](const Precision& precision, double times) {
    return std::ranges::count(proposed_of_a_grid(1, 100, precision, times), "100 1") == 1;
  };
  for (const Precision& precision : {all_f32, Precision{0x1p-18, unit_f32}, Precision{unit_f32, 0x1p-18},
                                     Precision{unit_f32, unit_f32, Precision::Angles::product, 0x1p-20}})
    for (const double sign : {-1.0, 1.0}) {
      EXPECT_TRUE(has_base(precision, 0.99 * sign)) << precision.text();
      EXPECT_FALSE(has_base(precision, 1.01 * sign)) << precision.text();
    }
}

// A step along each axis, from 0 on, is what is measured.
TEST(IdentifiedGrid, proposes_nothing_of_what_has_no_step) {
  const auto proposed = [](const Function<void(Table&)>& change) {
    return proposed_of_a_grid(1, 100, all_f32, 0, change).size();
  };
  EXPECT_EQ(proposed([](Table& of) { of.positions.last_on_axis = {1, 1}; }), 1u);
  EXPECT_EQ(proposed([](Table& of) { of.positions.last_on_axis = {0, 9}; }), 0u);
  EXPECT_EQ(proposed([](Table& of) { of.positions.last_on_axis = {9, 0}; }), 0u);
  EXPECT_EQ(proposed([](Table& of) { of.positions.real = true; }), 0u);
  EXPECT_EQ(proposed([](Table& of) { of.positions.lo = 1; }), 0u);
  EXPECT_EQ(proposed([](Table& of) { of.positions.lo = -1; }), 1u);
  EXPECT_EQ(proposed([](Table& of) { of.positions.axes = 1; }), 0u);
  const auto moved_by = [&](double off) {
    return proposed([off](Table& of) {
      of.rows = [off, own = of.rows](const Positions& at, Position length) {
        Tensor out = own(at, length);
        for (double& entry : out.data) entry += off;
        return out;
      };
    });
  };
  EXPECT_EQ(moved_by(2e-3), 0u) << "rows that do not begin at 0";
}

// As of a block of rows that stands behind others.
TEST(IdentifiedTable, proposes_offsets_up_to_4096) {
  for (const std::string words : {"dim=8 offset=1000", "dim=8 offset=4096", "dim=8 offset=-4096"})
    EXPECT_TRUE(is_proposed(rows_of(words, 4096), words)) << words;
}

}  // namespace
}  // namespace posproof::identified_table_test
