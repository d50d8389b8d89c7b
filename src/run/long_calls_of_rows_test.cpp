#include "run/long_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "catalogue/encodings/axial_rope.h"
#include "catalogue/encodings/learned.h"
#include "catalogue/encodings/m_rope.h"
#include "catalogue/encodings/nerf.h"
#include "catalogue/encodings/rope.h"
#include "catalogue/encodings/sincos_2d.h"
#include "catalogue/encodings/sinusoidal.h"
#include "core/call.h"
#include "core/failure.h"
#include "core/spec.h"
#include "run/testing/long_calls.h"

namespace posproof::long_calls_of_rows_test {
namespace {

using long_calls_testing::asked;
using long_calls_testing::from_to;
using long_calls_testing::truth_of;

TEST(LongCalls, of_tokens_are_two_rows_and_of_a_table_one) {
  const auto rotated = asked(truth_of(encodings::rope, "dim=8 heads=2"));
  ASSERT_EQ(rotated.size(), 49u);
  EXPECT_EQ(rotated[0].batch, 2u);
  EXPECT_EQ(rotated[0].positions.whole.size(), 2u * 1024);
  EXPECT_EQ(rotated[0].positions.whole[1023], 1023);
  EXPECT_EQ(rotated[0].positions.whole[1024], 4999) << "the second row is elsewhere";
  EXPECT_EQ(rotated[1].positions.whole.size(), 2u * 1025);
  EXPECT_EQ(rotated[1].role, Role::key);
  // In their order, of so many rows of so many tokens.
  std::vector<std::pair<std::size_t, std::size_t>> sizes;
  for (const Call& call : rotated) sizes.emplace_back(call.batch, call.positions.whole.size() / call.batch);
  const std::vector<std::pair<std::size_t, std::size_t>>
      expected = {{2, 1024}, {2, 1025},                                           // long
                  {129, 1},  {129, 1},  {129, 2},  {129, 2}, {129, 1}, {129, 2},  // many rows
                  {4, 33},   {8, 49},   {12, 7},   {9, 289}, {16, 16}, {2, 2},
                  {3, 8},  // prompts, images, extents that are alike
                  {4, 1},    {8, 1},    {16, 1},   {32, 1},  {64, 1},  {4, 33},
                  {17, 130}, {9, 4097},  // past 2^15 and, with two heads, 2^16
                  {3, 5},    {3, 5},    {3, 5},    {3, 5},   {3, 33},  {3, 33},
                  {3, 33},   {3, 33},                        // padded or packed apart
                  {2, 2},    {2, 2},    {2, 16},   {2, 16},  // neighbours in one row
                  {1, 2},    {1, 2},                         // large and small contents
                  {1, 199},  {1, 777},  {2, 3001}, {1, 160}, {1, 384}, {1, 512},
                  {1, 2048}, {1, 301},  {1, 301},  {1, 301},  // packed, padded, with a gap
                  {1, 8257}, {1, 4096}};
  EXPECT_EQ(sizes, expected);
  const auto of = [&](std::size_t batch, std::size_t tokens) {
    return *std::ranges::find_if(rotated, [=](const Call& call) {
      return call.batch == batch && call.positions.whole.size() == batch * tokens;
    });
  };
  EXPECT_EQ(of(17, 130).positions.whole.back(), 16 * 19 + 129);
  EXPECT_EQ(of(1, 199).positions.whole, from_to(205, 403));
  EXPECT_EQ(of(1, 777).positions.whole, from_to(783, 1559));
  EXPECT_NE(of(1, 199).role, of(1, 777).role);
  EXPECT_EQ(of(1, 8257).positions.whole, from_to(0, 8256));
  EXPECT_EQ(of(1, 8257).role, Role::query);
  EXPECT_EQ(of(1, 4096).positions.whole, from_to(0, 4095));
  EXPECT_EQ(of(1, 4096).role, Role::key);
  for (const std::size_t row : {0, 1, 2, 3})
    EXPECT_EQ(of(4, 33).positions.whole.at(33 * row), 0) << "all begin at one";
  const double of_others = std::abs(of(1, 199).contents.front().at(0, 0));
  EXPECT_EQ(std::abs(rotated[35].contents.front().at(0, 0)), 0x1p17 * of_others);
  EXPECT_EQ(std::abs(rotated[36].contents.front().at(0, 0)), 0x1p-30 * of_others);
  const auto rows = asked(truth_of(encodings::sinusoidal, "dim=8"));
  ASSERT_EQ(rows.size(), 14u);
  EXPECT_EQ(rows[0].positions.whole, from_to(0, 1023));
  EXPECT_EQ(rows[2].positions.whole, from_to(0, 198));
  EXPECT_EQ(rows[12].positions.whole, from_to(0, 7)) << "as many as channels";
  EXPECT_EQ(rows[13].positions.whole, from_to(0, 8256));
}

// The last token of a row of more than 8,192; the last head of the last row of more than 2^16; the 129th row.
TEST(LongCalls, refute_what_has_no_room_for_many_tokens_heads_or_rows) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  const auto refuted = [&](const std::function<bool(const Call&, std::size_t head_of_a_token)>& is) {
    const Encoding wrong = answered_by(truth, [&](const Call& call) {
      Tensor out = answer(truth, call);
      for (std::size_t r = 0; r < out.rows(); ++r)
        if (is(call, r)) out.at(r, 0) += 0.5;
      return out;
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    return verdict && std::holds_alternative<Refuted>(*verdict);
  };
  EXPECT_TRUE(refuted([](const Call& call, std::size_t r) { return call.batch == 1 && r >= 2 * 8192; }));
  EXPECT_TRUE(refuted([](const Call&, std::size_t r) { return r >= 65535; }));
  EXPECT_TRUE(refuted([](const Call& call, std::size_t r) {
    return call.batch > 128 && r / (call.positions.whole.size() / call.batch * 2) >= 128;
  }));
  EXPECT_FALSE(refuted([](const Call&, std::size_t r) { return r >= 2 * 9 * 4097; }));
}

// Axes that are told apart by their extents: of as many rows as tokens; of as many tokens, or rows and
// tokens, as heads; of as many tokens as channels.
TEST(LongCalls, refute_what_takes_an_axis_for_another_of_its_extent) {
  const auto refuted = [](const Encoding& truth,
                          const std::function<bool(const Call&, std::size_t tokens)>& alike) {
    const Encoding wrong = answered_by(truth, [&](Call call) {
      const std::size_t tokens = call.positions.whole.size() / std::max<std::size_t>(1, call.batch);
      if (alike(call, tokens)) std::ranges::reverse(call.positions.whole);
      return answer(truth, call);
    });
    const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
    return verdict && std::holds_alternative<Refuted>(*verdict);
  };
  const Encoding rope = truth_of(encodings::rope, "dim=48 heads=5"),
                 rows = truth_of(encodings::sinusoidal, "dim=48");
  EXPECT_TRUE(refuted(rope, [](const Call& call, std::size_t n) { return n > 8 && n == call.batch; }));
  EXPECT_TRUE(refuted(rope, [](const Call& call, std::size_t n) { return n == 5 && call.batch == 5; }));
  EXPECT_TRUE(refuted(rope, [](const Call&, std::size_t n) { return n == 48; }));
  EXPECT_TRUE(refuted(rows, [](const Call&, std::size_t n) { return n == 48; }));
  EXPECT_FALSE(refuted(rows, [](const Call&, std::size_t n) { return n == 47; }));
}

// What has its contents in f16 on the way loses those that are larger than all of its numbers, or smaller.
TEST(LongCalls, refute_what_has_its_contents_in_f16_on_the_way) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  for (const bool large : {true, false}) {
    const Encoding wrong = answered_by(truth, [&](Call call) {
      for (double& x : call.contents.front().data)
        x = large ? std::clamp(x, -65504.0, 65504.0) : std::abs(x) < 0x1p-25 ? 0 : x;
      return answer(truth, call);
    });
    for (const Precision& p : {all_f32, Precision::parse("bf16"), Precision::parse("f16")}) {
      const auto verdict = agreement_in_long_calls(truth, wrong, p, {});
      ASSERT_TRUE(verdict);
      EXPECT_EQ(std::holds_alternative<Refuted>(*verdict), p != Precision::parse("f16")) << large << p.word();
    }
  }
}

// Points at real coordinates in chunks of 2,048.
TEST(LongCalls, refute_what_has_no_room_for_many_points) {
  const Encoding truth = truth_of(encodings::nerf, "axes=1 frequencies=2");
  const Encoding wrong = answered_by(truth, [&](const Call& call) {
    Tensor out = answer(truth, call);
    for (std::size_t r = 2048; r < out.rows(); ++r) out.at(r, 0) += 0.5;
    return out;
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
}

// Rows of a batch in one call: more tokens than the table has rows.
TEST(LongCalls, are_of_more_tokens_than_a_table_has_positions) {
  std::size_t most = 0;
  for (const Call& call : asked(truth_of(encodings::learned, "dim=8 length=100")))
    most = std::max(most, call.positions.whole.size());
  EXPECT_EQ(most, 2049u);
}

// A grid whose places come in blocks of 2 by 2, taken for one row by row; and the second of two grids in a
// row, taken for the rest of the first.
TEST(LongCalls, refute_what_takes_any_grid_for_one_row_by_row) {
  const auto row_by_row = [](std::vector<Position>& all) {
    std::array<Position, 2> low = {all[0], all[1]}, high = low;
    for (std::size_t n = 0; n < all.size(); ++n) {
      low[n % 2] = std::min(low[n % 2], all[n]);
      high[n % 2] = std::max(high[n % 2], all[n]);
    }
    const Position rows = high[0] - low[0] + 1, columns = high[1] - low[1] + 1;
    if (rows < 2 || columns < 2 || rows * columns * 2 != static_cast<Position>(all.size())) return;
    for (std::size_t n = 0; n < all.size(); n += 2) {
      all[n] = low[0] + static_cast<Position>(n) / 2 / columns;
      all[n + 1] = low[1] + static_cast<Position>(n) / 2 % columns;
    }
  };
  const auto as_one_grid = [](std::vector<Position>& all) {
    for (std::size_t n = 2; n < all.size(); n += 2)
      if (all[n] == all[0] && all[n + 1] == all[1])
        for (std::size_t m = n; m < all.size(); m += 2) all[m] += all[n - 2] - all[0] + 1;
  };
  const std::vector<std::function<void(std::vector<Position>&)>> faults = {row_by_row, as_one_grid};
  for (const Encoding& truth :
       {truth_of(encodings::axial_rope, "dim=8"), truth_of(encodings::sincos_2d, "dim=8")})
    for (const auto& fault : faults) {
      const Encoding wrong = answered_by(truth, [&](Call call) {
        if (call.batch == 1 && call.positions.whole.size() >= 16) fault(call.positions.whole);
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << signature(truth).role;
    }
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

TEST(LongCalls, are_of_many_rows_each_at_positions_of_its_own) {
  const auto rotated = asked(truth_of(encodings::rope, "dim=8 heads=2"));
  ASSERT_EQ(rotated.size(), 49u);
  for (const std::size_t tokens : {1, 2}) {
    const Call& call = rotated[2 * tokens];
    EXPECT_EQ(call.batch, 129u);
    EXPECT_NE(call.role, rotated[2 * tokens + 1].role);
    EXPECT_EQ(rotated[2 * tokens + 1].batch, 129u);
    EXPECT_EQ(call.positions.whole.size(), 129 * tokens);
    EXPECT_EQ(std::set<Position>(call.positions.whole.begin(), call.positions.whole.end()).size(),
              129 * tokens);
    EXPECT_EQ(call.positions.whole.back() - call.positions.whole[128 * tokens], tokens == 2 ? 1 : 0);
  }
  // A grid has them, too, within the last position of each axis.
  const Encoding grid = truth_of(encodings::axial_rope, "dim=8");
  const auto on_a_grid = asked(grid);
  ASSERT_GE(on_a_grid.size(), 48u);
  EXPECT_EQ(on_a_grid[4].positions.whole.size(), 2 * 2 * 129u);
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

// In calls of more than 129 tokens, and of more rows than are drawn, channels have the contents of others: of
// their neighbours, of channels of the same sign, of those that rotate and of neighbours that do not, or
// their own size.
TEST(LongCalls, of_rows_and_of_tokens_tell_channels_apart) {
  const Encoding truth = truth_of(encodings::rope, "dim=16 rotary_dim=8 heads=2");
  const std::function<double(std::span<const double> row, std::size_t c)> faults[] = {
      [](std::span<const double> row, std::size_t c) { return row[c < 8 ? c ^ 1 : c]; },
      [](std::span<const double> row, std::size_t c) { return row[c < 8 ? c ^ 3 : c]; },
      [](std::span<const double> row, std::size_t c) { return row[c < 8 ? c : c - 8]; },
      [](std::span<const double> row, std::size_t c) { return row[c < 8 ? c : c ^ 1]; },
      [](std::span<const double> row, std::size_t c) { return c == 2 ? std::abs(row[c]) : row[c]; }};
  for (const bool rows : {false, true})
    for (const auto& fault : faults) {
      const Encoding wrong = answered_by(truth, [&](Call call) {
        const Tensor own = call.contents[0];
        Tensor& x = call.contents[0];
        for (std::size_t r = 0; r < x.rows(); ++r)
          for (std::size_t c = 0; c < x.width(); ++c)
            if (rows ? call.batch > 3 : call.positions.whole.size() / call.batch > 130)
              x.at(r, c) = fault(own.row(r), c);
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << rows << &fault - faults;
    }
}

// Rows past a block of eight are at the positions of the block, where they have more than two tokens.
// Rows of which one, or any, is taken for how all are padded or packed: their turn in the place of each one's
// own.
TEST(LongCalls, refute_what_knows_how_one_row_is_arranged) {
  const auto tokens_of = [](const Call& call) { return call.positions.whole.size() / call.batch; };
  const auto row = [&](const Call& call, std::size_t r) {
    return std::span(call.positions.whole).subspan(r * tokens_of(call), tokens_of(call));
  };
  const auto padding = [](std::span<const Position> one) {
    std::size_t k = 0;
    while (k + 1 < one.size() && one[k + 1] == one[0]) ++k;
    return k;
  };
  const auto boundary = [](std::span<const Position> one) {
    const auto back = std::ranges::adjacent_find(one, std::greater{});
    return back == one.end() ? std::size_t{0} : static_cast<std::size_t>(back - one.begin()) + 1;
  };
  const auto arranged = [](Position first, std::size_t tokens, std::size_t turn, bool packed) {
    std::vector<Position> out;
    for (std::size_t k = 0; k < tokens; ++k)
      out.push_back(first + static_cast<Position>(k >= turn ? k - turn : packed ? k : 0));
    return out;
  };
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=1");
  for (const bool packed : {false, true})
    for (const std::size_t fewest : {3, 8})
      for (const bool of_the_last : {false, true}) {
        const Encoding wrong = answered_by(truth, [&](Call call) {
          const std::size_t n = tokens_of(call), from = of_the_last ? call.batch - 1 : 0;
          if (n < fewest) return answer(truth, call);
          const std::size_t turn = packed ? boundary(row(call, from)) : padding(row(call, from));
          if (turn == 0) return answer(truth, call);
          for (std::size_t r = 0; r < call.batch; ++r)
            std::ranges::copy(arranged(row(call, r)[0], n, turn, packed),
                              call.positions.whole.begin() + static_cast<std::ptrdiff_t>(r * n));
          return answer(truth, call);
        });
        // Of calls whose rows are arranged alike that is right.
        const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
        ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << packed << fewest << of_the_last;
      }
}

// Two images whose rows are of other lengths: that of the first is taken for both.
TEST(LongCalls, refute_what_knows_the_columns_of_one_grid) {
  const Encoding truth = truth_of(encodings::axial_rope, "dim=8");
  const Encoding wrong = answered_by(truth, [&](Call call) {
    auto& all = call.positions.whole;
    const std::size_t tokens = all.size() / 2 / call.batch;
    std::size_t columns = 1;
    while (columns < tokens && all[2 * columns] == all[0] &&
           all[2 * columns + 1] == all[1] + static_cast<Position>(columns))
      ++columns;
    for (std::size_t k = 0; columns > 1 && tokens > 3 && k < call.batch * tokens; ++k) {
      const std::size_t row = k / tokens, at = k % tokens;
      all[2 * k] = all[2 * row * tokens] + static_cast<Position>(at / columns);
      all[2 * k + 1] = all[2 * row * tokens + 1] + static_cast<Position>(at % columns);
    }
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
}

// In blocks of four rows, where they are full, each at the position of the first; of decoding, and of a
// prompt.
TEST(LongCalls, refute_what_is_wrong_in_full_blocks_of_rows) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=1");
  for (const std::size_t block : {4, 8, 16})
    for (const bool prompt : {false, true}) {
      if (prompt && block > 4) continue;
      const Encoding wrong = answered_by(truth, [&](Call call) {
        const std::size_t tokens = call.positions.whole.size() / call.batch;
        if (call.batch % block == 0 && tokens > 0 && (tokens > 2) == prompt)
          for (std::size_t k = 0; k < tokens; ++k)
            call.positions.whole[(block - 1) * tokens + k] = call.positions.whole[k];
        return answer(truth, call);
      });
      const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
      EXPECT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict)) << block << prompt;
    }
}

TEST(LongCalls, are_of_many_rows_of_many_tokens) {
  const Encoding truth = truth_of(encodings::rope, "dim=8 heads=2");
  const Encoding wrong = answered_by(truth, [&](Call call) {
    std::vector<Position>& all = call.positions.whole;
    const std::size_t tokens = all.size() / call.batch;
    for (std::size_t n = 8 * tokens; tokens > 2 && n < all.size(); ++n) all[n] = all[n - 8 * tokens];
    return answer(truth, call);
  });
  const auto verdict = agreement_in_long_calls(truth, wrong, all_f32, {});
  ASSERT_TRUE(verdict && std::holds_alternative<Refuted>(*verdict));
  EXPECT_EQ(std::get<Refuted>(*verdict).counterexample.integer("batch"), 9);
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

}  // namespace
}  // namespace posproof::long_calls_of_rows_test
