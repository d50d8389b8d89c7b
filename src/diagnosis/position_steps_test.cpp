// Positions and distances that are counted in steps.
#include "diagnosis/position_steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/call.h"
#include "core/function.h"
#include "diagnosis/testing/effects.h"
#include "diagnosis/testing/wrong_encodings.h"

namespace posproof::position_steps_test {
namespace {

using namespace testing;

Position down(Position t, Position step) {
  return t - ((t % step) + step) % step;
}

Make moved(const std::string& family, const Function<Position(Position)>& to) {
  return asked_for(family, at(to));
}

// The first position of each row becomes another, and the rest is made of it.
Make of_chunks(const Function<Position(Position first)>& to, bool count_on) {
  return asked_for("rope", [=](Call& call) {
    const std::size_t n = call.batch == 0 ? 0 : call.positions.whole.size() / call.batch;
    for (std::size_t b = 0; b < call.batch && n > 0; ++b) {
      const Position first = call.positions.whole[b * n];
      for (std::size_t k = 0; k < n; ++k) {
        Position& t = call.positions.whole[b * n + k];
        t = to(first) + (count_on ? static_cast<Position>(k) : t - first);
      }
    }
  });
}

TEST(PositionSteps, are_named_whatever_they_are) {
  const std::string dim = "dim=16 heads=2";
  const auto rope = [&](const Function<Position(Position)>& to, std::string words) {
    return Wrong{dim, moved("rope", to), {std::move(words)}};
  };
  expect_said(
      "rope",
      {rope([](Position t) { return down(t, 64); }, "positions are rounded down to multiples of 64"),
       rope([](Position t) { return down(t, 48); }, "positions are rounded down to multiples of 48"),
       rope([](Position t) { return down(t, 2000); }, "positions are rounded down to multiples of 2000"),
       rope([](Position t) { return -down(-t, 30); }, "positions are rounded up to multiples of 30"),
       rope([](Position t) { return down(t + 50, 100); },
            "positions are rounded to the nearest multiple of 100"),
       rope([](Position t) { return down(t + 4, 9); }, "positions are rounded to the nearest multiple of 9"),
       rope([](Position t) { return down(t, 10) / 10; }, "positions are divided by 10, rounded down"),
       {dim,
        asked_for("rope", of_keys(at([](Position t) { return down(t, 24); }))),
        {"keys: positions are rounded down to multiples of 24"}},
       {dim,
        of_chunks([](Position first) { return down(first, 24); }, true),
        {"tokens count on from the first position of their row, rounded down to a multiple of 24"}},
       {dim,
        of_chunks([](Position first) { return -down(-first, 64); }, true),
        {"tokens count on from the first position of their row, rounded up to a multiple of 64"}},
       {dim,
        of_chunks([](Position first) { return down(first, 16); }, false),
        {"the first position of a row is rounded down to a multiple of 16, and the others of the row move with "
         "it"}},
       rope([](Position t) { return t > 0 && t % 16 == 0 ? t - 16 : t; },
            "positions that are multiples of 16 count as 16 less, 0 as it is"),
       {dim, moved("rope", [](Position t) { return t > 0 && t % 16 == 0 ? t - 8 : t; }), {}},
       // In rows that begin late alone: up to 320 nothing tells that from later ones.
       {dim,
        asked_for("rope",
                  [](Call& call) {
                    const std::size_t n = call.batch == 0 ? 0 : call.positions.whole.size() / call.batch;
                    for (std::size_t b = 0; b < call.batch && n > 0; ++b) {
                      const Position first = call.positions.whole[b * n];
                      for (std::size_t k = 0; k < n && first > 300; ++k)
                        call.positions.whole[b * n + k] -= first - down(first, 64);
                    }
                  }),
        {"in rows that begin past 300: the first position of a row is rounded down to a multiple of 64, and "
         "the others of the row move with it"}},
       // Steps of two lengths in turn have no name.
       {dim, moved("rope", [](Position t) { return t % 50 < 20 ? down(t, 50) : down(t, 50) + 20; }), {}}});
  expect_said("sinusoidal", {{"dim=16",
                              moved("sinusoidal", [](Position t) { return down(t, 48); }),
                              {"positions are rounded down to multiples of 48"}}});
}

TEST(PositionSteps, of_queries_and_of_keys) {
  const auto of = [](const Function<Position(Position)>& queries, const Function<Position(Position)>& keys) {
    return asked_for("kerple", [=](Call& call) {
      for (Position& t : call.positions.whole) t = queries(t);
      for (Position& t : call.keys.whole) t = keys(t);
    });
  };
  const auto same = [](Position t) { return t; };
  const auto to_48 = [](Position t) { return down(t, 48); };
  const std::string heads = "heads=2 form=symmetric";
  expect_said(
      "kerple",
      {{heads, of(to_48, same), {"of queries: positions are rounded down to multiples of 48"}},
       {heads, of(to_48, to_48), {"queries and keys have their positions rounded down to multiples of 48"}},
       {heads,
        of(same, [](Position t) { return down(t, 64); }),
        {"keys have their positions rounded down to multiples of 64"}}});
}

TEST(PositionSteps, of_distances) {
  const auto of = [](const Function<Position(Position)>& to) {
    return asked_for(
        "kerple", [](Call&) {},
        [=](const Call& call, Tensor& out) {
          const Encoding right = encoding_named("kerple").make(
              with(encoding_named("kerple"), Case::parse("heads=2 form=symmetric")));
          const std::size_t nk = call.keys.whole.size(), nq = call.positions.whole.size();
          for (std::size_t e = 0; e < out.data.size(); ++e) {
            const Position i = call.positions.whole[e / nk % nq], j = call.keys.whole[e % nk];
            const Position one[] = {i}, other[] = {i - to(i - j)};
            out.data[e] = as<Bias>(right).bias(one, other).data.at(e / (nk * nq));
          }
        });
  };
  const std::string heads = "heads=2 form=symmetric";
  expect_said(
      "kerple",
      {{heads, of([](Position d) { return down(d, 16); }), {"distances are rounded down to multiples of 16"}},
       {heads,
        of([](Position d) { return d / 12 * 12; }),
        {"distances are rounded towards 0 to multiples of 12"}},
       {heads, of([](Position d) { return d / 5; }), {"distances are divided by 5, rounded towards 0"}},
       {heads, of([](Position d) { return d % 7 == 3 ? d - 1 : d / 7 * 7; }), {}}});
}

TEST(PositionSteps, move_positions) {
  const struct {
    std::string words;
    std::vector<Position> to;
  } all[] = {
      {"positions are rounded down to multiples of 8", {-8, -8, 0, 0, 32}},
      {"positions are rounded up to multiples of 8", {0, 0, 0, 8, 40}},
      {"positions are rounded to the nearest multiple of 8", {-8, 0, 0, 0, 40}},
      {"positions are rounded towards 0 to multiples of 4", {-4, 0, 0, 0, 36}},
      {"positions are divided by 4, rounded down", {-2, -1, 0, 0, 9}},
      {"positions that are multiples of 37 count as 37 less, 0 as it is", {-5, -1, 0, 3, 0}},
      {"positions are rounded down to multiples of 7", {-7, -7, 0, 0, 35}},
      {"tokens count on from the first position of their row, rounded down to a multiple of 4",
       {-8, -7, -6, -5, -4}},
      {"tokens count on from the first position of their row, rounded up to a multiple of 4",
       {-4, -3, -2, -1, 0}},
      {"the first position of a row is rounded down to a multiple of 4, and the others of the row move with it",
       {-8, -4, -3, 0, 34}}};
  const std::vector<Effect> effects = effects_of_steps({7, 37}, false);
  for (const auto& [words, to] : all) {
    const Effect* one = effect(effects, words);
    ASSERT_NE(one, nullptr) << words;
    Call call;
    call.positions.whole = {-5, -1, 0, 3, 37};
    EXPECT_EQ(one->begin()(call, 0, 1).call.positions.whole, to) << words;
  }
}

}  // namespace
}  // namespace posproof::position_steps_test
