// What is measured of the entries of a bias, without a search.
#include "diagnosis/bias_distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/bias_forms.h"
#include "diagnosis/bias_heads.h"
#include "run/catalogued.h"

namespace posproof::bias_distances_test {
namespace {

using Sentences = std::vector<std::string>;
// Of a head and a key so far before the query.
using Entry = Function<double(std::size_t head, Position d)>;

// Slopes of 2^-4 and 2^-8.
constexpr double slopes[] = {0x1p-4, 0x1p-8};
Bias alibi(const std::string& words = "") {
  return as<Bias>(encoding_named("alibi").make(Case::parse("heads=2 " + words)));
}

Bias with(Bias own, const Entry& entry) {
  own.bias = [entry](const Positions& queries, const Positions& keys) {
    Tensor out({2, queries.size(), keys.size()});
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c)
        out.at(r, c) = entry(r / queries.size(), queries[r % queries.size()] - keys[c]);
    return out;
  };
  return own;
}

Bias counting(const Bias& truth, const Function<Position(Position d)>& other) {
  return with(truth, [=](std::size_t head, Position d) {
    return -slopes[head] * static_cast<double>(std::abs(other(d)));
  });
}

const Parameters none;

AskedBias asked(const Bias& subject, const Bias& truth) {
  return {subject, truth, none, all_f32, Domain(0, 300)};
}

const Deviation* find(const std::vector<Deviation>& all, const std::string& words) {
  const auto found = std::ranges::find(all, Sentences{words}, &Deviation::sentences);
  return found == all.end() ? nullptr : &*found;
}

TEST(BiasDistances, are_rounded_to_few_digits) {
  const std::string words = "distances are rounded to bf16: from 257 on neighbours coincide";
  const Bias truth = alibi();
  const auto of = [&](const Function<Position(Position d)>& other) {
    return measured_distances(asked(counting(truth, other), truth));
  };
  const auto in_bf16 = [](Position d) { return static_cast<Position>(to_bf16(static_cast<double>(d))); };
  const std::vector<Deviation> all = of(in_bf16);
  const Deviation* found = find(all, words);
  ASSERT_NE(found, nullptr);
  const Position query[] = {300}, keys[] = {0, 41, 43, 45, 299};  // 259, 257 and 255 before it
  const auto entries = [&](const Deviation& one) { return as<Bias>(one.corrected).bias(query, keys).data; };
  EXPECT_EQ(entries(*found), (std::vector{-300 * slopes[0], -260 * slopes[0], -256 * slopes[0],
                                          -255 * slopes[0], -slopes[0], -300 * slopes[1], -260 * slopes[1],
                                          -256 * slopes[1], -255 * slopes[1], -slopes[1]}));
  const std::vector<Deviation> away = of([](Position d) { return d > 256 ? (d + 1) / 2 * 2 : d; });
  ASSERT_NE(find(away, words), nullptr);
  EXPECT_EQ(entries(*find(away, words))[2], -258 * slopes[0]);
  EXPECT_EQ(entries(*find(away, words))[3], -255 * slopes[0]);
  EXPECT_EQ(find(of([&](Position d) { return d == 257 ? 259 : in_bf16(d); }), words), nullptr);
}

TEST(BiasDistances, of_the_declared_bias_are_none) {
  for (const Bias& truth : {alibi(), alibi("form=symmetric")})
    EXPECT_TRUE(measured_distances(asked(truth, truth)).empty());
}

// One later key is off by 16 bounds of what is said of all of them.
TEST(BiasDistances, are_one_multiple_of_all_later_keys) {
  const Bias truth = alibi("form=symmetric");
  const auto multiplied = [&](double off) {
    return with(truth, [=](std::size_t head, Position d) {
      const double declared = -slopes[head] * static_cast<double>(std::abs(d));
      return declared * (d >= 0 ? 1 : d == -5 ? 1.5 + off : 1.5);
    });
  };
  const std::string words = "the bias of keys after the query is 1.5 times the declared one";
  EXPECT_NE(find(measured_distances(asked(multiplied(0), truth)), words), nullptr);
  const double declared = 5 * slopes[0], bound = bias_error(all_f32, declared, truth, 0) / declared;
  EXPECT_EQ(find(measured_distances(asked(multiplied(16 * bound), truth)), words), nullptr);
}

TEST(BiasDistances, are_held_on_both_sides) {
  const Bias truth = alibi("form=symmetric");
  const Bias held = counting(truth, [](Position d) { return std::clamp<Position>(d, -5, 5); });
  const auto all = measured_distances(asked(held, truth));
  const Deviation* one = find(all, "distances past 5 count as 5");
  ASSERT_NE(one, nullptr);
  const std::vector<Position> places = {0, 4, 9, 300};
  EXPECT_EQ(as<Bias>(one->corrected).bias(places, places).data, held.bias(places, places).data);
}

// In f32, whose angles of 2^18 tokens are off by 1e-2 where an entry is rounded by 1e-7: Sandwich says itself
// what that makes of a sum of cosines.
TEST(BiasDistances, of_cosines_are_held_or_wrapped_within_what_their_angles_may_be_off) {
  const Bias truth = as<Bias>(encoding_named("sandwich").make(Case::parse("heads=2 dim=32")));
  const auto counted = [&](const Function<Position(Position d)>& other) {
    const Bias subject = with(truth, [=](std::size_t head, Position d) {
      const float distance = static_cast<float>(other(std::max<Position>(d, 0)));
      float sum = -16;
      for (int n = 1; n <= 16; ++n)
        sum += std::cos(distance * (1 / std::pow(10000.0f, 2.0f * static_cast<float>(n) / 32)));
      return sum / (4 * static_cast<float>(head + 1));
    });
    return measured_distances({subject, truth, none, all_f32, Domain(0, 1 << 18)});
  };
  EXPECT_NE(find(counted([](Position d) { return std::min<Position>(d, 5000); }),
                 "distances past 5000 count as 5000"),
            nullptr);
  EXPECT_NE(find(counted([](Position d) { return d % 6000; }), "distances are taken modulo 6000"), nullptr);
  EXPECT_TRUE(counted([](Position d) { return d; }).empty());
}

TEST(BiasDistances, are_a_window_where_all_heads_have_one_number_past_it) {
  const Bias truth = alibi();
  const auto past_5 = [&](double first, double second) {
    return with(truth, [=](std::size_t head, Position d) {
      return d > 5 ? (head == 0 ? first : second) : -slopes[head] * static_cast<double>(d);
    });
  };
  const std::string words = "keys more than 5 before the query have the bias -7";
  EXPECT_NE(find(measured_distances(asked(past_5(-7, -7), truth)), words), nullptr);
  EXPECT_EQ(find(measured_distances(asked(past_5(-7, -9), truth)), words), nullptr);
}

// ---- at one distance

// Asked at distances 50 and then 3, on both sides.
Sentences lone(const Bias& subject, const Bias& truth) {
  Call call;
  call.positions.whole = {60, 61, 62};
  call.keys.whole = {10, 12, 110, 112, 57, 59, 63, 65};
  const Tensor given = subject.bias(call.positions.whole, call.keys.whole);
  const auto found = lone_distance(asked(subject, truth), {{Case(), call, given}});
  return found ? found->sentences : Sentences{};
}

TEST(LoneDistance, is_said_of_its_side) {
  const Bias truth = alibi("form=symmetric");
  const auto as_11 = [&](const Function<bool(Position d)>& where) {
    return lone(counting(truth, [=](Position d) { return where(d) ? Position{11} : d; }), truth);
  };
  EXPECT_EQ(as_11([](Position d) { return std::abs(d) == 3; }),
            Sentences{"distance 3 has the bias of distance 11"});
  EXPECT_EQ(as_11([](Position d) { return d == 3; }),
            Sentences{"keys 3 before the query have the bias of those 11 before it"});
  EXPECT_EQ(as_11([](Position d) { return d == -3; }),
            Sentences{"keys 3 after the query have the bias of those 11 after it"});
}

TEST(LoneDistance, is_none_where_another_one_is_wrong) {
  const Bias truth = alibi("form=symmetric");
  EXPECT_EQ(
      lone(counting(truth,
                    [](Position d) { return std::abs(d) == 3 || std::abs(d) == 50 ? Position{11} : d; }),
           truth),
      Sentences{});
}

TEST(LoneDistance, is_none_where_several_have_its_bias) {
  const auto held = [](Position d) { return std::min<Position>(std::abs(d), 8); };
  const Bias truth = counting(alibi("form=symmetric"), held);
  EXPECT_EQ(
      lone(counting(truth, [=](Position d) { return std::abs(d) == 3 ? Position{8} : held(d); }), truth),
      Sentences{});
}

// ---- heads, and forms of positions

// What stands at keys that a causal mask hides says nothing.
TEST(BiasHeads, are_those_of_keys_that_are_seen) {
  const Bias truth = alibi();
  const auto heads = [&](double hidden) {
    const auto found = measured_heads(asked(
        with(truth, [=](std::size_t head,
                        Position d) { return d < 0 ? hidden : -3 * slopes[head] * static_cast<double>(d); }),
        truth));
    return found ? found->sentences : Sentences{};
  };
  EXPECT_EQ(heads(0), Sentences{"every slope is 3 times the declared one"});
  EXPECT_EQ(heads(7), heads(0));
}

TEST(BiasForms, count_keys_from_the_first_of_the_call) {
  const std::string words = "the bias depends on the key alone, as of its distance from the first key";
  const auto all = bias_forms();
  const auto form = std::ranges::find(all, words, &BiasForm::words);
  ASSERT_NE(form, all.end());
  const std::vector<Position> queries = {20}, keys = {9, 7, 12};
  const BiasEntry offset = [](std::size_t, Position i, Position j) { return static_cast<double>(j - i); };
  EXPECT_EQ(form->other(offset, {0, 20, 12, 0, 2, queries, keys}), 5)
      << "minus that of a query at 12 and a key at 7";
}

// Factors that no entry tells from 1 in f16, but all together do: of one head. Two that differ are no rule.
TEST(BiasHeads, are_one_factor_that_no_entry_tells_alone) {
  const Bias truth = alibi();
  const auto said = [&](double of_first, double of_second) {
    const double factors[] = {of_first, of_second};
    const Bias own = with(truth, [&](std::size_t head, Position d) {
      return -to_f16(factors[head] * slopes[head] * static_cast<double>(std::abs(d)));
    });
    const Precision in_f16 = Precision::parse("f16");
    const auto found = measured_heads({own, truth, none, in_f16, Domain(0, 300)});
    return found ? found->sentences : Sentences{};
  };
  EXPECT_EQ(said(1, 1), Sentences{});
  EXPECT_EQ(said(1.0003, 1), Sentences{"head 0 is 1.0003 times the declared one"});
  EXPECT_EQ(said(1.0003, 0.9997), Sentences{});
}

}  // namespace
}  // namespace posproof::bias_distances_test
