#include "search/search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>

#include "core/call.h"
#include "core/failure.h"
#include "core/function.h"
#include "core/random.h"
#include "search/budget_clock.h"
#include "search/case_result.h"
#include "search/generate.h"
#include "search/testing/refuted.h"

namespace posproof::search_test {

namespace {

using namespace search_testing;

std::string why(const Verdict& verdict) {
  const auto* undecided = std::get_if<Undecided>(&verdict);
  return undecided ? undecided->why : fmt::format("({})", name(verdict));
}

// The three draws of a common check.
Residual holds_always(Draw& draw) {
  const Position i = draw.position("i", wide);
  draw.position("j", wide, 0, i);
  draw.one_of("layout", {std::string("half_split"), std::string("interleaved")});
  return {0, 1, 2};
}

std::vector<std::string> cases(Plan plan, const Trial& trial) {
  std::vector<std::string> texts;
  search(
      [&](Draw& draw) {
        const Residual residual = trial(draw);
        texts.push_back(draw.drawn().text());
        return residual;
      },
      plan);
  return texts;
}

}  // namespace
TEST(Search, a_case_that_does_not_repeat_is_flaky) {
  int calls = 0;
  const Refuted once = refuted([&](Draw& draw) {
    draw.position("t", wide);
    return fails_where(++calls == 5);
  });
  EXPECT_FALSE(once.repeats);
  EXPECT_EQ(once.found_after, 5u);
  EXPECT_TRUE(once.irrelevant.empty());

  // Smaller cases fail only the first time, so the one that was found is reported.
  std::set<Position> seen;
  bool found = false;
  const Refuted original = refuted(
      [&](Draw& draw) {
        const Position t = draw.position("t", wide);
        found = found || t >= 2000;
        return fails_where(t >= 2000 || (found && t >= 100 && seen.insert(t).second));
      },
      {.id = "flaky"});
  EXPECT_TRUE(original.repeats);
  EXPECT_GE(original.counterexample.integer("t"), 2000);
}

// What failed when it was found and once more, and never again.
TEST(Search, a_case_that_repeats_once_is_flaky) {
  int failed = 0;
  const Refuted twice = refuted([&](Draw& draw) {
    const Position t = draw.position("t", wide);
    return fails_where(t >= 100 && ++failed <= 2);
  });
  EXPECT_GE(twice.counterexample.integer("t"), 100);
  EXPECT_FALSE(twice.repeats);
}

// While it is made smaller, smaller cases end in another error.
TEST(Search, a_crash_is_shrunk_to_the_smallest_that_crashes_alike) {
  bool crashed = false;
  const Verdict verdict = search(
      [&](Draw& draw) -> Residual {
        const Position i = draw.position("i", wide);
        const auto x = draw.content("x", 4);
        if (i < 10 && crashed) throw std::runtime_error("another error");
        if (i < 77) return {x[0] * 0, 1, 2};
        crashed = true;
        throw std::runtime_error(fmt::format("died with signal 11 at `{}` after {} calls", i, i / 3));
      },
      {.id = "crash"});
  const auto* errored = std::get_if<Errored>(&verdict);
  ASSERT_NE(errored, nullptr);
  EXPECT_EQ(errored->at.text(), "i=77 x=[0*4]");
  EXPECT_EQ(errored->what, "died with signal 11 at `77` after 25 calls");
}

TEST(Search, a_wrong_check_is_an_error_with_its_case) {
  for (const auto& thrown : std::vector<Function<void()>>{
           [] { throw std::invalid_argument("3 values are compared with 4"); },
           [] { throw std::logic_error("a check draws `i` twice"); }, [] { throw 42; }}) {
    const Verdict verdict = search(
        [&](Draw& draw) -> Residual {
          draw.position("i", wide);
          thrown();
          return {0, 1, 2};
        },
        {.id = "wrong"});
    const auto* errored = std::get_if<Errored>(&verdict);
    ASSERT_NE(errored, nullptr);
    EXPECT_EQ(errored->at.text(), "i=0");
    EXPECT_FALSE(errored->what.empty());
  }
  EXPECT_THROW(search([](Draw&) -> Residual { throw std::bad_alloc(); }, {.id = "memory"}), std::bad_alloc);

  // One that is asked again and is none then stands as it was found.
  int calls = 0;
  const Verdict once = search(
      [&](Draw& draw) -> Residual {
        draw.position("i", wide);
        if (++calls == 1) throw std::logic_error("once");
        return {0, 1, 2};
      },
      {.id = "once"});
  ASSERT_NE(std::get_if<Errored>(&once), nullptr);
  EXPECT_EQ(std::get<Errored>(once).what, "once");
}

TEST(Search, counts_what_made_a_failure_small) {
  int calls = 0;
  const Trial past_77 = [&calls](Draw& draw) {
    ++calls;
    return fails_where(draw.position("t", wide) >= 77);
  };
  const CaseResult failing = run_repaired(past_77, Case::parse("t=1000"));
  calls = 0;
  const Verdict verdict = shrunk(past_77, failing, 3, {});
  const auto& small = std::get<Refuted>(verdict);
  EXPECT_EQ(small.counterexample.text(), "t=77");
  EXPECT_EQ(small.found_after, 3u);
  EXPECT_EQ(small.shrinks, static_cast<std::uint64_t>(calls));
}

TEST(Search, names_the_fields_that_do_not_matter) {
  const Refuted found = refuted([](Draw& draw) {
    draw.one_of("layout", {std::string("half_split"), std::string("interleaved")});
    draw.one_of("dim", {2.0, 4.0, 8.0});
    draw.one_of("only", {1.0});
    draw.position("few", {0, 5});
    const Position t = draw.position("t", wide);
    draw.content("q", 16);
    draw.permutation("order", 8);
    return fails_where(t >= 200000);
  });
  EXPECT_EQ(found.irrelevant, (std::vector<std::string>{"layout", "dim", "few", "q", "order"}));
}

TEST(Search, the_same_numbers_give_the_same_cases) {
  const Trial trial = [](Draw& draw) {
    holds_always(draw);
    draw.content("x", 5);
    draw.permutation("order", 5);
    draw.integer("n", -100, 100);
    return Residual{0, 1, 2};
  };
  const Plan plan{.seed = 9, .id = "rotary/preserves_norm", .budget = {.cases = 60}};
  const auto all = cases(plan, trial);
  EXPECT_EQ(all, cases(plan, trial));
  // Shards: the second half of the plan is the second half of the cases.
  const auto half = cases({.seed = 9, .id = plan.id, .budget = {.cases = 30}, .first = 30}, trial);
  EXPECT_EQ(half, std::vector<std::string>(all.begin() + 30, all.end()));
  EXPECT_NE(all, cases({.seed = 10, .id = plan.id, .budget = {.cases = 60}}, trial));
  EXPECT_NE(all, cases({.seed = 9, .id = "other", .budget = {.cases = 60}}, trial));
}

TEST(Search, shards_stay_disjoint_when_cases_are_discarded) {
  const Trial trial = [](Draw& draw) {
    if (draw.position("i", wide) % 3 == 0) throw Discard{};
    return Residual{0, 1, 2};
  };
  const auto all = cases({.id = "shards", .budget = {.cases = 40}}, trial);
  auto both = cases({.id = "shards", .budget = {.cases = 20}}, trial);
  const auto second = cases({.id = "shards", .budget = {.cases = 20}, .first = 20}, trial);
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(all, both);
  EXPECT_EQ(all.size(), 40u);
}

TEST(Search, obeys_no_environment) {
  const Trial wrong = [](Draw& draw) { return fails_where(draw.position("x", wide) >= 1000); };
  const Refuted before = refuted(wrong);
  setenv("RC_PARAMS", "reproduce=nonsense max_success=0 seed=3 noshrink=1", 1);
  const Refuted after = refuted(wrong);
  unsetenv("RC_PARAMS");
  EXPECT_EQ(before.counterexample, after.counterexample);
  EXPECT_EQ(before.found_after, after.found_after);
  EXPECT_EQ(before.shrinks, after.shrinks);
}

TEST(Search, nothing_learned_is_undecided) {
  const auto with_cases = [](std::uint64_t n) { return Plan{.id = "none", .budget = {.cases = n}}; };
  EXPECT_EQ(why(search(&holds_always, with_cases(0))), "0 cases were asked for");
  EXPECT_EQ(why(search([](Draw&) -> Residual { throw Discard{}; }, with_cases(30))),
            "no case was run: of 300 draws the check discarded 300");
  EXPECT_EQ(why(search([](Draw&) -> Residual { throw Refusal("position 512 is past the table's end"); },
                       with_cases(30))),
            "no case was run: of 300 draws the check discarded 0 and the subject refused 300, the last with "
            "`position "
            "512 is past the table's end`");
  EXPECT_EQ(why(search(
                [](Draw&) {
                  return Residual{0, 1, 1};
                },
                with_cases(30))),
            "none of 30 cases could have come out the other way");
  EXPECT_EQ(why(search(&holds_always, {.id = "none", .budget = {.time = std::chrono::milliseconds(0)}})),
            "stopped by `--time` (0 s) after 0 of 300 cases: 0 held, 0 of them vacuous");
}

TEST(Search, ends_when_its_time_is_over) {
  const auto start = BudgetClock::now();
  const Verdict verdict = search(
      [](Draw&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return Residual{0, 1, 2};
      },
      {.id = "time", .budget = {.cases = 1000000, .time = std::chrono::milliseconds(50)}});
  EXPECT_LT(BudgetClock::now() - start, std::chrono::seconds(2));
  const auto* cut = std::get_if<Undecided>(&verdict);
  ASSERT_NE(cut, nullptr) << "a search that was cut short is no pass";
  EXPECT_LE(cut->held.cases,
            500u);  // a case takes a millisecond, of which the clock leaves out nine tenths at most
  EXPECT_EQ(
      cut->why,
      fmt::format("stopped by `--time` (0.05 s) after {0} of 1000000 cases: {0} held, 0 of them vacuous",
                  cut->held.cases));
}

TEST(Search, an_implementation_that_gives_no_answer_is_refuted_and_shrunk) {
  const Verdict verdict = search(
      [](Draw& draw) -> Residual {
        const Position i = draw.position("i", wide);
        draw.content("x", 4);
        if (i >= 77)
          throw Failure(Failure::How::raised, fmt::format("no {}", i), fmt::format("f({}): no {}", i, i));
        return {0, 1, 2};
      },
      {.seed = 2, .id = "raises"});
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr);
  EXPECT_EQ(refuted->counterexample.text(), "i=77 x=[0*4]");
  EXPECT_EQ(refuted->instead, "f(77): no 77");
  EXPECT_TRUE(refuted->repeats);
  EXPECT_FALSE(refuted->residual.holds());

  const Verdict shown = search(
      [](Draw& draw) -> Residual {
        const Position i = draw.position("i", wide);
        if (i >= 77) throw Failure(Failure::How::raised, fmt::format("no {}", i), "");
        return {0, 1, 2};
      },
      {.seed = 2, .id = "raises", .known = {refuted->failure}});
  EXPECT_EQ(std::get<Refuted>(shown).shrinks, 0u) << "shown before: not shrunk again";
}

TEST(Search, a_death_refutes_only_where_it_happens_again) {
  const auto dying = [](int times) {
    return search(
        [times, n = std::make_shared<int>(0)](Draw& draw) -> Residual {
          draw.position("i", wide);
          if (++*n <= times) throw Failure(Failure::How::died, "killed", "killed");
          return {0, 1, 2};
        },
        {.id = "dies"});
  };
  EXPECT_TRUE(std::holds_alternative<Errored>(dying(1)));
  EXPECT_TRUE(std::holds_alternative<Refuted>(dying(1000000)));
}

TEST(Search, keeps_the_telling_case_that_used_most) {
  double most = 0;
  const Verdict verdict = search(
      [&](Draw& draw) {
        const auto n = static_cast<double>(draw.integer("n", 1, 1000));
        const bool falsifiable = draw.integer("telling", 0, 1) == 1;
        if (falsifiable) most = std::max(most, n);
        return Residual{n, 1000, falsifiable ? 2000.0 : 1000.0};
      },
      {.id = "worst"});
  const auto& holds = std::get<Holds>(verdict);
  EXPECT_EQ(holds.cases, 300u);
  EXPECT_GT(holds.cases - holds.vacuous, 50u);
  EXPECT_GT(holds.vacuous, 0u);
  EXPECT_EQ(holds.worst.error, most);
  EXPECT_EQ(holds.worst_at.text(), fmt::format("n={} telling=1", most));
}

TEST(Search, replay_refuses_a_case_that_does_not_fit) {
  const Trial trial = [](Draw& draw) { return fails_where(draw.position("i", {0, 9}) >= 5); };
  EXPECT_TRUE(std::holds_alternative<Refuted>(replay(trial, Case::parse("i=7"))));
  const Verdict held = replay(trial, Case::parse("i=3"));
  ASSERT_TRUE(std::holds_alternative<Holds>(held));
  EXPECT_TRUE(std::get<Holds>(held).learned());
  const auto refusal = [&](std::string_view words) -> std::string {
    try {
      replay(trial, Case::parse(words));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("j=7"), "case `j=7`: `i` is missing, a position from 0 to 9 was asked for");
  EXPECT_EQ(refusal("i=10"), "case `i=10`: `i=10`, a position from 0 to 9 was asked for");
  EXPECT_EQ(refusal("i=7 k=1"), "case `i=7 k=1`: nothing asks for `k`");
  EXPECT_EQ(why(replay([](Draw&) -> Residual { throw Discard{}; }, {})), "the check discards this case");
  EXPECT_EQ(why(replay([](Draw&) -> Residual { throw Refusal("no"); }, {})),
            "the subject refuses this case: no");
  EXPECT_TRUE(
      std::holds_alternative<Errored>(replay([](Draw&) -> Residual { throw std::logic_error("x"); }, {})));
}

TEST(Search, replay_counts_a_case_that_could_not_have_failed_as_vacuous) {
  const auto held = [](double ceiling) {
    return std::get<Holds>(replay([=](Draw&) { return Residual{0, 1, ceiling}; }, {}));
  };
  EXPECT_EQ(held(2).vacuous, 0u);
  EXPECT_EQ(held(1).vacuous, 1u);
  EXPECT_EQ(held(1).cases, 1u);
}

// A value that is discarded says nothing, and too few that are not say too little.
TEST(Search, names_no_field_on_values_that_say_nothing) {
  const Refuted found = refuted(
      [](Draw& draw) {
        const auto word = std::get<std::string>(
            draw.one_of("word", {std::string("a"), std::string("b"), std::string("c")}));
        if (word == "b") throw Discard{};
        const auto only = std::get<double>(draw.one_of("only", {1.0, 2.0}));
        if (only == 2) throw Discard{};
        const auto x = draw.content("x", 3);
        if (x != std::vector<double>{0, 0, 0} && hash(1, text(Value(x)), 0) % 40 != 0) throw Discard{};
        return fails_where(draw.position("t", wide) >= 2000);
      },
      {.id = "irrelevant", .budget = {.cases = 5000}});
  EXPECT_EQ(found.irrelevant, std::vector<std::string>{"word"});
}

TEST(Hash, is_the_same_everywhere) {
  EXPECT_EQ(mixed(0), 0xe220a8397b1dcdafu);  // the first number of splitmix64 from 0, as published
  EXPECT_EQ(mixed(0x9e3779b97f4a7c15), 0x6e789e6aa1b965f4u);  // and the second
  EXPECT_NE(hash(1, "a", 0), hash(1, "a", 1));
  EXPECT_NE(hash(1, "a", 0), hash(2, "a", 0));
  EXPECT_NE(hash(1, "a", 0), hash(1, "b", 0));
}

}  // namespace posproof::search_test
