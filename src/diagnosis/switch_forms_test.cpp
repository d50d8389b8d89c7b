// What is said of LongRoPE whose long calls begin elsewhere.
#include "diagnosis/switch_forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

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

// What is proposed, before answers confirm it, of a subject whose calls are those of another last position.
std::vector<RotationForm> proposed(const std::string& of, const Function<Position(Position)>& other,
                                   Position last = 100000) {
  const Parameters parameters = with(encoding_named("rope"), Case::parse(of));
  auto truth = encoding_named("rope").oracle<Rotary>(parameters);
  truth.positions = Domain(0, last);
  Rotary subject = truth;
  subject.rotate = [other, in_call = truth.in_call](const Tensor& x, const Positions& positions, Role role) {
    return in_call(other(positions.empty() ? 0 : std::ranges::max(positions)))->rotate(x, positions, role);
  };
  return switch_forms(subject, truth, parameters, all_f32);
}

// The positions from which calls are long.
Sentences positions_of(const std::vector<RotationForm>& forms) {
  const std::string begin = "calls take the divisors of long ones from position ", end = " on";
  Sentences out;
  for (const RotationForm& one : forms)
    if (one.words.starts_with(begin))
      out.push_back(one.words.substr(begin.size(), one.words.size() - begin.size() - end.size()));
  return out;
}

// Positions double from 1 on: the first long call is looked for between two of them.
TEST(SwitchForms, have_the_first_position_that_is_long) {
  for (const Position first : {2, 3, 40, 41, 100000})
    EXPECT_EQ(positions_of(proposed(words, [=](Position last) { return last < first ? 0 : 1000; })),
              Sentences{fmt::format("{}", first)});
  EXPECT_EQ(positions_of(proposed(words, [](Position last) { return last < 40 || last > 99 ? 0 : 1000; })),
            Sentences{"40"});
}

TEST(SwitchForms, have_no_position_where_all_are_long_or_all_short) {
  EXPECT_EQ(positions_of(proposed(words, [](Position) { return Position{1000}; })), Sentences{});
  EXPECT_EQ(positions_of(proposed(words, [](Position) { return Position{0}; })), Sentences{});
}

// Divisors 1 and 1.0001 of a frequency of 1/1000 are the same at position 1: that it is both is no short
// call.
TEST(SwitchForms, have_no_position_where_the_first_that_tells_is_long) {
  EXPECT_EQ(positions_of(proposed("dim=8 scaling=longrope factor=4 original_length=64 "
                                  "short_factors=[1,1,1,1] factors=[1,1,1,1.0001]",
                                  [](Position) { return Position{1000}; })),
            Sentences{});
}

TEST(SwitchForms, have_one_table_where_the_original_length_is_a_position) {
  const auto has_it = [](Position last) {
    return std::ranges::any_of(proposed(
                                   words, [](Position of) { return of; }, last),
                               [](const RotationForm& one) {
                                 return one.words.find("the first row of the long ones") != std::string::npos;
                               });
  };
  EXPECT_TRUE(has_it(64));
  EXPECT_FALSE(has_it(63));
}

// A batch of rows that end at 20, at 64 and at 100 is what each of them is alone.
TEST(SwitchForms, are_of_each_row_where_rows_have_lengths_of_their_own) {
  const auto forms = proposed(words + " length_of=row", [](Position last) { return last < 40 ? 0 : 1000; });
  ASSERT_EQ(forms.size(), 3u);
  const std::vector<Position> ends = {20, 64, 100};
  Tensor x({3, 1, 1, 8});
  std::ranges::fill(x.data, 1.0);
  for (const RotationForm& one : forms) {
    const Tensor all = one.rotation.rotate(x, ends, Role::query);
    for (std::size_t row = 0; row < 3; ++row) {
      const Tensor alone = one.rotation.rotate(Tensor({1, 1, 1, 8}, std::vector<double>(8, 1.0)),
                                               {&ends[row], 1}, Role::query);
      for (std::size_t c = 0; c < 8; ++c)
        EXPECT_EQ(all.at(row, c), alone.at(0, c)) << one.words << ": " << row;
    }
  }
}

}  // namespace
}  // namespace posproof::switch_forms_test
