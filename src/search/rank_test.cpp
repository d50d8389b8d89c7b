#include "search/rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "search/case_result.h"
#include "search/generate.h"
#include "search/search.h"

using namespace posproof;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Each of these is simpler than the next.
void expect_sorted(const std::vector<std::string>& cases, const std::vector<Ask>& asks) {
  for (std::size_t n = 1; n < cases.size(); ++n)
    EXPECT_LT(rank({Case::parse(cases[n - 1]), asks}), rank({Case::parse(cases[n]), asks}))
        << cases[n - 1] << " | " << cases[n];
}

Case all_kinds(Draw& draw) {
  draw.option("o", {1.0, 2.0});
  const auto n = static_cast<std::size_t>(draw.integer("n", 0, 3));
  draw.content("x", n);
  draw.order("p", n + 1);
  draw.position("t", {-2, 9});
  return draw.drawn();
}

}  // namespace

TEST(Rank, orders_the_entries_of_a_content) {
  const std::vector<double> entries = {0, -0.0, 1,    -1,   2,         -2,  4,    1024, 3,   6,   5,
                                       7, 0.5,  -0.5, 0.25, 0x1p-1074, 1.5, 0.75, 0.1,  inf, -inf};
  for (std::size_t n = 1; n < entries.size(); ++n)
    EXPECT_LT(complexity(entries[n - 1]), complexity(entries[n])) << entries[n - 1] << " " << entries[n];
  EXPECT_LT(complexity(0.1), complexity(std::numeric_limits<double>::quiet_NaN()));
}

TEST(Rank, puts_structure_before_data) {
  const std::vector<Ask> asks = {ask::Option{{8.0, 2.0}}, ask::Integer{-9, 9}, ask::Place{3, 99, nullptr},
                                 ask::Content{3}};
  expect_sorted(
      {"o=8 n=0 t=3 x=[0,0,0]", "o=8 n=0 t=3 x=[1,0,0]", "o=8 n=0 t=3 x=[0,1,0]", "o=8 n=0 t=3 x=[0,2,0]",
       "o=8 n=0 t=3 x=[0,0,1]", "o=8 n=0 t=3 x=[1,1,0]", "o=8 n=0 t=4 x=[0,0,0]", "o=8 n=1 t=3 x=[0,0,0]",
       "o=8 n=-1 t=3 x=[0,0,0]", "o=8 n=2 t=3 x=[0,0,0]", "o=2 n=0 t=3 x=[0,0,0]"},
      asks);
}

TEST(Rank, orders_are_simplest_near_the_identity_and_at_the_front) {
  expect_sorted({"p=[0,1,2,3]", "p=[1,0,2,3]", "p=[0,2,1,3]", "p=[0,1,3,2]", "p=[2,0,1,3]", "p=[3,2,1,0]"},
                {ask::Order{4}});
}

TEST(Rank, tells_all_cases_apart) {
  const Verdict verdict = search(
      [](Draw& draw) {
        const std::uint64_t a = static_cast<std::uint64_t>(draw.integer("a", 0, 200));
        const std::uint64_t b = static_cast<std::uint64_t>(draw.integer("b", 0, 200));
        const auto drawn = [](std::uint64_t n) {
          Generate source(1, "rank", n);
          const Case values = all_kinds(source);
          return run_leniently([](Draw& inner) { return all_kinds(inner), Residual{0, 1, 2}; }, values).drawn;
        };
        const Drawn first = drawn(a), second = drawn(b);
        return exactly((rank(first) == rank(second)) == (first.values == second.values));
      },
      {.id = "rank", .budget = {.cases = 3000}});
  EXPECT_TRUE(std::holds_alternative<Holds>(verdict)) << name(verdict);
}

TEST(Repair, gives_the_nearest_answer) {
  const auto repair = [](std::string_view value, const Ask& ask) {
    return text(repaired(Case::parse("v=" + std::string(value)).find("v"), ask));
  };
  EXPECT_EQ(repair("70", ask::Place{3, 50, nullptr}), "50");
  EXPECT_EQ(repair("-70", ask::Integer{-5, 50}), "-5");
  EXPECT_EQ(repair("nan", ask::Integer{2, 50}), "2");
  EXPECT_EQ(repair("2.5", ask::Place{0, 50, nullptr}), "2");
  EXPECT_EQ(repair("word", ask::Place{3, 50, nullptr}), "3");
  EXPECT_EQ(repair("[1,2,3]", ask::Content{2}), "[1,2]");
  EXPECT_EQ(repair("[1,2]", ask::Content{3}), "[1,2,0]");
  EXPECT_EQ(repair("[3,0,2,1]", ask::Order{3}), "[0,2,1]");
  EXPECT_EQ(repair("[1,1,nan,0.5]", ask::Order{3}), "[1,0,2]");
  EXPECT_EQ(repair("5", ask::Option{{2.0, 4.0}}), "2");
  EXPECT_EQ(repair("4", ask::Option{{2.0, 4.0}}), "4");
  EXPECT_EQ(text(repaired(nullptr, ask::Order{3})), "[0,1,2]");
}

TEST(Repair, always_answers_and_leaves_answers_alone) {
  const std::vector<Ask> asks = {ask::Integer{-5, 7},
                                 ask::Place{1, 4, nullptr},
                                 ask::Content{0},
                                 ask::Content{3},
                                 ask::Order{0},
                                 ask::Order{4},
                                 ask::Option{{1.0, std::string("a")}}};
  std::vector<Value> values = {0.0,
                               -0.0,
                               1.0,
                               1e300,
                               -inf,
                               0.5,
                               std::string("a"),
                               std::vector<double>{},
                               std::vector<double>{inf, 1, 0},
                               std::vector<double>{3, 2, 1, 0}};
  for (const Ask& ask : asks) values.push_back(simplest(ask));
  for (const Ask& ask : asks) {
    EXPECT_TRUE(answers(repaired(nullptr, ask), ask));
    EXPECT_EQ(text(repaired(nullptr, ask)), text(simplest(ask)));
    for (const Value& value : values) {
      EXPECT_TRUE(answers(repaired(&value, ask), ask)) << text(value);
      if (answers(value, ask)) {
        EXPECT_EQ(text(repaired(&value, ask)), text(value));
      }
    }
  }
}

TEST(Attempt, errors_are_alike_when_their_words_are) {
  const auto kind = [](const char* what) { return kind_of_error(std::runtime_error(what)); };
  EXPECT_EQ(kind("died with signal 11 at `i=3`"), kind("died with signal 6 at `i=4 j=9`"));
  EXPECT_EQ(kind("at 0x7f3a2b: [0.25,0*7]"), kind("at 0x55d01: [1]"));
  EXPECT_NE(kind("died with signal 11"), kind("hung for 11 seconds"));
  EXPECT_NE(kind("same"), kind_of_error(std::logic_error("same")));
}
