#include "search/rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "core/failure.h"
#include "search/case_result.h"
#include "search/generate.h"
#include "search/search.h"
#include "testing/generators.h"
#include "testing/holds_for.h"

namespace posproof::rank_test {

using namespace posproof::testing;

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

TEST(Rank, a_size_that_is_not_asked_for_comes_after_those_that_are) {
  expect_sorted({"n=1", "n=33", "n=0", "n=256", "n=2", "n=34"}, {choice::Size{{1, 33, 0}, 1, {256}}});
}

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
  const choice::Size sizes{{1, 2, 3, 16, 17, 33, 0}, 3};
  EXPECT_EQ(repair("20", sizes), "20");
  EXPECT_EQ(repair("33", sizes), "33");
  EXPECT_EQ(repair("1000", sizes), "33");
  EXPECT_EQ(repair("15.5", sizes), "15");
  EXPECT_EQ(repair("-1", sizes), "0");
  EXPECT_EQ(repair("word", sizes), "1");
  EXPECT_EQ(repair("4", choice::OneOf{{2.0, 4.0}}), "4");
  EXPECT_EQ(text(repaired(nullptr, choice::Permutation{3})), "[0,1,2]");
}

TEST(Repair, always_answers_and_leaves_answers_alone) {
  EXPECT_TRUE(holds_for(
      [] {
        const Choice choice = *any_choice();
        const Value value = *any_value();
        RC_ASSERT(text(repaired(nullptr, choice)) == text(simplest(choice)));
        const Value once = repaired(&value, choice);
        RC_ASSERT(answers(once, choice));
        RC_ASSERT(text(repaired(&once, choice)) == text(once));
        const Value drawn = RandomChoice(*rc::gen::arbitrary<std::uint64_t>(), 0).answer(choice);
        RC_ASSERT(answers(drawn, choice));
        RC_ASSERT(text(repaired(&drawn, choice)) == text(drawn));
      },
      2000));
}

// What is left keeps its order, whatever is cut off or missing.
TEST(Repair, of_a_permutation_is_a_permutation_in_the_same_order) {
  EXPECT_TRUE(holds_for([] {
    const auto size = *rc::gen::inRange<std::size_t>(0, 9), wanted = *rc::gen::inRange<std::size_t>(0, 9);
    const std::uint64_t key = *rc::gen::arbitrary<std::uint64_t>();
    const Value drawn = RandomChoice(key, 0).answer(choice::Permutation{size});
    auto left = std::get<std::vector<double>>(drawn);
    std::erase_if(left, [&](double x) { return x >= static_cast<double>(wanted); });
    for (std::size_t i = size; i < wanted; ++i) left.push_back(static_cast<double>(i));
    RC_ASSERT(text(repaired(&drawn, choice::Permutation{wanted})) == text(left));
  }));
}

TEST(CaseResult, errors_are_alike_when_their_words_are) {
  const auto kind = [](const char* what) { return kind_of_error(std::runtime_error(what)); };
  EXPECT_EQ(kind("died with signal 11 at `i=3`"), kind("died with signal 6 at `i=4 j=9`"));
  EXPECT_EQ(kind("at 0x7f3a2b: [0.25,0*7]"), kind("at 0x55d01: [1]"));
  EXPECT_NE(kind("died with signal 11"), kind("hung for 11 seconds"));
  EXPECT_NE(kind("same"), kind_of_error(std::logic_error("same")));
  EXPECT_NE(kind("on it"), kind("o nit"));
}

TEST(CaseResult, kinds_of_failures_are_their_reasons) {
  const auto of = [](Failure::How how, const char* reason, const char* text) {
    return ended_by(Failure(how, reason, text));
  };
  const CaseResult raised = of(Failure::How::raised, "no such row", "rows(3): no such row"),
                   again = of(Failure::How::raised, "no such row", "rotate(9): no such row"),
                   died = of(Failure::How::died, "no such row", "rows(3): no such row");
  EXPECT_EQ(raised.end, CaseResult::End::failed);
  EXPECT_EQ(raised.what, "rows(3): no such row");
  EXPECT_TRUE(raised.fails_like(again));
  EXPECT_FALSE(raised.died);
  EXPECT_TRUE(died.died);
  EXPECT_TRUE(raised.raised);
  EXPECT_FALSE(died.raised);
  EXPECT_FALSE(raised.fails_like(of(Failure::How::raised, "another reason", "rows(3): no such row")));
  const CaseResult threw = ended_by(std::runtime_error("no such row"));
  EXPECT_EQ(threw.end, CaseResult::End::threw);
  EXPECT_FALSE(threw.fails_like(raised));
  EXPECT_FALSE(threw.died);
  EXPECT_TRUE(std::holds_alternative<Errored>(verdict_of(threw, 3)));
  const Verdict refuted = verdict_of(raised, 3);
  EXPECT_EQ(std::get<Refuted>(refuted).residual.error, inf);
  EXPECT_EQ(std::get<Refuted>(refuted).residual.ceiling, inf);
  EXPECT_EQ(std::get<Refuted>(refuted).found_after, 3u);
  EXPECT_FALSE(std::get<Refuted>(refuted).residual.holds() || std::get<Refuted>(refuted).residual.vacuous());
}

TEST(CaseResult, words_with_a_digit_or_in_backquotes_do_not_count) {
  const auto kind = [](const char* what) { return kind_of_error(std::runtime_error(what)); };
  EXPECT_EQ(kind("row x3 of 4"), kind("row y7 of 19"));
  EXPECT_NE(kind("row x3 of"), kind("column x3 of"));
  EXPECT_EQ(kind("`left` is wrong"), kind("`right` is wrong"));
  EXPECT_NE(kind("left is wrong"), kind("right is wrong"));
  EXPECT_NE(kind("`a` b"), kind("`a` c"));
}

// A strict order of the answers to the same questions, with the simplest answers at its bottom.
TEST(Rank, tells_two_cases_apart_and_has_the_simplest_at_the_bottom) {
  EXPECT_TRUE(holds_for(
      [] {
        const auto choices = *rc::gen::container<std::vector<Choice>>(any_choice());
        const std::uint64_t key = *rc::gen::arbitrary<std::uint64_t>();
        const auto case_of = [&](const auto& answer) {
          Case out;
          for (std::size_t f = 0; f < choices.size(); ++f)
            out.set("f" + std::to_string(f), answer(choices[f]));
          return Drawn{out, choices};
        };
        RandomChoice choose(key, 0), choose_again(key, 1);
        const Drawn a = case_of([&](const Choice& c) { return choose.answer(c); });
        const Drawn b = case_of([&](const Choice& c) { return choose_again.answer(c); });
        const Drawn least = case_of([](const Choice& c) { return simplest(c); });
        RC_ASSERT((rank(a) == rank(b)) == (a.values == b.values));
        RC_ASSERT((rank(a) < rank(b)) + (rank(b) < rank(a)) + (a.values == b.values) == 1);
        RC_ASSERT(rank(least) <= rank(a));
      },
      1000));
}

}  // namespace posproof::rank_test
