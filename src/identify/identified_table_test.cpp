// Settings that are proposed of a table's rows, near and far.
#include "identify/identified_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/formats.h"
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
  EXPECT_TRUE(proposes("raw_index", "offset=7", 10, 0));
  EXPECT_TRUE(proposes("learned", "dim=4 length=302 offset=2 table=index", 0, 300));
}

}  // namespace
}  // namespace posproof::identified_table_test
