#include "run/long_calls.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "catalogue/encodings/alibi.h"
#include "catalogue/encodings/axial_rope.h"
#include "catalogue/encodings/nerf.h"
#include "catalogue/encodings/relative_table.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/shaw.h"
#include "catalogue/encodings/sincos_2d.h"
#include "catalogue/encodings/sinusoidal.h"
#include "catalogue/encodings/t5_bias.h"
#include "core/call.h"
#include "core/spec.h"
#include "run/long_cases.h"
#include "run/testing/long_calls.h"

namespace posproof::long_calls_test {
namespace {

using long_calls_testing::asked;
using long_calls_testing::from_to;
using long_calls_testing::truth_of;

TEST(LongCalls, of_a_bias_are_one_query_and_a_thousand_keys) {
  const auto calls = asked(truth_of(encodings::t5_bias, "heads=2"));
  ASSERT_EQ(calls.size(), 10u);
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
  for (const std::size_t square : {4, 5, 6}) {
    EXPECT_EQ(calls[square].positions.whole, from_to(0, square == 4 ? 256 : square == 5 ? 255 : 576));
    EXPECT_EQ(calls[square].keys.whole, calls[square].positions.whole);
  }
  EXPECT_EQ(calls[7].positions.whole, from_to(234, 300));
  EXPECT_EQ(calls[7].keys.whole, from_to(0, 300));
  EXPECT_EQ(calls[8].positions.whole, from_to(772, 776));
  EXPECT_EQ(calls[9].positions.whole, from_to(330, 330));
  EXPECT_EQ(calls[9].keys.whole, from_to(0, 330));
  const auto of_eight = asked(truth_of(encodings::t5_bias, "heads=8"));
  ASSERT_EQ(of_eight.size(), 11u);
  EXPECT_EQ(of_eight[7].positions.whole, from_to(0, 7)) << "as many of both as heads";
  EXPECT_EQ(of_eight[7].keys.whole, from_to(0, 7));
}

// 2^22 values are room for 1,024 tokens of 2 rows of 16 heads of 128 channels, and not for 1,025; 2^23 for
// 4,096 of one row. A square of 577 has room for 25 heads.
TEST(LongCalls, are_as_long_as_a_call_has_room_for) {
  const auto rotated = asked(truth_of(encodings::rope, "dim=128 heads=16"));
  EXPECT_EQ(rotated[1].positions.whole.size(), 2u * 1024);
  const auto most = [](const std::vector<Call>& calls) {
    std::size_t out = 0;
    for (const Call& call : calls) out = std::max(out, call.batch == 1 ? call.positions.whole.size() : 0);
    return out;
  };
  EXPECT_EQ(most(rotated), 4096u);
  EXPECT_EQ(std::ranges::count(rotated, 1025u,
                               [](const Call& call) { return call.positions.whole.size() / call.batch; }),
            0);
  EXPECT_EQ(most(asked(truth_of(encodings::rope, "dim=128 heads=32"))), 1025u);
  EXPECT_EQ(most(asked(truth_of(encodings::rope, "dim=128 heads=2"))), 8257u);
  EXPECT_EQ(asked(truth_of(encodings::alibi, "heads=25")).size(), 11u);
  EXPECT_EQ(asked(truth_of(encodings::alibi, "heads=26")).size(), 10u);
  const auto logits = asked(truth_of(encodings::shaw, "dim=8"));
  ASSERT_EQ(logits.size(), 10u);
  EXPECT_EQ(std::ranges::count(logits[2].contents[1].data, 0.0), 0) << "no content of the two keys is 0";
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
  EXPECT_EQ(keys_within(3 + 1022), 777u);
  EXPECT_EQ(keys_within(3 + 399), 331u);
  EXPECT_EQ(keys_within(3 + 299), 257u);
  EXPECT_EQ(keys_within(3 + 1023), 1024u);
  EXPECT_EQ(keys_within(3 + 1024), 1025u);
  EXPECT_EQ(keys_within(3 + 254), 0u);
  truth = truth_of(encodings::rope, "dim=8 heads=1");
  const auto most_within = [&](Position hi) {
    std::size_t most = 0;
    for (const Call& call : asked(with_positions(truth, Domain{3, hi})))
      most = std::max(most, call.positions.whole.size() / call.batch);
    return most;
  };
  EXPECT_EQ(most_within(3 + 4094), 3001u);
  EXPECT_EQ(most_within(3 + 4095), 4096u);
}

TEST(LongCalls, are_of_no_pairs_on_a_grid) {
  EXPECT_TRUE(asked(truth_of(encodings::relative_table, "heads=1")).empty());
}

// Columns of the token before, in calls of more than 130.
TEST(LongCalls, are_of_rows_on_a_grid_and_at_real_coordinates) {
  for (const auto& [spec, words] :
       {std::pair{&encodings::sincos_2d, "dim=8"}, {&encodings::nerf, "axes=3 frequencies=2"}}) {
    const Encoding truth = truth_of(*spec, words);
    const Encoding wrong = answered_by(truth, [&, truth = truth](const Call& call) {
      Tensor out = answer(truth, call);
      for (std::size_t r = out.rows(); out.rows() > 130 && r-- > 1;) out.at(r, 1) = out.at(r - 1, 1);
      return out;
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << kind(truth) << words;
  }
  for (const Call& call : asked(truth_of(encodings::nerf, "axes=3 frequencies=2"))) {
    const std::vector<double>& all = call.positions.real;
    for (std::size_t n = 3; n < all.size(); ++n)
      EXPECT_TRUE(all[n] == all[n - 3] ? all[n] == std::floor(all[n]) : true) << n;
  }
}

// One that follows the first by one is taken for the beginning of a sequence, by how tokens follow each
// other: by the first two, by the largest so far, by the first three of those that rise.
TEST(LongCalls, are_of_tokens_that_do_not_follow_each_other) {
  using Positions = std::vector<Position>;
  const auto follow = [](Positions& all) {
    for (std::size_t n = 1; n < all.size(); ++n) all[n] = all[0] + static_cast<Position>(n);
  };
  const std::function<void(Positions&)> faults[] = {
      [&](Positions& all) {
        if (all[1] == all[0] + 1) follow(all);
      },
      [](Positions& all) {
        for (std::size_t n = 1; n < all.size(); ++n) all[n] = std::max(all[n], all[n - 1]);
      },
      [&](Positions& all) {
        if (std::ranges::is_sorted(all) && all[2] == all[0] + 2 && all[1] == all[0] + 1) follow(all);
      },
      [&](Positions& all) {
        if (all[1] == all[0] && all.back() != all[0])
          for (std::size_t n = 1; n < all.size(); ++n) all[n] -= 1;
      }};
  for (const Encoding& truth :
       {truth_of(encodings::rope, "dim=8 heads=1"), truth_of(encodings::sinusoidal, "dim=8")})
    for (const auto& fault : faults) {
      const Encoding wrong = answered_by(truth, [&](Call call) {
        if (call.batch == 1 && call.positions.whole.size() > 130) fault(call.positions.whole);
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << kind(truth) << &fault - faults;
    }
}

// The last keys, which fill no tile of 64, are one position farther where there are fewer queries than keys.
TEST(LongCalls, of_a_bias_are_of_a_sequence_behind_others) {
  const Encoding truth = truth_of(encodings::t5_bias, "heads=2");
  for (const auto& [least, most] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 8}, {9, 128}}) {
    const Encoding wrong = answered_by(truth, [&, least = least, most = most](Call call) {
      const std::size_t nq = call.positions.whole.size(), nk = call.keys.whole.size();
      for (std::size_t n = nk / 64 * 64; nq >= least && nq <= most && nk > 130 && nk < 1024 && n < nk; ++n)
        call.keys.whole[n] -= 1;
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << least;
  }
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

// The sizes that prompts are cut to.
TEST(LongCalls, are_of_tiles_that_are_full) {
  const Encoding rotation = truth_of(encodings::rope, "dim=8 heads=2"),
                 table = truth_of(encodings::sinusoidal, "dim=8");
  for (const Encoding& truth : {rotation, table})
    for (const std::size_t tile : {96, 160, 512, 2048}) {
      const Encoding wrong = answered_by(truth, [&](Call call) {
        const std::size_t tokens = call.positions.whole.size() / call.batch;
        if (tokens % tile == 0 && tokens > 128 && tokens < 4096) call.positions.whole[tokens - 1] += 1;
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << tile;
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
  EXPECT_TRUE(refuted([](auto tokens, auto) { return tokens > 4097; }));
  EXPECT_FALSE(refuted([](auto tokens, auto) { return tokens > 8257; }));
}

// Tiles of 128, 256 or 512: wrong where both the query and the key are past the first.
TEST(LongCalls, of_a_bias_are_past_the_first_tile_of_both) {
  const Encoding truth = truth_of(encodings::alibi, "heads=2");
  for (const std::size_t tile : {128, 256, 512}) {
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

// One whose frequencies stay as they are is longer by its amplitude alone.
TEST(LongCalls, of_an_amplitude_that_depends_on_the_call_are_one_of_the_most_tokens) {
  auto truth = as<Rotary>(truth_of(encodings::rope, "dim=8 heads=1"));
  Rotary larger = truth;
  larger.amplitude = 2;
  truth.in_call = [shorter = std::make_shared<const Rotary>(truth),
                   longer = std::make_shared<const Rotary>(larger)](Position last) {
    return last < 2048 ? shorter : longer;
  };
  const auto wide = wide_cases(truth, truth, all_f32);
  ASSERT_EQ(wide.size(), 1u);
  EXPECT_EQ(wide[0].integer("tokens"), 4097);
}

}  // namespace
}  // namespace posproof::long_calls_test
