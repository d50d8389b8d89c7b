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
void expect_sorted(const std::vector<std::string>& cases, const std::vector<Choice>& choices) {
  for (std::size_t n = 1; n < cases.size(); ++n)
    EXPECT_LT(rank({Case::parse(cases[n - 1]), choices}), rank({Case::parse(cases[n]), choices}))
        << cases[n - 1] << " | " << cases[n];
}

Case all_kinds(Draw& draw) {
  draw.one_of("o", {1.0, 2.0});
  const auto n = static_cast<std::size_t>(draw.integer("n", 0, 3));
  draw.content("x", n);
  draw.permutation("p", n + 1);
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
  const std::vector<Choice> choices = {choice::OneOf{{8.0, 2.0}}, choice::Integer{-9, 9},
                                       choice::PositionIn{3, 99, nullptr}, choice::Values{3}};
  expect_sorted(
      {"o=8 n=0 t=3 x=[0,0,0]", "o=8 n=0 t=3 x=[1,0,0]", "o=8 n=0 t=3 x=[0,1,0]", "o=8 n=0 t=3 x=[0,2,0]",
       "o=8 n=0 t=3 x=[0,0,1]", "o=8 n=0 t=3 x=[1,1,0]", "o=8 n=0 t=4 x=[0,0,0]", "o=8 n=1 t=3 x=[0,0,0]",
       "o=8 n=-1 t=3 x=[0,0,0]", "o=8 n=2 t=3 x=[0,0,0]", "o=2 n=0 t=3 x=[0,0,0]"},
      choices);
}

TEST(Rank, orders_are_simplest_near_the_identity_and_at_the_front) {
  expect_sorted({"p=[0,1,2,3]", "p=[1,0,2,3]", "p=[0,2,1,3]", "p=[0,1,3,2]", "p=[2,0,1,3]", "p=[3,2,1,0]"},
                {choice::Permutation{4}});
}

TEST(Rank, tells_all_cases_apart) {
  const Verdict verdict = search(
      [](Draw& draw) {
        const std::uint64_t a = static_cast<std::uint64_t>(draw.integer("a", 0, 200));
        const std::uint64_t b = static_cast<std::uint64_t>(draw.integer("b", 0, 200));
        const auto drawn = [](std::uint64_t n) {
          RandomDraw source(1, "rank", n);
          const Case values = all_kinds(source);
          return run_repaired([](Draw& inner) { return all_kinds(inner), Residual{0, 1, 2}; }, values).drawn;
        };
        const Drawn first = drawn(a), second = drawn(b);
        return holds_if((rank(first) == rank(second)) == (first.values == second.values));
      },
      {.id = "rank", .budget = {.cases = 3000}});
  EXPECT_TRUE(std::holds_alternative<Holds>(verdict)) << name(verdict);
}

TEST(Repair, gives_the_nearest_answer) {
  const auto repair = [](std::string_view value, const Choice& choice) {
    return text(repaired(Case::parse("v=" + std::string(value)).find("v"), choice));
  };
  EXPECT_EQ(repair("70", choice::PositionIn{3, 50, nullptr}), "50");
  EXPECT_EQ(repair("-70", choice::Integer{-5, 50}), "-5");
  EXPECT_EQ(repair("nan", choice::Integer{2, 50}), "2");
  EXPECT_EQ(repair("2.5", choice::PositionIn{0, 50, nullptr}), "2");
  EXPECT_EQ(repair("word", choice::PositionIn{3, 50, nullptr}), "3");
  EXPECT_EQ(repair("[1,2,3]", choice::Values{2}), "[1,2]");
  EXPECT_EQ(repair("[1,2]", choice::Values{3}), "[1,2,0]");
  EXPECT_EQ(repair("[3,0,2,1]", choice::Permutation{3}), "[0,2,1]");
  EXPECT_EQ(repair("[1,1,nan,0.5]", choice::Permutation{3}), "[1,0,2]");
  EXPECT_EQ(repair("5", choice::OneOf{{2.0, 4.0}}), "2");
  EXPECT_EQ(repair("4", choice::OneOf{{2.0, 4.0}}), "4");
  EXPECT_EQ(text(repaired(nullptr, choice::Permutation{3})), "[0,1,2]");
}

TEST(Repair, always_answers_and_leaves_answers_alone) {
  const std::vector<Choice> choices = {choice::Integer{-5, 7},
                                       choice::PositionIn{1, 4, nullptr},
                                       choice::Values{0},
                                       choice::Values{3},
                                       choice::Permutation{0},
                                       choice::Permutation{4},
                                       choice::OneOf{{1.0, std::string("a")}}};
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
  for (const Choice& choice : choices) values.push_back(simplest(choice));
  for (const Choice& choice : choices) {
    EXPECT_TRUE(answers(repaired(nullptr, choice), choice));
    EXPECT_EQ(text(repaired(nullptr, choice)), text(simplest(choice)));
    for (const Value& value : values) {
      EXPECT_TRUE(answers(repaired(&value, choice), choice)) << text(value);
      if (answers(value, choice)) {
        EXPECT_EQ(text(repaired(&value, choice)), text(value));
      }
    }
  }
}

TEST(CaseResult, errors_are_alike_when_their_words_are) {
  const auto kind = [](const char* what) { return kind_of_error(std::runtime_error(what)); };
  EXPECT_EQ(kind("died with signal 11 at `i=3`"), kind("died with signal 6 at `i=4 j=9`"));
  EXPECT_EQ(kind("at 0x7f3a2b: [0.25,0*7]"), kind("at 0x55d01: [1]"));
  EXPECT_NE(kind("died with signal 11"), kind("hung for 11 seconds"));
  EXPECT_NE(kind("same"), kind_of_error(std::logic_error("same")));
}
