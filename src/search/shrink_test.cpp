// Where each kind of field ends when it shrinks, from every seed, and what shrinking may cost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/call.h"
#include "core/random.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/generate.h"
#include "search/shrink.h"
#include "search/testing/refuted.h"

namespace posproof::shrink_test {
namespace {

using namespace search_testing;

// What a trial shrinks to, from each of twenty seeds.
void expect_smallest(const Trial& trial, const std::string& text) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Refuted found = refuted(trial, {.seed = seed, .id = "shrink", .budget = {.cases = 3000}});
    EXPECT_EQ(found.counterexample.text(), text) << "seed " << seed;
    EXPECT_TRUE(found.repeats);
    EXPECT_LE(found.shrinks, 2000u);
  }
}

bool is_identity(const std::vector<std::size_t>& order) {
  return std::is_sorted(order.begin(), order.end());
}

}  // namespace

TEST(Shrink, a_position_ends_at_the_first_that_fails) {
  expect_smallest([](Draw& draw) { return fails_where(draw.position("x", wide) >= 1000); }, "x=1000");
  expect_smallest(
      [](Draw& draw) {
        return fails_where(draw.position("x", {-500000, 500000}) >= 1000);
      },
      "x=1000");
}

TEST(Shrink, an_integer_ends_nearest_to_zero) {
  expect_smallest([](Draw& draw) { return fails_where(std::abs(draw.integer("n", -1000, 1000)) >= 17); },
                  "n=17");
  expect_smallest([](Draw& draw) { return fails_where(draw.integer("n", -1000, 1000) <= -17); }, "n=-17");
  expect_smallest([](Draw& draw) { return fails_where(draw.integer("n", -8, 8) < 100); }, "n=0");
}

TEST(Shrink, a_position_ends_nearest_to_zero) {
  const Domain both{-100000, 100000};
  expect_smallest([=](Draw& draw) { return fails_where(draw.position("t", both) < 100001); }, "t=0");
  expect_smallest([=](Draw& draw) { return fails_where(draw.position("t", both) <= -17); }, "t=-17");
  expect_smallest([](Draw& draw) { return fails_where(draw.position("t", {-9, -2}) < 0); }, "t=-2");
}

// Where they have to stay together: neither one nor two of them can be raised alone.
TEST(Shrink, positions_below_zero_are_raised_together) {
  const Domain both{-100, 100};
  expect_smallest(
      [=](Draw& draw) {
        const Position i = draw.position("i", both), j = draw.position("j", both),
                       t = draw.position("t", both);
        const auto [lo, hi] = std::minmax({i, j, t});
        return fails_where(hi < 0 && hi - lo < 1);
      },
      "i=-1 j=-1 t=-1");
}

// Where what lies between them holds.
TEST(Shrink, an_integer_jumps_to_one_near_zero) {
  for (const int sign : {1, -1})
    expect_smallest(
        [=](Draw& draw) {
          const auto n = sign * draw.integer("n", -100000, 100000);
          return fails_where(n == 5 || n >= 500);
        },
        sign > 0 ? "n=5" : "n=-5");
}

TEST(Shrink, a_content_ends_at_the_simplest_number) {
  const auto fraction = [](double x) { return x - std::floor(x); };
  expect_smallest([&](Draw& draw) { return fails_where(fraction(draw.content("x", 1)[0]) >= 0.5); },
                  "x=[0.5]");
  expect_smallest([](Draw& draw) { return fails_where(draw.content("x", 1)[0] > 0); }, "x=[1]");
  expect_smallest([](Draw& draw) { return fails_where(draw.content("x", 1)[0] < 0); }, "x=[-1]");
  const auto ends_at = [](double lo, double hi, const std::string& x, const std::string& from) {
    const Trial trial = [=](Draw& draw) {
      const double entry = draw.content("x", 1)[0];
      return fails_where(lo <= entry && entry <= hi);
    };
    const Verdict smallest = shrunk(trial, run_repaired(trial, Case::parse("x=[" + from + "]")), 1, {});
    EXPECT_EQ(std::get<Refuted>(smallest).counterexample.text(), "x=[" + x + "]") << from;
  };
  ends_at(-0.9, -0.3, "-0.5", "-0.71");
  ends_at(0.3, 0.9, "0.5", "0.71");
  ends_at(1.3, 1.9, "1.5", "1.71");
  ends_at(0.2, 0.3, "0.25", "0.27");
  ends_at(0.7, 0.9, "0.75", "0.77");
  ends_at(-2.9, -1.3, "-2", "-2.3");
  ends_at(1.2, 2.7, "2", "2.3");
  ends_at(2.8, 3.9, "3", "3.3");
}

TEST(Shrink, fields_shrink_together) {
  expect_smallest(
      [](Draw& draw) {
        const auto n = draw.integer("n", 1, 1000);
        return fails_where(draw.integer("m", 0, n - 1) >= 50);
      },
      "n=51 m=50");
}

TEST(Shrink, a_list_ends_short_with_one_simple_entry) {
  expect_smallest(
      [](Draw& draw) {
        const auto x = draw.content("x", static_cast<std::size_t>(draw.integer("n", 1, 40)));
        return fails_where(std::any_of(x.begin(), x.end(), [](double e) { return e >= 0.75; }));
      },
      "n=1 x=[1]");
}

TEST(Shrink, two_contents_keep_their_common_channel) {
  expect_smallest(
      [](Draw& draw) {
        const auto q = draw.content("q", 8), k = draw.content("k", 8);
        double product = 0;
        for (std::size_t c = 0; c < 8; ++c) product += q[c] * k[c];
        return fails_where(product > 0);
      },
      "q=[1,0*7] k=[1,0*7]");
}

TEST(Shrink, two_positions_keep_their_difference) {
  expect_smallest(
      [](Draw& draw) {
        const Position i = draw.position("i", {5, 100000});
        const Position j = draw.position("j", {5, 100000}, 5, i);
        return fails_where(i - j >= 130);
      },
      "i=135 j=5");
  expect_smallest(
      [](Draw& draw) {
        const Position i = draw.position("i", wide), j = draw.position("j", wide);
        if (i == j) throw Discard{};
        return fails_where(std::abs(i - j) < 30 && i >= 3);
      },
      "i=3 j=0");
}

TEST(Shrink, three_positions_move_together) {
  expect_smallest(
      [](Draw& draw) {
        const Position i = draw.position("i", wide), j = draw.position("j", wide),
                       t = draw.position("t", wide);
        const auto [lo, hi] = std::minmax({i, j, t});
        return fails_where(hi - lo < 2000);
      },
      "i=0 j=0 t=0");
  expect_smallest(
      [](Draw& draw) {
        const Position i = draw.position("i", wide);
        const Position j = draw.position("j", wide, i, i + 9), t = draw.position("t", wide, i, i + 9);
        return fails_where(j - i == 3 && t >= j);
      },
      "i=0 j=3 t=3");
}

// However far from the last one the first are: as far as the farthest goes.
TEST(Shrink, three_positions_move_as_far_as_the_farthest_goes) {
  const Trial trial = [](Draw& draw) {
    const Position i = draw.position("i", wide), j = draw.position("j", wide), l = draw.position("l", wide);
    draw.position("last", wide);
    return fails_where(i - j == 100 && j - l == 100);
  };
  const Verdict smallest =
      shrunk(trial, run_repaired(trial, Case::parse("i=1000 j=900 l=800 last=0")), 1, {});
  EXPECT_EQ(std::get<Refuted>(smallest).counterexample.text(), "i=200 j=100 l=0 last=0");
}

TEST(Shrink, a_sum_moves_to_the_last_position) {
  expect_smallest(
      [](Draw& draw) {
        const Position i = draw.position("i", wide), t = draw.position("t", wide);
        return fails_where(i + t >= 2048);
      },
      "i=0 t=2048");
}

TEST(Shrink, an_order_ends_in_one_transposition_at_the_front) {
  expect_smallest([](Draw& draw) { return fails_where(!is_identity(draw.permutation("order", 7))); },
                  "order=[1,0,2,3,4,5,6]");
  expect_smallest(
      [](Draw& draw) {
        const auto order = draw.permutation("order", static_cast<std::size_t>(draw.integer("n", 1, 30)));
        return fails_where(!is_identity(order));
      },
      "n=2 order=[1,0]");
}

// An entry moves to the first columns, to the middle of those before it, or by one.
TEST(Shrink, an_entry_moves_to_the_first_column_that_fails) {
  const auto ends_at = [](std::size_t least, std::size_t from) {
    const Trial trial = [=](Draw& draw) {
      const auto x = draw.content("x", 12);
      return fails_where(std::any_of(x.begin() + static_cast<std::ptrdiff_t>(least), x.end(),
                                     [](double entry) { return entry != 0; }));
    };
    std::vector<double> x(12);
    x[from] = 1;
    Case at;
    at.set("x", x);
    const Verdict smallest = shrunk(trial, run_repaired(trial, at), 1, {});
    std::vector<double> first(12);
    first[least] = 1;
    Case right;
    right.set("x", first);
    EXPECT_EQ(std::get<Refuted>(smallest).counterexample, right) << least << " " << from;
  };
  for (const std::size_t least : {0u, 1u, 5u, 7u, 9u}) ends_at(least, 11);
  ends_at(6, 9);
}

TEST(Shrink, an_option_that_matters_stays_and_another_goes_to_the_first) {
  expect_smallest(
      [](Draw& draw) {
        draw.one_of("layout", {std::string("half_split"), std::string("interleaved")});
        const Value dim = draw.one_of("dim", {2.0, 4.0, 8.0, 64.0});
        return fails_where(std::get<double>(dim) > 4 && draw.position("t", wide) > 2);
      },
      "layout=half_split dim=8 t=3");
}

TEST(Shrink, a_field_that_is_no_longer_drawn_disappears) {
  expect_smallest(
      [](Draw& draw) {
        if (draw.integer("long", 0, 1) == 1) {
          const auto extra = draw.content("extra", 12);
          if (extra[0] > 1) throw Discard{};
        }
        return fails_where(draw.position("t", wide) >= 7);
      },
      "long=0 t=7");
}

// Of two numbers that are lowered together, the second is asked for no longer once the first is 23.
TEST(Shrink, goes_on_where_the_second_of_two_numbers_disappears) {
  const Trial trial = [](Draw& draw) {
    draw.position("t", wide);
    draw.content("x", 1);
    const auto a = draw.integer("a", 0, 100);
    return fails_where(a == 23 || (draw.integer("b", 0, 100) - a == 4 && a >= 20));
  };
  const Verdict found = shrunk(trial, run_repaired(trial, Case::parse("t=0 x=[0] a=60 b=64")), 1, {});
  ASSERT_TRUE(std::holds_alternative<Refuted>(found));
  EXPECT_EQ(std::get<Refuted>(found).counterexample.text(), "t=0 x=[0] a=23");
}

TEST(Shrink, nan_stays_refuted) {
  const Refuted found = refuted([](Draw& draw) {
    const bool far = draw.position("t", wide) >= 300;
    return difference(far ? std::nan("") : 0.0, 0.0, 1e-9);
  });
  EXPECT_EQ(found.counterexample.text(), "t=300");
  EXPECT_TRUE(std::isnan(found.residual.error));
}

TEST(Shrink, ends_whatever_the_trial_does) {
  // Which cases fail is a hash of their text: no smaller case tells anything about a larger one.
  const Refuted found = refuted([](Draw& draw) {
    draw.position("i", wide);
    draw.permutation("order", 9);
    draw.content("x", 33);
    draw.integer("n", -1000000, 1000000);
    return fails_where(hash(7, draw.drawn().text(), 0) % 2 == 0);
  });
  EXPECT_LE(found.shrinks, 2000u);
  // A check that never asks the same twice.
  int calls = 0;
  const Refuted restless = refuted([&](Draw& draw) {
    draw.integer(fmt::format("n{}", calls % 7), 0, 1000 + calls);
    if (++calls % 3 == 0) draw.content("x", static_cast<std::size_t>(calls % 11));
    return fails_where(true);
  });
  EXPECT_LE(restless.shrinks, 2000u);
}

TEST(Shrink, spends_no_more_than_its_budget) {
  std::uint64_t calls = 0;
  const Trial trial = [&](Draw& draw) {
    ++calls;
    const auto x = draw.content("x", 256);
    return fails_where(std::count_if(x.begin(), x.end(), [](double e) { return e != 0; }) > 100);
  };
  const Refuted found = refuted(trial, {.id = "budget", .budget = {.shrinks = 25}});
  EXPECT_EQ(found.shrinks, 25u);
  // The usual one.
  const Refuted of_many = refuted([](Draw& draw) {
    const auto x = draw.content("x", 4096);
    return fails_where(std::count_if(x.begin(), x.end(), [](double e) { return e != 0; }) > 3000);
  });
  EXPECT_EQ(of_many.shrinks, 2000u);
  EXPECT_LE(calls, found.found_after + 1 + 25 + 1 + 100);  // found, again, shrunk, again, explained

  const auto start = BudgetClock::now();
  const Trial slow = [](Draw& draw) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return fails_where(draw.content("x", 64) != std::vector<double>(64));
  };
  refuted(slow, {.id = "slow", .budget = {.shrink_time = std::chrono::milliseconds(40)}});
  EXPECT_LT(BudgetClock::now() - start, std::chrono::seconds(2));
}

TEST(Shrink, ends_at_the_smallest_size_that_fails) {
  const auto among = [](auto wrong) {
    return [wrong](Draw& draw) {
      const std::size_t n = draw.size("tokens", 0, 4, 129);
      draw.position("t", wide);
      return fails_where(wrong(n));
    };
  };
  expect_smallest(among([](std::size_t n) { return n > 0 && n % 16 == 0; }), "tokens=16 t=0");
  expect_smallest(among([](std::size_t n) { return n > 32; }), "tokens=33 t=0");
  expect_smallest(among([](std::size_t n) { return n > 128; }), "tokens=129 t=0");
  expect_smallest(among([](std::size_t n) { return n == 0; }), "tokens=0 t=0");
}

// A recorded case may have a size that is never asked for: those that are asked for and smaller are tried.
TEST(Shrink, a_size_that_is_not_asked_for_ends_at_a_smaller_one_that_is) {
  const auto shrunk = [](std::size_t least) {
    const Trial trial = [least](Draw& draw) { return fails_where(draw.size("tokens", 0, 4, 33) >= least); };
    const CaseResult found = run_repaired(trial, Case::parse("tokens=24"));
    return shrink(trial, found, 2000, BudgetClock::now() + std::chrono::seconds(10))
        .smallest.drawn.values.text();
  };
  EXPECT_EQ(shrunk(24), "tokens=24");
  EXPECT_EQ(shrunk(10), "tokens=16");
  EXPECT_EQ(shrunk(20), "tokens=24");  // 31 is asked for, and larger
}

// One position is wrong, whatever stands before it.
TEST(Shrink, moves_a_later_position_to_the_front) {
  expect_smallest(
      [](Draw& draw) {
        const std::size_t n = draw.size("tokens", 1, 4, 1);
        bool wrong = false;
        for (std::size_t r = 0; r < n; ++r)
          wrong |= draw.position(fmt::format("t{}", r), {0, 4095, {2731}}) == 2731;
        return fails_where(wrong);
      },
      "tokens=1 t0=2731");
}

TEST(Shrink, finds_the_one_of_many_tokens) {
  expect_smallest(
      [](Draw& draw) {
        const std::size_t n = draw.size("tokens", 1, 2, 129);
        const Position t = draw.position("t", {0, 4095, {2700}}, 0, 4095 - 128);
        return fails_where(t <= 2731 && 2731 < t + static_cast<Position>(n));
      },
      "tokens=1 t=2731");
}

TEST(Shrink, finds_the_one_of_many_tokens_that_are_spread_over_the_domain) {
  const Domain domain{0, 4095, {2}};
  expect_smallest(
      [&](Draw& draw) {
        const std::size_t n = draw.size("tokens", 1, 2, 129);
        const Position t = draw.position("t", domain, 0, 4096 - static_cast<Position>(n));
        const auto at = Arrangement{Arrangement::Kind::spread}.positions(n, t, domain);
        return fails_where(std::find(at.begin(), at.end(), 2731) != at.end());
      },
      "tokens=1 t=2731");
}

// The second is nearer to the front by itself, which the first would not survive.
TEST(Shrink, a_content_goes_to_the_front_without_the_others) {
  expect_smallest(
      [](Draw& draw) {
        const auto x = draw.content("x", 4), y = draw.content("y", 4);
        return fails_where(x[3] != 0 && std::ranges::any_of(y, [](double one) { return one != 0; }));
      },
      "x=[0,0,0,1] y=[1,0,0,0]");
}

// What is no option, or no answer at all, is the first.
TEST(Repaired, an_option_that_there_is_not_is_the_first) {
  const choice::OneOf options{{Value(std::string("query")), Value(std::string("key"))}};
  const Value other = std::string("value"), own = std::string("key");
  EXPECT_EQ(repaired(&other, options), options.values.front());
  EXPECT_EQ(repaired(nullptr, options), options.values.front());
  EXPECT_EQ(repaired(&own, options), own);
}

}  // namespace posproof::shrink_test
