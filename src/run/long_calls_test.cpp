#include "run/long_calls.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>

#include "attention/reference_attention.h"
#include "attention/to_logits.h"
#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/axial_rope.h"
#include "catalogue/encodings/dynamic_position_bias.h"
#include "catalogue/encodings/m_rope.h"
#include "catalogue/encodings/relative_table.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/shaw.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/encodings/t5_bias.h"
#include "core/call.h"
#include "core/failure.h"
#include "core/formats.h"
#include "core/spec.h"
#include "run/recorded.h"

namespace posproof::long_calls_test {
namespace {

Encoding truth_of(const EncodingSpec& spec, std::string_view parameters) {
  return spec.oracle(with(spec, Case::parse(parameters)));
}

Encoding operator_of_rope() {
  return attention::in_every_kind(truth_of(encodings::rope, "dim=4")).back();
}

// The calls that were asked for.
std::vector<Call> asked(const Encoding& truth) {
  std::vector<Call> calls;
  const Encoding listening = answered_by(truth, [&](const Call& call) {
    calls.push_back(call);
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, listening, all_f32, {});
  EXPECT_EQ(verdict.has_value(), !calls.empty());
  EXPECT_TRUE(!verdict || std::holds_alternative<Holds>(*verdict));
  return calls;
}

std::vector<Position> from_to(Position first, Position last) {
  std::vector<Position> out;
  for (Position t = first; t <= last; ++t) out.push_back(t);
  return out;
}

TEST(LongCalls, of_a_bias_are_one_query_and_a_thousand_keys) {
  const auto calls = asked(truth_of(encodings::t5_bias, "heads=2"));
  ASSERT_EQ(calls.size(), 6u);
  EXPECT_EQ(calls[0].positions.whole, (std::vector<Position>{1023}));
  EXPECT_EQ(calls[0].keys.whole, from_to(0, 1023));
  const Position last = positions_of(truth_of(encodings::t5_bias, "heads=2")).hi;
  EXPECT_EQ(calls[1].positions.whole, (std::vector<Position>{last}));
  EXPECT_EQ(calls[1].keys.whole.size(), 1025u);
  EXPECT_GT(calls[1].keys.whole.back(), last - last / 1000);
  EXPECT_EQ(calls[2].positions.whole, from_to(0, 1024));
  EXPECT_EQ(calls[2].keys.whole, (std::vector<Position>{0, 512}));
  EXPECT_EQ(calls[3].positions.whole, (std::vector<Position>{1023, 1022}));
  EXPECT_EQ(calls[3].keys.whole, from_to(0, 1023));
  for (const std::size_t square : {4, 5}) {
    EXPECT_EQ(calls[square].positions.whole, from_to(0, square == 4 ? 256 : 255));
    EXPECT_EQ(calls[square].keys.whole, calls[square].positions.whole);
  }
}

TEST(LongCalls, of_tokens_are_two_rows_and_of_a_table_one) {
  const auto rotated = asked(truth_of(encodings::rope, "dim=8 heads=2"));
  ASSERT_EQ(rotated.size(), 17u);
  EXPECT_EQ(rotated[0].batch, 2u);
  EXPECT_EQ(rotated[0].positions.whole.size(), 2u * 1024);
  EXPECT_EQ(rotated[0].positions.whole[1023], 1023);
  EXPECT_EQ(rotated[0].positions.whole[1024], 4999) << "the second row is elsewhere";
  EXPECT_EQ(rotated[1].positions.whole.size(), 2u * 1025);
  EXPECT_EQ(rotated[1].role, Role::key);
  for (const std::size_t between : {12, 13}) {
    EXPECT_EQ(rotated[between].batch, 1u);
    EXPECT_EQ(rotated[between].positions.whole, between == 12 ? from_to(205, 403) : from_to(783, 1559));
    EXPECT_EQ(rotated[between].role, between == 12 ? Role::query : Role::key);
  }
  EXPECT_EQ(rotated[14].batch, 2u);
  EXPECT_EQ(rotated[14].positions.whole.size(), 2u * 3001);
  for (const std::size_t most : {15, 16}) {
    EXPECT_EQ(rotated[most].batch, 1u);
    EXPECT_EQ(rotated[most].positions.whole, from_to(0, most == 15 ? 4096 : 4095));
    EXPECT_EQ(rotated[most].role, most == 15 ? Role::query : Role::key);
  }
  const auto rows = asked(truth_of(encodings::sinusoidal, "dim=8"));
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].positions.whole, from_to(0, 1023));
  EXPECT_EQ(rows[2].positions.whole, from_to(0, 198));
  EXPECT_EQ(rows[5].positions.whole, from_to(0, 4096));
}

// 2^21 values of a call are room for 1,024 tokens of 2 rows of 16 heads of 64 channels, and not for 1,025;
// for 4,097 tokens of 2 heads of 128 channels.
TEST(LongCalls, are_as_long_as_a_call_has_room_for) {
  const auto rotated = asked(truth_of(encodings::rope, "dim=64 heads=16"));
  ASSERT_EQ(rotated.size(), 17u);
  EXPECT_EQ(rotated[1].positions.whole.size(), 2u * 1024);
  EXPECT_EQ(rotated[15].positions.whole.size(), 1025u);
  EXPECT_EQ(asked(truth_of(encodings::rope, "dim=128 heads=2"))[15].positions.whole.size(), 4097u);
  const auto logits = asked(truth_of(encodings::shaw, "dim=8"));
  ASSERT_EQ(logits.size(), 6u);
  EXPECT_EQ(logits[2].contents[1].data, std::vector<double>(2 * 8, to_f32(4.0 / 3)))
      << "no content of the two keys is 0";
  EXPECT_EQ(logits[1].keys.whole.size(), 1025u);
}

TEST(LongCalls, end_with_the_domain) {
  Encoding truth = truth_of(encodings::alibi, "heads=2");
  const auto keys_within = [&](Position hi) {
    std::size_t most = 0;
    for (const Call& call : asked(with_positions(truth, Domain{3, hi})))
      most = std::max(most, call.keys.whole.size());
    return most;
  };
  EXPECT_EQ(keys_within(3 + 1022), 257u);
  EXPECT_EQ(keys_within(3 + 1023), 1024u);
  EXPECT_EQ(keys_within(3 + 1024), 1025u);
  EXPECT_EQ(keys_within(3 + 254), 0u);
  truth = truth_of(encodings::rope, "dim=8 heads=1");
  const auto most_within = [&](Position hi) {
    return asked(with_positions(truth, Domain{3, hi})).back().positions.whole.size();
  };
  EXPECT_EQ(most_within(3 + 4094), 2u * 3001);
  EXPECT_EQ(most_within(3 + 4095), 4096u);
}

TEST(LongCalls, of_the_whole_operator_are_of_two_tokens_and_of_65_to_257) {
  const auto calls = asked(operator_of_rope());
  ASSERT_EQ(calls.size(), 6u);
  EXPECT_EQ(calls[0].contents.at(0).shape, (Shape{2, 4}));
  EXPECT_EQ(calls[0].mask.at(0, 1), 0);
  EXPECT_EQ(calls[1].contents.at(0).shape, (Shape{257, 4}));
  EXPECT_EQ(calls[1].contents.at(0).at(0, 3), to_f32(4.0 / 3) / 2) << "its logit is the half of 2 (4/3)^2";
  EXPECT_EQ(calls[1].contents.at(1).at(0, 3), to_f32(4.0 / 3));
  EXPECT_EQ(calls[1].mask.at(0, 256), 0);
  EXPECT_EQ(calls[1].mask.at(256, 0), 1);
  EXPECT_LT(calls[1].contents.at(2).at(127, 0), 0) << "values of the first half are negative";
  EXPECT_GT(calls[1].contents.at(2).at(128, 0), 0);
  const auto largest = [](const Tensor& x) { return std::ranges::max(x.data); };
  for (std::size_t call = 1; call < calls.size(); ++call) {
    const double logit =
        2 * largest(calls[call].contents[0]) * largest(calls[call].contents[1]);  // 4 / sqrt(4)
    EXPECT_EQ(logit <= 1, call == 5) << logit;
    EXPECT_EQ(logit <= 4, call > 1) << logit;
  }
  std::vector<std::size_t> tokens;
  for (std::size_t call = 2; call < calls.size(); ++call) tokens.push_back(calls[call].contents[0].rows());
  EXPECT_EQ(tokens, (std::vector<std::size_t>{65, 129, 193, 257}));
}

// A tile of 64 keys, and what is left of one key.
TEST(LongCalls, refute_an_operator_whose_last_key_alone_is_one_position_off) {
  const Encoding logits = *attention::to_logits(truth_of(encodings::rope, "dim=16"));
  const Encoding truth = attention::in_every_kind(logits).back();
  for (const std::size_t keys : {65, 129, 193}) {
    const Encoding wrong = answered_by(logits, [&](Call call) {
      if (call.keys.whole.size() == keys) --call.keys.whole.back();
      return answer(logits, call);
    });
    const auto verdict = agreement_in_long_calls(truth, attention::in_every_kind(wrong).back(), all_f32, {});
    ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << keys;
    EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("tokens"), keys);
  }
}

// Keys from the 128th on are one position farther, at the slope of one head: 1/256.
TEST(LongCalls, refute_an_operator_whose_far_keys_are_one_position_off) {
  const Encoding bias = truth_of(encodings::alibi, "heads=1"), truth = attention::in_every_kind(bias).back();
  const Encoding farther = answered_by(bias, [&](Call call) {
    for (Position& key : call.keys.whole) key -= key >= 128 ? 1 : 0;
    return answer(bias, call);
  });
  const auto verdict = agreement_in_long_calls(truth, attention::in_every_kind(farther).back(), all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_GT(std::get<Refuted>(*verdict).counterexample.integer("tokens"), 128);
}

// One of query, key and value alone, where f16 has 11 digits and contents that are drawn have 8.
TEST(LongCalls, see_that_an_operator_rounds_one_of_its_inputs) {
  for (const std::string_view dim : {"dim=2", "dim=64"})
    for (const std::size_t rounded : {0, 1, 2}) {
      const Encoding truth = attention::in_every_kind(truth_of(encodings::rope, dim)).back();
      const Encoding subject = answered_by(truth, [&](Call call) {
        for (double& x : call.contents.at(rounded).data) x = to_f16(x);
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, subject, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << dim << rounded;
    }
}

TEST(LongCalls, are_of_no_grid) {
  EXPECT_TRUE(asked(truth_of(encodings::relative_table, "heads=1")).empty());
}

// From one token past the trained length on calls are scaled, or take other divisors.
TEST(LongCalls, of_frequencies_that_depend_on_the_call_are_one_of_the_most_tokens_where_so_many_change_them) {
  for (const std::string_view scaling : {"scaling=dynamic_ntk", "scaling=longrope short_factors=[1.25]"}) {
    const auto tokens = [&](const std::string& length) {
      const auto calls =
          asked(truth_of(encodings::rope, fmt::format("dim=8 heads=1 {} {}", scaling, length)));
      EXPECT_TRUE(std::ranges::all_of(calls, [](const Call& call) { return call.batch == 1; }));
      return calls.size() == 1 ? calls[0].positions.whole.size() : calls.size();
    };
    EXPECT_EQ(tokens("original_length=64"), 4097u);
    EXPECT_EQ(tokens("original_length=4096"), 4097u);
    EXPECT_EQ(tokens("original_length=4097"), 0u);
  }
}

// As a program that takes the number of tokens for the length is right of each call that no position makes
// long, one that keeps its first frequencies is of those that are drawn.
TEST(LongCalls, refute_a_rotation_that_never_scales_where_positions_do_not_say_that_a_call_is_long) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=1 scaling=dynamic_ntk original_length=2048"),
                 never = truth_of(encodings::rope, "dim=8 heads=1");
  const auto verdict = agreement_in_long_calls(truth, never, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_GT(std::get<Refuted>(*verdict).counterexample.integer("tokens"), 2048);
}

// The largest distance follows the number of keys; right of all calls that are drawn.
Encoding t5_whose_buckets_follow_the_keys() {
  const Encoding truth = truth_of(encodings::t5_bias, "heads=2");
  return answered_by(truth, [truth](const Call& call) {
    if (call.keys.whole.size() <= 129) return answer(truth, call);
    return answer(
        truth_of(encodings::t5_bias, "heads=2 max_distance=" + std::to_string(call.keys.whole.size())), call);
  });
}

TEST(LongCalls, refute_what_is_right_of_few_keys_alone) {
  const Encoding truth = truth_of(encodings::t5_bias, "heads=2"), wrong = t5_whose_buckets_follow_the_keys();
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("nk"), 199);
  // Agreement as the gate asks it sees it, too, and says how many cases came before.
  const Verdict whole = agreement_searched(truth, wrong, all_f32, {.id = "long", .budget = {.cases = 1}});
  ASSERT_TRUE(std::holds_alternative<Refuted>(whole));
  EXPECT_EQ(std::get<Refuted>(whole).counterexample.integer("nk"), 199);
}

// Wrong by 16 bounds in the last token of the second row alone.
TEST(LongCalls, look_at_every_token) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  const Encoding wrong = answered_by(truth, [truth](const Call& call) {
    Tensor out = answer(truth, call);
    if (call.positions.whole.size() > 2 * 129)
      out.data.back() += 16 * bound(truth, call, out, all_f32).error.data.back();
    return out;
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("tokens"), 199);
}

// The last tile of 256 tokens, where it is full; the positions of the second of two rows; keys from the
// 2,049th on, in calls that have so many.
TEST(LongCalls, refute_a_rotation_that_is_wrong_in_full_tiles_in_rows_or_in_keys) {
  const std::function<void(Call&, std::size_t)> faults[] = {
      [](Call& call, std::size_t row) {
        if (row % (256 * call.positions.axes) == 0)
          for (std::size_t n = 0; n < std::min<std::size_t>(row, 256); ++n)
            call.positions.whole[row - 1 - n] = 0;
      },
      [](Call& call, std::size_t row) {
        if (row < 256 * call.positions.axes) return;
        for (std::size_t n = row; n < call.positions.whole.size(); ++n)
          call.positions.whole[n] = call.positions.whole[n % row];
      },
      [](Call& call, std::size_t) {
        if (call.role == Role::query || call.batch > 1) return;
        for (std::size_t n = 2048 * call.positions.axes; n < call.positions.whole.size(); ++n)
          call.positions.whole[n] = 0;
      }};
  for (const Encoding& truth :
       {truth_of(encodings::rope, "dim=8 heads=1"), truth_of(encodings::axial_rope, "dim=8"),
        truth_of(encodings::m_rope, "dim=16 sections=[2,3,3]")})
    for (const auto& fault : faults) {
      const Encoding wrong = answered_by(truth, [&](Call call) {
        fault(call, call.positions.whole.size() / call.batch);
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict))
          << positions_of(truth).axes << ' ' << &fault - faults;
    }
}

// Nor has one of many batch rows: keys of the rows from the 9th on by their time alone.
TEST(LongCalls, of_many_rows_tell_the_numbers_of_a_position_apart) {
  const Encoding truth = truth_of(encodings::m_rope, "dim=16 sections=[2,3,3]");
  for (const Role role : {Role::query, Role::key}) {
    const Encoding wrong = answered_by(truth, [&](Call call) {
      std::vector<Position>& all = call.positions.whole;
      for (std::size_t n = 8 * all.size() / call.batch; call.role == role && n < all.size(); ++n)
        all[n] = all[n / 3 * 3];
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << (role == Role::query);
  }
}

// Numbers of one axis in the place of the other: no long call has the same in both.
TEST(LongCalls, of_a_grid_tell_its_axes_apart) {
  const Encoding truth = truth_of(encodings::axial_rope, "dim=8");
  for (const Role role : {Role::query, Role::key}) {
    const Encoding wrong = answered_by(truth, [&](Call call) {
      std::vector<Position>& all = call.positions.whole;
      if (call.role == role && all.size() >= 2 * 512)
        for (std::size_t n = 0; n < all.size(); n += 2) std::swap(all[n], all[n + 1]);
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << (role == Role::query);
  }
}

// The last query or the last key before it, wrong by 16 bounds where the other is not one alone and there are
// more than 129.
TEST(LongCalls, look_at_the_last_of_many_queries_and_keys) {
  const Encoding truth = truth_of(encodings::alibi, "heads=2");
  for (const bool keys : {false, true}) {
    const Encoding wrong = answered_by(truth, [&](const Call& call) {
      Tensor out = answer(truth, call);
      const std::size_t nq = call.positions.whole.size(), nk = call.keys.whole.size();
      const std::size_t at = keys ? nk - 2 : (nq - 1) * nk;
      if ((keys ? nk : nq) > 129 && (keys ? nq : nk) == 2)
        out.data[at] += 16 * bound(truth, call, out, all_f32).error.data[at];
      return out;
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << keys;
    EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer(keys ? "nk" : "nq"), 199) << keys;
  }
}

TEST(LongCalls, are_of_many_rows_each_at_positions_of_its_own) {
  const auto rotated = asked(truth_of(encodings::rope, "dim=8 heads=2"));
  ASSERT_EQ(rotated.size(), 17u);
  for (const std::size_t tokens : {1, 2}) {
    const Call& call = rotated[2 * tokens];
    EXPECT_EQ(call.batch, 65u);
    EXPECT_NE(call.role, rotated[2 * tokens + 1].role);
    EXPECT_EQ(rotated[2 * tokens + 1].batch, 65u);
    EXPECT_EQ(call.positions.whole.size(), 65 * tokens);
    EXPECT_EQ(std::set<Position>(call.positions.whole.begin(), call.positions.whole.end()).size(),
              65 * tokens);
    EXPECT_EQ(call.positions.whole.back() - call.positions.whole[64 * tokens], tokens == 2 ? 1 : 0);
  }
  // A grid has them, too, within the last position of each axis.
  const Encoding grid = truth_of(encodings::axial_rope, "dim=8");
  const auto on_a_grid = asked(grid);
  ASSERT_EQ(on_a_grid.size(), 20u);
  EXPECT_EQ(on_a_grid[4].positions.whole.size(), 2 * 2 * 65u);
  for (const Call& call : on_a_grid)
    for (std::size_t n = 0; n < call.positions.whole.size(); ++n)
      EXPECT_LE(call.positions.whole[n], positions_of(grid).last(n % 2));
}

// Wrong where a row of one token is at the position of the row before, in batches that are no draw's.
TEST(LongCalls, are_of_many_rows_at_one_position) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  for (const Role role : {Role::query, Role::key}) {
    const Encoding wrong = answered_by(truth, [&](Call call) {
      std::vector<Position>& all = call.positions.whole;
      const std::size_t tokens = all.size() / call.batch;
      if (call.batch > 3 && call.role == role && all[all.size() - tokens] == all[all.size() - 2 * tokens])
        all.back() += 1;
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    ASSERT_TRUE(verdict);
    EXPECT_TRUE(std::holds_alternative<Refuted>(*verdict)) << static_cast<int>(role);
  }
}

// Tokens behind a prefix that fills no tile, and as many as lie between the sizes of tiles.
TEST(LongCalls, begin_behind_others_and_are_between_tiles) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  const auto refuted = [&](const std::function<bool(std::size_t tokens, Position first)>& is) {
    const Encoding wrong = answered_by(truth, [&](Call call) {
      std::vector<Position>& all = call.positions.whole;
      const std::size_t tokens = all.size() / call.batch;
      for (std::size_t row = 0; row < call.batch && tokens > 129; ++row)
        if (is(tokens, all[row * tokens]) && all[row * tokens + 1] == all[row * tokens] + 1)
          all[(row + 1) * tokens - 1] += 1;
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    return verdict && std::holds_alternative<Refuted>(*verdict);
  };
  EXPECT_TRUE(refuted([](auto tokens, auto first) { return tokens >= 256 && first > 4096; }));
  EXPECT_TRUE(refuted([](auto tokens, auto first) { return tokens > 600 && first % 16 != 0; }));
  EXPECT_TRUE(refuted([](auto tokens, auto) { return tokens > 130 && tokens < 256; }));
  EXPECT_TRUE(refuted([](auto tokens, auto) { return tokens > 513 && tokens < 1024; }));
  EXPECT_TRUE(refuted([](auto tokens, auto) { return tokens > 1025 && tokens < 4096; }));
  EXPECT_FALSE(refuted([](auto tokens, auto) { return tokens > 4097; }));
}

// Tiles of 128 or 256: wrong where both the query and the key are past the first.
TEST(LongCalls, of_a_bias_are_past_the_first_tile_of_both) {
  const Encoding truth = truth_of(encodings::alibi, "heads=2");
  for (const std::size_t tile : {128, 256}) {
    const Encoding wrong = answered_by(truth, [&](const Call& call) {
      Tensor out = answer(truth, call);
      const std::size_t nq = call.positions.whole.size(), nk = call.keys.whole.size();
      if (nq > tile && nk > tile)
        out.at(tile, tile) += 16 * bound(truth, call, out, all_f32).error.at(nq - 1, 0);
      return out;
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    ASSERT_TRUE(verdict);
    EXPECT_TRUE(std::holds_alternative<Refuted>(*verdict)) << tile;
  }
}

// A call whose times and rows are the same throughout is taken for text, whose columns are, too.
TEST(LongCalls, refute_what_is_taken_for_text_by_two_of_three_numbers) {
  const Encoding truth = truth_of(encodings::m_rope, "dim=16 sections=[2,3,3]");
  for (const std::size_t one : {0, 1, 2}) {
    const std::size_t other = (one + 1) % 3, third = (one + 2) % 3;
    const Encoding wrong = answered_by(truth, [=](Call call) {
      std::vector<Position>& all = call.positions.whole;
      bool text = true;
      for (std::size_t n = 0; n < all.size(); n += 3) text = text && all[n + one] == all[n + other];
      for (std::size_t n = 0; text && n < all.size(); n += 3) all[n + third] = all[n + one];
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << one;
  }
}

// The same by the numbers of one token, the first or the last, of one row or of both.
TEST(LongCalls, refute_what_is_taken_for_text_by_one_token) {
  const Encoding truth = truth_of(encodings::m_rope, "dim=16 sections=[2,3,3]");
  for (const bool first : {true, false})
    for (const bool in_both : {true, false}) {
      const Encoding wrong = answered_by(truth, [=](Call call) {
        std::vector<Position>& all = call.positions.whole;
        const std::size_t row = all.size() / call.batch;
        bool text = row > 0;
        for (std::size_t of = 0; text && of < (in_both ? call.batch : 1); ++of) {
          const std::size_t at = of * row + (first ? 0 : row - 3);
          text = all[at] == all[at + 1] && all[at] == all[at + 2];
        }
        for (std::size_t n = 0; text && n < all.size(); n += 3) all[n + 1] = all[n + 2] = all[n];
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << first << in_both;
    }
}

// Where the tokens of one row are neighbours, those of every row are taken for such.
TEST(LongCalls, refute_what_looks_for_neighbours_in_one_row) {
  for (const auto& [truth, axes] :
       {std::pair{truth_of(encodings::rope, "dim=8"), 1u}, {truth_of(encodings::axial_rope, "dim=8"), 2u}})
    for (const auto& [looked_at, fewest] :
         {std::pair<std::size_t, std::size_t>{0, 2}, {1, 2}, {0, 3}, {1, 3}}) {
      const Encoding wrong = answered_by(
          truth, [=, looked_at = looked_at, fewest = fewest, axes = axes, truth = truth](Call call) {
            std::vector<Position>& all = call.positions.whole;
            const std::size_t row = all.size() / call.batch, tokens = row / axes;
            if (call.batch == 1 || tokens < fewest) return answer(truth, call);
            const auto number = [&](std::size_t of, std::size_t token) -> Position& {
              return all[of * row + token * axes];
            };
            for (std::size_t token = 1; token < tokens; ++token)
              if (number(looked_at, token) != number(looked_at, 0) + static_cast<Position>(token))
                return answer(truth, call);
            for (std::size_t of = 0; of < call.batch; ++of)
              for (std::size_t token = 1; token < tokens; ++token)
                number(of, token) = number(of, 0) + static_cast<Position>(token);
            return answer(truth, call);
          });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << axes << looked_at << fewest;
    }
}

// Rows from number `first` on have the positions of the first row, as a kernel that keeps those of a block
// has them.
TEST(LongCalls, refute_what_is_right_of_few_rows_alone) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  for (const std::size_t first : {3, 4, 8, 16, 32, 64}) {
    const Encoding wrong = answered_by(truth, [truth, first](const Call& call) {
      Call other = call;
      const std::size_t n = call.positions.whole.size() / call.batch;
      for (std::size_t r = first * n; r < other.positions.whole.size(); ++r)
        other.positions.whole[r] = call.positions.whole[r % n];
      return answer(truth, other);
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << first;
    EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("batch"), first + 1) << first;
    EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("tokens"), 1) << first;
  }
}

// A kernel that was built for 8 rows holds, and what is wrong in its eighth row is seen.
TEST(LongCalls, leave_a_limit_on_rows_alone) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  for (const bool right : {true, false}) {
    const Encoding limited = answered_by(truth, [&](const Call& call) {
      if (call.batch > 9) throw Failure(Failure::How::raised, "9 rows at most", "rotate: 9 rows at most");
      Tensor out = answer(truth, call);
      if (!right && call.batch == 9) out.data.back() *= 2;
      return out;
    });
    const auto verdict = agreement_in_long_calls(truth, limited, all_f32, {});
    ASSERT_TRUE(verdict);
    EXPECT_EQ(std::holds_alternative<Holds>(*verdict), right);
    EXPECT_EQ(std::holds_alternative<Refuted>(*verdict), !right);
  }
  // Another shape is no limit.
  const Encoding cut = answered_by(truth, [&](const Call& call) -> Tensor {
    if (call.batch <= 8) return answer(truth, call);
    throw Failure::of_shape("rotate", "[33, 2, 1, 8]", "[8, 2, 1, 8]");
  });
  const auto verdict = agreement_in_long_calls(truth, cut, all_f32, {});
  EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
}

TEST(LongCalls, show_a_token_that_is_wrong_alone) {
  const Encoding truth = truth_of(encodings::sinusoidal, "dim=8");
  const Encoding wrong = answered_by(truth, [&](const Call& call) {
    Tensor out = answer(truth, call);
    for (std::size_t r = 0; r < out.rows(); ++r)
      if (call.positions.whole[r] == 700) out.at(r, 3) += 1;
    return out;
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {.shrinks = 0});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  const Case& found = std::get<Refuted>(*verdict).counterexample;
  EXPECT_EQ(found.integer("rows"), 1);
  EXPECT_EQ(found.integer("t"), 700);
}

TEST(LongCalls, that_are_declined_are_no_cases) {
  const Encoding truth = truth_of(encodings::sinusoidal, "dim=8");
  std::uint64_t answered = 0;
  const Encoding short_of_2000 = answered_by(truth, [&](const Call& call) {
    if (call.positions.whole.size() > 2000) throw Refusal("too long");
    ++answered;
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, short_of_2000, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Holds>(*verdict));
  EXPECT_EQ(std::get<Holds>(*verdict).cases, answered);
  EXPECT_GT(answered, 1u);
}

// What keeps the angles of so many tokens, and has no others behind them: refuted with the first length past
// that, of tokens and of rows.
TEST(LongCalls, refute_what_is_right_of_a_thousand_tokens_alone) {
  for (const EncodingSpec* spec : {&encodings::rope, &encodings::sinusoidal})
    for (const std::size_t most : {1025, 2048, 4096}) {
      const Encoding truth = truth_of(*spec, "dim=8");
      const Encoding wrong = answered_by(truth, [&](const Call& call) {
        Tensor out = answer(truth, call);
        if (call.positions.whole.size() / call.batch > most)
          out.data.back() += 16 * bound(truth, call, out, all_f32).error.data.back();
        return out;
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << kind(truth) << most;
      const Case& found = std::get<Refuted>(*verdict).counterexample;
      EXPECT_EQ(found.integer(found.has("tokens") ? "tokens" : "rows"), most < 2049 ? 2049 : 4097);
    }
}

// One that raises an error for more than 3,000 tokens holds, and what is wrong past 2,048 is seen.
TEST(LongCalls, leave_a_limit_on_tokens_alone) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  for (const bool right : {true, false}) {
    const Encoding limited = answered_by(truth, [&](const Call& call) {
      const std::size_t tokens = call.positions.whole.size() / call.batch;
      if (tokens > 3000)
        throw Failure(Failure::How::raised, "3000 tokens at most", "rotate: 3000 tokens at most");
      Tensor out = answer(truth, call);
      if (!right && tokens > 2048) out.data.back() *= 2;
      return out;
    });
    const auto verdict = agreement_in_long_calls(truth, limited, all_f32, {});
    ASSERT_TRUE(verdict);
    EXPECT_EQ(std::holds_alternative<Holds>(*verdict), right);
    EXPECT_EQ(std::holds_alternative<Refuted>(*verdict), !right);
  }
  // Of 1,025 it is no limit of a kernel: others of the search are as long.
  const Encoding short_one = answered_by(truth, [&](const Call& call) {
    if (call.positions.whole.size() / call.batch > 1000)
      throw Failure(Failure::How::raised, "1000 tokens at most", "rotate: 1000 tokens at most");
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, short_one, all_f32, {});
  EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
}

// No answer comes to a call of 1,025 tokens: one of 257 is asked for, and none of as many as 1,025 again,
// since a second answer that does not come ends the subject.
TEST(LongCalls, ask_for_fewer_tokens_where_no_answer_came) {
  const Encoding rope = truth_of(encodings::rope, "dim=8 heads=2"),
                 alibi = truth_of(encodings::alibi, "heads=2");
  for (const Encoding& truth : {rope, alibi})
    for (const bool right : {true, false}) {
      std::size_t late = 0, most = 0;
      const Encoding slow = answered_by(truth, [&](const Call& call) {
        const std::size_t tokens = std::max(
            call.positions.whole.size() / std::max<std::size_t>(call.batch, 1), call.keys.whole.size());
        if (tokens > 1000) {
          ++late;
          throw std::runtime_error("no answer within 4 s");
        }
        most = std::max(most, tokens);
        Tensor out = answer(truth, call);
        if (!right && tokens > 200) out.data.back() += 1;
        return out;
      });
      const auto verdict = agreement_in_long_calls(truth, slow, all_f32, {});
      ASSERT_TRUE(verdict);
      EXPECT_EQ(late, 1u);
      EXPECT_EQ(most, right && std::holds_alternative<Rotary>(truth) ? 777u : 257u);
      if (right) {
        ASSERT_TRUE(std::holds_alternative<Errored>(*verdict));
        EXPECT_EQ(std::get<Errored>(*verdict).what,
                  fmt::format("no answer within 4 s; 257 {} are answered, and right",
                              std::holds_alternative<Bias>(truth) ? "keys" : "tokens"));
      } else {
        EXPECT_TRUE(std::holds_alternative<Refuted>(*verdict));
      }
    }
}

// What is wrong with few tokens is found by the search that follows, and is worth more than an answer that is
// late.
TEST(LongCalls, that_are_late_do_not_end_the_search) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  for (const bool right : {true, false}) {
    const Encoding slow = answered_by(truth, [&](const Call& call) {
      if (call.positions.whole.size() / call.batch > 400) throw std::runtime_error("no answer within 4 s");
      Tensor out = answer(truth, call);
      if (!right && call.positions.whole.size() == 2) out.data.back() += 1;
      return out;
    });
    const Verdict verdict = agreement_searched(truth, slow, all_f32, {.id = "late", .budget = {.cases = 50}});
    EXPECT_EQ(std::holds_alternative<Errored>(verdict), right);
    EXPECT_EQ(std::holds_alternative<Refuted>(verdict), !right);
  }
}

// The last entry of an operator's answer, wrong by 16 bounds where there are more than 129 tokens.
TEST(LongCalls, look_at_the_last_token_of_an_operator) {
  const Encoding truth = operator_of_rope();
  const Encoding wrong = answered_by(truth, [truth](const Call& call) {
    Tensor out = answer(truth, call);
    if (out.rows() > 129) out.data.back() += 16 * bound(truth, call, out, all_f32).error.data.back();
    return out;
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("tokens"), 199);
}

// What a diagnosis asks as well: the shorter ones first.
// Contents that are drawn have eight digits at most, which bf16 holds.
TEST(LongCalls, see_contents_that_are_rounded_before_anything_is_done_to_them) {
  const auto refuted = [](const Encoding& truth, double (*rounded)(double), const Precision& precision) {
    const Encoding subject = answered_by(truth, [=](Call call) {
      for (Tensor& content : call.contents)
        for (double& x : content.data) x = rounded(x);
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, subject, precision, {});
    return verdict && std::holds_alternative<Refuted>(*verdict);
  };
  const auto in_bf16 = [](double x) { return to_bf16(x); };
  const auto in_f16 = [](double x) { return to_f16(x); };
  const auto in_f32 = [](double x) { return to_f32(x); };
  for (const Encoding& truth : {truth_of(encodings::rope, "dim=4"), truth_of(encodings::shaw, "dim=4")}) {
    EXPECT_TRUE(refuted(truth, in_bf16, all_f32)) << kind(truth);
    EXPECT_TRUE(refuted(truth, in_f16, all_f32)) << kind(truth);
    EXPECT_FALSE(refuted(truth, in_f32, all_f32)) << kind(truth);
    EXPECT_FALSE(refuted(truth, in_bf16, Precision::parse("f32+input=bf16"))) << kind(truth);
    EXPECT_TRUE(refuted(truth, in_bf16, Precision::parse("f32+input=f16"))) << kind(truth);
  }
}

TEST(LongCalls, are_of_every_length_that_fits) {
  const auto sizes = [](const Encoding& encoding) {
    std::vector<std::int64_t> out;
    for (const Case& one : long_cases(encoding, encoding, all_f64)) out.push_back(one.integer("nk"));
    return out;
  };
  const Encoding truth = truth_of(encodings::alibi, "heads=2");
  EXPECT_EQ(sizes(truth), (std::vector<std::int64_t>{256, 257, 1024, 1025}));
  EXPECT_EQ(sizes(with_positions(truth, Domain{0, 300})), (std::vector<std::int64_t>{256, 257}));
}

TEST(LongCalls, say_where_their_time_was_over) {
  const Encoding truth = truth_of(encodings::alibi, "heads=2");
  const auto verdict = agreement_in_long_calls(truth, truth, all_f32, {.time = std::chrono::milliseconds(0)});
  ASSERT_TRUE(verdict && std::holds_alternative<Undecided>(*verdict));
  EXPECT_NE(std::get<Undecided>(*verdict).why.find("after 0 of the long calls"), std::string::npos);
}

// What rounding does to a query, a key or a value shows in none where all of them are the same.
TEST(LongCalls, of_two_opposite_tokens_have_opposite_keys_and_values) {
  const Encoding truth = operator_of_rope();
  const Case two = long_cases(truth, truth, all_f32).at(0);
  for (const std::string name : {"k", "v"}) {
    const auto values = std::get<std::vector<double>>(*two.find(name));
    ASSERT_EQ(values.size(), 8u);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(values[4 + c], -values[c]) << name;
  }
  const auto queries = std::get<std::vector<double>>(*two.find("q"));
  EXPECT_EQ(queries.front(), queries.back());
}

// Eight tokens for each number of an axis.
TEST(LongCalls, on_a_grid_may_be_of_eight_times_its_extents) {
  const auto tokens = [](Position last) {
    Encoding truth = truth_of(encodings::axial_rope, "dim=4");
    Domain domain = positions_of(truth);
    domain.hi = last;
    domain.last_on_axis = {last, last};
    truth = with_positions(std::move(truth), domain);
    std::vector<std::int64_t> out;
    for (const Case& one : long_cases(truth, truth, all_f32)) out.push_back(one.integer("tokens"));
    return out;
  };
  EXPECT_EQ(tokens(127), (std::vector<std::int64_t>{256, 257, 1024}));
  EXPECT_EQ(tokens(31), (std::vector<std::int64_t>{256}));
  EXPECT_TRUE(tokens(30).empty());
}

}  // namespace
}  // namespace posproof::long_calls_test
