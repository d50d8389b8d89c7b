// Other positions in calls whose length stays their own.
#include "diagnosis/own_length.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "diagnosis/call_deviations.h"
#include "diagnosis/position_effects.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::own_length_test {
namespace {

using testing::said;
using testing::Sentences;

// Rotated at other positions, by the frequencies of the call as it was asked.
Sentences said_at(const std::string& words, const Function<Position(Position, Role)>& other) {
  return said("rope", words, [other](const Parameters& parameters) -> Encoding {
    auto out = as<Rotary>(encoding_named("rope").make(parameters));
    out.rotate = [other, in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
      std::vector<Position> at;
      for (const Position t : positions) at.push_back(other(t, role));
      return in_call(positions.empty() ? 0 : std::ranges::max(positions))->rotate(x, at, role);
    };
    return out;
  });
}

TEST(OwnLength, leaves_the_frequencies_of_the_call) {
  for (const std::string words :
       {"dim=8 scaling=dynamic_ntk factor=4 original_length=64",
        "dim=8 scaling=longrope factor=4 original_length=64 factors=[2,3,4,5] short_factors=[1,1,1.1,1.2]"}) {
    EXPECT_EQ(said_at(words, [](Position t, Role) { return t + 1; }), Sentences{"positions are one ahead"});
    EXPECT_EQ(said_at(words, [](Position t, Role role) { return role == Role::key ? t + 1 : t; }),
              Sentences{"keys: positions are one ahead"});
    EXPECT_EQ(said_at(words, [](Position t, Role) { return std::min<Position>(t, 40); }),
              Sentences{"positions past 40 count as 40"});
  }
}

// Of three effects one leaves the farthest position where it is, and one remembers.
TEST(OwnLength, is_of_effects_that_move_the_farthest_position) {
  const Encoding dynamic = encoding_named("rope").make(
      with(encoding_named("rope"), Case::parse("dim=4 scaling=dynamic_ntk factor=4 original_length=8")));
  std::vector<Effect> effects = {
      effect_on_positions("ahead", [](const TokenOf& t) { return t.at + 1; }),
      effect_on_positions("at least 1", [](const TokenOf& t) { return std::max<Position>(t.at, 1); }),
      effect_on_positions("remembered", [](const TokenOf& t) { return t.at + 1; })};
  effects.back().remembers = true;
  Call call;
  call.batch = 1;
  call.positions.whole = {0, 20};
  call.contents = {Tensor({1, 1, 2, 4})};
  const std::vector<Answered> answered = {{Case(), call, answer(dynamic, call)}};
  const auto own = effects_at_the_own_length(effects, dynamic, all_f32, answered);
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own.front().words, "ahead");
  const Instead instead = own.front().begin()(call, 0, 1);
  EXPECT_EQ(instead.call.positions.whole, (std::vector<Position>{1, 21}));
  ASSERT_TRUE(instead.by);
  EXPECT_EQ(as<Rotary>(instead.by->encoding).pairs.back().frequency,
            in_call(as<Rotary>(dynamic), 20)->pairs.back().frequency);
  const Encoding plain = encoding_named("rope").make(with(encoding_named("rope"), Case::parse("dim=4")));
  EXPECT_TRUE(effects_at_the_own_length(effects, plain, all_f32, answered).empty());
}

Effect moved_up(Instead::How how) {
  return {"ahead", [how] {
            return [how](const Call& call, std::size_t, std::size_t) {
              Instead out{call, how};
              for (Position& t : out.call.positions.whole) ++t;
              return out;
            };
          }};
}

const std::string dynamic = "dim=4 scaling=dynamic_ntk factor=4 original_length=8";

std::vector<Effect> at_the_own_length(const std::string& words, const std::vector<Effect>& effects) {
  const EncodingSpec& spec = encoding_named("rope");
  const Encoding declared = spec.make(with(spec, Case::parse(words)));
  Call call;
  call.batch = 1;
  call.positions.whole = {0, 20};
  call.contents = {Tensor({1, 1, 2, 4})};
  return effects_at_the_own_length(effects, declared, all_f32, {{Case(), call, answer(declared, call)}});
}

// What is answered without them has no frequencies.
TEST(OwnLength, is_of_effects_that_encode_another_call) {
  EXPECT_EQ(at_the_own_length(dynamic, {moved_up(Instead::How::encoded)}).size(), 1u);
  EXPECT_TRUE(at_the_own_length(dynamic, {moved_up(Instead::How::zeros)}).empty());
}

TEST(OwnLength, is_none_where_each_row_has_a_length_of_its_own) {
  EXPECT_TRUE(at_the_own_length(dynamic + " length_of=row", {moved_up(Instead::How::encoded)}).empty());
}

TEST(OwnLength, makes_the_frequencies_of_a_length_once) {
  const auto own = at_the_own_length(dynamic, {moved_up(Instead::How::encoded)});
  ASSERT_EQ(own.size(), 1u);
  const auto by = [steps = own.front().begin()](Position last) {
    Call call;
    call.positions.whole = {0, last};
    return steps(call, 0, 1).by;
  };
  EXPECT_EQ(by(20), by(20));
  EXPECT_NE(by(20), by(30));
}

}  // namespace
}  // namespace posproof::own_length_test
