// One position, or one distance, that is answered as another.
#include "diagnosis/lone_position.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/call.h"
#include "core/function.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/testing/wrong_encodings.h"
#include "run/catalogued.h"

namespace posproof::lone_position_test {
namespace {

using namespace testing;

Make moved(const std::string& family, const Function<Position(Position)>& to) {
  return asked_for(family, at(to));
}

TEST(LonePosition, is_named_with_the_one_that_it_is_answered_as) {
  const std::string dim = "dim=16 heads=2";
  const auto to = [](Position one, Position other) {
    return [=](Position t) { return t == one ? other : t; };
  };
  expect_said("rope",
              {{dim, moved("rope", to(65535, 0)), {"position 65535 has the rotation of position 0"}},
               {dim, moved("rope", to(65536, 65535)), {"position 65536 has the rotation of position 65535"}},
               {dim,
                asked_for("rope", of_keys(at(to(32767, -1)))),
                {"keys: position 32767 has the rotation of position -1"}},
               {dim,
                spoiled("rope",
                        [](const Call& call, Tensor& out) {
                          const std::size_t n =
                              call.positions.whole.size() / std::max<std::size_t>(1, call.batch);
                          for (std::size_t r = 0; r < out.rows(); ++r)
                            if (call.positions.whole[r / (2 * n) * n + r % n] == 65536)
                              std::ranges::fill(out.row(r), 0.0);
                        }),
                {"at position 65536 alone: the answer is 0"}}});
  expect_said("sinusoidal",
              {{"dim=16", moved("sinusoidal", to(65535, 0)), {"position 65535 has the row of position 0"}}});
}

// All that end in so many ones, which a search meets first at the first of them; and one that is answered as
// none that is known.
TEST(LonePosition, is_none_of_several_and_of_none_that_is_known) {
  const std::string dim = "dim=16 heads=2";
  expect_said("rope",
              {{dim, moved("rope", [](Position t) { return t % 65536 == 65535 ? 0 : t; }), {}},
               {dim, moved("rope", [](Position t) { return t == 65535 ? 40123 : t; }), {}},
               {dim, moved("rope", [](Position t) { return t == 65535 || t == 65537 ? 0 : t; }), {}}});
}

// There a range ends, of which more is said.
TEST(LonePosition, is_none_at_the_end_of_all) {
  expect_said("learned", {{"dim=8 length=64",
                           asked_for("learned", at([](Position t) { return std::min<Position>(t, 62); })),
                           {"positions past 62 count as 62"}}});
}

TEST(LonePosition, is_looked_for_among_numbers_that_it_may_be_taken_for) {
  const std::vector<Position> all = likely_others(4095, 0, 9000);
  for (const Position other : {0, 1, 4094, 4096, 4093, 2047, 8191, 8190, 4095 + 4096, 9000})
    EXPECT_NE(std::ranges::find(all, other), all.end()) << other;
  EXPECT_EQ(std::ranges::find(all, 4095), all.end());
  EXPECT_TRUE(std::ranges::all_of(all, [](Position t) { return 0 <= t && t <= 9000; }));
}

// ---- of distances

Make of_distances(const Function<Position(Position)>& to) {
  return asked_for(
      "alibi", [](Call&) {},
      [=](const Call& call, Tensor& out) {
        const Encoding right = encoding_named("alibi").make(
            with(encoding_named("alibi"), Case::parse("heads=2 form=symmetric")));
        const std::size_t nk = call.keys.whole.size(), nq = call.positions.whole.size();
        for (std::size_t e = 0; e < out.data.size(); ++e) {
          const Position i = call.positions.whole[e / nk % nq], j = call.keys.whole[e % nk];
          const Position one[] = {i}, other[] = {i - to(i - j)};
          out.data[e] = as<Bias>(right).bias(one, other).data.at(e / (nk * nq));
        }
      });
}

TEST(LoneDistance, is_named_with_the_one_whose_bias_it_has) {
  const std::string heads = "heads=2 form=symmetric";
  const auto of = [](Position one, Position other) {
    return [=](Position d) { return d == one ? other : d == -one ? -other : d; };
  };
  expect_said("alibi",
              {{heads, of_distances(of(64, 63)), {"distance 64 has the bias of distance 63"}},
               {heads, of_distances(of(4096, 0)), {"distance 4096 has the bias of distance 0"}},
               {heads,
                of_distances([](Position d) { return d == 64 ? 63 : d; }),
                {"keys 64 before the query have the bias of those 63 before it"}},
               {heads,
                of_distances([](Position d) { return d == -64 ? -63 : d; }),
                {"keys 64 after the query have the bias of those 63 after it"}},
               // Two of them; a multiple, too; one that has an entry of none.
               {heads, of_distances([](Position d) { return d == 64 || d == 65 ? 63 : d; }), {}},
               {heads, of_distances([](Position d) { return d == 64 || d == 128 ? d - 1 : d; }), {}},
               {heads, of_distances(of(64, 44)), {}}});
}

// One more or less than a multiple of the number, counted from 1 or from -1.
TEST(LonePosition, is_looked_for_among_multiples_of_a_number_beside_it) {
  const std::vector<Position> all = likely_others(100, 0, 2000);
  for (const Position other : {3 * 101 - 1, 3 * 99 + 1, 3 * 100, 7 * 101 - 1, 7 * 99 + 1})
    EXPECT_NE(std::ranges::find(all, other), all.end()) << other;
}

// Rows of one position each, without a search; where one is wrong it is that of position 0, or of 7.
TEST(LonePosition, is_the_one_of_several_wrong_rows) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const Encoding declared = spec.oracle(with(spec, Case::parse("dim=8")));
  const auto words = [&](const std::vector<Position>& wrong, const std::vector<Position>& asked) {
    const Subject subject{"made", "",
                          answered_by(declared,
                                      [=](Call call) {
                                        for (Position& t : call.positions.whole)
                                          if (std::ranges::find(wrong, t) != wrong.end()) t = t == 0 ? 7 : 0;
                                        return answer(declared, call);
                                      }),
                          all_f32};
    std::vector<Answered> answered;
    for (const Position t : asked) {
      Call call;
      call.positions.whole = {t};
      call.length = t + 1;
      answered.push_back({{}, call, answer(subject.encoding, call)});
    }
    const Model model = model_of(declared, all_f32);
    const auto one = lone_position(explained(model, declared, answered), model, subject, declared, answered);
    return !one ? "none" : one->effects.empty() ? one->place.words : one->effects.front().words;
  };
  EXPECT_EQ(words({50}, {50, 3, 50, 50}), "position 50 has the row of position 0");
  EXPECT_EQ(words({50}, {50, 3, 50}), "none") << "two rows are too few";
  EXPECT_EQ(words({50, 77}, {50, 77, 50, 50}), "none") << "two positions";
  EXPECT_EQ(words({0}, {0, 0, 0, 3}), "none") << "the first of all";
}

}  // namespace
}  // namespace posproof::lone_position_test
