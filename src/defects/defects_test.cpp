#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "catalogue/defects.h"
#include "catalogue/defects/decomposed_relative.h"
#include "core/call.h"
#include "core/formats.h"
#include "defects/not_asked.h"
#include "defects/rope_angles.h"
#include "defects/rope_ladders.h"
#include "defects/rope_made.h"
#include "defects/sources.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "search/trial.h"

namespace posproof::defects_test {
namespace {

struct Entry {
  std::string name;  // `rope/angles_in_bf16`
  const EncodingSpec* spec;
  const Defect* defect;
};

// All of the catalogue.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> out;
    for (const auto& [family, defects] : catalogue::defects())
      for (const Defect& one : defects->defects)
        out.push_back({fmt::format("{}/{}", family, one.name), &encoding_named(family), &one});
    return out;
  }();
  return all;
}

Verdict searched(const Property& property, const Encoding& encoding, Precision precision,
                 std::string_view id) {
  return search(*trial(property, encoding, precision), {.id = std::string(id)});
}

TEST(Defects, have_names_of_their_own_and_a_source) {
  std::set<std::string> names;
  for (const auto& [name, spec, defect] : entries()) {
    EXPECT_TRUE(names.insert(name).second) << "two are named " << name;
    EXPECT_FALSE(sources_of(*defect).empty()) << name;
    EXPECT_TRUE(is_kin(*defect) || !defect->recorded.empty() || defect->name == "slopes_from_zero" ||
                defect->name == "missing_cap" || defect->name.starts_with("angle") ||
                defect->name == "coordinates_in_f32" || defect->name == "exponent_rounded_down")
        << name << " is neither recorded nor kin of one that is";
    EXPECT_FALSE(defect->wrong.empty()) << name;
  }
}

TEST(Defects, have_sources_that_are_links) {
  EXPECT_EQ(source_named("candle#3520").url, "https://github.com/huggingface/candle/issues/3520");
  EXPECT_EQ(source_named("xformers@51aa071").url,
            "https://github.com/facebookresearch/xformers/commit/51aa071");
  EXPECT_EQ(source_named("Kyubyong/transformer#81").url, "https://github.com/Kyubyong/transformer/issues/81");
  EXPECT_THROW(source_named("candle"), std::logic_error);
  EXPECT_THROW(source_named("nobodys#1"), std::logic_error);
  const auto words = [](std::string_view sources) {
    std::string out;
    for (const Source& one :
         sources_of({.name = "x", .wrong = "", .sources = sources, .make = nullptr, .setting = ""}))
      out += one.name + ";";
    return out;
  };
  EXPECT_EQ(words("candle#1"), "candle#1;");
  EXPECT_EQ(words("kin of candle#1, mlx#2, xformers@3"), "candle#1;mlx#2;xformers@3;");
}

// Each entry of the catalogue of shipped defects is stood for, or it is said why not.
TEST(Defects, stand_for_what_is_recorded_or_say_why_not) {
  std::set<std::string_view> recorded;
  for (const auto& [name, spec, defect] : entries()) {
    EXPECT_FALSE(is_kin(*defect) && !defect->recorded.empty()) << name;
    recorded.insert(defect->recorded.begin(), defect->recorded.end());
  }
  EXPECT_EQ(recorded.size(), 101u);
  for (const NotAsked& one : not_asked) {
    EXPECT_TRUE(recorded.insert(one.id).second) << one.id << " is stood for, or named twice";
    EXPECT_FALSE(one.because.empty()) << one.id;
  }
  EXPECT_EQ(recorded.size(), 135u);
}

// 2 below 4 of 8 queries and 6 keys: 2 times 4/3 and 5 times 4/3, 20/3 - 8/3, is less than 4 in f32. By hand
// the rows of query 0 are those of (5 - j) 4/3, rounded down: 6, 5, 4, 2, 1, 0.
TEST(Defects, in_f32_take_the_row_before) {
  const EncodingSpec& spec = encoding_named("decomposed_relative");
  const Parameters p = with(spec, Case::parse("dim=1 grid=[8,1] key_grid=[6,1]"));
  const auto wrong = as<Contextual>(defects::decomposed_relative.defects.front().make(p)),
             right = as<Contextual>(spec.make(p));
  const Tensor q({1, 1}, {1}), k({8, 1});
  std::vector<Position> keys;
  for (Position place = 0; place < 8; ++place) keys.insert(keys.end(), {place, 0});
  const std::vector<Position> query = {0, 0};
  const Tensor there = wrong.logits(q, k, {query, 2}, {keys, 2}),
               here = right.logits(q, k, {query, 2}, {keys, 2});
  for (std::size_t place = 0; place < 8; ++place)  // of keys 0, 0, 1, 2, 3, 3, 4 and 5
    EXPECT_EQ(there.at(0, place) == here.at(0, place), place != 3) << place;
  EXPECT_THROW(
      defects::decomposed_relative.defects.front().make(with(spec, Case::parse("grid=[8,1] key_grid=[4,1]"))),
      Refusal);
}

// Recorded, and no defect: a product with the rounded reciprocal of the factor, where others divide by it.
TEST(Defects, are_not_two_orders_of_evaluation) {
  const Parameters parameters = with(encoding_named("rope"), Case::parse("dim=4 scaling=linear factor=3"));
  const Encoding exact = encoding_named("rope").oracle(parameters);
  for (const bool by_reciprocal : {true, false}) {
    const Rotary rotary = as<Rotary>(exact);
    const Encoding legal = answered_by(exact, [=](const Call& call) {
      return wrong_ropes::rotated(rotary, call, [&](std::size_t token, const Pair& pair) {
        const auto t = static_cast<double>(call.positions.whole[token]);
        const double scaled = by_reciprocal ? to_f32(t * to_f32(1.0 / 3)) : to_f32(t / 3);
        return wrong_ropes::exact(to_f32(scaled * to_f32(3 * pair.frequency)));
      });
    });
    const Verdict verdict = searched(agreement(exact), legal, all_f32, "two orders");
    EXPECT_TRUE(std::holds_alternative<Holds>(verdict)) << by_reciprocal << ": " << name(verdict);
  }
}

// Without the defect the property that refutes it holds at the same settings, and so does agreement with the
// oracle: it is the defect that is refuted, not the setting.
TEST(Defects, are_what_is_wrong_at_their_settings) {
  std::set<std::string> seen;
  for (const auto& [name, spec, defect] : entries()) {
    const std::string setting(defect->setting);
    const Parameters parameters = with(*spec, Case::parse(setting));
    const Property agrees = agreement(spec->oracle(parameters));
    for (const Property* property : {&agrees, defect->refuted_by}) {
      if (property == nullptr) continue;
      const std::string id = fmt::format("{} {} {} {}", name.substr(0, name.find('/')), setting,
                                         defect->precision.word(), property->formula);
      if (!seen.insert(id).second) continue;
      const Verdict verdict = searched(*property, spec->make(parameters), defect->precision, id);
      EXPECT_TRUE(std::holds_alternative<Holds>(verdict)) << id << ": " << posproof::name(verdict);
    }
  }
}

// The faster of its two channels errs most.
TEST(Defects, with_an_angle_for_each_channel_declare_the_larger_frequency_of_a_pair) {
  const Parameters parameters = with(encoding_named("rope"), Case::parse("dim=4"));
  for (const bool first_is_faster : {true, false}) {
    const Encoding made = wrong_ropes::with_channel_angles(
        parameters, [=](const Rotary&, std::size_t c) { return (c < 2) == first_is_faster ? 0.5 : 0.25; },
        &wrong_ropes::right_partner, 4);
    for (const Pair& pair : as<Rotary>(made).pairs) EXPECT_EQ(pair.frequency, 0.5);
  }
}

// Beyond 65519 that is infinity, and the angle no number.
// The mean of the 64 blended numbers at Llama 3.1's parameters, in 30 digits by mpmath, is
// 274231.435313570536. Sums of 64 positive numbers are 64 units apart, so a pair's frequency is, too, and at
// position 1 so is what is rotated; sine and cosine add a unit each.
TEST(Defects, with_one_base_for_llama3s_blend_have_the_mean_of_all_numbers) {
  const auto rotated = [](const Encoding& one) {
    const Position first = 1;
    return as<Rotary>(one).rotate(Tensor({1, 1, 1, 128}, std::vector<double>(128, 1)), {&first, 1},
                                  Role::query);
  };
  const EncodingSpec& rope = encoding_named("rope");
  const Tensor wrong = rotated(
      wrong_ropes::llama3_mean_as_base(with(rope, Case::parse("dim=128 base=500000 scaling=llama3"))));
  const Tensor right = rotated(rope.make(with(rope, Case::parse("dim=128 base=274231.435313570536"))));
  for (std::size_t i = 0; i < right.data.size(); ++i)
    EXPECT_NEAR(wrong.data[i], right.data[i], 2 * (64 + 2) * 0x1p-52) << i;
}

TEST(Defects, with_positions_in_f16_rotate_by_the_nearest_one_that_f16_holds) {
  const Parameters parameters = with(encoding_named("rope"), Case::parse("dim=4 heads=1"));
  const auto made = as<Rotary>(wrong_ropes::positions_in_f16(parameters));
  const Tensor x({1, 1, 1, 4}, {1, 2, 3, 4});
  const auto rotated = [&](Position t) { return made.rotate(x, {&t, 1}, Role::query); };
  const std::pair<Position, Position> held[] = {{1000, 1000}, {2049, 2048}, {4099, 4100}, {65519, 65504}};
  for (const auto& [asked, taken] : held) {
    const Tensor right =
        wrong_ropes::rotated(made, {.positions = {.whole = {taken}}, .contents = {x}},
                             [at = taken](std::size_t, const Pair& pair) {
                               return wrong_ropes::exact(static_cast<long double>(at) * pair.frequency);
                             });
    EXPECT_EQ(rotated(asked), right) << asked;
  }
  for (const double y : rotated(65520).data) EXPECT_TRUE(std::isnan(y));
}

// 10 bits after the first, ties to even.
TEST(Defects, in_tf32_keep_ten_bits) {
  EXPECT_EQ(wrong_ropes::to_tf32(1 + 0x1p-10), 1 + 0x1p-10);
  EXPECT_EQ(wrong_ropes::to_tf32(1 + 0x1p-11), 1);
  EXPECT_EQ(wrong_ropes::to_tf32(1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(wrong_ropes::to_tf32(-3000.6), -3000);
  EXPECT_EQ(wrong_ropes::to_tf32(2049), 2048);
  EXPECT_EQ(wrong_ropes::to_tf32(0x1.ffcp-20), 0x1.ffcp-20);
  EXPECT_EQ(wrong_ropes::to_tf32(0), 0);
}

std::string refused(std::string_view name, std::string_view parameters) {
  const Entry& one = *std::ranges::find(entries(), name, &Entry::name);
  try {
    one.defect->make(with(*one.spec, Case::parse(parameters)));
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "not refused";
}

TEST(Defects, refuse_what_makes_no_difference) {
  EXPECT_EQ(refused("rope/base_ignored", "base=10000"), "the same where `base=10000` or one pair rotates");
  EXPECT_EQ(refused("rope/pairing_swapped", "dim=2"), "the layouts are the same where one pair rotates");
  EXPECT_EQ(refused("rope/warp_shuffle_limit", "dim=32"), "the same up to 32 channels");
  EXPECT_EQ(refused("rope/position_plus_head", "heads=1"), "the same for one head");
  EXPECT_EQ(refused("rope/scaling_ignored", "dim=4 scaling=llama3"),
            "there is no scaling, or it leaves every pair as it is");
  EXPECT_EQ(refused("rope/llama3_smoothing_in_wavelength", "dim=2 scaling=llama3"),
            "the same where no wavelength is between original_length / high and / low");
  EXPECT_EQ(refused("rope/llama3_smoothing_in_wavelength", "dim=128 scaling=llama3"), "not refused");
  const std::string sampled = "method=linear table=index ";
  EXPECT_EQ(
      refused("resized_table/sampled_transposed", sampled + "from_height=1 from_width=1 height=2 width=3"),
      "the same for one entry");
  EXPECT_EQ(
      refused("resized_table/sampled_transposed", sampled + "from_height=2 from_width=1 height=1 width=1"),
      "the same for one entry");
  EXPECT_EQ(
      refused("resized_table/sampled_transposed", sampled + "from_height=2 from_width=1 height=2 width=3"),
      "not refused");
  EXPECT_EQ(refused("rope/yarn_attention_factor_ignored", "scaling=yarn factor=1"),
            "the attention factor is 1 by right");
  EXPECT_EQ(refused("sinusoidal/integer_division_exponent", "dim=2"), "the first frequency is 1 by right");
  EXPECT_EQ(refused("alibi/geometric_for_any_head_count", "heads=8"),
            "the slopes are the same for these heads");
  EXPECT_EQ(refused("learned/offset_missing", "offset=0"), "the same without an offset");
  EXPECT_EQ(refused("learned/offset_twice", "offset=0"), "the same without an offset");
  EXPECT_EQ(refused("learned/table_without_room_for_its_offset", "offset=0"), "the same without an offset");
  EXPECT_EQ(refused("learned/positions_averaged_in_f32", "length=3"), "the same for positions below 3");
  EXPECT_EQ(refused("learned/positions_averaged_in_f32", "length=4"), "not refused");
  EXPECT_EQ(refused("rope/index_in_16_bits", "dim=2 heads=127"),
            "the same in calls of 128 tokens with 32768 values or less: `heads` times `dim` from 256");
  EXPECT_EQ(refused("rope/index_in_16_bits", "dim=2 heads=128"), "not refused");
  EXPECT_EQ(refused("rope/converted_with_query_heads", "dim=4 layout=interleaved"),
            "nothing is converted unless `layout=interleaved`, or no two blocks of two pairs are");
  EXPECT_EQ(refused("rope/attention_factor_of_the_scaling", "scaling=yarn"),
            "it is 0.1 mscale ln factor + 1 by right");
  EXPECT_EQ(refused("rope/llama3_constants_ignored", "scaling=llama3"),
            "no pair differs from `factor=8 high_freq_factor=4`");
  EXPECT_EQ(refused("rope/dynamic_base_is_kept", "dim=2"),
            "the same where one pair rotates, or not what another scaling does");
  EXPECT_EQ(refused("rope/table_wider_than_the_slice", "dim=4"), "the same where all channels rotate");
  EXPECT_EQ(refused("sinusoidal/odd_width_raises", "dim=2"),
            "there is a cosine for every sine: an odd `dim`");
  EXPECT_EQ(refused("alibi/slopes_of_the_next_power", "heads=4"), "the slopes are the same for these heads");
  EXPECT_EQ(refused("alibi/slopes_of_the_first_shard", "heads=3"),
            "two devices share an even number of heads");
}

}  // namespace
}  // namespace posproof::defects_test
