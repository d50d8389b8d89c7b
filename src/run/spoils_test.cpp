// Which properties see an answer that is wrong in one place only: this head, this batch row, this token, this
// role, this call. Right encodings are spoiled there by so many times what rounding in f32 allows, and each
// property that they claim is searched. A check that looks at the first of anything alone loses its place in
// the table below.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "core/spoiled.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "search/trial.h"

namespace posproof::spoils_test {
namespace {

// Large enough for statements whose bound is a sum over many entries, and far below what looks wrong.
constexpr double times_the_bound = 64;

struct Where {
  std::string_view name;
  Function<bool(const AnswerEntry&)> here;
};

const std::vector<Where>& places() {
  static const std::vector<Where> all = {
      {"last head", [](const AnswerEntry& at) { return at.heads > 1 && at.in_last_head(); }},
      {"last batch row", [](const AnswerEntry& at) { return at.batches > 1 && at.in_last_batch_row(); }},
      {"last token", [](const AnswerEntry& at) { return at.tokens > 1 && at.of_last_token(); }},
      {"first token", [](const AnswerEntry& at) { return at.tokens > 1 && at.token == 0; }},
      {"last key", [](const AnswerEntry& at) { return at.keys > 1 && at.of_last_key(); }},
      {"last channel", [](const AnswerEntry& at) { return at.in_last_channel(); }},
      {"first channel", [](const AnswerEntry& at) { return at.channel == 0; }},
      {"keys", [](const AnswerEntry& at) { return at.role == Role::key; }},
      {"every third call", [](const AnswerEntry& at) { return at.calls % 3 == 2; }},
      {"repeated position", [](const AnswerEntry& at) { return at.repeated; }},
      {"past 65536", [](const AnswerEntry& at) { return at.position > 65536; }},
      {"odd position", [](const AnswerEntry& at) { return at.position % 2 != 0; }},
      {"one token alone", [](const AnswerEntry& at) { return at.tokens == 1; }},
  };
  return all;
}

// Off by so many times what an answer in f32 may be off by there.
Encoding off_by_bounds(const Encoding& right, const Where& place) {
  struct Last {
    const Call* call = nullptr;
    std::size_t calls = 0;
    Tensor error = {};
    std::size_t next = 0;
  };
  return spoiled(right, [right, here = place.here, last = std::make_shared<Last>()](const AnswerEntry& at,
                                                                                    double exact) {
    if (last->call == nullptr || at.calls != last->calls || at.is_first())
      *last = {at.call, at.calls, bound(right, *at.call, answer(right, *at.call), all_f32).error};
    const double error = last->error.data[last->next++];
    return here(at) ? exact + times_the_bound * error : exact;
  });
}

bool sees(const Property& property, std::string_view id, const Encoding& right, const Where& place) {
  const auto one = trial(property, off_by_bounds(right, place), all_f32);
  const Plan plan{.id = std::string(id), .budget = {.cases = 100, .shrinks = 0, .shrink_time = {}}};
  return one && std::holds_alternative<Refuted>(search(*one, plan));
}

// Where a property sees what is wrong there alone; it may see more.
struct Row {
  std::string_view id;
  std::vector<std::string_view> places;
};

void expect_seen(std::string_view encoding, const char* words, const std::vector<Row>& rows) {
  const EncodingSpec& spec = encoding_named(encoding);
  const Parameters parameters = with(spec, Case::parse(words));
  const Encoding right = spec.make(parameters);
  for (const auto& [id, names] : rows) {
    const Property property = id == agreement_id ? agreement(spec.oracle(parameters)) : property_named(id);
    for (const std::string_view name : names) {
      const auto place = std::ranges::find(places(), name, &Where::name);
      ASSERT_NE(place, places().end()) << name;
      EXPECT_TRUE(sees(property, id, right, *place))
          << id << " no longer sees what is wrong in " << encoding << " in this place alone: " << name;
    }
  }
}

TEST(Spoils, of_rope_are_seen) {
  expect_seen(
      "rope", "dim=12 heads=3 rotary_dim=8",
      {{"agrees_with_its_oracle",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "repeated position", "past 65536", "odd position", "one token alone"}},
       {"attention/is_causal", {"every third call"}},
       {"call/agrees_in_chunks",
        {"last token", "first token", "every third call", "repeated position", "one token alone"}},
       {"call/is_stateless", {"every third call"}},
       {"call/takes_positions_in_any_order",
        {"last token", "first token", "every third call", "repeated position"}},
       {"call/treats_batch_rows_independently", {"last batch row", "every third call"}},
       {"score/depends_on_offset",
        {"first channel", "keys", "every third call", "past 65536", "odd position", "one token alone"}},
       {"rotary/preserves_norm",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "past 65536", "odd position", "one token alone"}},
       {"rotary/preserves_pair_norms",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "past 65536", "odd position", "one token alone"}},
       {"rotary/composes",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "repeated position", "past 65536", "odd position", "one token alone"}},
       {"rotary/inverts_at_the_opposite_position",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "repeated position", "past 65536", "odd position", "one token alone"}},
       {"rotary/is_identity_at_zero",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "repeated position", "one token alone"}},
       {"rotary/is_linear",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "past 65536", "odd position", "one token alone"}},
       {"rotary/layouts_agree_after_one_permutation",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "past 65536", "odd position", "one token alone"}},
       {"rotary/role_does_not_matter", {"keys", "every third call"}},
       {"call/treats_heads_alike", {"last head", "every third call"}}});
}

TEST(Spoils, of_rotations_by_several_numbers_are_seen) {
  const std::vector<std::string_view> places = {"last head",        "first channel", "keys",
                                                "every third call", "past 65536",    "odd position",
                                                "one token alone"};
  expect_seen(
      "axial_rope", "dim=14 heads=3",
      {{"agrees_with_its_oracle",
        {"last head", "last batch row", "last token", "first token", "first channel", "keys",
         "every third call", "repeated position", "past 65536", "odd position", "one token alone"}},
       {"call/agrees_in_chunks", {"last token", "first token", "every third call", "one token alone"}},
       {"call/takes_positions_in_any_order", {"last token", "first token", "every third call"}},
       {"axes/depends_on_vector_offset",
        {"first channel", "keys", "every third call", "past 65536", "odd position", "one token alone"}},
       {"axes/acts_on_each_axis_alone", places},
       {"axes/swaps_axes_by_a_permutation",
        {"first channel", "every third call", "past 65536", "odd position"}}});
  expect_seen("m_rope", "dim=14 heads=3 rotary_dim=12 sections=[2,2,2]",
              {{"axes/is_one_ladder_where_numbers_are_equal", places}});
}

TEST(Spoils, of_tables_of_a_grid_are_seen) {
  expect_seen("sincos_2d", "dim=8",
              {{"agrees_with_its_oracle",
                {"last token", "first token", "last channel", "first channel", "every third call",
                 "repeated position", "past 65536", "odd position", "one token alone"}},
               {"axes/depends_on_vector_offset",
                {"last channel", "first channel", "every third call", "past 65536", "odd position",
                 "one token alone"}},
               {"axes/acts_on_each_axis_alone", {"last token", "first token", "past 65536", "odd position"}},
               {"axes/swaps_axes_by_a_permutation",
                {"last channel", "first channel", "past 65536", "odd position"}}});
}

TEST(Spoils, of_alibi_are_seen) {
  expect_seen(
      "alibi", "heads=3",
      {{"agrees_with_its_oracle",
        {"last head", "last token", "first token", "last key", "last channel", "first channel",
         "every third call", "repeated position", "past 65536", "odd position", "one token alone"}},
       {"attention/is_causal", {"every third call"}},
       {"call/agrees_in_chunks",
        {"last token", "first token", "every third call", "repeated position", "one token alone"}},
       {"call/is_stateless", {"every third call"}},
       {"call/takes_positions_in_any_order",
        {"last token", "first token", "last key", "every third call", "repeated position"}},
       {"bias/depends_on_offset", {"last token", "first token", "last key", "past 65536", "odd position"}},
       {"bias/has_geometric_slopes",
        {"last head", "last key", "last channel", "first channel", "every third call", "past 65536",
         "odd position", "one token alone"}},
       {"bias/falls_with_distance", {"last key"}},
       {"score/depends_on_offset", {"every third call", "past 65536", "odd position"}}});
}

TEST(Spoils, of_kerple_are_seen) {
  expect_seen("kerple", "heads=3 kernel=power r2=[2] form=symmetric",
              {{"bias/depends_on_offset", {"last token", "first token", "last key", "odd position"}},
               {"bias/is_conditionally_positive_definite", {"first token", "past 65536", "odd position"}}});
}

TEST(Spoils, of_t5_bias_are_seen) {
  expect_seen(
      "t5_bias", "heads=3",
      {{"agrees_with_its_oracle",
        {"last head", "last token", "first token", "last key", "last channel", "first channel",
         "every third call", "repeated position", "past 65536", "odd position", "one token alone"}},
       {"call/agrees_in_chunks",
        {"last token", "first token", "last key", "every third call", "repeated position",
         "one token alone"}},
       {"call/is_stateless", {"every third call"}},
       {"call/takes_positions_in_any_order",
        {"last token", "first token", "last key", "every third call", "repeated position"}},
       {"bias/depends_on_offset", {"last token", "first token", "last key", "past 65536", "odd position"}},
       {"score/depends_on_offset", {"every third call", "past 65536", "odd position"}},
       {"bias/saturates", {"last key"}}});
}

TEST(Spoils, of_sinusoidal_are_seen) {
  expect_seen(
      "sinusoidal", "dim=6",
      {{"agrees_with_its_oracle",
        {"last token", "first token", "last channel", "first channel", "every third call",
         "repeated position", "past 65536", "odd position", "one token alone"}},
       {"attention/is_causal", {"every third call"}},
       {"call/agrees_in_chunks",
        {"last token", "first token", "every third call", "repeated position", "one token alone"}},
       {"call/is_stateless", {"every third call"}},
       {"call/takes_positions_in_any_order",
        {"last token", "first token", "every third call", "repeated position"}},
       {"table/is_prefix_stable", {"every third call"}},
       {"table/does_not_depend_on_length", {"every third call"}},
       {"table/has_a_step_that_does_not_depend_on_length", {"every third call"}},
       {"table/keeps_similarity_across_lengths", {"every third call"}},
       {"table/has_bounded_entries",
        {"last channel", "first channel", "every third call", "past 65536", "odd position",
         "one token alone"}},
       {"table/distance_depends_on_offset",
        {"last token", "first token", "last channel", "first channel", "every third call", "past 65536",
         "odd position"}},
       {"table/has_one_shift_for_all_lengths",
        {"last token", "first token", "last channel", "first channel", "every third call", "past 65536",
         "odd position"}},
       {"table/has_constant_norm",
        {"last channel", "first channel", "every third call", "past 65536", "odd position",
         "one token alone"}},
       {"table/translates_by_a_rotation",
        {"last token", "first token", "last channel", "first channel", "every third call", "past 65536",
         "odd position"}},
       {"table/shifts_base_by_a_rotation",
        {"last token", "first token", "last channel", "first channel", "every third call",
         "repeated position", "past 65536", "odd position"}},
       {"table/dot_product_depends_on_offset",
        {"last token", "first token", "last channel", "first channel", "every third call",
         "repeated position", "past 65536", "odd position"}},
       {"table/has_geometric_wavelengths",
        {"last token", "first token", "last channel", "first channel", "every third call", "past 65536",
         "odd position"}},
       {"table/keeps_pairs_on_the_unit_circle",
        {"last channel", "first channel", "every third call", "past 65536", "odd position",
         "one token alone"}},
       {"table/rotates_clockwise",
        {"last token", "first token", "first channel", "every third call", "past 65536", "odd position"}},
       {"table/composes_translations",
        {"last token", "first token", "last channel", "first channel", "every third call",
         "repeated position", "past 65536", "odd position"}},
       {"table/inverts_translation_by_transposing",
        {"last token", "first token", "last channel", "first channel", "every third call",
         "repeated position", "past 65536", "odd position"}},
       {"table/has_translations_of_determinant_one",
        {"last token", "first token", "last channel", "first channel", "every third call", "past 65536",
         "odd position"}}});
}

TEST(Spoils, of_the_forgetting_transformer_are_seen) {
  expect_seen("forgetting_transformer", "dim=4",
              {{"agrees_with_its_oracle", {"last token", "first token", "last channel", "first channel"}},
               {"attention/weighs_keys_alike_from_every_later_query", {"last token"}}});
}

TEST(Spoils, of_none_are_seen) {
  expect_seen("none", "dim=4",
              {{"agrees_with_its_oracle",
                {"last token", "first token", "last key", "last channel", "first channel", "every third call",
                 "repeated position", "past 65536", "odd position", "one token alone"}},
               {"attention/is_causal", {"every third call"}},
               {"call/agrees_in_chunks",
                {"last token", "first token", "last key", "every third call", "repeated position",
                 "one token alone"}},
               {"call/is_stateless", {"every third call"}},
               {"score/depends_on_offset", {"every third call", "past 65536", "odd position"}},
               {"score/decays_with_distance", {"every third call"}},
               {"attention/has_the_symmetry_of_its_mask",
                {"last token", "first token", "last key", "every third call", "odd position"}},
               {"attention/permutation_equivariant",
                {"last token", "first token", "last key", "every third call", "odd position"}},
               {"attention/pooled_readout_invariant", {"last key", "every third call"}},
               {"contextual/saturates", {"last key"}},
               {"contextual/adds_content_and_position", {"every third call", "past 65536", "odd position"}},
               {"attention/query_order_equivariant",
                {"last token", "first token", "every third call", "odd position"}},
               {"attention/key_order_invariant", {"last key", "every third call"}}});
}

}  // namespace
}  // namespace posproof::spoils_test
