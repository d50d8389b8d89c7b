// Which conventions a subject is compared with.
#include "identify/identified_proposals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "run/catalogued.h"
#include "subject/testing/npy.h"

namespace posproof::identified_proposals_test {
namespace {

std::vector<Proposed> proposed_on_a_grid(double factor_of_the_last_row, const std::string& words = "dim=32") {
  const Encoding of_grid = encoding_named("sincos_2d").oracle(Case::parse(words));
  Call places{.positions = {.axes = 2}, .length = 7};
  for (Position y = 0; y < 7; ++y)
    for (Position x = 0; x < 5; ++x) places.positions.whole.insert(places.positions.whole.end(), {y, x});
  Tensor rows = answer(of_grid, places);
  for (double& entry : rows.row(6)) entry *= factor_of_the_last_row;  // of the place (1, 1)
  const testing::Written file("identified_proposals.npy", rows, true);
  const Unidentified asked(file.subject(), {});
  std::vector<Proposed> all = Proposals(asked).on_a_grid();
  std::erase_if(all, [](const Proposed& one) {
    return one.candidate.encoding != "sincos_2d" || text(*one.candidate.parameters.find("grid")) != "[7,5]";
  });
  return all;
}

// Squares of a row sum to half its width, within a part in 64.
TEST(Proposals, of_a_grid_are_made_where_rows_are_sines_and_cosines) {
  EXPECT_FALSE(proposed_on_a_grid(1).empty());
  const double most = 1.0 / 64;
  for (const double off : {0.95 * most, -0.95 * most})
    EXPECT_FALSE(proposed_on_a_grid(std::sqrt(1 + off)).empty()) << off;
  for (const double off : {1.05 * most, -1.05 * most, -1.0})
    EXPECT_TRUE(proposed_on_a_grid(std::sqrt(1 + off)).empty()) << off;
}

TEST(Proposals, of_a_grid_have_the_base_that_was_measured) {
  const auto has_base = [](double base) {
    return std::ranges::any_of(proposed_on_a_grid(1, "dim=32 base=730"), [base](const Proposed& one) {
      return with(encoding_named("sincos_2d"), one.candidate.parameters).real("base") == base;
    });
  };
  EXPECT_TRUE(has_base(730));
  EXPECT_FALSE(has_base(731));
}

// Entries of a bias are measured where a position is one number.
TEST(Proposals, of_a_bias_on_a_grid_are_not_measured) {
  const Candidate right{"log_cpb", {}};
  const EncodingSpec& spec = encoding_named(right.encoding);
  const Unidentified asked({"made", "", spec.make(right.parameters), all_f32}, right);
  Proposals proposals(asked);
  for (const Proposed& one : proposals.all())
    EXPECT_TRUE(one.candidate.encoding != "alibi" && one.candidate.encoding != "t5_bias")
        << one.candidate.parameters.text();
}

// Numbers of a grid may begin at 1.
TEST(Proposals, of_a_live_rotation_count_places_from_0_and_from_1) {
  const Candidate right{"axial_rope", Case::parse("dim=8")};
  const EncodingSpec& spec = encoding_named(right.encoding);
  const Unidentified asked({"made", "", spec.make(right.parameters), all_f32}, right);
  std::vector<double> offsets;
  const Proposals proposals(asked);
  for (const Proposed& one : proposals.all()) {
    if (one.candidate.encoding != right.encoding) continue;
    Parameters all = with(spec, one.candidate.parameters);
    const double offset = all.real("offset");
    all.set("offset", 0.0);
    if (all == with(spec, right.parameters)) offsets.push_back(offset);
  }
  std::ranges::sort(offsets);
  EXPECT_EQ(offsets, (std::vector<double>{0, 1}));
}

// A table of 20 rows has no 16 that are passed over and as many behind them that are measured.
TEST(Proposals, of_a_short_table_are_those_of_its_first_rows) {
  const Candidate right{"sinusoidal", Case::parse("dim=6 base=300")};
  Table table = as<Table>(encoding_named("sinusoidal").make(right.parameters));
  table.positions = {0, 19};
  table.positions.ends = true;
  const Unidentified asked({"made", "", table, all_f32}, right);
  const auto all = Proposals(asked).all();
  EXPECT_TRUE(std::ranges::any_of(all, [&](const Proposed& one) {
    return one.candidate.encoding == "sinusoidal" &&
           with(encoding_named("sinusoidal"), one.candidate.parameters) ==
               with(encoding_named("sinusoidal"), right.parameters);
  }));
}

bool has(const Proposals& proposals, const Candidate& wanted) {
  const EncodingSpec& spec = encoding_named(wanted.encoding);
  return std::ranges::any_of(proposals.all(), [&](const Proposed& one) {
    return one.candidate.encoding == wanted.encoding &&
           with(spec, one.candidate.parameters) == with(spec, wanted.parameters);
  });
}

// Of a width that is twice the standard one: of an encoding with a width it is that, and of one that has
// heads alone, whose layer has 4 channels for each, it is a quarter as many of them.
TEST(Proposals, of_a_layer_of_attention_have_its_width) {
  const auto proposes = [](const Candidate& right) {
    const auto layer = attention::reference_attention(encoding_named(right.encoding).make(right.parameters));
    const Unidentified asked({"made", "", layer, all_f32}, right);
    return has(Proposals(asked), right);
  };
  EXPECT_TRUE(proposes({"rope", Case::parse("dim=128")}));
  EXPECT_TRUE(proposes({"alibi", Case::parse("heads=6")}));
}

// The steps of such coordinates are parts of a turn, and no base can be measured: the one in use is tried.
TEST(Proposals, of_a_cache_of_a_grid_have_the_base_in_use_where_none_is_measured) {
  const std::string words = "dim=8 grid=[16,14] coordinates=cells base=";
  const auto rotary = as<Rotary>(encoding_named("axial_rope").oracle(Case::parse(words + "100")));
  Tensor cosines({16, 14, 4}), sines = cosines, x({1, 1, 1, 8});
  for (const Pair& pair : rotary.pairs) x.at(0, pair.first) = 1;
  for (std::size_t place = 0; place < 16 * 14; ++place) {
    const std::vector<Position> at = {static_cast<Position>(place / 14), static_cast<Position>(place % 14)};
    const Tensor y = rotary.rotate(x, {at, 2}, Role::query);
    for (std::size_t i = 0; i < 4; ++i) {
      cosines.data[place * 4 + i] = y.at(0, rotary.pairs[i].first);
      sines.data[place * 4 + i] = y.at(0, rotary.pairs[i].second);
    }
  }
  const auto proposes = [&](const Unidentified& asked, const std::string& base) {
    Proposals proposals(asked);
    proposals.on_a_grid();
    return has(proposals, {"axial_rope", Case::parse(words + base)});
  };
  const testing::Written c("proposals_cos.npy", cosines, true), s("proposals_sin.npy", sines, true);
  const Unidentified asked(c.subject() + "," + s.subject().substr(6), {});
  for (const std::string base : {"100", "10000"}) EXPECT_TRUE(proposes(asked, base)) << base;
  // Both in one file, along a last axis of two.
  Tensor stacked({16, 14, 4, 2});
  for (std::size_t n = 0; n < cosines.data.size(); ++n)
    stacked.data[2 * n] = cosines.data[n], stacked.data[2 * n + 1] = sines.data[n];
  const testing::Written both("proposals_both.npy", stacked, true);
  for (const std::string base : {"100", "10000"})
    EXPECT_TRUE(proposes(Unidentified(both.subject(), {}), base)) << base;
}

// Its rows are those of places, which no ladder along one axis has.
TEST(Proposals, of_a_live_table_on_a_grid_are_of_grids) {
  const Candidate right{"sincos_2d", Case::parse("dim=16")};
  const Unidentified asked({"made", "", encoding_named("sincos_2d").make(right.parameters), all_f32}, right);
  const Proposals proposals(asked);
  EXPECT_TRUE(has(proposals, right));
  for (const Proposed& one : proposals.all()) EXPECT_NE(one.candidate.encoding, "sinusoidal");
}

// Of a file: the parts that may rotate, as `rotary_dim rotary_part`, where channels from `begin` on do.
std::set<std::string> parts_of_a_file(std::size_t begin, std::size_t end, std::size_t zeros = 0) {
  Tensor rows({60, 16});
  const std::size_t half = (end - begin) / 2;
  for (std::size_t t = 0; t < 60; ++t)
    for (std::size_t i = 0; i < half; ++i) {
      const double angle =
          static_cast<double>(t) * std::pow(100.0, -static_cast<double>(i) / static_cast<double>(half));
      rows.at(t, begin + i) = std::cos(angle);
      if (i + zeros < half) rows.at(t, begin + half + i) = std::sin(angle);
    }
  const testing::Written file("proposals_part.npy", rows, true);
  const Unidentified asked(file.subject(), {});
  std::set<std::string> out;
  const Proposals proposals(asked);
  for (const Proposed& one : proposals.all()) {
    if (one.candidate.encoding != "rope" || !one.candidate.parameters.has("rotary_dim")) continue;
    const Parameters all = with(encoding_named("rope"), one.candidate.parameters);
    if (all.real("dim") == 16) out.insert(text(*all.find("rotary_dim")) + " " + all.word("rotary_part"));
  }
  return out;
}

// Cosines and sines of positions: in two arrays with a column for each pair or for each channel, or in one
// along an axis of two.
TEST(Proposals, of_caches_are_rotations_of_a_width_and_a_layout) {
  const auto entry = [](std::size_t t, double i, bool sine) {
    const double angle = static_cast<double>(t) * std::pow(500.0, -i / 4);
    return sine ? std::sin(angle) : std::cos(angle);
  };
  const auto proposed = [&](std::size_t columns, bool repeated, const std::string& layout) {
    Tensor cosines({40, columns}), sines = cosines;
    for (std::size_t t = 0; t < 40; ++t)
      for (std::size_t c = 0; c < columns; ++c) {
        const auto pair = static_cast<double>(repeated ? c / 2 : c % 4);
        cosines.at(t, c) = entry(t, pair, false), sines.at(t, c) = entry(t, pair, true);
      }
    const testing::Written c("proposals_c.npy", cosines, true), s("proposals_s.npy", sines, true);
    const Unidentified asked(c.subject() + "," + s.subject().substr(6), {});
    return has(Proposals(asked), {"rope", Case::parse("dim=8 base=500 layout=" + layout)});
  };
  EXPECT_TRUE(proposed(4, false, "half_split"));
  EXPECT_FALSE(proposed(4, false, "interleaved"));
  EXPECT_TRUE(proposed(8, false, "half_split"));
  EXPECT_FALSE(proposed(8, false, "interleaved"));
  EXPECT_TRUE(proposed(8, true, "interleaved"));
  EXPECT_FALSE(proposed(8, true, "half_split"));
  Tensor stacked({40, 4, 2});
  for (std::size_t t = 0; t < 40; ++t)
    for (std::size_t i = 0; i < 8; ++i)
      stacked.data[8 * t + i] = entry(t, static_cast<double>(i / 2), i % 2 == 1);
  const testing::Written both("proposals_stacked.npy", stacked, true);
  const Unidentified asked(both.subject(), {});
  EXPECT_TRUE(has(Proposals(asked), {"rope", Case::parse("dim=8 base=500")}));
}

// Columns of zeros behind or before the others; not on both sides. The slowest sine may be 0, too.
TEST(Proposals, of_a_file_have_the_part_that_rotates) {
  using Parts = std::set<std::string>;
  EXPECT_EQ(parts_of_a_file(0, 8), Parts{"8 first"});
  EXPECT_EQ(parts_of_a_file(8, 16), Parts{"8 last"});
  EXPECT_EQ(parts_of_a_file(4, 12), Parts{});
  EXPECT_EQ(parts_of_a_file(0, 8, 1), Parts{"8 first"});
}

// The first rows of a table of sines, with zeros in these.
TEST(Proposals, of_a_file_have_its_only_row_of_zeros) {
  const auto padding_rows = [](const std::vector<std::size_t>& zeros) {
    Tensor rows({100, 8});
    const auto table = as<Table>(encoding_named("sinusoidal").make(Case::parse("dim=8 base=500")));
    std::vector<Position> at(100);
    std::iota(at.begin(), at.end(), Position{0});
    rows = table.rows(at, 100);
    for (const std::size_t r : zeros) std::ranges::fill(rows.row(r), 0.0);
    const testing::Written file("proposals_zeros.npy", rows, true);
    const Unidentified asked(file.subject(), {});
    std::set<double> out;
    const Proposals proposals(asked);
    for (const Proposed& one : proposals.all())
      if (one.candidate.encoding == "sinusoidal" && one.candidate.parameters.has("padding_row"))
        out.insert(one.candidate.parameters.real("padding_row"));
    return out;
  };
  EXPECT_EQ(padding_rows({1}), std::set<double>{1});
  EXPECT_EQ(padding_rows({1, 5}), std::set<double>{});
  EXPECT_EQ(padding_rows({16}), std::set<double>{}) << "not among the first";
}

// As GLIDE and Flux have them, whose positions are from 0 to 1.
TEST(Proposals, in_common_use_of_a_table_have_positions_times_1000) {
  const auto table = as<Table>(encoding_named("sinusoidal").make(Case::parse("dim=8")));
  std::vector<Position> at(40);
  std::iota(at.begin(), at.end(), Position{0});
  const testing::Written file("proposals_1000.npy", table.rows(at, 40), true);
  const Unidentified asked(file.subject(), {});
  Proposals proposals(asked);
  const std::vector<Proposed> all = proposals.in_common_use();
  EXPECT_TRUE(std::ranges::any_of(all, [](const Proposed& one) {
    return one.candidate.encoding == "timestep_embedding" &&
           with(encoding_named("timestep_embedding"), one.candidate.parameters).real("scale") == 1000;
  }));
}

TEST(Proposals, of_a_file_of_odd_width_are_tables_of_that_width) {
  const auto table = as<Table>(encoding_named("sinusoidal").make(Case::parse("dim=5 odd=zero_pad base=500")));
  std::vector<Position> at(100);
  std::iota(at.begin(), at.end(), Position{0});
  const testing::Written file("proposals_odd.npy", table.rows(at, 100), true);
  const Unidentified asked(file.subject(), {});
  EXPECT_TRUE(has(Proposals(asked), {"sinusoidal", Case::parse("dim=5 odd=zero_pad base=500")}));
}

// As long as it is, where it says so.
TEST(Proposals, of_a_live_table_that_ends_have_its_length) {
  const Candidate right{"learned", Case::parse("dim=3 length=20 table=index")};
  auto table = as<Table>(encoding_named("learned").make(right.parameters));
  const auto proposes = [&](bool ends) {
    table.positions.ends = ends;
    const Unidentified asked({"made", "", table, all_f32}, right);
    return has(Proposals(asked), right);
  };
  EXPECT_TRUE(proposes(true));
  EXPECT_FALSE(proposes(false));
}

// More than 64, which are as many as are tried along one axis.
TEST(Proposals, of_a_live_table_on_a_grid_are_all_its_words) {
  const Candidate right{"sincos_2d", Case::parse("dim=16")};
  const Unidentified asked({"made", "", encoding_named("sincos_2d").make(right.parameters), all_f32}, right);
  const Proposals proposals(asked);
  for (const Candidate& one : settings("sincos_2d", encoding_named("sincos_2d"), Case::parse("dim=16"), 512))
    EXPECT_TRUE(has(proposals, one)) << one.parameters.text();
}

// Without a scaling it does not matter how its ramp is rounded.
TEST(Proposals, with_another_word_differ_in_one_that_matters) {
  const Candidate right{"rope", Case::parse("dim=8")};
  const Unidentified asked({"made", "", encoding_named("rope").make(right.parameters), all_f32}, right);
  Proposals proposals(asked);
  for (const Proposed& one : proposals.with_another_word(right))
    for (const std::string name : {"truncate", "length_of"})
      EXPECT_FALSE(one.candidate.parameters.has(name)) << one.candidate.parameters.text();
}

// Settings that are reached in two ways: measured and in common use, or with the word that an answer has.
TEST(Proposals, are_each_made_once) {
  const Candidate right{"rope", Case::parse("dim=8")};
  const Unidentified asked({"made", "", encoding_named("rope").make(right.parameters), all_f32}, right);
  Proposals proposals(asked);
  EXPECT_FALSE(proposals.with_another_word(right).empty());
  EXPECT_FALSE(proposals.in_common_use().empty());
  std::set<std::string> seen;
  for (const auto& [one, trained] : proposals.all()) {
    const std::string words = with(encoding_named(one.encoding), one.parameters).text();
    EXPECT_TRUE(seen.insert(one.encoding + " " + words).second) << one.encoding << " " << words;
  }
}

}  // namespace
}  // namespace posproof::identified_proposals_test
