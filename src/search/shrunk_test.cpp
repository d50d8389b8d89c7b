// What trials of every kind shrink to, and in how many runs: an edit that is no longer tried, or tried in
// another order, changes one of these numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/function.h"

#include "search/search.h"

namespace posproof::shrunk_test {
namespace {

const Domain wide{0, Position{1} << 20, {355, 104348}};

struct Known {
  std::string_view name;
  Trial trial;
  std::string_view ends;  // `smallest | fields that do not matter | runs`, of seeds 1 to 6 together
};

bool any(const std::vector<double>& values, const Function<bool(double)>& is) {
  return std::any_of(values.begin(), values.end(), is);
}

const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      {"a position past a bound", [](Draw& draw) { return holds_if(draw.position("t", wide) < 70001); },
       "t=70001 |  | 303"},
      {"a position that is odd and past a bound",
       [](Draw& draw) {
         const Position t = draw.position("t", wide);
         return holds_if(t < 500 || t % 2 == 0);
       },
       "t=501 |  | 356"},
      {"two positions that differ by much",
       [](Draw& draw) {
         const Position i = draw.position("i", wide), j = draw.position("j", wide, 0, i);
         draw.one_of("role", {"query", "key"});
         return holds_if(i - j < 1000);
       },
       "i=1000 j=0 role=query | role | 393"},
      {"a negative number", [](Draw& draw) { return holds_if(draw.integer("n", -400, 400) > -37); },
       "n=-37 |  | 155"},
      {"one entry of a content",
       [](Draw& draw) {
         const auto n = static_cast<std::size_t>(draw.integer("n", 1, 12));
         const auto x = draw.content("x", n);
         draw.content("y", n);
         return holds_if(!any(x, [](double value) { return std::abs(value) > 0.3; }));
       },
       "n=1 x=[1] y=[0] | n y | 51"},
      {"a sum of a content",
       [](Draw& draw) {
         double sum = 0;
         for (const double value : draw.content("x", 6)) sum += value;
         return holds_if(sum < 1.7);
       },
       "x=[1,1,0*4] |  | 76"},
      {"a fraction in one channel",
       [](Draw& draw) {
         const auto x = draw.content("x", 4);
         return holds_if(x[2] == std::floor(x[2]));
       },
       "x=[0,0,0.5,0] |  | 98"},
      {"the same channel of two contents",
       [](Draw& draw) {
         const auto q = draw.content("q", 5), k = draw.content("k", 5);
         double dot = 0;
         for (std::size_t c = 0; c < 5; ++c) dot += q[c] * k[c];
         return difference(dot, 0, 0.25);
       },
       "q=[1,0*4] k=[1,0*4] |  | 80"},
      {"a size and what it gives room for",
       [](Draw& draw) {
         const std::size_t n = draw.size("n", 1, 4, 200);
         const Position first = draw.position("i", wide);
         return holds_if(n < 17 || first % 3 != 1);
       },
       "n=17 i=1 |  | 876"},
      {"an order that moves the last to the front",
       [](Draw& draw) {
         const auto order = draw.permutation("order", 6);
         draw.permutation("other", 3);
         return holds_if(order.front() != 5);
       },
       "order=[5,0,1,2,3,4] other=[0,1,2] |  | 146"},
      {"a word and a position behind another",
       [](Draw& draw) {
         const bool key = std::get<std::string>(draw.one_of("role", {"query", "key", "none"})) == "key";
         const Position i = draw.position("i", wide), t = draw.position("t", wide);
         return holds_if(!key || t <= i + 3 || i < 9);
       },
       "role=key i=9 t=13 |  | 457"},
      {"an error of its own kind",
       [](Draw& draw) -> Residual {
         const Position t = draw.position("t", wide);
         if (t > 4095) throw std::range_error(fmt::format("no row {}", t));
         return holds_if(t != 17 || draw.integer("n", 0, 3) > 5);
       },
       "errored t=4096 | 0"},
  };
  return all;
}

std::string ends(const Trial& trial) {
  std::string out;
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Verdict verdict = search(trial, {.seed = seed, .id = "ends", .budget = {.cases = 3000}});
    std::string one(name(verdict));
    if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
      one = refuted->counterexample.text() + " | " + fmt::format("{}", fmt::join(refuted->irrelevant, " "));
      runs += refuted->shrinks;
    }
    if (const auto* errored = std::get_if<Errored>(&verdict)) one += " " + errored->at.text();
    if (out.find(one) == std::string::npos) out += (out.empty() ? "" : "; ") + one;
  }
  return out + fmt::format(" | {}", runs);
}

TEST(Shrunk, every_trial_ends_where_it_ended) {
  for (const Known& one : known()) EXPECT_EQ(ends(one.trial), one.ends) << one.name;
}

}  // namespace
}  // namespace posproof::shrunk_test
