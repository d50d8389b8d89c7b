// Code that takes positions and arrays in its own way, through the SDK (examples/posproof_subject.py): right
// code holds, and what is wrong in one such call alone is refuted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention/reference_attention.h"
#include "gate/gate.h"
#include "gate/testing/verdicts.h"
#include "run/catalogued.h"
#include "subject/testing/subjects.h"

namespace posproof::ways_test {
namespace {

using testing::expected;
using testing::python;
using testing::thrown;

std::string ways(const std::string& arguments) {
  return python("src/subject/testing/ways.py", arguments);
}

// Agreement, and that of a backward pass.
GateResult gated(const std::string& encoding, const std::string& parameters, const std::string& arguments) {
  const EncodingSpec& spec = encoding_named(encoding);
  return gate(encoding, spec, with(spec, Case::parse(parameters)), ways(arguments),
              {.two_heads = true,
               .budget = {.cases = 40, .shrink_time = std::chrono::milliseconds(0)},
               .filter = std::string(agreement_id)});
}

// See gate/testing/verdicts.h. Rotations have two heads, the whole operator has those of the encoding.
std::string asked(const std::string& encoding, const std::string& parameters, const std::string& arguments) {
  const EncodingSpec& spec = encoding_named(encoding);
  const bool rotates = encoding == "rope" && !arguments.starts_with("weights");
  const Parameters all = with(spec, Case::parse(parameters + (rotates ? " heads=2" : "")));
  const Encoding truth = spec.oracle(all);
  return testing::verdicts(
      open(ways(arguments),
           {.encoding = encoding, .parameters = all, .declared = attention::in_every_kind(truth)}),
      truth);
}

struct Row {
  std::string arguments, verdicts;
};

TEST(Ways, rotations_take_positions_in_five_ways) {
  for (const auto& [arguments, verdict] : std::vector<Row>{{"each", "H"},
                                                           {"each_of_batch_row_0", "R"},
                                                           {"shared", "H"},
                                                           {"ascending", "H"},
                                                           {"ascending spread", "R"},
                                                           {"offset", "H"},
                                                           {"offset ignored", "R"},
                                                           {"sequence", "H"},
                                                           {"sequence wraps", "R"}})
    EXPECT_EQ(asked("rope", "dim=8", arguments), verdict) << arguments;
}

// A call of many parts asks the last first, so that a cache that grows is built once.
TEST(Ways, a_cache_that_is_rebuilt_as_it_grows_is_built_once_for_a_call_of_many_parts) {
  const Rotary truth =
      encoding_named("rope").make<Rotary>(with(encoding_named("rope"), Case::parse("dim=4 heads=1")));
  std::vector<Position> at(300);
  for (std::size_t n = 0; n < at.size(); ++n) at[n] = static_cast<Position>(3 * n);
  Tensor x({1, 1, at.size(), 4});
  std::ranges::fill(x.data, 1);
  const auto off = [&](const std::string& arguments) {
    const Subject subject = open(ways(arguments), expected(Rotary{.dim = 4}));
    const Tensor given = as<Rotary>(subject.encoding).rotate(x, at, Role::query),
                 right = truth.rotate(x, at, Role::query);
    double most = 0;
    for (std::size_t n = 0; n < given.data.size(); ++n)
      most = std::max(most, std::abs(given.data[n] - right.data[n]));
    return most;
  };
  EXPECT_LT(off("growing"), 1e-3);
  EXPECT_GT(off("growing wraps"), 1);
}

// What a call is as long as, of two rows of a batch that end at 4 and at 5.
TEST(Ways, calls_are_as_long_as_the_frequencies_depend_on) {
  const auto lengths = [](const std::string& way, const std::string& parameters) {
    const Subject subject = open(ways("length_" + way), expected(Rotary{.dim = 1}, "dim=1 " + parameters));
    const std::vector<Position> at = {3, 4, 5, 0};
    return as<Rotary>(subject.encoding).rotate(Tensor({2, 1, 2, 1}), at, Role::query).data;
  };
  using Lengths = std::vector<double>;
  EXPECT_EQ(lengths("each", "scaling=dynamic_ntk length=0 length_of=row"), (Lengths{5, 5, 6, 6}));
  for (const std::string way : {"ascending", "offset"}) {
    const std::string dynamic = "scaling=dynamic_ntk ", of_batch = " length_of=batch";
    EXPECT_EQ(lengths(way, dynamic + "length=0" + of_batch), (Lengths{6, 6, 6, 6})) << way;
    EXPECT_EQ(lengths(way, dynamic + "length=0 length_of=row"), (Lengths{5, 5, 6, 6})) << way;
    EXPECT_EQ(lengths(way, dynamic + "length=64" + of_batch), (Lengths{5, 5, 6, 1})) << way;
    EXPECT_EQ(lengths(way, "scaling=longrope short_factors=[1] length=0" + of_batch), (Lengths{6, 6, 6, 6}))
        << way;
    EXPECT_EQ(lengths(way, "scaling=longrope short_factors=[] length=0" + of_batch), (Lengths{5, 5, 6, 1}))
        << way;
  }
}

TEST(Ways, rotations_have_axes_in_any_order) {
  for (const std::string arguments : {"axes bhnd", "axes bnhd", "axes nbhd", "axes nhd", "axes 'n(hd)'",
                                      "axes bnd", "axes nd", "packed_offset", "one_head_offset"})
    EXPECT_EQ(asked("rope", "dim=8", arguments), "H") << arguments;
}

TEST(Ways, query_and_key_come_in_one_call) {
  for (const auto& [arguments, verdict] : std::vector<Row>{{"both", "H"},
                                                           {"both swapped", "R"},
                                                           {"both_heads heads", "H"},
                                                           {"both_heads last_head", "R"},
                                                           {"both_heads last_key_head", "R"},
                                                           {"grouped", "H"},
                                                           {"grouped keys_by_query_heads", "R"},
                                                           {"both_one_key_head", "H"}})
    EXPECT_EQ(asked("rope", "dim=8", arguments), verdict) << arguments;
}

// The message of the refutation of what was answered.
std::string refusal(const std::string& arguments, Role role = Role::query) {
  const Subject subject = open(ways(arguments), expected(Rotary{.dim = 4}));
  return thrown(ways(arguments), [&] {
    const std::vector<Position> at = {3, 1};
    as<Rotary>(subject.encoding).rotate(Tensor({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), at, role);
  });
}

TEST(Ways, what_q_answers_does_not_depend_on_k) {
  const std::string question = ": rotate(x [1, 1, 2, 4], positions [1, 2], role query): ";
  EXPECT_EQ(refusal("both mixed"), question + "the answer for q changed with what k holds");
  EXPECT_EQ(
      refusal("both mixed_keys", Role::key),
      ": rotate(x [1, 1, 2, 4], positions [1, 2], role key): the answer for k changed with what q holds");
  // An answer that the next call is written over is an error before that is looked at.
  EXPECT_EQ(
      refusal("both one_buffer"),
      question +
          "what rotate() gave is overwritten when it is called again: its answers share memory; where only what serves it here does so, return a copy");
  EXPECT_EQ(refusal("both_alone"), question + "returns ndarray; rotate_both() returns q and k");
  EXPECT_EQ(refusal("both_in_a_tuple_of_one"), question + "returns tuple; rotate_both() returns q and k");
}

TEST(Ways, an_answer_has_the_axes_of_what_was_given) {
  EXPECT_EQ(
      refusal("other_axes"),
      ": rotate(x [1, 1, 2, 4], positions [1, 2], role query): answers shape [1, 1, 2, 4] to x of shape "
      "[1, 2, 1, 4]");
}

TEST(Ways, what_overwrites_what_it_was_given_returns_nothing) {
  EXPECT_EQ(asked("rope", "dim=8", "overwrites"), "H");
  EXPECT_EQ(asked("rope", "dim=8", "overwrites_both"), "H");
  EXPECT_NE(refusal("overwrites_unsaid")
                .find("returns nothing; serve(in_place=True) says that it overwrites what it is given"),
            std::string::npos);
}

TEST(Ways, a_backward_pass_rotates_back) {
  for (const auto& [arguments, verdict] : std::vector<Row>{{"vjp", "HH"},
                                                           {"vjp forward", "HR"},
                                                           {"vjp of_the_answer", "HR"},
                                                           {"vjp last", "HR"},
                                                           {"vjp_of_sequences", "HH"},
                                                           {"vjp_of_sequences forward", "HR"}})
    EXPECT_EQ(asked("rope", "dim=8", arguments), verdict) << arguments;
  const GateResult forward = gated("rope", "dim=8", "vjp forward");
  EXPECT_EQ(forward.results.back().id, backward_id);
  ASSERT_EQ(forward.explanations.size(), 1u);
  EXPECT_EQ(forward.explanations.front().what,
            "the gradient is rotated forward, as the forward pass rotates, not back");
}

TEST(Ways, tables_take_positions_in_five_ways) {
  for (const auto& [arguments, verdict] : std::vector<Row>{{"rows", "H"},
                                                           {"rows_shared", "H"},
                                                           {"rows_ascending", "H"},
                                                           {"rows_offset", "H"},
                                                           {"rows_offset ignored", "R"},
                                                           {"rows_sequence", "H"},
                                                           {"rows_too_short", "R"}})
    EXPECT_EQ(asked("learned", "dim=8", arguments), verdict) << arguments;
}

TEST(Ways, a_table_that_is_resized_is_asked_for_all_its_rows) {
  Expected resized = expected(Table{.dim = 2}, "dim=2 height=2 width=3 kept_rows=1");
  resized.encoding = "resized_table";
  EXPECT_EQ(testing::rows(open(ways("rows_of_a_resized_table"), resized), {1, 0}),
            Tensor({2, 2}, {2, 3, 0, 1}));
}

TEST(Ways, places_past_a_grid_are_declined) {
  Table declared{.dim = 2};
  declared.positions.axes = 2;
  const Subject subject = open(ways("rows_of_a_grid"), expected(declared, "dim=2 grid=[2,3]"));
  const auto row = [&](std::vector<Position> place) {
    return as<Table>(subject.encoding).rows({place, 2}, 1).data;
  };
  EXPECT_EQ(row({1, 2}), (std::vector<double>{10, 11}));
  for (const std::vector<Position>& place : {std::vector<Position>{2, 0}, {0, 3}, {-1, 0}})
    EXPECT_EQ(thrown<Refusal>(ways("rows_of_a_grid"), [&] { row(place); }),
              " declines: the grid has the extents [2, 3]");
}

// A step of 2049 is not there in f16, nor 257 in bf16: code in 16 bits is given it in 32.
TEST(Ways, positions_that_are_no_whole_numbers_are_not_rounded_to_16_bits) {
  const std::string words = "dim=2 shift=0";
  const EncodingSpec& spec = encoding_named("timestep_embedding");
  const Parameters all = with(spec, Case::parse(words));
  const Encoding truth = spec.oracle(all);
  for (const std::string format : {"f16", "bf16"}) {
    const Subject subject = open(ways("rows_real " + format),
                                 {.encoding = "timestep_embedding", .parameters = all, .declared = {truth}});
    const Table& table = as<Table>(subject.encoding);
    for (const double t : {2049.0, 257.0, 0.5, 4097.25}) {
      const double given[] = {t};
      EXPECT_EQ(table.rows(Positions(given), 1).data,
                (std::vector<double>{std::floor(t / 64), std::fmod(t, 64)}))
          << format << " " << t;
    }
  }
}

// Timesteps are real numbers: code that counts tokens, or looks up a table, has the whole ones alone.
TEST(Ways, whole_positions_alone_are_asked_of_code_that_takes_no_others) {
  for (const std::string way : {"sequence", "offset", "table"}) {
    EXPECT_EQ(asked("timestep_embedding", "dim=8", "timesteps_" + way), "H") << way;
    EXPECT_EQ(asked("timestep_embedding", "dim=8", "timesteps_" + way + " other_shift"), "R") << way;
    EXPECT_EQ(gated("timestep_embedding", "dim=8", "timesteps_" + way).skipped.back(),
              "positions between whole numbers: not asked, the subject takes whole ones")
        << way;
  }
}

// Who takes a mask counts tokens, too.
TEST(Ways, tokens_are_counted_by_whole_positions) {
  const EncodingSpec& spec = encoding_named("timestep_embedding");
  const Parameters all = with(spec, Case::parse("dim=8"));
  for (const std::string way : {"mask", "sequence", "offset"}) {
    const Subject subject =
        open(ways("timesteps_" + way),
             {.encoding = "timestep_embedding", .parameters = all, .declared = {spec.oracle(all)}});
    EXPECT_FALSE(positions_of(subject.encoding).real) << way;
  }
}

TEST(Ways, code_that_takes_whole_positions_has_to_say_so) {
  const EncodingSpec& spec = encoding_named("timestep_embedding");
  const Parameters all = with(spec, Case::parse("dim=8"));
  const Encoding truth = spec.oracle(all);
  const std::string words = ways("timesteps_unsaid");
  const Subject subject =
      open(words, {.encoding = "timestep_embedding", .parameters = all, .declared = {truth}});
  EXPECT_EQ(
      thrown(words,
             [&] {
               testing::rows(subject, {1, 2});
             }),
      ": rows(positions [2], length 100): arrays used as indices must be of integer (or boolean) type: "
      "positions are real numbers here; serve(positions=\"int64\") says that whole ones alone are taken");
}

// Real tokens count, wherever padding puts them: code that counts columns is right in the row without padding
// alone.
TEST(Ways, positions_are_counted_by_a_mask_of_left_padding) {
  for (const auto& [arguments, verdict] : std::vector<Row>{{"mask", "H"},
                                                           {"mask columns", "R"},
                                                           {"mask one_row", "R"},
                                                           {"mask from_1", "R"},
                                                           {"mask_both", "H"},
                                                           {"mask_both columns", "R"}})
    EXPECT_EQ(asked("rope", "dim=8", arguments), verdict) << arguments;
  for (const auto& [parameters, arguments, verdict] : std::vector<std::array<std::string, 3>>{
           {"dim=8", "rows_mask", "H"},
           {"dim=8", "rows_mask columns", "R"},
           {"dim=8 offset=2", "rows_mask", "H"},
           {"dim=8 offset=2", "rows_mask one_row", "R"},
           {"dim=8 offset=2 padding_row=1", "rows_mask", "H"},
           {"dim=8 offset=2 padding_row=1", "rows_mask padding_at_0", "R"},
           {"dim=8 offset=2 padding_row=1", "rows_mask columns", "R"}})
    EXPECT_EQ(asked("learned", parameters, arguments), verdict) << parameters << " " << arguments;
  for (const std::string way : {"bias_mask", "bias_mask_of_heads"}) {
    EXPECT_EQ(asked("alibi", "heads=4 rows=key_index", way), "H") << way;
    EXPECT_EQ(asked("alibi", "heads=4 rows=key_index", way + " columns"), "R") << way;
    EXPECT_EQ(asked("alibi", "heads=4 rows=key_index", way + " one_row"), "R") << way;
    // A constant more for the row behind more padding, but not where that is the first one.
    EXPECT_EQ(asked("alibi", "heads=4 rows=any", way + " one_row"), "R") << way;
  }
}

// The two rows of a batch are exchanged in every other call.
TEST(Ways, what_padding_does_to_positions_is_named) {
  const std::string columns = "padding counts: the position of a token is its column in the padded row",
                    row = "every row of the batch has the positions of the ";
  for (const auto& [encoding, parameters, arguments, cause] : std::vector<std::array<std::string, 4>>{
           {"rope", "dim=8", "mask columns", columns},
           {"rope", "dim=8", "mask one_row", row + "first"},
           {"rope", "dim=8", "mask last_row", row + "last"},
           {"learned", "dim=8", "rows_mask columns", columns},
           {"learned", "dim=8 offset=2", "rows_mask one_row", row + "first"},
           {"learned", "dim=8 offset=2 padding_row=1", "rows_mask last_row", row + "last"}}) {
    const EncodingSpec& spec = encoding_named(encoding);
    const GateResult found =
        gate(encoding, spec, with(spec, Case::parse(parameters)), ways(arguments),
             {.two_heads = true, .budget = {.cases = 40}, .filter = std::string(agreement_id)});
    ASSERT_FALSE(found.explanations.empty()) << arguments;
    EXPECT_EQ(found.explanations.front().what, cause) << arguments;
  }
}

// Behind more padding there is no second token: what is said of the first in both rows is that of the row
// that is off.
TEST(Ways, of_two_rows_behind_padding_both_count) {
  const Subject subject = open(ways("bias_mask second_row"), expected(Bias{.heads = 1}, "heads=1"));
  const std::vector<Position> queries = {0}, keys = {0, 2};
  EXPECT_EQ(as<Bias>(subject.encoding).bias(queries, keys), Tensor({1, 1, 2}, {1, 2 * 0x1p-8}));
}

TEST(Ways, tokens_of_a_prefix_come_back_as_they_were) {
  for (const auto& [arguments, verdict] : std::vector<Row>{{"prefix", "H"},
                                                           {"prefix rotated", "R"},
                                                           {"prefix counted", "R"},
                                                           {"prefix_in_bf16", "H"},
                                                           {"prefix_in_bf16 rotated", "R"},
                                                           {"prefix_both", "H"},
                                                           {"prefix_both last_of_keys", "R"}})
    EXPECT_EQ(asked("rope", "dim=8", arguments), verdict) << arguments;
  EXPECT_EQ(
      refusal("prefix rotated"),
      ": rotate(x [1, 1, 2, 4], positions [1, 2], role query): token 1 of the prefix did not come back as it was");
}

// Of zeros a rotation makes zeros: what stands before them is something else.
TEST(Ways, tokens_of_a_prefix_are_not_zeros) {
  const Subject subject = open(ways("prefix rotated"), expected(Rotary{.dim = 4}));
  EXPECT_NE(thrown(ways("prefix rotated"),
                   [&] {
                     const std::vector<Position> at = {3, 1};
                     as<Rotary>(subject.encoding).rotate(Tensor({1, 1, 2, 4}), at, Role::query);
                   })
                .find("token 1 of the prefix did not come back as it was"),
            std::string::npos);
}

TEST(Ways, tokens_of_a_suffix_come_back_as_they_were) {
  EXPECT_EQ(asked("rope", "dim=8", "suffix"), "H");
  EXPECT_EQ(asked("rope", "dim=8", "suffix last_rotated"), "R");
  EXPECT_EQ(asked("rope", "dim=8", "suffix one_later"), "R");
  EXPECT_EQ(
      refusal("suffix last_rotated"),
      ": rotate(x [1, 1, 2, 4], positions [1, 2], role query): token 1 of the suffix did not come back as it was");
}

TEST(Ways, a_bias_takes_numbers_of_tokens) {
  EXPECT_EQ(asked("alibi", "form=symmetric heads=4", "bias_sequence"), "H");
  EXPECT_EQ(asked("alibi", "form=symmetric heads=4", "bias_square"), "H");
  // Fewer queries than keys are the last ones: beside a cache of keys, and one of them alone is asked so.
  EXPECT_EQ(asked("alibi", "form=symmetric heads=4", "bias_from_the_end"), "H");
  EXPECT_EQ(asked("alibi", "form=symmetric heads=4", "bias_late_alone"), "R");
  // Of self-attention no more queries than keys are asked for, and what is answered to them says nothing.
  EXPECT_EQ(asked("alibi", "form=symmetric heads=4", "bias_of_a_cache"), "H");
  EXPECT_EQ(asked("alibi", "form=symmetric heads=4", "bias_of_a_cache_alone"), "H");
  const Subject cache = open(ways("bias_of_a_cache_alone"), expected(Bias{.heads = 1}, "heads=1"));
  const std::vector<Position> first_and_late = {0, 9}, early = {5};
  EXPECT_EQ(as<Bias>(cache.encoding).bias(first_and_late, early),
            Tensor({1, 2, 1}, {-5 * 0x1p-8, -4 * 0x1p-8}));
  EXPECT_EQ(asked("alibi", "rows=any heads=4", "bias_one_row"), "H");
  EXPECT_EQ(asked("alibi", "rows=relative heads=4", "bias_one_row"), "R");
  const Subject square = open(ways("bias_square"), expected(Bias{.heads = 1}, "heads=1"));
  const std::vector<Position> queries = {0}, keys = {5, 0, 9};
  EXPECT_EQ(as<Bias>(square.encoding).bias(queries, keys), Tensor({1, 1, 3}, {-5 * 0x1p-8, 0, -9 * 0x1p-8}));
}

// The last bucket begins there: of 511 positions it would not be seen.
TEST(Ways, a_bias_of_numbers_of_tokens_is_asked_up_to_its_largest_distance) {
  const auto last = [](const std::string& distance) {
    const Subject subject =
        open(ways("bias_sequence"), expected(Bias{.heads = 1}, "heads=1 max_distance=" + distance));
    return positions_of(subject.encoding).hi;
  };
  EXPECT_EQ(last("128"), 511);
  EXPECT_EQ(last("800"), 800);
  EXPECT_EQ(last("100000"), 1023);
}

// Of one row for all queries no call tells which of them fewer ones are: that is found out once, and so is of
// a row for each.
TEST(Ways, a_bias_of_one_row_is_asked_once_a_call) {
  const Subject subject = open(ways("bias_30_rows"), expected(Bias{.heads = 1}, "heads=1"));
  const std::vector<Position> queries = {7}, keys = {0, 3, 9};
  for (int call = 0; call < 20; ++call)
    EXPECT_EQ(as<Bias>(subject.encoding).bias(queries, keys),
              Tensor({1, 1, 3}, {0, -3 * 0x1p-8, -9 * 0x1p-8}));
}

// What it says to a square is asked for where it raises an error to fewer queries, of whatever kind.
TEST(Ways, a_bias_of_squares_alone_is_asked_for_squares) {
  const Subject subject = open(ways("bias_of_squares"), expected(Bias{.heads = 1}, "heads=1"));
  const std::vector<Position> queries = {5}, keys = {5, 0};
  EXPECT_EQ(as<Bias>(subject.encoding).bias(queries, keys), Tensor({1, 1, 2}, {0, -5 * 0x1p-8}));
}

TEST(Ways, logits_of_whole_sequences_are_those_of_the_tokens_that_were_asked) {
  const Subject subject = open(ways("logits_sequence"), expected(Contextual{.dim = 2}));
  const Tensor q({3, 2}, {1, 0, 0, 1, 2, 0}), k({2, 2}, {3, 4, 5, 6});
  const std::vector<Position> queries = {4, 0, 4}, keys = {2, 1};
  // q . k + i - 1000 j
  EXPECT_EQ(as<Contextual>(subject.encoding).logits(q, k, queries, keys),
            Tensor({1, 3, 2}, {3 + 4 - 2000, 5 + 4 - 1000, 4 - 2000, 6 - 1000, 6 + 4 - 2000, 10 + 4 - 1000}));
}

TEST(Ways, the_whole_operator_has_axes_too) {
  const Subject subject = open(ways("attend_axes"), expected(Attention{.dim = 2, .value_dim = 1}));
  const Tensor q({2, 2}, {1, 0, 0, 1});
  EXPECT_EQ(
      as<Attention>(subject.encoding).attend(q, q, Tensor({2, 1}, {8, 9}), Tensor({2, 2}, {0, 1, 1, 0})),
      Tensor({2, 1}, {9, 8}));
}

TEST(Ways, attention_weights_are_asked_for_their_sums) {
  for (const auto& [arguments, verdict] : std::vector<Row>{{"weights", "H"},
                                                           {"weights unmasked", "R"},
                                                           {"weights not_normalised", "R"},
                                                           {"weights_in_bf16", "H"},
                                                           {"weights_in_bf16 unmasked", "R"}})
    EXPECT_EQ(asked("rope", "dim=8", arguments), verdict) << arguments;
  EXPECT_EQ(asked("alibi", "heads=4 form=symmetric", "weights_by_heads"), "H");
  EXPECT_EQ(asked("alibi", "heads=4 form=symmetric", "weights_by_heads heads_reversed"), "R");
}

// A third of 0.1 is a double, and no float.
TEST(Ways, sums_by_weights_have_the_format_of_the_answers) {
  const Subject subject = open(ways("means"), expected(Attention{.dim = 2, .value_dim = 1}));
  const Tensor q({2, 2}), v({2, 1}, {0.1 / 3, 2});
  EXPECT_EQ(as<Attention>(subject.encoding).attend(q, q, v, Tensor({2, 2}, {1, 0, 0, 1})), v);
}

TEST(Ways, whole_sequences_end_somewhere) {
  const auto last = [](const std::string& arguments, Encoding declared, const std::string& parameters) {
    return positions_of(open(ways(arguments), expected(std::move(declared), parameters)).encoding).hi;
  };
  EXPECT_EQ(last("sequence", Rotary{.dim = 4}, "dim=4"), 2047);
  EXPECT_EQ(last("declared_sequence", Rotary{.dim = 4}, "dim=4"), 99);
  EXPECT_EQ(last("bias_sequence", Bias{.heads = 2}, "heads=2"), 511);
  EXPECT_EQ(last("logits_sequence", Contextual{.dim = 2}, "dim=2"), 511);
  // Of functions of several kinds, where the first of them ends.
  EXPECT_EQ(last("rotate_and_bias_sequence", Rotary{.dim = 4}, "dim=4"), 511);
}

TEST(Ways, a_position_before_the_first_of_a_sequence_is_declined) {
  const Subject subject = open(ways("sequence"), expected(Rotary{.dim = 4}));
  const std::vector<Position> at = {-1, 2};
  EXPECT_EQ(thrown<Refusal>(ways("sequence"),
                            [&] {
                              as<Rotary>(subject.encoding).rotate(Tensor({1, 1, 2, 4}), at, Role::key);
                            }),
            " declines: position -1: sequences begin at 0");
}

TEST(Ways, the_gate_says_what_was_not_asked) {
  const std::string heads = "heads from 2 on: heads 0 and 1 are asked for; `--heads` says how many";
  EXPECT_EQ(gated("rope", "dim=8", "each").skipped, std::vector{heads});
  EXPECT_EQ(gated("rope", "dim=8", "shared").skipped,
            (std::vector<std::string>{
                "positions different by batch row in one call: not asked, the subject takes one row of "
                "positions for the batch",
                heads}));
}

TEST(Ways, an_option_that_cannot_be_is_refused_with_what_is_allowed) {
  for (
      const auto& [arguments, refused] : std::vector<Row>{
          {"no_such_way",
           "takes_positions=`pairs`; allowed: each, shared, ascending, offset, sequence, mask"},
          {"no_such_axes",
           "axes=`bdn`; allowed: n and d, b and h as far as there are such axes, each once, d last"},
          {"axes_twice", "axes=`bnnd`; allowed: n and d"},
          {"axes_open", "axes=`n(hd`; allowed: n and d"},
          {"axes_of_none", "axes=`b()nhd`; allowed: n and d"},
          {"no_key_heads", "heads=`(6, 0)`; allowed: two whole numbers, of q and of k, with rotate_both="},
          {"heads_of_one", "heads=`(6, 2)`; allowed: two whole numbers, of q and of k, with rotate_both="},
          {"rotate_twice", "rotate and rotate_both are both given; allowed: one of them"},
          {"weights_twice", "attend and weights are both given; allowed: one of them"},
          {"vjp_of_nothing", "vjp= is given without rotate=, whose gradient it is"},
          {"vjp_unknown", "vjp=`jax`; allowed: \"autograd\" and a function"},
          {"vjp_of_both", "vjp= is a function of one x; with rotate_both=, allowed: vjp=\"autograd\""},
          {"autograd_of_numpy", "vjp=\"autograd\" takes a dtype of PyTorch: serve(dtype=torch.float32)"},
          {"no_such_dtype", "dtype=`f8`; allowed: f64, f32, f16, bf16 and the torch.dtypes of these"},
          {"mask_without_batch",
           "axes=`nhd` with takes_positions=`mask`; allowed: those with b: a row of the mask is one of them"},
          {"logits_mask", "takes_positions=`mask` with logits=; allowed: each, sequence"},
          {"negative_prefix", "prefix=`-1`; allowed: whole numbers from 0 on, with rotate= or rotate_both="},
          {"negative_suffix", "suffix=`-1`; allowed: whole numbers from 0 on, with rotate= or rotate_both="},
          {"prefix_of_rows", "prefix=`1`; allowed: whole numbers from 0 on, with rotate= or rotate_both="},
          {"bias_offset", "takes_positions=`offset` with bias=; allowed: each, sequence, mask"}}) {
    const std::string what = thrown(
        ways(arguments), [&, arguments = arguments] { open(ways(arguments), expected(Rotary{.dim = 4})); });
    EXPECT_NE(what.find("ValueError: " + refused), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace posproof::ways_test
