// Which calls a subject is wrong in, where that is all of those of one token or all of the others.
#include "diagnosis/calls_apart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::calls_apart_test {
namespace {

// RoPE with another base in calls of so many tokens, asked for calls of one and of three.
std::string words_of(bool (*is_wrong)(std::size_t tokens), std::size_t of_each = 8) {
  const EncodingSpec& rope = encoding_named("rope");
  const Encoding truth = rope.oracle(Case::parse("dim=4")), other = rope.make(Case::parse("dim=4 base=100"));
  const Encoding is = answered_by(truth, [=](const Call& call) {
    return answer(is_wrong(call.positions.whole.size()) ? other : truth, call);
  });
  std::vector<Answered> answered;
  for (std::size_t n = 0; n < of_each; ++n)
    for (const std::size_t tokens : {1, 3}) {
      Call call;
      call.contents = {Tensor({1, 1, tokens, 4})};
      std::ranges::fill(call.contents[0].data, 1.0);
      for (std::size_t t = 0; t < tokens; ++t)
        call.positions.whole.push_back(static_cast<Position>(5 + 3 * n + t));
      answered.push_back({{}, call, answer(is, call)});
    }
  const auto apart = calls_apart(model_of(truth, all_f32), Subject{"made", "", is, all_f32}, truth, answered);
  return apart ? apart->words + ", " + std::to_string(apart->answered.size()) + " of them" : "none";
}

TEST(CallsApart, are_those_of_one_token_or_of_several) {
  EXPECT_EQ(words_of([](std::size_t tokens) { return tokens == 1; }),
            "in calls of one token a row, 8 of them");
  EXPECT_EQ(words_of([](std::size_t tokens) { return tokens > 1; }),
            "in calls of several tokens a row, 8 of them");
  EXPECT_EQ(words_of([](std::size_t) { return true; }), "none");
  EXPECT_EQ(words_of([](std::size_t tokens) { return tokens == 1; }, 7), "none")
      << "right ones may be right by chance";
}

}  // namespace
}  // namespace posproof::calls_apart_test
