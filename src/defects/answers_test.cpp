// What defects answer, written out: the rows of a table, the slopes of a bias.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/defects/alibi.h"
#include "catalogue/defects/learned.h"
#include "catalogue/defects/none.h"
#include "catalogue/defects/resized_table.h"
#include "catalogue/defects/rope.h"
#include "catalogue/defects/sinusoidal.h"
#include "catalogue/defects/t5_bias.h"
#include "core/call.h"
#include "core/failure.h"
#include "core/formats.h"
#include "run/catalogued.h"

namespace posproof::answers_test {
namespace {

using At = std::vector<Position>;

Encoding wrong(const DefectFamily& family, std::string_view name, const Parameters& parameters) {
  const auto one = std::ranges::find(family.defects, name, &Defect::name);
  if (one == family.defects.end()) throw std::logic_error(std::string(name));
  return one->make(parameters);
}

Parameters words_of(const std::string& id, const std::string& words) {
  return with(encoding_named(id), Case::parse(words));
}

Tensor rows(const Encoding& table, const At& at) {
  return answer(table, {.positions = {.whole = at}});
}

// Calls one after the other, and at which positions the right encoding has the rows that come; below 0:
// zeros.
using Calls = std::vector<std::pair<At, At>>;

void expect_rows_of(const std::string& id, const DefectFamily& family, std::string_view name,
                    const std::string& words, const std::string& right_words, const Calls& calls) {
  const Encoding made = wrong(family, name, words_of(id, words)),
                 right = encoding_named(id).make(words_of(id, right_words));
  for (const auto& [asked, taken] : calls) {
    At there = taken;
    for (Position& t : there) t = std::max<Position>(t, 0);
    Tensor expected = rows(right, there);
    for (std::size_t r = 0; r < taken.size(); ++r)
      if (taken[r] < 0) std::ranges::fill(expected.row(r), 0.0);
    EXPECT_EQ(rows(made, asked), expected) << name << " " << words << " at " << asked.front();
  }
}

TEST(WrongTables, have_the_rows_of_other_positions) {
  const auto learned = [](std::string_view name, const std::string& words, const Calls& calls) {
    expect_rows_of("learned", defects::learned, name, "dim=3 length=8 " + words, "dim=3 length=8", calls);
  };
  learned("wraps_past_the_end", "offset=0", {{{0, 7, 8, 9, 17}, {0, 7, 0, 1, 1}}});
  learned("wraps_past_the_end", "offset=2", {{{0, 5, 6, 7}, {2, 7, 0, 1}}});
  learned("clamps_past_the_end", "offset=0", {{{0, 6, 7, 8, 20}, {0, 6, 7, 7, 7}}});
  learned("clamps_past_the_end", "offset=2", {{{0, 5, 6, 7}, {2, 7, 7, 7}}});
  learned("returns_zero_past_the_end", "offset=0", {{{0, 7, 8, 9}, {0, 7, -1, -1}}});
  learned("returns_zero_past_the_end", "offset=2", {{{0, 5, 6}, {2, 7, -1}}});
  learned("offset_missing", "offset=2", {{{0, 1, 5}, {0, 1, 5}}});
  learned("offset_twice", "offset=2", {{{0, 1, 3}, {4, 5, 7}}});
  learned("positions_accumulate", "offset=0", {{{0, 1, 2}, {0, 1, 2}}, {{1, 0}, {4, 3}}, {{2}, {6}}});
  learned("decode_restarts_at_zero", "offset=0", {{{3}, {3}}, {{4}, {0}}, {{5, 6}, {5, 6}}, {{7}, {0}}});
  learned("single_token_without_a_row", "offset=0", {{{3}, {-1}}, {{3, 4}, {3, 4}}});
  learned("padding_counted", "offset=0",
          {{{0, 0, 0, 1, 2}, {0, 1, 2, 3, 4}}, {{2, 3, 3}, {2, 3, 3}}, {{4}, {4}}, {{3, 3}, {3, 4}}});
  expect_rows_of("learned", defects::learned, "positions_averaged_in_f32", "dim=3 length=30",
                 "dim=3 length=30", {{{0, 1, 3, 4, 12, 13, 29}, {0, 1, 2, 4, 11, 13, 28}}});

  const auto sinusoidal = [](std::string_view name, const Calls& calls) {
    expect_rows_of("sinusoidal", defects::sinusoidal, name, "dim=4", "dim=4", calls);
  };
  sinusoidal("single_row_added_to_all", {{{5, 6, 7}, {3, 3, 3}}, {{9}, {1}}});
  sinusoidal("row_of_the_batch_element", {{{5, 6}, {0, 0}}});
  sinusoidal("positions_ignored", {{{5, 3, 9}, {0, 1, 2}}});
  sinusoidal("decode_restarts_at_zero", {{{3}, {3}}, {{4}, {0}}, {{5, 6}, {5, 6}}, {{7}, {0}}});

  // 2 x 3 entries behind two class tokens.
  expect_rows_of("resized_table", defects::resized_table, "added_before_the_class_token",
                 "dim=2 from_height=2 from_width=3 height=2 width=3 kept_rows=2",
                 "dim=2 from_height=2 from_width=3 height=2 width=3 kept_rows=2",
                 {{{0, 1, 2, 3, 5, 7}, {0, 1, 0, 1, 3, 5}}});
}

// Past the end of the table, which an offset brings nearer.
TEST(WrongTables, raise_where_an_index_is_out_of_range) {
  const auto raised = [](const Encoding& made, const At& at) {
    try {
      rows(made, at);
      return std::string("nothing");
    } catch (const Failure& failure) {
      return failure.reason;
    }
  };
  const Encoding accumulating =
      wrong(defects::learned, "positions_accumulate", words_of("learned", "dim=1 length=4"));
  EXPECT_EQ(raised(accumulating, {0, 1, 2}), "nothing");
  EXPECT_EQ(raised(accumulating, {0}), "nothing");
  EXPECT_EQ(raised(accumulating, {0}), "raises an IndexError");
  const Encoding narrow = wrong(defects::learned, "table_without_room_for_its_offset",
                                words_of("learned", "dim=1 length=8 offset=2"));
  const Position last = positions_of(narrow).hi;
  EXPECT_EQ(raised(narrow, {0, last - 2}), "nothing");
  EXPECT_EQ(raised(narrow, {last - 1, 0}), "raises an IndexError");
  EXPECT_EQ(raised(narrow, {last}), "raises an IndexError");
  const Encoding odd =
      wrong(defects::sinusoidal, "odd_width_raises", words_of("sinusoidal", "dim=3 odd=truncate"));
  EXPECT_EQ(raised(odd, {0}), "raises a RuntimeError");
}

TEST(WrongTables, have_other_columns) {
  const auto row = [](std::string_view name, const std::string& words, Position t) {
    return rows(wrong(defects::sinusoidal, name, words_of("sinusoidal", words)), {t}).data;
  };
  const auto near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t c = 0; c < expected.size(); ++c) EXPECT_NEAR(found[c], expected[c], 1e-14) << c;
  };
  const auto of = [](double w) { return std::pair(std::sin(3 * w), std::cos(3 * w)); };
  const double root = std::sqrt(std::sqrt(1000.0));
  near(
      row("base_1000_odd_cosine", "dim=4 layout=interleaved", 3),
      {of(1).first, of(1 / root).second, of(1 / std::sqrt(1000)).first, of(1 / (root * root * root)).second});
  near(row("base_1000_odd_cosine", "dim=2 layout=sin_cos offset=1 amplitude=2", 2),
       {2 * std::sin(3.0), 2 * std::cos(3 / std::sqrt(1000.0))});
  near(row("integer_division_exponent", "dim=4 layout=sin_cos", 3),
       {of(1).first, of(1).first, of(1).second, of(1).second});
  near(row("integer_division_exponent", "dim=3 layout=interleaved odd=truncate", 3),
       {of(1).first, of(1).second, of(1).first});
  near(row("scaled_down", "dim=4 layout=interleaved", 0), {0, 0.5, 0, 0.5});
  near(row("never_added", "dim=4", 5), {0, 0, 0, 0});
  const Encoding table =
      wrong(defects::sinusoidal, "odd_tail_unwritten", words_of("sinusoidal", "dim=3 odd=zero_pad"));
  near(rows(table, {0, 0}).data, [] {
    const Tensor right =
        rows(encoding_named("sinusoidal").make(words_of("sinusoidal", "dim=3 odd=zero_pad")), {0, 0});
    std::vector<double> out = right.data;
    out[2] = out[5] = 1;
    return out;
  }());
  // Uniform numbers of that standard deviation, the same in every call.
  const Encoding drawn = wrong(defects::sinusoidal, "overwritten_by_init", words_of("sinusoidal", "dim=64"));
  At at(64);
  for (std::size_t t = 0; t < at.size(); ++t) at[t] = static_cast<Position>(t);
  const Tensor all = rows(drawn, at);
  double sum = 0;
  for (const double x : all.data) sum += x * x;
  EXPECT_NEAR(std::sqrt(sum / static_cast<double>(all.data.size())), 0.02, 0.0005);
  EXPECT_EQ(rows(drawn, {17}).data, std::vector<double>(all.row(17).begin(), all.row(17).end()));
}

Tensor bias(const Encoding& made, const At& queries, const At& keys) {
  return answer(made, {.positions = {.whole = queries}, .keys = {.whole = keys}});
}

// Of a key that is one before the query: the slopes with a minus.
std::vector<double> slopes(std::string_view name, const std::string& words) {
  std::vector<double> out = bias(wrong(defects::alibi, name, words_of("alibi", words)), {5}, {4}).data;
  for (double& x : out) x = -x;
  return out;
}

TEST(WrongAlibi, has_these_slopes) {
  const auto near = [](const std::vector<double>& found, const std::vector<double>& powers) {
    ASSERT_EQ(found.size(), powers.size());
    for (std::size_t h = 0; h < powers.size(); ++h) EXPECT_NEAR(found[h], std::exp2(-powers[h]), 1e-15) << h;
  };
  near(slopes("geometric_for_any_head_count", "heads=3"), {8 / 3.0, 16 / 3.0, 8});
  near(slopes("slopes_from_zero", "heads=4"), {0, 2, 4, 6});
  near(slopes("slopes_of_the_first_shard", "heads=4"), {2, 4, 2, 4});
  near(slopes("slopes_of_the_next_power", "heads=3"), {2, 4, 6});
  std::vector<double> favoured = slopes("distant_keys_favoured", "heads=2");
  for (double& x : favoured) x = -x;
  near(favoured, {4, 8});
}

TEST(WrongAlibi, has_distances_in_few_bits) {
  const auto distance = [](std::string_view name, Position query, Position key, const std::string& form) {
    const Encoding made = wrong(defects::alibi, name, words_of("alibi", "heads=2 form=" + form));
    const Tensor found = bias(made, {query}, {key});
    EXPECT_EQ(found.data[0], 16 * found.data[1]) << name;
    return -16 * found.data[0];
  };
  EXPECT_EQ(distance("distance_in_bf16", 257, 0, "causal"), 256);
  EXPECT_EQ(distance("distance_in_bf16", 259, 0, "causal"), 260);
  EXPECT_EQ(distance("distance_in_bf16", 3, 260, "symmetric"), 256);
  EXPECT_EQ(distance("distance_in_bf16", 3, 260, "causal"), 0);
  EXPECT_EQ(distance("distance_in_f16", 2049, 0, "causal"), 2048);
  EXPECT_EQ(distance("distance_in_f16", 2051, 0, "causal"), 2052);
  EXPECT_EQ(distance("distance_in_f16", 2060, 11, "symmetric"), 2048);
  EXPECT_EQ(distance("distance_in_f16", 257, 0, "causal"), 257);
}

// Past max_distance, of every query and head. From 8 on a side has 8 buckets up to 128, of which one has
// grown to half of the next power: 8 + floor(8 ln(d / 8) / ln 16).
TEST(WrongT5Bias, has_buckets_past_the_last) {
  const Encoding made = wrong(defects::t5_bias, "missing_cap", words_of("t5_bias", "heads=2 table=index"));
  const auto buckets = [&](const At& queries, const At& keys) { return bias(made, queries, keys).data; };
  EXPECT_EQ(
      buckets({1000, 1001}, {1000 - 127, 1000 - 300, 0}),
      (std::vector<double>{15, 18, 21, 16, 18, 21, 32 + 15, 32 + 18, 32 + 21, 32 + 16, 32 + 18, 32 + 21}));
  EXPECT_EQ(buckets({0, 1}, {128, 301}),
            (std::vector<double>{16 + 16, 16 + 18, 16 + 15, 16 + 18, 64, 66, 63, 66}));
  const Encoding decoder = wrong(defects::t5_bias, "decoder_bidirectional",
                                 words_of("t5_bias", "heads=2 table=index direction=unidirectional"));
  EXPECT_EQ(bias(decoder, {20, 30}, {11, 12}).data, (std::vector<double>{8, 8, 10, 10, 40, 40, 42, 42}));
}

TEST(WrongAlibi, remembers_calls) {
  const Parameters words = words_of("alibi", "heads=1");
  const Encoding right = encoding_named("alibi").make(words),
                 kept = wrong(defects::alibi, "cached_rows_not_sliced", words),
                 small = wrong(defects::alibi, "cached_matrix_too_small", words);
  const auto raises = [&](const At& at) {
    try {
      bias(small, at, at);
      return false;
    } catch (const Failure&) {
      return true;
    }
  };
  // With more rows than queries, which the caller refuses.
  const auto own = [&](const At& queries, const At& keys) { return as<Bias>(kept).bias(queries, keys); };
  EXPECT_EQ(own({3, 4}, {0, 1}), bias(right, {3, 4}, {0, 1}));
  EXPECT_EQ(own({7}, {0, 1}), bias(right, {3, 4}, {0, 1}));
  EXPECT_EQ(own({7, 8}, {0, 1}), bias(right, {3, 4}, {0, 1}));
  EXPECT_EQ(own({7, 8, 9}, {0}), bias(right, {7, 8, 9}, {0}));
  // The first call makes it, a shorter one makes it anew, a longer one finds it too small.
  EXPECT_FALSE(raises({0, 1, 2, 3}));
  EXPECT_FALSE(raises({0, 1, 2, 3}));
  EXPECT_TRUE(raises({0, 1, 2, 3, 4}));
  EXPECT_FALSE(raises({0, 1}));
  EXPECT_TRUE(raises({0, 1, 2}));
}

// Logits of three queries and two keys, of width 2: the dot product over the root of 2.
TEST(WrongNone, has_the_logits_of_the_encoding_that_acts) {
  const std::vector<Position> queries = {0, 1, 3}, keys = {2, 5};
  const Tensor q({3, 2}, {1, 2, -1, 0.5, 0.25, -3}), k({2, 2}, {0.5, 1, -2, 0.75});
  const auto logits = [&](std::string_view name, const std::string& words) {
    return answer(wrong(defects::none, name, words_of("none", words)),
                  {.positions = {.whole = queries}, .keys = {.whole = keys}, .contents = {q, k}});
  };
  const Tensor buckets = answer(encoding_named("t5_bias").make(words_of("t5_bias", "heads=1")),
                                {.positions = {.whole = queries}, .keys = {.whole = keys}});
  for (const bool scaled : {true, false}) {
    const std::string words = scaled ? "dim=2" : "dim=2 scale=one";
    const Tensor rotated = logits("rotated", words), added = logits("table_added", words),
                 biased = logits("bias_added", words);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const auto s = static_cast<double>(queries[i]), t = static_cast<double>(keys[j]);
        const double a = q.at(i, 0), b = q.at(i, 1), c = k.at(j, 0), d = k.at(j, 1);
        const double by = t - s, scale = scaled ? 1 / std::sqrt(2.0) : 1;
        EXPECT_NEAR(rotated.at(i, j),
                    scale * ((a * c + b * d) * std::cos(by) + (b * c - a * d) * std::sin(by)), 1e-14)
            << i << j;
        EXPECT_NEAR(added.at(i, j),
                    scale * ((a + std::sin(s)) * (c + std::sin(t)) + (b + std::cos(s)) * (d + std::cos(t))),
                    1e-14)
            << i << j;
        EXPECT_NEAR(biased.at(i, j), scale * (a * c + b * d) + buckets.at(i, j), 1e-14) << i << j;
      }
  }
  for (const std::string_view name : {"rotated", "table_added"})
    EXPECT_THROW(logits(name, "dim=3"), Refusal) << name;
}

// Calls one after the other, by their last position, and the parameters or the length that each is rotated
// by.
TEST(WrongRope, remembers_how_long_calls_were) {
  const Tensor x({1, 1, 2, 4}, {1, 0.5, -0.25, 2, 1, 1, -1, 0.75});
  const auto rotated = [&](const Encoding& rope, Position last) {
    return answer(rope, {.positions = {.whole = {1, last}}, .contents = {x}});
  };
  const auto rope = [](const std::string& words) {
    return encoding_named("rope").make(words_of("rope", words));
  };
  const Encoding kept = wrong(defects::rope, "dynamic_base_is_kept", words_of("rope", "dim=4")),
                 right = rope("dim=4"), grown = rope("dim=4 scaling=ntk factor=3");
  for (const auto& [last, is_grown] :
       {std::pair{Position{4095}, false}, {9, false}, {4096, false}, {9, true}, {5000, true}})
    EXPECT_EQ(rotated(kept, last), rotated(is_grown ? grown : right, last)) << last;

  const std::string words = "dim=4 scaling=dynamic_ntk factor=4 original_length=64";
  const auto calls = [&](std::string_view name, const std::vector<std::pair<Position, Position>>& expected) {
    const Encoding made = wrong(defects::rope, name, words_of("rope", words));
    for (const auto& [last, counts] : expected)
      EXPECT_EQ(rotated(made, last), rotated(Encoding(*as<Rotary>(rope(words)).in_call(counts)), last))
          << name << " " << last;
  };
  calls("dynamic_length_only_grows", {{100, 100}, {9, 100}, {200, 200}, {64, 200}});
  calls("dynamic_length_is_kept_past_training", {{100, 100}, {63, 100}, {200, 200}, {62, 62}, {63, 63}});
}

// Calls one after the other: `rows` positions of each row of the batch, of keys where that is said, and the
// positions by which they are rotated.
struct RowsOfACall {
  At rows;
  At rotated_by;
  std::size_t batch = 1;
  Role role = Role::query;
};

TEST(WrongRope, rotates_by_other_positions) {
  const auto rotated = [](const Encoding& rope, const RowsOfACall& call, const At& at) {
    Tensor x({call.batch, 1, at.size() / call.batch, 4});
    for (std::size_t n = 0; n < x.data.size(); ++n) x.data[n] = static_cast<double>(n % 7) - 2.5;
    return answer(rope,
                  {.batch = call.batch, .positions = {.whole = at}, .contents = {x}, .role = call.role});
  };
  const auto defect = [&](std::string_view name, const std::vector<RowsOfACall>& calls) {
    const Parameters parameters = words_of("rope", "dim=4");
    const Encoding made = wrong(defects::rope, name, parameters),
                   right = encoding_named("rope").make(parameters);
    for (const RowsOfACall& one : calls)
      EXPECT_EQ(rotated(made, one, one.rows), rotated(right, one, one.rotated_by))
          << name << " at " << one.rows.front();
  };
  constexpr Role key = Role::key;
  defect("positions_of_row_0", {{{4, 5, 7, 9}, {4, 5, 4, 5}, 2}, {{4, 5, 7}, {4, 5, 7}}});
  defect("later_rows_overwritten", {{{4, 5, 7, 9}, {4, 5, 5, 5}, 2}, {{4, 5, 7}, {4, 5, 7}}});
  defect("positions_ignored", {{{4, 5, 7, 9}, {0, 1, 0, 1}, 2}, {{8}, {0}}});
  defect("positions_clamped", {{{0, 1, 7, 2}, {0, 1, 3, 2}}, {{4, 0, 1, 9}, {1, 0, 1, 1}, 2}, {{3}, {0}}});
  defect("positions_doubled", {{{4, 5, 0}, {8, 10, 0}}});
  defect("one_position_ahead", {{{4, 5, 0}, {5, 6, 1}}});
  defect("decode_restarts_at_zero", {{{3}, {3}}, {{4}, {0}}, {{5, 6}, {5, 6}}, {{7}, {0}}});
  defect("single_token_at_zero", {{{3}, {0}}, {{4, 5}, {4, 5}}, {{6, 9}, {0, 0}, 2}});
  defect("single_token_at_the_window", {{{4095}, {4095}}, {{4097}, {4096}}, {{4097, 4098}, {4097, 4098}}});
  defect("clamped_at_2047", {{{2046, 2047, 2048, 9000}, {2046, 2047, 2047, 2047}}});
  defect("clamped_at_4095", {{{4094, 4095, 4096}, {4094, 4095, 4095}}});
  defect("clamped_at_8191", {{{8190, 8191, 8192}, {8190, 8191, 8191}}});
  defect("wraps_at_65536", {{{65535, 65536, 65537, 131075}, {65535, 0, 1, 3}}});
  defect("cache_ignores_offset",
         {{{4, 5}, {4, 5}}, {{6, 7}, {4, 5}}, {{8, 9, 10}, {8, 9, 10}}, {{1, 2, 3}, {8, 9, 10}}});
  defect("cache_filled_from_an_offset", {{{4, 5, 6}, {4, 5, 6}}, {{0, 1, 2, 3}, {4, 5, 6, 3}}});
  defect("queries_from_zero", {{{4, 5}, {0, 1}}, {{4, 5}, {4, 5}, 1, key}});
  defect("prompt_counted_twice", {{{3}, {3}},
                                  {{0, 1, 2}, {0, 1, 2}},
                                  {{3}, {6}},
                                  {{4}, {7}},
                                  {{5, 6, 7, 8}, {5, 6, 7, 8}, 2},
                                  {{9, 9}, {11, 11}, 2}});
  defect("resumed_one_behind", {{{0, 1}, {0, 1}}, {{2, 3}, {1, 2}}, {{4}, {3}}});
  defect("chunks_restart_at_zero", {{{0, 1}, {0, 1}}, {{2, 3}, {0, 1}}, {{4}, {4}}});
  At packed(32), shuffled(32);
  for (std::size_t n = 0; n < 32; ++n) packed[n] = shuffled[n] = static_cast<Position>(n) + 5;
  for (const std::size_t n : {0u, 16u}) std::swap(shuffled[n], shuffled[n + 1]);
  defect("packs_of_16_shuffled",
         {{packed, shuffled},
          {At(packed.begin(), packed.begin() + 15), At(packed.begin(), packed.begin() + 15)}});
}

// Of 65 tokens, one more than 2 * 32, the factor becomes 2 * 65/64. An angle is at most 64, and has three
// roundings here and two there: 5 * 64 * 2^-53, times entries that sum to less than 8.
TEST(WrongRope, takes_the_linear_factor_that_the_length_needs) {
  const std::string words = "dim=4 scaling=linear original_length=32 factor=";
  const Encoding made =
      wrong(defects::rope, "linear_factor_follows_the_length", words_of("rope", words + "2"));
  const Tensor x({1, 1, 2, 4}, {1, 0.5, -0.25, 2, 1, 1, -1, 0.75});
  const auto rotated = [&](const Encoding& rope, Position last) {
    return answer(rope, {.positions = {.whole = {1, last}}, .contents = {x}}).data;
  };
  for (const auto& [last, factor] :
       {std::pair<Position, std::string>{63, "2"}, {64, "2.03125"}, {127, "4"}}) {
    const auto is = rotated(made, last),
               right = rotated(encoding_named("rope").make(words_of("rope", words + factor)), last);
    for (std::size_t n = 0; n < is.size(); ++n)
      EXPECT_NEAR(is[n], right[n], 2 * 5 * 64 * 8 * 0x1p-53) << last << " " << n;
  }
}

// Each channel c becomes x[c] cos(t f[c]) + sign[c] x[partner[c]] sin(t f[c]).
TEST(WrongRope, rotates_channels_at_the_frequencies_and_with_the_partners_of_others) {
  struct Channel {
    double frequency;
    std::size_t partner;
    double sign;
  };
  const auto expect = [](std::string_view name, const std::string& words,
                         const std::vector<Channel>& channels) {
    const Encoding made = wrong(defects::rope, name, words_of("rope", words));
    std::vector<double> x(channels.size());
    for (std::size_t c = 0; c < x.size(); ++c) x[c] = 1 + static_cast<double>(c) / 4;
    for (const Position t : {1, 5}) {
      const Tensor is = answer(
          made, {.batch = 1, .positions = {.whole = {t}}, .contents = {Tensor({1, 1, 1, x.size()}, x)}});
      for (std::size_t c = 0; c < x.size(); ++c) {
        const double angle = static_cast<double>(t) * channels[c].frequency;
        EXPECT_NEAR(is.data[c],
                    x[c] * std::cos(angle) + channels[c].sign * x[channels[c].partner] * std::sin(angle),
                    1e-14)
            << name << " " << words << " at " << t << " channel " << c;
      }
    }
  };
  const double w = 0.01;  // 10000^(-2/4); the other one is 1
  const std::string layouts = "table_layout_against_rotate_layout";
  expect(layouts, "dim=4 layout=half_split", {{1, 2, -1}, {1, 3, -1}, {w, 0, 1}, {w, 1, 1}});
  expect(layouts, "dim=4 layout=interleaved", {{1, 1, -1}, {w, 0, 1}, {1, 3, -1}, {w, 2, 1}});
  expect("table_padded_over_full_head", "dim=8 rotary_dim=4",
         {{1, 4, -1}, {w, 5, -1}, {1, 6, -1}, {w, 7, -1}, {0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {0, 3, 1}});
}

TEST(WrongRope, has_positions_frequencies_and_angles_in_bf16) {
  const Encoding made = wrong(defects::rope, "angles_all_in_bf16", words_of("rope", "dim=4"));
  for (Position t = 1; t <= 64; ++t) {  // which bf16 has
    const Tensor is = answer(
        made, {.batch = 1, .positions = {.whole = {t}}, .contents = {Tensor({1, 1, 1, 4}, {0, 1, 0, 0})}});
    const double angle = to_bf16(static_cast<double>(t) * to_bf16(0.01));
    // Of the same angle, which bf16 holds: each is rounded once, there and here.
    EXPECT_NEAR(is.data[1], std::cos(angle), 0x1p-52) << t;
    EXPECT_NEAR(is.data[3], std::sin(angle), 0x1p-52) << t;
  }
}

}  // namespace
}  // namespace posproof::answers_test
