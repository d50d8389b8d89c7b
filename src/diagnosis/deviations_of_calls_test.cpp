// What is measured of answers that are those of another call.
#include "diagnosis/testing/wrong_encodings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/function.h"
#include "diagnosis/call_effects.h"

namespace posproof::deviations_of_calls_test {
namespace {

using namespace testing;

const std::string as_at_0 = "tokens stay as they are, as at position 0";

using Order = std::vector<std::size_t>;

Order composed(const Order& a, const Order& b) {
  Order out;
  for (const std::size_t n : b) out.push_back(a[n]);
  return out;
}

// Rows of the batch are those of another order, which is made of that in which their first positions rise.
Function<void(Call&)> put_back_by(const Function<void(Order&)>& made_of) {
  return [made_of](Call& call) {
    const std::size_t n = call.batch == 0 ? 0 : call.positions.whole.size() / call.batch;
    if (n == 0) return;
    Order order(call.batch);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t b) { return call.positions.whole[b * n]; });
    made_of(order);
    const Call given = call;
    const std::size_t size = given.contents[0].data.size() / call.batch;
    for (std::size_t b = 0; b < call.batch; ++b) {
      std::copy_n(&given.positions.whole[order[b] * n], n, &call.positions.whole[b * n]);
      std::copy_n(&given.contents[0].data[order[b] * size], size, &call.contents[0].data[b * size]);
    }
  };
}

TEST(Deviations, of_calls) {
  const std::string dim = "dim=16 heads=2";
  const auto first_of_row = [](Call& call, Function<Position(Position, Position)> other) {
    const std::size_t n = call.positions.whole.size() / call.batch;
    for (std::size_t b = 0; b < call.batch && n > 0; ++b) {
      const Position first = call.positions.whole[b * n];
      for (std::size_t k = 0; k < n; ++k) {
        Position& t = call.positions.whole[b * n + k];
        t = other(t, first);
      }
    }
  };
  expect_said(
      "rope",
      {{dim, asked_for("rope", at([](Position t) { return t + 3; })), {"positions are 3 ahead"}},
       {dim, asked_for("rope", at([](Position t) { return t - 2; })), {"positions are 2 behind"}},
       {dim, asked_for("rope", at([](Position t) { return t - 1; })), {"positions are one behind"}},
       {dim,
        asked_for("rope", at([](Position t) { return t == 0 ? t : t - 1; })),
        {"positions are one behind, 0 as it is"}},
       {dim,
        asked_for("rope", at([](Position t) { return t == 0 ? 1048576 : t - 1; })),
        {"positions are one behind, and 0 counts as the last one, 1048576"}},
       {dim,
        asked_for("rope", put_back_by([](auto& order) { order = composed(order, order); })),
        {"rows of the batch are sorted by their first position, and their answers put back by the permutation "
         "that sorts them instead of its inverse"}},
       {dim,
        asked_for("rope", put_back_by([](auto& order) { order = composed(order, composed(order, order)); })),
        {}},
       {dim,
        asked_for("rope",
                  [](Call& call) {
                    auto& all = call.positions.whole;
                    if (all.size() == call.batch && !all.empty())
                      std::rotate(all.begin(), all.begin() + 1, all.end());
                  }),
        {"in calls of one token a row: every row of the batch has the positions of the row after, the last "
         "of the first"}},
       {dim,
        asked_for("rope", at([](Position t) { return t / 4 * 4; })),
        {"positions are rounded down to multiples of 4"}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  const std::size_t n = out.shape[2];
                  for (std::size_t r = 0; r < out.rows(); ++r) {
                    const auto* all = &call.positions.whole[r / (2 * n) * n];
                    const std::size_t k = r % n;
                    if ((k == 0 || all[k - 1] != all[k] - 1) && (k + 1 == n || all[k + 1] != all[k] + 1))
                      std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
                  }
                }),
        {"tokens beside which no neighbouring position stands, each a call of its own where an offset is "
         "taken: " +
         as_at_0}},
       {dim, asked_for("rope", at([](Position t) { return 3 * t; })), {"positions are tripled"}},
       {dim,
        asked_for("rope", at([](Position t) { return std::min<Position>(t, 3000); })),
        {"positions past 3000 count as 3000"}},
       {dim,
        asked_for("rope", at([](Position t) { return t % 32768; })),
        {"positions are taken modulo 32768"}},
       {dim,
        asked_for("rope", at([](Position t) { return t > 1000 ? 0 : t; })),
        {"positions past 1000 count as 0"}},
       {dim,
        asked_for("rope", at([](Position t) { return static_cast<Position>(static_cast<std::int16_t>(t)); })),
        {"positions are cut to 16 bits, with a sign"}},
       {dim,
        asked_for("rope", of_keys(at([](Position t) { return t + 1; }))),
        {"keys: positions are one ahead"}},
       {dim,
        asked_for(
            "rope",
            [=](Call& call) { first_of_row(call, [](Position t, Position first) { return t - first; }); }),
        {"positions are relative to the first of their row"}},
       {dim,
        asked_for("rope",
                  [](Call& call) {
                    auto& all = call.positions.whole;
                    if (all.empty()) return;
                    std::ranges::fill(all, *std::ranges::max_element(all));
                  }),
        {"every token has the largest position of the batch"}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  const std::size_t n = out.shape[2];
                  for (std::size_t r = 0; r < out.rows(); ++r)
                    if (r % n + 1 == n && n > 1)
                      std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
                }),
        {"the last of several tokens: " + as_at_0}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  for (std::size_t r = 0; r < out.rows(); ++r)
                    if (r % out.shape[2] == 0) std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
                }),
        {"the first token of a row: " + as_at_0}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  for (std::size_t r = 0; r < out.rows(); ++r)
                    if (call.positions.whole[r / (2 * out.shape[2]) * out.shape[2] + r % out.shape[2]] >=
                        2048)
                      std::ranges::fill(out.row(r), 0.0);
                }),
        {"at positions from 2048 on: the answer is 0"}},
       {dim,
        spoiled("rope",
                [](const Call& call, Tensor& out) {
                  for (std::size_t r = 0; r < out.rows(); ++r)
                    if (call.positions.whole[r / (2 * out.shape[2]) * out.shape[2] + r % out.shape[2]] >=
                        5000)
                      std::ranges::fill(out.row(r), std::numeric_limits<double>::quiet_NaN());
                }),
        {"at positions from 5000 on: the answer is no number"}},
       // Two at once.
       {dim,
        asked_for("rope", at([](Position t) { return t + 1; }),
                  [](const Call&, Tensor& out) {
                    for (double& value : out.data) value *= 2;
                  }),
        {"positions are one ahead", "every rotation is multiplied by 2, not by 1"}},
       {dim,
        asked_for("rope", at([](Position t) { return std::min<Position>(t, 511); }),
                  [](const Call&, Tensor& out) {
                    for (double& value : out.data) value *= 2;
                  }),
        {"every rotation is multiplied by 2, not by 1", "positions past 511 count as 511"}}});
}

// Rows of the batch, as [batch, heads, n] lies.
std::size_t batch_row(const Tensor& out, std::size_t r) {
  return r / (out.shape[1] * out.shape[2]);
}

// Few calls that are drawn have as many rows as a block.
// Kernels that leave a tile, or a token between two, as they are.
TEST(Deviations, of_the_last_tokens_of_full_tiles) {
  const auto left = [](const Function<bool(std::size_t, std::size_t)>& is) {
    return spoiled("rope", [=](const Call& call, Tensor& out) {
      const std::size_t tokens = call.positions.whole.size() / std::max<std::size_t>(1, call.batch);
      for (std::size_t r = 0; r < out.rows(); ++r)
        if (is(r % tokens, tokens)) std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
    });
  };
  const auto last_of = [&](std::size_t tile) {
    return left(
        [=](std::size_t token, std::size_t tokens) { return tokens % tile == 0 && token + tile >= tokens; });
  };
  const std::string dim = "dim=16 heads=2", stay = ": tokens stay as they are, as at position 0";
  expect_said(
      "rope",
      {{dim, last_of(16), {"where the number of tokens is a multiple of 16, the last 16 of them" + stay}},
       {dim, last_of(256), {"where the number of tokens is a multiple of 256, the last 256 of them" + stay}},
       {dim,
        asked_for("rope", at([](Position t) { return t == 777 ? 0 : t; })),
        {"position 777 has the rotation of position 0"}},
       {dim,
        left([](std::size_t token, std::size_t) { return token == 2048; }),
        {"in token number 2048 of a call alone" + stay}}});
}

TEST(Deviations, of_blocks_of_batch_rows) {
  const auto first_of_block = [](std::size_t block, std::size_t from) {
    return asked_for("rope", [=](Call& call) {
      const std::vector<Position> own = call.positions.whole;
      const std::size_t n = call.batch == 0 ? 0 : own.size() / call.batch;
      for (std::size_t b = from; b < call.batch; ++b)
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(b / block * block * n), n,
                    call.positions.whole.begin() + static_cast<std::ptrdiff_t>(b * n));
    });
  };
  const auto left_from = [](std::size_t row) {
    return spoiled("rope", [=](const Call& call, Tensor& out) {
      for (std::size_t r = 0; r < out.rows(); ++r)
        if (batch_row(out, r) >= row) std::ranges::copy(call.contents[0].row(r), out.row(r).begin());
    });
  };
  const std::string dim = "dim=16 heads=2";
  expect_said(
      "rope",
      {{dim, first_of_block(4, 0), {"every batch row has the positions of the first of its block of 4"}},
       {dim, first_of_block(16, 0), {"every batch row has the positions of the first of its block of 16"}},
       {dim, first_of_block(64, 0), {"every batch row has the positions of the first of its block of 64"}},
       {dim, first_of_block(128, 0), {"every batch row has the positions of the first of its block of 128"}},
       {dim, first_of_block(256, 0), {"every row of the batch has the positions of the first"}},
       // Blocks of five have no name.
       {dim, first_of_block(5, 0), {}},
       {dim, left_from(8), {"in batch rows from number 8 on: " + as_at_0}}});
}

TEST(CallEffects, move_positions) {
  const struct {
    std::string words;
    std::vector<Position> to;
  } all[] = {{"positions are one behind, 0 as it is", {-6, -2, 0, 2, 36}},
             {"positions are one behind, and 0 counts as the last one, 99", {-6, -2, 99, 2, 36}},
             {"positions are one ahead, the last one, 99, as it is", {-4, 0, 1, 4, 38}},
             {"positions are one ahead, and the last one, 99, counts as 0", {-4, 0, 1, 4, 38}},
             {"positions are counted back from the last one, 99", {104, 100, 99, 96, 62}}};
  std::vector<Effect> effects = known_effects(false, false);
  for (Effect& one : effects_at_the_ends({0, 99})) effects.push_back(std::move(one));
  for (const auto& [words, to] : all) {
    const auto effect = std::ranges::find(effects, words, &Effect::words);
    ASSERT_NE(effect, effects.end()) << words;
    Call call;
    call.batch = 1;
    call.positions.whole = {-5, -1, 0, 3, 37};
    EXPECT_EQ(effect->begin()(call, 0, 1).call.positions.whole, to) << words;
  }
}

}  // namespace
}  // namespace posproof::deviations_of_calls_test
