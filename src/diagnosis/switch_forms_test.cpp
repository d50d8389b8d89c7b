// What is said of LongRoPE whose long calls begin elsewhere.
#include "diagnosis/switch_forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::switch_forms_test {
namespace {

using testing::said;
using testing::Sentences;

const std::string words =
    "dim=8 scaling=longrope factor=4 original_length=64 short_factors=[1,1.1,1.2,1.3] factors=[2,3,4,5]";

// A call is that of another last position.
Sentences said_of(const Function<Position(Position)>& other, const std::string& more = "") {
  return said("rope", words + more, [other](const Parameters& parameters) -> Encoding {
    auto out = as<Rotary>(encoding_named("rope").make(parameters));
    out.rotate = [other, in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
      return in_call(other(positions.empty() ? 0 : std::ranges::max(positions)))->rotate(x, positions, role);
    };
    return out;
  });
}

TEST(SwitchForms, are_said_with_the_position_that_was_measured) {
  for (const Position first : {16, 256, 1000, 100000})
    EXPECT_EQ(said_of([=](Position last) { return last < first ? 0 : 1000; }),
              Sentences{fmt::format("calls take the divisors of long ones from position {} on", first)});
  EXPECT_EQ(said_of([](Position) { return Position{1000}; }),
            Sentences{"calls of every length take the divisors of long ones"});
}

// One late and one early, of which few calls tell.
TEST(SwitchForms, are_told_from_the_next_position) {
  for (const Position first : {63, 65})
    EXPECT_EQ(said_of([=](Position last) { return last < first ? 0 : 1000; }),
              Sentences{fmt::format("calls take the divisors of long ones from position {} on", first)});
}

// vLLM's table of LongRoPE, where long calls are those that go past the original length, not those that reach
// it.
TEST(SwitchForms, name_a_call_that_ends_at_the_first_long_row) {
  const auto of_one_table = [](Position counted_as) {
    return said("rope", words, [=](const Parameters& parameters) -> Encoding {
      auto out = as<Rotary>(encoding_named("rope").make(parameters));
      out.rotate = [=, in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
        const Position last = positions.empty() ? 0 : std::ranges::max(positions);
        std::vector<Position> at(positions.begin(), positions.end());
        if (last == 64)
          for (Position& t : at) t = t == 64 ? counted_as : t;
        return in_call(last == 64 ? 0 : last)->rotate(x, at, role);
      };
      return out;
    });
  };
  EXPECT_EQ(of_one_table(0),
            Sentences{"calls that end at position 64 take the divisors of short ones, and 64 "
                      "itself the first row of the long ones, that of 0"});
  for (const std::string& one : of_one_table(1)) EXPECT_EQ(one.find("the first row"), one.npos) << one;
}

TEST(SwitchForms, name_the_row_of_a_batch_that_decides) {
  const auto of_row = [](bool last) {
    return said("rope", words, [=](const Parameters& parameters) -> Encoding {
      auto out = as<Rotary>(encoding_named("rope").make(parameters));
      out.rotate = [=, in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
        const std::size_t tokens = positions.size() / x.shape[0];
        const auto from =
            positions.begin() + static_cast<std::ptrdiff_t>(last ? positions.size() - tokens : 0);
        const Position far =
            tokens == 0 ? 0 : *std::max_element(from, from + static_cast<std::ptrdiff_t>(tokens));
        return in_call(far)->rotate(x, positions, role);
      };
      return out;
    });
  };
  EXPECT_EQ(of_row(false),
            Sentences{"the first row of the batch decides whether a call is long, not the longest"});
  EXPECT_EQ(of_row(true),
            Sentences{"the last row of the batch decides whether a call is long, not the longest"});
}

TEST(SwitchForms, are_none_of_the_declared_position) {
  EXPECT_EQ(said_of([](Position last) { return last; }), Sentences{});
}

// Long ones end again, or begin at every second position: no position says that.
TEST(SwitchForms, are_none_of_calls_that_are_long_and_short_in_turn) {
  EXPECT_EQ(said_of([](Position last) { return last < 200 || last > 5000 ? 0 : 1000; }), Sentences{});
  EXPECT_EQ(said_of([](Position last) { return last < 200 || last % 2 == 1 ? 0 : 1000; }), Sentences{});
}

}  // namespace
}  // namespace posproof::switch_forms_test
