#include "search/generate.h"

#include <gtest/gtest.h>
#include <map>

#include <cmath>
#include <limits>
#include <set>

#include "core/function.h"
#include "search/search.h"

namespace posproof::generate_test {

namespace {

// How many of the first 2000 cases do this.
int count(const Function<bool(Draw&)>& does) {
  int found = 0;
  for (std::uint64_t n = 0; n < 2000; ++n) {
    RandomDraw draw(1, "generate", n);
    found += does(draw);
  }
  return found;
}

bool is_power_of_two(Position x) {
  return x > 0 && (x & (x - 1)) == 0;
}

}  // namespace

TEST(RandomDraw, finds_the_positions_where_errors_gather) {
  const Domain domain{0, Position{1} << 20, {355, 710, 104348}};
  const auto t_is = [&](const Function<bool(Position)>& so) {
    return count([&](Draw& draw) { return so(draw.position("t", domain)); });
  };
  EXPECT_GT(t_is([](Position t) { return t == 0; }), 20);
  EXPECT_GT(t_is([](Position t) { return t == Position{1} << 20; }), 20);
  EXPECT_GT(t_is([](Position t) { return t == 355 || t == 710 || t == 104348; }), 100);
  EXPECT_GT(t_is([](Position t) { return t == 354 || t == 709 || t == 104349; }), 20);
  EXPECT_GT(t_is([](Position t) { return t > 16 && is_power_of_two(t); }), 30);
  EXPECT_GT(t_is([](Position t) { return t > 16 && is_power_of_two(t + 1); }), 30);
  EXPECT_GT(t_is([](Position t) { return t > 1 << 19; }), 150);
  EXPECT_GT(t_is([](Position t) { return t > 16 && t < 256; }), 150);
  const int neighbours = count([&](Draw& draw) {
    const Position i = draw.position("i", domain), j = draw.position("j", domain);
    return i > 300 && i != j && std::abs(i - j) < 8;
  });
  EXPECT_GT(neighbours, 20);
}

TEST(RandomDraw, stays_in_its_range) {
  const Domain whole{std::numeric_limits<Position>::min(), std::numeric_limits<Position>::max()};
  for (const auto& [lo, hi] :
       {std::pair<Position, Position>{0, 0}, {-3, 5}, {7, 9}, {-1000000, -999000}, {1 << 20, 1 << 30}})
    EXPECT_EQ(count([lo = lo, hi = hi](Draw& draw) {
                const Position t = draw.position("t", {lo, hi, {8, 0}}), n = draw.integer("n", lo, hi);
                return t < lo || t > hi || n < lo || n > hi;
              }),
              0);
  EXPECT_EQ(count([&](Draw& draw) { return std::abs(draw.position("t", whole)) > Position{1} << 53; }), 0);
}

TEST(RandomDraw, contents_are_exact_in_eight_significant_bits) {
  EXPECT_EQ(count([](Draw& draw) {
              for (const double x : draw.content("x", 9)) {
                int exponent = 0;
                const double mantissa = std::ldexp(std::frexp(x, &exponent), 8);
                if (mantissa != std::trunc(mantissa) || std::abs(x) > 2048) return true;
              }
              return false;
            }),
            0);
}

TEST(RandomDraw, contents_are_of_every_kind) {
  const auto x_has = [](const Function<bool(const std::vector<double>&)>& so) {
    return count([&](Draw& draw) { return so(draw.content("x", 9)); });
  };
  const auto not_zero = [](const std::vector<double>& x) {
    return std::count_if(x.begin(), x.end(), [](double e) { return e != 0; });
  };
  EXPECT_GT(x_has([&](const auto& x) { return not_zero(x) == 1; }), 100);
  EXPECT_GT(x_has([&](const auto& x) { return not_zero(x) == 9; }), 500);
  EXPECT_GT(
      x_has([](const auto& x) { return x[0] != 0 && std::set<double>(x.begin(), x.end()).size() == 1; }), 40);
  const auto any = [](auto so) {
    return [so](const std::vector<double>& x) { return std::any_of(x.begin(), x.end(), so); };
  };
  EXPECT_GT(x_has(any([](double e) { return e == 0 && std::signbit(e); })), 20);
  EXPECT_GT(x_has(any([](double e) { return std::abs(e) > 100; })), 20);
  EXPECT_LT(x_has([&](const auto& x) { return not_zero(x) == 0; }), 200);  // little is told by zeros
}

TEST(RandomDraw, options_favour_the_first_a_little_and_reach_all) {
  int first = 0, last = 0;
  for (std::uint64_t n = 0; n < 2000; ++n) {
    RandomDraw draw(1, "options", n);
    const double x = std::get<double>(draw.one_of("x", {1.0, 2.0, 3.0, 4.0}));
    first += x == 1;
    last += x == 4;
  }
  EXPECT_GT(first, last);
  EXPECT_GT(last, 350);
}

TEST(RandomDraw, orders_are_orders_and_often_close_to_the_identity) {
  int displaced_two = 0;
  for (std::uint64_t n = 0; n < 500; ++n) {
    RandomDraw draw(1, "orders", n);
    const auto order = draw.permutation("order", 12);
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 12u);
    int displaced = 0;
    for (std::size_t i = 0; i < 12; ++i) displaced += order[i] != i;
    displaced_two += displaced == 2;
  }
  EXPECT_GT(displaced_two, 60);
}

// Deterministically, by the number of the case: none is missed by bad luck.
TEST(RandomDraw, three_hundred_cases_have_every_size_several_times) {
  std::map<std::size_t, int> first, second, both;
  int unusual = 0;
  for (std::uint64_t n = 0; n < 300; ++n) {
    RandomDraw draw(1, "sizes", n);
    const std::size_t a = draw.size("a", 0, 4, 129), b = draw.size("b", 0, 4, 129);
    ++first[a], ++second[b];
    const bool long_a = a == 0 || a > 4, long_b = b == 0 || b > 4;
    unusual += long_a || long_b;
    if (long_b && !long_a) ++both[0];
    if (long_a && long_b) ++both[1];
  }
  for (const std::int64_t size : {0, 16, 17, 31, 32, 33, 64, 127, 128, 129}) {
    EXPECT_GE(first[static_cast<std::size_t>(size)], 3) << size;
    EXPECT_GE(second[static_cast<std::size_t>(size)], 1) << size;
  }
  EXPECT_GE(both[0], 30);
  EXPECT_GE(both[1], 15);
  EXPECT_LE(unusual, 80);  // they cost most of the time
}

// The first cases of one plan, word for word: they are the same over compilers, optimisation and machines.
TEST(RandomDraw, is_the_same_everywhere) {
  std::string all;
  for (std::uint64_t n = 0; n < 4; ++n) {
    RandomDraw draw(1, "golden", n);
    const Position i = draw.position("i", {0, 1 << 20, {355}});
    draw.position("j", {0, 1 << 20}, 0, i);
    draw.content("x", 3);
    draw.permutation("order", 4);
    draw.integer("n", -50, 50);
    all += draw.drawn().text() + "\n";
  }
  EXPECT_EQ(all,
            "i=74960 j=6 x=[0,0,0] order=[0,1,3,2] n=14\n"
            "i=3 j=2 x=[0.03125,-0.859375,-0.0625] order=[2,0,1,3] n=-50\n"
            "i=22499 j=3740 x=[-0.765625,-0.34375,0.125] order=[0,3,1,2] n=14\n"
            "i=368137 j=512 x=[-0.03125,1,0] order=[3,0,2,1] n=10\n");
}

namespace {

// Of the first 2000 cases, all that they draw as one number: FNV-1a over their words.
std::uint64_t words_of_all(const Function<void(Draw&)>& draws) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::uint64_t n = 0; n < 2000; ++n) {
    RandomDraw draw(1, "every kind", n, n % 3);
    draws(draw);
    for (const char c : draw.drawn().text() + "\n")
      sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return sum;
}

}  // namespace

// A choice that draws otherwise changes every recorded number of cases and every counterexample: each kind
// has a number of its own, so that one sees which it was.
TEST(RandomDraw, every_kind_of_choice_draws_what_it_drew) {
  const Domain hard{0, 1 << 20, {-5, 355, 710, 104348, 1 << 22}}, negative{-1000, 50, {-999, -3, 7}};
  EXPECT_EQ(words_of_all([&](Draw& draw) { draw.position("t", hard); }), 6787933237246097295u);
  EXPECT_EQ(words_of_all([&](Draw& draw) { draw.position("t", negative); }), 28915491539652606u);
  EXPECT_EQ(words_of_all([&](Draw& draw) { draw.position("t", {7, 7}); }), 9445212935187152773u);
  EXPECT_EQ(words_of_all([&](Draw& draw) {
              const Position i = draw.position("i", hard);
              draw.position("j", hard, 0, i);
            }),
            18283063587565823385u);
  EXPECT_EQ(words_of_all([&](Draw& draw) {
              draw.position("t", {0, std::int64_t{1} << 60});
            }),
            15749431000942750490u);
  EXPECT_EQ(words_of_all([](Draw& draw) { draw.integer("n", -50, 70); }), 7786541176775732516u);
  EXPECT_EQ(words_of_all([](Draw& draw) { draw.integer("n", 3, 4); }), 13131946244963986189u);
  EXPECT_EQ(words_of_all([](Draw& draw) { draw.size("n", 1, 5, 1 << 10), draw.size("m", 0, 3, 40); }),
            13343845488567593956u);
  EXPECT_EQ(words_of_all([](Draw& draw) { draw.content("x", 1); }), 14430775290815992141u);
  EXPECT_EQ(words_of_all([](Draw& draw) { draw.content("x", 9); }), 3589125672578406206u);
  EXPECT_EQ(words_of_all([](Draw& draw) { draw.content("x", 0), draw.content("y", 2); }),
            4388822638772676443u);
  EXPECT_EQ(words_of_all([](Draw& draw) { draw.permutation("order", 1), draw.permutation("of", 2); }),
            7175731212245239709u);
  EXPECT_EQ(words_of_all([](Draw& draw) { draw.permutation("order", 7); }), 1668385057836423125u);
  EXPECT_EQ(words_of_all([](Draw& draw) {
              draw.one_of("word", {"a", "b", 3.0}), draw.one_of("w", {"c"});
            }),
            1910315477907585078u);
}

TEST(RandomDraw, every_case_reads_back) {
  const Verdict verdict = search(
      [](Draw& draw) {
        draw.content("x", static_cast<std::size_t>(draw.integer("n", 0, 30)));
        draw.position("i", {-1000000, Position{1} << 53});
        draw.permutation("order", 6);
        draw.one_of("word", {std::string("half_split"), 0.1, std::string("sin-cos"), 1e300, -0.0});
        const Case drawn = draw.drawn();
        return holds_if(Case::parse(drawn.text()) == drawn &&
                        Case::parse(drawn.text()).text() == drawn.text());
      },
      {.id = "case/reads_back", .budget = {.cases = 3000}});
  EXPECT_TRUE(std::holds_alternative<Holds>(verdict)) << name(verdict);
}

}  // namespace posproof::generate_test
