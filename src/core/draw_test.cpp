#include "core/draw.h"
#include "core/function.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace posproof::draw_test {

namespace {

std::vector<std::string> all_cases(const Function<void(Draw&)>& check) {
  std::vector<std::string> cases;
  Enumerate draw;
  do {
    check(draw);
    cases.push_back(draw.drawn().text());
  } while (draw.next());
  return cases;
}

std::string refusal(const std::string& recorded, const Function<void(Draw&)>& check) {
  Replay draw(Case::parse(recorded));
  try {
    check(draw);
  } catch (const NoAnswer& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST(Enumerate, visits_every_order_once) {
  const auto cases = all_cases([](Draw& draw) { draw.permutation("order", 6); });
  EXPECT_EQ(cases.size(), 720u);
  EXPECT_EQ(std::set(cases.begin(), cases.end()).size(), 720u);
  EXPECT_EQ(cases.front(), "order=[0,1,2,3,4,5]");
  EXPECT_EQ(cases.back(), "order=[5,4,3,2,1,0]");
}

TEST(Enumerate, visits_every_combination_once) {
  const auto cases = all_cases([](Draw& draw) {
    draw.integer("n", -2, 2);
    draw.position("t", {3, 9});
    draw.one_of("layout", {std::string("half_split"), std::string("interleaved"), 3.0});
    draw.permutation("order", 3);
  });
  EXPECT_EQ(cases.size(), 5u * 7 * 3 * 6);
  EXPECT_EQ(std::set(cases.begin(), cases.end()).size(), cases.size());
}

TEST(Enumerate, follows_questions_that_depend_on_answers) {
  // n, then m < n, then a word for the even n alone.
  const auto cases = all_cases([](Draw& draw) {
    const auto n = draw.integer("n", 1, 4);
    draw.integer("m", 0, n - 1);
    if (n % 2 == 0) draw.one_of("word", {std::string("a"), std::string("b")});
  });
  EXPECT_EQ(cases.size(), 1u + 2 * 2 + 3 + 4 * 2);
  EXPECT_EQ(std::set(cases.begin(), cases.end()).size(), cases.size());
}

TEST(Enumerate, a_check_may_stop_early) {
  std::set<std::string> cases;
  Enumerate draw;
  do {
    try {
      const Position i = draw.position("i", {0, 3});
      if (i == 2) throw Discard{};
      draw.position("j", {0, 3}, i + 1, 3);  // empty for the last i, which discards
      cases.insert(draw.drawn().text());
    } catch (const Discard&) {
    }
  } while (draw.next());
  EXPECT_EQ(cases, (std::set<std::string>{"i=0 j=1", "i=0 j=2", "i=0 j=3", "i=1 j=2", "i=1 j=3"}));
}

TEST(Enumerate, visits_every_size_once) {
  EXPECT_EQ(all_cases([](Draw& draw) { draw.size("n", 0, 2, 40); }),
            (std::vector<std::string>{"n=1", "n=2", "n=16", "n=17", "n=31", "n=32", "n=33", "n=0"}));
  EXPECT_EQ(all_cases([](Draw& draw) { draw.size("n", 2, 3, 1); }), (std::vector<std::string>{"n=2", "n=3"}));
}

TEST(Enumerate, refuses_what_is_endless) {
  Enumerate contents, large;
  EXPECT_THROW(contents.content("q", 1), std::logic_error);
  EXPECT_THROW(large.integer("n", 0, 1 << 20), std::logic_error);
}

TEST(Draw, an_empty_range_is_a_discard) {
  Enumerate draw;
  EXPECT_THROW(draw.integer("n", 1, 0), Discard);
  EXPECT_THROW(draw.position("i", {5, 4}), Discard);
  EXPECT_THROW(draw.one_of("o", {}), Discard);
  EXPECT_THROW(draw.size("none", 1, 0, 0), Discard);
  EXPECT_THROW(draw.size("nothing_alone", 0, 0, 0), Discard);
}

TEST(Draw, a_name_is_drawn_once) {
  Enumerate draw;
  draw.integer("n", 0, 1);
  EXPECT_THROW(draw.integer("n", 0, 1), std::logic_error);
}

TEST(Replay, gives_what_was_recorded) {
  Replay draw(Case::parse("n=-3 t=7 q=[0.5,-0] order=[2,0,1] word=b unused=1"));
  EXPECT_EQ(draw.integer("n", -9, 9), -3);
  EXPECT_EQ(draw.position("t", {0, 7}), 7);
  EXPECT_EQ(draw.content("q", Shape{1, 2}).data, (std::vector<double>{0.5, 0}));
  EXPECT_EQ(draw.permutation("order", 3), (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_EQ(text(draw.one_of("word", {std::string("a"), std::string("b")})), "b");
  EXPECT_EQ(draw.unused(), std::vector<std::string>{"unused"});
  EXPECT_EQ(draw.drawn().text(), "n=-3 t=7 q=[0.5,-0] order=[2,0,1] word=b");
}

TEST(Replay, says_what_was_asked_and_what_came) {
  const auto integer = [](Draw& draw) { draw.integer("n", -2, 3); };
  EXPECT_EQ(refusal("m=1", integer), "case `m=1`: `n` is missing, a whole number from -2 to 3 was asked for");
  const auto size = [](Draw& draw) { EXPECT_EQ(draw.size("n", 0, 2, 17), 4); };
  EXPECT_EQ(refusal("n=18", size), "case `n=18`: `n=18`, a whole number from 0 to 17 was asked for");
  EXPECT_EQ(refusal("n=2.5", size), "case `n=2.5`: `n=2.5`, a whole number from 0 to 17 was asked for");
  Replay between(Case::parse("n=4"));  // which no one draws
  size(between);
  const choice::Size longer{{1, 2}, 2, {256, 257}};
  EXPECT_TRUE(answers(200.0, longer));
  EXPECT_TRUE(answers(257.0, longer));
  EXPECT_FALSE(answers(258.0, longer));
  EXPECT_FALSE(answers(0.0, longer));
  EXPECT_EQ(refusal("n=4", integer), "case `n=4`: `n=4`, a whole number from -2 to 3 was asked for");
  const choice::Integer range{-2, 3, 33};
  const auto recorded = [range](Draw& draw) { draw.integer("n", range); };
  EXPECT_TRUE(answers(33.0, range));
  EXPECT_FALSE(answers(34.0, range));
  EXPECT_EQ(refusal("n=34", recorded), "case `n=34`: `n=34`, a whole number from -2 to 33 was asked for");
  EXPECT_EQ(refusal("n=0.5", integer), "case `n=0.5`: `n=0.5`, a whole number from -2 to 3 was asked for");
  EXPECT_EQ(refusal("n=[1]", integer), "case `n=[1]`: `n=[1]`, a whole number from -2 to 3 was asked for");
  EXPECT_EQ(refusal("n=nan", integer), "case `n=nan`: `n=nan`, a whole number from -2 to 3 was asked for");
  EXPECT_EQ(refusal("t=-1",
                    [](Draw& draw) {
                      draw.position("t", {0, 9});
                    }),
            "case `t=-1`: `t=-1`, a position from 0 to 9 was asked for");
  EXPECT_EQ(refusal("q=[1]", [](Draw& draw) { draw.content("q", 2); }),
            "case `q=[1]`: `q=[1]`, a list of 2 numbers was asked for");
  const auto order = [](Draw& draw) { draw.permutation("o", 3); };
  EXPECT_EQ(refusal("o=[0,1,1]", order), "case `o=[0,1,1]`: `o=[0,1,1]`, an order of 0 to 2 was asked for");
  EXPECT_EQ(refusal("o=[0,1]", order), "case `o=[0,1]`: `o=[0,1]`, an order of 0 to 2 was asked for");
  EXPECT_EQ(refusal("o=[0,1,3]", order), "case `o=[0,1,3]`: `o=[0,1,3]`, an order of 0 to 2 was asked for");
  EXPECT_EQ(refusal("w=c",
                    [](Draw& draw) {
                      draw.one_of("w", {std::string("a"), 2.0});
                    }),
            "case `w=c`: `w=c`, one of a, 2 was asked for");
}

}  // namespace posproof::draw_test
