// Where a wrong answer is, of subjects that are wrong in one place by what no rule explains.
#include "diagnosis/located.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attention/reference_attention.h"
#include "core/call.h"
#include "core/function.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/long_calls.h"

namespace posproof::located_test {
namespace {

using Is = Function<bool(const Call& call, std::size_t row, std::size_t column, std::size_t tokens)>;

// The right answers of a family, other numbers where `is` says so.
std::string where(const std::string& family, const std::string& words, const Is& is, bool is_long = false) {
  const EncodingSpec& spec = encoding_named(family);
  const Parameters parameters = with(spec, Case::parse(words));
  const Encoding right = spec.make(parameters);
  const std::size_t heads = parameters.find("heads") ? std::size_t(parameters.real("heads")) : 1;
  const Encoding wrong = answered_by(right, [=](const Call& call) {
    Tensor out = answer(right, call);
    const std::size_t tokens = out.rows() / heads / std::max<std::size_t>(1, call.batch);
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < out.width(); ++c)
        if (is(call, r, c, tokens)) out.at(r, c) += 3 + std::sin(static_cast<double>(r + 7 * c));
    return out;
  });
  const Encoding truth = spec.oracle(parameters);
  const Subject subject{"made", "", wrong, all_f32};
  const auto refuted = is_long ? agreement_in_long_calls(truth, wrong, all_f32, {}) : std::nullopt;
  const Case counterexample = refuted ? std::get<Refuted>(*refuted).counterexample : Case{};
  return located(truth, all_f32, answers_of(subject, truth, counterexample, 1)).value_or("nothing");
}

// So many tokens of ones, of width 2, from that position on.
Call of_ones(std::size_t n, Position first) {
  Call call;
  call.batch = 1;
  call.contents = {Tensor({1, 1, n, 2}, std::vector<double>(2 * n, 1.0))};
  for (std::size_t t = 0; t < n; ++t) call.positions.whole.push_back(first + static_cast<Position>(t));
  return call;
}

// Calls of one to twelve tokens, wrong where that many of them are.
TEST(Located, names_the_calls_by_how_many_tokens_they_have) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=2")));
  const auto of_calls = [&](std::size_t from, std::size_t to) {
    std::vector<Answered> all;
    for (std::size_t n = 1; n <= 12; ++n)
      for (const Position first : {0, 5, 9}) {
        const Call call = of_ones(n, first);
        Tensor is = answer(truth, call);
        if (n >= from && n <= to)
          for (double& entry : is.data) entry += 3;
        all.push_back({{}, call, is});
      }
    return located(truth, all_f32, all).value_or("nothing");
  };
  EXPECT_EQ(of_calls(9, 12), "wrong in calls of 9 tokens and more alone");
  EXPECT_EQ(of_calls(2, 10), "wrong in calls of 2 to 10 tokens alone");
}

// What calls share that were drawn near one is no accident, and says nothing.
TEST(Located, says_nothing_of_calls_by_those_that_are_drawn_near_one) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=2")));
  const auto of_calls = [&](bool near) {
    std::vector<Answered> all;
    const auto add = [&](std::size_t n, Position first, bool wrong, bool is_near) {
      const Call call = of_ones(n, first);
      Tensor is = answer(truth, call);
      for (double& entry : is.data) entry += wrong ? 3 : 0;
      all.push_back({{}, call, is, is_near});
    };
    for (std::size_t n = 1; n <= 40; ++n) add(n, static_cast<Position>(n), false, false);
    for (Position t = 0; t < 20; ++t) add(31, 2 * t, true, near);
    return located(truth, all_f32, all).value_or("nothing");
  };
  EXPECT_EQ(of_calls(true), "nothing");
  EXPECT_EQ(of_calls(false), "wrong in calls of 31 tokens alone");
}

// One entry of a call, in the same of 8 channels each time: by chance they are two times with 2^-6, three
// times with 2^-9.
TEST(Located, is_nothing_that_may_be_so_by_chance) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=8")));
  const auto of_calls = [&](std::size_t wrong) {
    std::vector<Answered> all;
    for (std::size_t n = 0; n < 12; ++n) {
      Call call;
      call.batch = 1;
      call.contents = {Tensor({1, 1, 3, 8})};
      std::ranges::fill(call.contents[0].data, 1.0);
      for (Position t = 0; t < 3; ++t) call.positions.whole.push_back(7 * static_cast<Position>(n) + t);
      Tensor is = answer(truth, call);
      if (n < wrong) is.at(n, 5) += 3;  // the token is another one each time
      all.push_back({{}, call, is});
    }
    return located(truth, all_f32, all).value_or("nothing");
  };
  EXPECT_EQ(of_calls(2), "nothing");
  EXPECT_EQ(of_calls(3), "wrong in channel 5 of 8 alone");
}

TEST(Located, names_heads_channels_and_directions) {
  EXPECT_EQ(where("rope", "dim=8 heads=3", [](auto&, auto, auto, auto) { return true; }), "nothing");
  EXPECT_EQ(where("rope", "dim=8 heads=3", [](auto&, auto, auto, auto) { return false; }), "nothing");
  EXPECT_EQ(where("rope", "dim=8 heads=3",
                  [](auto&, std::size_t r, auto, std::size_t n) { return r / n % 3 == 1; }),
            "wrong in head 1 of 3 alone");
  EXPECT_EQ(where("rope", "dim=8 heads=3",
                  [](auto&, std::size_t r, std::size_t c, std::size_t n) { return r / n % 3 > 0 && c == 5; }),
            "wrong in heads 1 and 2 of 3, in channel 5 of 8 alone");
  EXPECT_EQ(where("sinusoidal", "dim=8", [](auto&, auto, std::size_t c, auto) { return c == 2 || c == 3; }),
            "wrong in channels 2 and 3 of 8 alone");
  EXPECT_EQ(where("rope", "dim=8", [](const Call& call, auto, auto, auto) { return call.role == Role::key; }),
            "wrong in keys alone");
  EXPECT_EQ(where("t5_bias", "heads=2",
                  [](const Call& call, std::size_t r, std::size_t c, std::size_t n) {
                    return call.keys.whole[c] > call.positions.whole[r % n];
                  }),
            "wrong for keys after the query alone");
}

TEST(Located, names_distances_and_queries) {
  const auto distance = [](const Call& call, std::size_t r, std::size_t c, std::size_t n) {
    return std::abs(call.keys.whole[c] - call.positions.whole[r % n]);
  };
  const std::string near = where("t5_bias", "heads=2", [=](const Call& call, auto r, auto c, auto n) {
    return distance(call, r, c, n) >= 3 && distance(call, r, c, n) <= 40;
  });
  EXPECT_EQ(near.substr(0, near.find(" to ")), "wrong at distances from 3");
  const std::string at_5 = where("t5_bias", "heads=2", [=](const Call& call, auto r, auto c, auto n) {
    return distance(call, r, c, n) == 5;
  });
  EXPECT_EQ(at_5, "wrong at distance 5 alone");
  EXPECT_EQ(where("t5_bias", "heads=2", [](auto&, std::size_t r, auto, std::size_t n) { return r % n == 2; }),
            "wrong in query number 2 of a call alone");
  EXPECT_EQ(where("t5_bias", "heads=2", [](auto&, auto, auto, std::size_t n) { return n == 1; })
                .starts_with("wrong in calls of 1 query alone"),
            true);
}

// What is wrong at far positions stands at the end of a row mostly, and what is wrong at every third position
// anywhere: neither is said of tokens by their number.
TEST(Located, names_calls_by_their_numbers_of_queries_and_keys) {
  const auto logits = [](const Function<bool(std::size_t queries, std::size_t keys)>& is) {
    return where("shaw", "dim=4 clip=2", [=](const Call& call, std::size_t, std::size_t, std::size_t) {
      return is(call.positions.size(), call.keys.size());
    });
  };
  EXPECT_EQ(logits([](std::size_t q, std::size_t k) { return q < k; }),
            "wrong in calls of fewer queries than keys alone");
  EXPECT_EQ(logits([](std::size_t q, std::size_t k) { return q > k; }),
            "wrong in calls of more queries than keys alone");
}

TEST(Located, says_of_positions_what_they_decide) {
  EXPECT_EQ(where("rope", "dim=8 heads=1",
                  [](const Call& call, std::size_t r, auto, auto) { return call.positions.whole[r] >= 5000; })
                .find("token"),
            std::string::npos);
  const std::string every_third =
      where("sinusoidal", "dim=8", [](const Call& call, std::size_t r, auto, auto) {
        return call.positions.whole[r] % 3 == 0 && call.positions.whole[r] > 4;
      });
  EXPECT_EQ(every_third, "nothing");
}

// The counterexample alone is one call, of one channel perhaps: the other long calls are asked, too.
TEST(Located, names_tokens_of_long_calls) {
  const Is from_512 = [](auto&, std::size_t r, auto, std::size_t n) { return r % n >= 512; };
  EXPECT_EQ(where("rope", "dim=8 heads=2", from_512, true),
            "wrong in tokens from number 512 of a call on alone");
  EXPECT_EQ(where("rope", "dim=8 heads=2", from_512), "nothing");
  const Is from_200 = [](const Call& call, auto, std::size_t c, auto) {
    return call.keys.whole.size() > 129 && c >= 200;
  };
  EXPECT_EQ(where("t5_bias", "heads=2", from_200, true), "wrong at key positions from 200 on alone");
}

// An operator's answers are of queries.
TEST(Located, names_queries_of_an_operator) {
  const EncodingSpec& spec = encoding_named("shaw_values");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=2")));
  std::vector<Answered> all;
  for (std::size_t n = 1; n <= 12; ++n) {
    Call call{.contents = {Tensor({n, 2}), Tensor({n, 2}), Tensor({n, 2}, std::vector<double>(2 * n, 1))}};
    call.mask = Tensor({n, n}, std::vector<double>(n * n, 1));
    Tensor is = answer(truth, call);
    for (std::size_t r = 5; r < n; ++r)
      for (double& entry : is.row(r)) entry += 3;
    all.push_back({{}, call, is});
  }
  EXPECT_EQ(located(truth, all_f32, all), "wrong in queries from number 5 of a call on alone");
}

// Where a pair of zeros was rotated nothing could be wrong: of one call of one channel alone nothing is said.
TEST(Located, counts_no_zeros_that_nothing_could_stand_for) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=64")));
  std::vector<Answered> answered;
  for (const Position first : {0, 100, 200}) {
    Call call{.batch = 1, .positions = {{first, first + 1}}};
    call.contents = {Tensor({1, 1, 2, 64})};
    call.contents[0].data[0] = call.contents[0].data[64] = 1;
    Tensor wrong = answer(truth, call);
    wrong.data[0] += 1, wrong.data[64] += 1;
    answered.push_back({{}, call, wrong});
  }
  EXPECT_EQ(located(truth, all_f32, answered).value_or("nothing"), "nothing");
  for (Answered& one : answered) {  // of all channels the first alone
    std::ranges::fill(one.call.contents[0].data, 1.0);
    one.answer = answer(truth, one.call);
    one.answer.data[0] += 1, one.answer.data[64] += 1;
  }
  EXPECT_EQ(located(truth, all_f32, answered).value_or("nothing"), "wrong in channel 0 of 64 alone");
}

// Angles of 99 less the position, computed in f32: the farthest position has a small one, the first the
// largest.
TEST(Located, allows_an_entry_what_its_own_angle_allows) {
  const EncodingSpec& spec = encoding_named("sinusoidal");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=8 direction=backward offset=99")));
  std::vector<Answered> answered;
  for (const Position first : {0, 17, 40}) {
    Call call{.batch = 1};
    for (Position t = first; t < 101; ++t) call.positions.whole.push_back(t);
    Tensor is = answer(truth, call);
    const Tensor allowed = bound(truth, call, is, all_f32).error;
    for (std::size_t r = 0; r < is.rows(); ++r)
      for (std::size_t i = 0; i < 4; ++i) {
        const float w = std::pow(10000.0F, -static_cast<float>(i) / 4);
        const float angle = static_cast<float>(99 - call.positions.whole[r]) * w;
        ASSERT_NEAR(is.at(r, 2 * i + 1), std::cos(angle), allowed.at(r, 2 * i + 1));
        is.at(r, 2 * i) += 3, is.at(r, 2 * i + 1) = std::cos(angle);
      }
    answered.push_back({{}, call, is});
  }
  EXPECT_EQ(located(truth, all_f32, answered).value_or("nothing"),
            "wrong in channels 0, 2, 4 and 6 of 8 alone");
}

// By 1e-4 everywhere: from some hundred on rounding allows as much, and says nothing of where it is.
TEST(Located, says_no_end_where_rounding_hides_what_is_past_it) {
  const EncodingSpec& spec = encoding_named("rope");
  const Parameters parameters = with(spec, Case::parse("dim=8 heads=1"));
  const Encoding right = spec.make(parameters), truth = spec.oracle(parameters);
  const auto said = [&](double by, Position last, std::uint64_t seed) {
    const Encoding wrong = answered_by(right, [=](const Call& call) {
      Tensor out = answer(right, call);
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < out.width(); ++c)
          if (std::abs(call.positions.whole[r]) <= last)
            out.at(r, c) += by * (1 + 0.1 * std::sin(static_cast<double>(c)));
      return out;
    });
    return located(truth, all_f32, answers_of({"made", "", wrong, all_f32}, truth, {}, seed))
        .value_or("nothing");
  };
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_EQ(said(1e-4, 1 << 21, seed), "nothing");
    const std::string near = said(3, 300, seed);  // what is past it would show
    EXPECT_TRUE(near.starts_with("wrong at positions from 0 to ")) << near;
  }
}

// A sine of sqrt(1 - cos^2) in f32 is wrong where it is small: seldom, the farther the seldomer, and in every
// pair that rotates slowly enough.
TEST(Located, says_no_end_of_what_shows_ever_more_seldom) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=32 heads=2 layout=interleaved")));
  const Rotary& right = as<Rotary>(truth);
  const Encoding wrong = answered_by(truth, [pairs = right.pairs](const Call& call) {
    const Tensor& x = call.contents.front();
    Tensor out(x.shape);
    const std::size_t tokens = x.shape[2], heads = x.shape[1];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const auto t = static_cast<double>(call.positions.whole[r / tokens / heads * tokens + r % tokens]);
        const auto c = static_cast<float>(std::cos(t * pair.frequency));
        const float s = std::copysign(std::sqrt(std::max(1 - c * c, 0.0F)),
                                      static_cast<float>(std::sin(t * pair.frequency)));
        const double a = x.at(r, pair.first), b = x.at(r, pair.second);
        out.at(r, pair.first) = static_cast<float>(a * c - b * s);
        out.at(r, pair.second) = static_cast<float>(b * c + a * s);
      }
    return out;
  });
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_EQ(located(truth, all_f32, answers_of({"made", "", wrong, all_f32}, truth, {}, seed))
                  .value_or("nothing"),
              "nothing")
        << seed;
}

// Later keys of a causal bias mean nothing.
TEST(Located, says_nothing_of_what_means_nothing) {
  EXPECT_EQ(where("alibi", "heads=2",
                  [](const Call& call, std::size_t r, std::size_t c, std::size_t n) {
                    return call.keys.whole[c] > call.positions.whole[r % n];
                  }),
            "nothing");
}

// Four calls of sixteen, whole, are all those of keys by chance with 2^-8, three of fifteen with more,
// however many rows each has.
TEST(Located, counts_what_is_the_same_in_a_whole_call_once_a_call) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=8")));
  const auto of_calls = [&](std::size_t keys) {
    std::vector<Answered> all;
    for (std::size_t n = 0; n < keys + 12; ++n) {
      Call call;
      call.batch = 1;
      call.role = n < keys ? Role::key : Role::query;
      call.contents = {Tensor({1, 1, 6, 8})};
      std::ranges::fill(call.contents[0].data, 1.0);
      for (Position t = 0; t < 6; ++t) call.positions.whole.push_back(t);
      Tensor is = answer(truth, call);
      if (call.role == Role::key)
        for (double& entry : is.data) entry += 3;
      all.push_back({{}, call, is});
    }
    return located(truth, all_f32, all).value_or("nothing");
  };
  EXPECT_EQ(of_calls(3), "nothing");
  EXPECT_EQ(of_calls(4), "wrong in keys alone");
}

// Of the entries of channel 5 all those of two heads are wrong, and no other one; of all channels few are.
TEST(Located, says_the_second_thing_of_what_the_first_is_said_of) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding truth = spec.oracle(with(spec, Case::parse("dim=8 heads=3")));
  std::vector<Answered> all;
  for (Position first : {0, 40, 90}) {
    Call call;
    call.batch = 1;
    call.contents = {Tensor({1, 3, 6, 8})};
    std::ranges::fill(call.contents[0].data, 1.0);
    for (Position t = 0; t < 6; ++t) call.positions.whole.push_back(first + t);
    Tensor is = answer(truth, call);
    for (std::size_t r = 6; r < 18; ++r) is.at(r, 5) += 3;
    all.push_back({{}, call, is});
  }
  EXPECT_EQ(located(truth, all_f32, all).value_or("nothing"),
            "wrong in heads 1 and 2 of 3, in channel 5 of 8 alone");
}

}  // namespace
}  // namespace posproof::located_test
