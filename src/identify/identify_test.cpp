// What identify() says of subjects that are no model's: near misses, programs, other kinds.
#include "identify/identify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/identified.h"
#include "run/catalogued.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::identify_test {
namespace {

std::vector<Position> first(Position n) {
  std::vector<Position> out;
  for (Position t = 0; t < n; ++t) out.push_back(t);
  return out;
}

Tensor table(const std::string& id, const std::string& words, Position n) {
  const Encoding made = encoding_named(id).make(Case::parse(words));
  return as<Table>(made).rows(first(n), n);
}

Tensor bias(const std::string& id, const std::string& words, Position n) {
  const Encoding made = encoding_named(id).make(Case::parse(words));
  return as<Bias>(made).bias(first(n), first(n));
}

std::string named(const Identified& found) {
  return found.hold.empty() ? "" : report::convention(found.hold.front().candidate);
}

Identified of(const Tensor& values, bool single = true) {
  const testing::Written file("identify.npy", values, single);
  return identify(file.subject());
}

TEST(Identify, one_entry_that_is_wrong_is_not_named_but_gets_the_nearest_and_the_place) {
  Tensor rows = table("sinusoidal", "dim=16", 300);
  ASSERT_EQ(named(of(rows)), "sinusoidal --dim 16");
  rows.at(211, 5) += 2e-3;
  const Identified found = of(rows);
  EXPECT_EQ(named(found), "");
  ASSERT_TRUE(found.nearest);
  EXPECT_EQ(report::convention(found.nearest->candidate), "sinusoidal --dim 16");
  ASSERT_TRUE(found.nearest->first);
  EXPECT_EQ(found.nearest->first->position, (std::vector<double>{211}));
  EXPECT_NEAR(found.nearest->first->got - found.nearest->first->expected, 2e-3, 1.5 * unit_f32);
}

// No entry is right, and those of a rotation of ones are right now and then.
TEST(Identify, a_table_that_is_off_by_little_everywhere_is_nearest_to_what_it_was) {
  Tensor in_8_bits = table("sinusoidal", "dim=16", 100), scaled = in_8_bits;
  for (double& entry : in_8_bits.data) entry = std::round(127 * entry) / 127;
  for (std::size_t n = 0; n < scaled.data.size(); ++n) scaled.data[n] *= n / 16 % 2 == 0 ? 0.99 : 1.01;
  for (const Tensor& rows : {in_8_bits, scaled}) {
    const Identified found = of(rows);
    EXPECT_EQ(named(found), "");
    ASSERT_TRUE(found.nearest);
    EXPECT_EQ(report::convention(found.nearest->candidate), "sinusoidal --dim 16");
  }
}

// In f64 our own doubles are as coarse as what is measured.
TEST(Identify, tables_in_f64_are_named_with_their_offset_and_amplitude) {
  for (const std::string words :
       {"--dim 16 --offset 1", "--dim 16 --offset 2", "--dim 18 --offset 299 --direction backward",
        "--dim 16 --amplitude 8", "--dim 16 --base 500 --offset 3", "--dim 8 --base 123 --offset 100"}) {
    std::string fields = words.substr(2);
    for (std::size_t at; (at = fields.find(" --")) != std::string::npos;) fields.replace(at, 3, "|");
    std::ranges::replace(fields, ' ', '=');
    std::ranges::replace(fields, '|', ' ');
    const Case given = Case::parse(fields);
    const Tensor exact = as<Table>(encoding_named("sinusoidal").oracle(given)).rows(first(300), 300);
    EXPECT_EQ(named(of(exact, false)), "sinusoidal " + words);
    Tensor off = exact;
    off.at(123, 4) += 0x1p-40;
    EXPECT_EQ(named(of(off, false)), "") << "one entry is off by 2^-40";
  }
}

// As modules keep what they add to a batch.
TEST(Identify, rows_may_have_axes_of_one_element) {
  const Tensor rows = table("sinusoidal", "dim=16 layout=sin_cos", 300);
  for (const Shape& shape : {Shape{1, 300, 16}, Shape{300, 1, 16}}) {
    Tensor batched = rows;
    batched.shape = shape;
    EXPECT_EQ(named(of(batched)), "sinusoidal --dim 16 --layout sin_cos");
    batched.data[211 * 16 + 5] += 2e-3;
    EXPECT_EQ(named(of(batched)), "");
  }
}

// Each frequency stands in four columns: it is no rotation of twice the width.
TEST(Identify, a_cosine_and_a_sine_for_each_channel_in_one_file) {
  for (const bool interleaved : {false, true}) {
    Tensor both({200, 32});
    for (std::size_t t = 0; t < 200; ++t)
      for (std::size_t c = 0; c < 16; ++c) {
        const std::size_t pair = interleaved ? c / 2 : c % 8;
        const double angle = static_cast<double>(t) * std::pow(500, -static_cast<double>(pair) / 8);
        both.at(t, c) = std::cos(angle);
        both.at(t, 16 + c) = std::sin(angle);
      }
    const std::string name =
        std::string("rope --dim 16 --base 500") + (interleaved ? " --layout interleaved" : "");
    EXPECT_EQ(named(of(both)), name);
    both.at(150, 31) += 1e-3;  // of the last channel
    EXPECT_EQ(named(of(both)), "");
  }
}

TEST(Identify, one_entry_of_the_last_head_of_a_bias_is_looked_at) {
  Tensor entries = bias("alibi", "heads=4", 24);
  ASSERT_EQ(named(of(entries)), "alibi --heads 4");
  entries.at(3 * 24 + 20, 4) *= 1.001;
  const Identified found = of(entries);
  EXPECT_EQ(named(found), "");
  ASSERT_TRUE(found.nearest);
  EXPECT_EQ(report::convention(found.nearest->candidate), "alibi --heads 4");
}

TEST(Identify, trained_numbers_are_told_from_their_buckets) {
  const Identified index = of(bias("t5_bias", "heads=3 buckets=16 max_distance=40", 64)),
                   trained = of(
                       bias("t5_bias", "heads=3 buckets=16 max_distance=40 table=seeded table_seed=5", 64));
  EXPECT_EQ(named(index), "t5_bias --heads 3 --buckets 16 --max_distance 40");
  EXPECT_FALSE(index.hold.front().trained);
  EXPECT_EQ(named(trained), named(index));
  EXPECT_TRUE(trained.hold.front().trained);
}

TEST(Identify, trained_numbers_of_a_window_are_told_from_their_offsets) {
  const Encoding made = encoding_named("relative_table")
                            .make(Case::parse("heads=2 height=3 width=5 table=seeded table_seed=5"));
  std::vector<Position> places;
  for (Position row = 0; row < 3; ++row)
    for (Position column = 0; column < 5; ++column) places.insert(places.end(), {row, column});
  const Positions at(places, 2);
  Tensor entries = as<Bias>(made).bias(at, at);
  for (double& entry : entries.data) entry *= 0.02;  // of that seed no setting has them
  const Identified found = of(entries);
  EXPECT_EQ(named(found), "relative_table --heads 2 --height 3 --width 5");
  ASSERT_FALSE(found.hold.empty());
  EXPECT_TRUE(found.hold.front().trained);
  EXPECT_EQ(found.not_told.size(), 2u);  // the direction, and which axis is the fastest
  entries.at(2 * 15 - 1, 3) += 1e-3;
  EXPECT_EQ(named(of(entries)), "");
}

// One slope of eight is not ALiBi's, and no kernel bends: the nearest is ALiBi.
TEST(Identify, a_slope_that_is_wrong_makes_no_other_encoding_of_alibi) {
  Tensor entries = bias("alibi", "heads=8", 40);
  for (std::size_t query = 0; query < 40; ++query)
    for (double& entry : entries.row(5 * 40 + query)) entry *= 1.1;
  const Identified found = of(entries);
  EXPECT_EQ(named(found), "");
  ASSERT_TRUE(found.nearest);
  EXPECT_EQ(found.nearest->candidate.encoding, "alibi");
}

TEST(Identify, a_bucket_that_is_wrong_in_one_place_is_no_bucket) {
  Tensor entries = bias("t5_bias", "heads=2 buckets=16 max_distance=40 table=seeded", 64);
  entries.at(1 * 64 + 50, 10) += 1;
  EXPECT_EQ(named(of(entries)), "");
}

TEST(Identify, what_a_table_cannot_tell_is_said) {
  const Identified found = of(bias("alibi", "heads=8", 24));
  ASSERT_EQ(found.not_told.size(), 1u);
  EXPECT_EQ(found.not_told.front().parameter, "rule");
  EXPECT_EQ(found.not_told.front().values, (std::vector<std::string>{"official", "geometric", "log_linear"}));
  EXPECT_EQ(found.not_told.front().apart, "heads=2");
  EXPECT_TRUE(of(bias("alibi", "heads=12", 24)).not_told.empty());
}

// Once with the grid that it was seen to have, and once without.
TEST(Identify, what_is_proposed_in_two_ways_is_said_once) {
  const Encoding of_grid = encoding_named("sincos_2d").oracle(Case::parse("dim=32"));
  Call places{.positions = {.axes = 2}, .length = 7};
  for (Position y = 0; y < 7; ++y)
    for (Position x = 0; x < 5; ++x) places.positions.whole.insert(places.positions.whole.end(), {y, x});
  const Identified found = of(answer(of_grid, places));
  EXPECT_EQ(named(found), "sincos_2d --dim 32 --grid [7,5]");
  for (const Candidate& other : found.or_else) EXPECT_NE(report::convention(other), named(found));
  for (auto one = found.hold.begin(); one != found.hold.end(); ++one)
    for (auto other = found.hold.begin(); other != one; ++other)
      EXPECT_NE(report::convention(one->candidate), report::convention(other->candidate));
}

TEST(Identify, one_array_of_cosines_and_sines_is_a_rotation_or_a_table) {
  const Identified found = of(table("sinusoidal", "dim=32 layout=cos_sin", 300));
  EXPECT_EQ(named(found), "rope --dim 32");
  std::vector<std::string> others;
  for (const Candidate& one : found.or_else) others.push_back(report::convention(one));
  EXPECT_EQ(others, (std::vector<std::string>{"sinusoidal --dim 32 --layout cos_sin"}));
}

// [n, pairs, 2], as a cache of complex numbers is seen in real ones, and the other two.
TEST(Identify, one_array_of_cosines_and_sines_along_an_axis_of_two_is_a_rotation) {
  const Tensor rows = table("sinusoidal", "dim=16 base=5000 layout=interleaved", 100);  // sine, cosine
  Tensor last({100, 8, 2}), middle({100, 2, 8}), first({2, 100, 8});
  for (std::size_t t = 0; t < 100; ++t)
    for (std::size_t i = 0; i < 8; ++i)
      for (const std::size_t part : {0U, 1U}) {
        const double x = rows.at(t, 2 * i + 1 - part);
        last.data[(t * 8 + i) * 2 + part] = middle.data[(t * 2 + part) * 8 + i] =
            first.data[(part * 100 + t) * 8 + i] = x;
      }
  for (const Tensor& stacked : {last, middle, first})
    EXPECT_EQ(named(of(stacked)), "rope --dim 16 --base 5000") << text(stacked.shape);
  std::swap(last.data[2 * 8 * 99 + 4], last.data[2 * 8 * 99 + 5]);
  EXPECT_EQ(named(of(last)), "");
}

// [rows, columns of the grid, pairs], in two files or along a last axis of two.
TEST(Identify, cosines_and_sines_of_a_grid_are_a_rotation_by_two_numbers) {
  Tensor cosines({16, 14, 8}), sines = cosines, both({16, 14, 8, 2});
  for (std::size_t place = 0; place < 16 * 14; ++place)
    for (std::size_t i = 0; i < 8; ++i) {
      const auto t = static_cast<double>(i < 4 ? place / 14 : place % 14);
      const double angle = t * std::pow(10000.0, -0.25 * static_cast<double>(i % 4));
      const std::size_t at = place * 8 + i;
      cosines.data[at] = both.data[2 * at] = std::cos(angle);
      sines.data[at] = both.data[2 * at + 1] = std::sin(angle);
    }
  EXPECT_EQ(named(of(both)), "axial_rope --dim 16 --grid [16,14]");
  const testing::Written c("grid_cos.npy", cosines, true), s("grid_sin.npy", sines, true);
  const std::string words = c.subject() + "," + s.subject().substr(6);
  EXPECT_EQ(named(identify(words)), "axial_rope --dim 16 --grid [16,14]");
  std::swap(both.data[2 * 8 * 223], both.data[2 * 8 * 223 + 1]);
  EXPECT_EQ(named(of(both)), "");
}

// As video models have them, frames first: few of them, the middle of a picture as 0, steps of a half.
TEST(Identify, cosines_and_sines_of_a_film_are_a_rotation_by_three_numbers) {
  const auto film = [](const std::string& words, const Shape& grid) {
    const auto rotary = as<Rotary>(encoding_named("axial_rope").make(Case::parse(words)));
    std::vector<Position> places;
    for (std::size_t p = 0; p < count(grid); ++p)
      for (const std::size_t number : {p / (grid[1] * grid[2]), p / grid[2] % grid[1], p % grid[2]})
        places.push_back(static_cast<Position>(number));
    Tensor x({1, 1, count(grid), rotary.dim});
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : rotary.pairs) x.at(r, pair.first) = 1;
    Tensor out = rotary.rotate(x, {places, 3}, Role::query);
    out.shape = {count(grid), rotary.dim};
    return out;
  };
  const std::string shape = "dim=24 axes=3 parts=[4,8,12] layout=interleaved ",
                    words = "axial_rope --dim 24 --axes 3 --parts [4,8,12] --layout interleaved ";
  EXPECT_EQ(named(of(film(shape + "base=256", {5, 6, 7}))),
            "axial_rope --dim 24 --axes 3 --base 256 --parts [4,8,12] --layout interleaved --grid [5,6,7]");
  EXPECT_EQ(named(of(film(shape, {2, 6, 7}))), words + "--grid [2,6,7]");
  EXPECT_EQ(named(of(film(shape + "coordinates=cropped grid=[3,8,5] crop_start=[0,-4,-3] crop_stop=[3,4,2]",
                          {3, 8, 5}))),
            words + "--coordinates cropped --grid [3,8,5] --crop_start [0,-4,-3] --crop_stop [3,4,2]");
}

// As `posproof oracle` writes it: channels that do not rotate have columns of zeros.
TEST(Identify, one_array_of_cosines_and_sines_says_which_channels_rotate) {
  const auto array_of = [](const std::string& words) {
    const auto rotary = as<Rotary>(encoding_named("rope").oracle(Case::parse(words)));
    Tensor out({300, rotary.dim});
    for (std::size_t t = 0; t < out.rows(); ++t)
      for (const Pair& pair : rotary.pairs) {
        out.at(t, pair.first) = std::cos(pair.frequency * static_cast<double>(t));
        out.at(t, pair.second) = std::sin(pair.frequency * static_cast<double>(t));
      }
    return out;
  };
  struct Part {
    std::string words, convention;
    std::size_t still;  // a channel that does not rotate
  };
  for (const auto& [words, convention, still] :
       {Part{"dim=24 rotary_dim=8", "rope --dim 24 --rotary_dim 8", 20},
        Part{"dim=16 base=500 layout=interleaved rotary_dim=6 rotary_part=last",
             "rope --dim 16 --base 500 --layout interleaved --rotary_dim 6 --rotary_part last", 3}}) {
    Tensor array = array_of(words);
    EXPECT_EQ(named(of(array)), convention);
    array.at(299, still) = 0x1p-10;
    EXPECT_EQ(named(of(array)), "") << words;
  }
}

// A live encoding, as a program that answers so.
Identified of_live(
    const std::string& id, const std::string& words,
    const Function<Tensor(const Call&, Tensor)>& change = [](const Call&, Tensor out) { return out; }) {
  const Encoding made = encoding_named(id).make(Case::parse(words));
  const Encoding answering =
      answered_by(made, [=](const Call& call) { return change(call, answer(made, call)); });
  return identify({"made", "", answering, all_f32}, {id, Case::parse(words)});
}

// Of what looks at keys after the query and what does not, both of which hold, the one that says more.
TEST(Identify, what_says_less_of_an_answer_is_none) {
  const Identified found = of_live("alibi", "heads=2 form=symmetric");
  EXPECT_EQ(named(found), "alibi --heads 2 --form symmetric");
  for (const Convention& one : found.hold) EXPECT_NE(one.candidate.parameters.word("form"), "causal");
  const Identified trained =
      of(bias("t5_bias", "heads=1 buckets=8 max_distance=20 table=seeded table_seed=5", 24));
  ASSERT_FALSE(trained.hold.empty());
  for (const Convention& one : trained.hold)
    EXPECT_EQ(one.candidate.parameters.word("direction"), "bidirectional");
}

// Simpler ones are compared first, and are not as near.
TEST(Identify, the_nearest_is_not_the_simplest) {
  const std::string words = "heads=2 max_bias=5 form=symmetric rule=geometric";
  const Identified found = of_live("alibi", words, [](const Call& call, Tensor out) {
    for (std::size_t c = 0; c < out.width(); ++c)
      if (call.keys.whole[c] == 7)
        for (std::size_t r = 0; r < out.rows(); ++r) out.at(r, c) += 0.25;
    return out;
  });
  EXPECT_EQ(named(found), "");
  ASSERT_TRUE(found.nearest);
  EXPECT_EQ(report::convention(found.nearest->candidate), "alibi --heads 2 --form symmetric --max_bias 5");
}

std::vector<std::string> texts(const std::vector<Candidate>& all) {
  std::vector<std::string> out;
  for (const Candidate& one : all) out.push_back(report::convention(one));
  return out;
}

using Texts = std::vector<std::string>;

// Numbers in one column are digits of a number, and rows of a table, too: said with as few digits, or with a
// word more.
TEST(Identify, of_a_table_says_what_else_it_may_be) {
  const Identified found = of_live("raw_index", "dim=1");
  EXPECT_EQ(named(found), "raw_index");
  EXPECT_EQ(texts(found.or_else), (Texts{"binary --dim 1", "learned --dim 1"}));
  EXPECT_EQ(found.less_simple, 2u);
  EXPECT_EQ(found.hold.size(), 5u);
  EXPECT_GT(found.compared, 90u);
}

TEST(Identify, of_a_bias_says_words_that_it_cannot_tell) {
  const Identified table = of_live("relative_table", "heads=1");
  EXPECT_EQ(named(table), "relative_table --heads 1");
  ASSERT_EQ(table.not_told.size(), 1u);
  EXPECT_EQ(table.not_told.front().parameter, "class_token");
  EXPECT_EQ(table.not_told.front().values, (Texts{"none", "three_rows"}));
  EXPECT_EQ(table.not_told.front().apart, "heads=2");
  const Identified slopes = of(bias("alibi", "heads=2", 8));
  EXPECT_EQ(named(slopes), "alibi --heads 2");
  ASSERT_EQ(slopes.not_told.size(), 1u);
  EXPECT_EQ(slopes.not_told.front().values, (Texts{"official", "geometric"}));
  EXPECT_EQ(slopes.not_told.front().apart, "heads=3");
  EXPECT_EQ(slopes.less_simple, 1u);  // a power of 1 of KERPLE, which is the same, is not proposed
}

TEST(Identify, of_trained_buckets_says_all_distances) {
  const Identified found =
      of(bias("t5_bias", "heads=1 buckets=8 max_distance=20 table=seeded table_seed=5", 12));
  EXPECT_EQ(named(found), "t5_bias --heads 1 --buckets 8 --max_distance 20");
  ASSERT_FALSE(found.hold.empty());
  EXPECT_TRUE(found.hold.front().trained);
  ASSERT_EQ(found.not_told.size(), 2u);
  EXPECT_EQ(found.not_told[0].parameter, "max_distance");
  EXPECT_EQ(found.not_told[0].values, (Texts{"20", "19", "21", "22"}));
  EXPECT_EQ(found.not_told[1].parameter, "relative");
  EXPECT_EQ(found.not_told[1].values, (Texts{"key_minus_query", "query_minus_key"}));
}

TEST(Identify, of_a_live_table_that_is_wrong_at_one_position_says_which) {
  const Identified found = of_live("binary", "dim=4", [](const Call& call, Tensor out) {
    for (std::size_t r = 0; r < out.rows(); ++r)
      if (call.positions.whole[r] == 7) out.at(r, 1) = 0.5;
    return out;
  });
  EXPECT_EQ(named(found), "");
  ASSERT_TRUE(found.nearest);
  EXPECT_EQ(report::convention(found.nearest->candidate), "binary --dim 4");
  ASSERT_TRUE(found.nearest->first);
  EXPECT_EQ(found.nearest->first->position, (std::vector<double>{7}));
  EXPECT_GT(found.nearest->wrong, 0u);
  EXPECT_LT(2 * found.nearest->wrong, found.nearest->of);
}

TEST(Identify, of_a_live_table_that_is_like_none_says_nothing) {
  const Identified found = of_live("binary", "dim=4", [](const Call&, Tensor out) {
    for (double& entry : out.data) entry = 0.37 * entry + 5;
    return out;
  });
  EXPECT_TRUE(found.hold.empty());
  EXPECT_FALSE(found.nearest);
  EXPECT_EQ(found.subject.name, "made");
  EXPECT_TRUE(found.subject.live);
}

TEST(Identify, arbitrary_numbers_are_no_convention) {
  Tensor drawn({20, 6});
  for (std::size_t n = 0; n < drawn.data.size(); ++n)
    drawn.data[n] = std::sin(static_cast<double>(n * n + 3 * n));
  const Identified found = of(drawn);
  EXPECT_EQ(named(found), "");
  EXPECT_GT(found.tried, 0u);
}

// Most channels of a content that rotates are 0, and those of a wide table as of any rotation: no reason to
// call one near.
TEST(Identify, what_is_zero_in_both_is_not_near) {
  Tensor drawn({64, 96});
  std::uint64_t bits = 1;
  for (double& entry : drawn.data) {
    bits = bits * 6364136223846793005 + 1442695040888963407;
    entry = 0.02 * (static_cast<double>(bits >> 11) / 0x1p52 - 1);
  }
  EXPECT_FALSE(of(drawn).nearest);
}

std::string program(const std::string& words = "") {
  return std::string("cmd:") + POSPROOF_TEST_SUBJECT + (words.empty() ? "" : " " + words);
}

TEST(Identify, a_program_is_asked_with_the_width_that_is_given) {
  const Identified right = identify(program(), {.dim = 8});
  EXPECT_EQ(named(right), "rope --dim 8");
  EXPECT_EQ(right.subject.live, true);
  EXPECT_GT(right.compared, 50u);
  const Identified wrong = identify(program("wrong=7"), {.dim = 8});
  EXPECT_EQ(named(wrong), "");
  ASSERT_TRUE(wrong.nearest);
  EXPECT_EQ(report::convention(wrong.nearest->candidate), "rope --dim 8");
  EXPECT_EQ(wrong.nearest->first->position, (std::vector<double>{7}));
}

// None of its rotations is right: it is asked for rows as well, and all that was tried counts.
TEST(Identify, a_program_that_is_asked_otherwise_counts_all_that_was_tried) {
  const Identified found = identify(testing::sdk("index"), {.dim = 4});
  EXPECT_EQ(named(found), "raw_index --dim 4");
  const Identified rows =
      identify({"rows", "", encoding_named("raw_index").make(Case::parse("dim=4")), all_f32},
               {"raw_index", Case::parse("dim=4")});
  EXPECT_EQ(named(rows), named(found));
  EXPECT_GT(found.tried, rows.tried);
}

TEST(Identify, a_file_has_its_own_shape) {
  const testing::Written file("identify_shape.npy", table("sinusoidal", "dim=8", 20), true);
  for (const IdentifyOptions& options :
       {IdentifyOptions{.dim = 8}, IdentifyOptions{.heads = 2}, IdentifyOptions{.sandbox = true}})
    EXPECT_THROW(identify(file.subject(), options), std::invalid_argument);
}

Tensor rounded(Format format, Tensor values) {
  for (double& x : values.data) x = nearest(format, x);
  return values;
}

// Computed in few digits and stored in many: wrong in the format of the file, right in that of its numbers.
TEST(Identify, a_file_whose_numbers_have_fewer_digits_is_read_in_those) {
  const Tensor rows =
      as<Table>(encoding_named("sinusoidal").oracle(Case::parse("dim=16"))).rows(first(300), 300);
  for (const Format format : {Format::bf16, Format::f16, Format::f32}) {
    const bool single = format != Format::f32;
    const testing::Written file("identify_digits.npy", rounded(format, rows), single);
    const Identified found = identify(file.subject());
    EXPECT_EQ(named(found), "sinusoidal --dim 16");
    EXPECT_EQ(found.read_as, fmt::format("{}@{}", file.subject(), name(format)));
    EXPECT_EQ(found.stored_in, single ? "f32" : "f64");
    EXPECT_EQ(named(identify(found.read_as)), "sinusoidal --dim 16");
  }
}

// One number of more digits, an entry that is off by two neighbours, and the other convention.
TEST(Identify, a_file_is_not_read_in_fewer_digits_where_that_explains_nothing) {
  const Tensor exact =
      as<Table>(encoding_named("sinusoidal").oracle(Case::parse("dim=16"))).rows(first(300), 300);
  Tensor one_of_more = rounded(Format::bf16, exact), off = one_of_more;
  one_of_more.data.back() = to_f32(one_of_more.data.back() * (1 + 0x1p-20));
  off.at(211, 5) *= 1 + 0x1p-6;
  for (const Tensor& rows : {one_of_more, rounded(Format::bf16, off)}) {
    const Identified found = of(rows);
    EXPECT_EQ(named(found), "");
    EXPECT_EQ(found.read_as, "");
  }
  EXPECT_EQ(of(rounded(Format::f32, exact)).read_as, "");
}

TEST(Identify, a_file_is_read_in_the_precision_that_its_words_have) {
  const testing::Written file("identify_words.npy", rounded(Format::bf16, table("sinusoidal", "dim=16", 300)),
                              true);
  EXPECT_EQ(named(identify(file.subject() + "@f32")), "");
}

// Whole numbers are those of any format, and a convention of them holds in that of the file.
TEST(Identify, whole_numbers_stay_in_the_format_of_their_file) {
  const Identified found = of(table("raw_index", "dim=4", 200));
  EXPECT_EQ(named(found).substr(0, 9), "raw_index");
  EXPECT_EQ(found.read_as, "");
}

TEST(Identify, a_program_that_does_not_start_is_no_subject) {
  EXPECT_THROW(identify("cmd:/nothing/of/that/name"), SubjectError);
  EXPECT_THROW(identify("cmd:/bin/false"), SubjectError);
}

}  // namespace
}  // namespace posproof::identify_test
