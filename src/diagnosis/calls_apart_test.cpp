// Which calls a subject is wrong in, where that is all of those of one token or all of the others.
#include "diagnosis/calls_apart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/call.h"
#include "run/catalogued.h"

namespace posproof::calls_apart_test {
namespace {

Call call_of(std::size_t tokens, std::size_t n) {
  Call call;
  call.contents = {Tensor({1, 1, tokens, 4})};
  for (std::size_t k = 0; k < 4 * tokens; ++k) call.contents[0].data[k] = 1.0 + static_cast<double>(k);
  for (std::size_t t = 0; t < tokens; ++t)
    call.positions.whole.push_back(static_cast<Position>(5 + 3 * n + t));
  return call;
}

// RoPE with another base in calls of so many tokens, asked for so many calls of one and of three.
std::string words_of(bool (*is_wrong)(std::size_t tokens), std::size_t of_one = 8, std::size_t of_three = 8,
                     std::size_t of_none = 0) {
  const EncodingSpec& rope = encoding_named("rope");
  const Encoding truth = rope.oracle(Case::parse("dim=4")), other = rope.make(Case::parse("dim=4 base=100"));
  const Encoding is = answered_by(truth, [=](const Call& call) {
    return answer(is_wrong(call.positions.whole.size()) ? other : truth, call);
  });
  std::vector<Answered> answered;
  for (std::size_t n = 0; n < std::max(of_one, of_three); ++n)
    for (const std::size_t tokens : {1, 3})
      if (n < (tokens == 1 ? of_one : of_three))
        answered.push_back({{}, call_of(tokens, n), answer(is, call_of(tokens, n))});
  for (std::size_t n = 0; n < of_none; ++n) answered.push_back({{}, call_of(0, n), Tensor({1, 1, 0, 4})});
  const auto apart = calls_apart(model_of(truth, all_f32), Subject{"made", "", is, all_f32}, truth, answered);
  if (!apart) return "none";
  // Whatever it is asked, it answers as in the calls that it is wrong in.
  for (const std::size_t tokens : {1, 2, 3, 256}) {
    const Call call = call_of(tokens, 20);
    EXPECT_EQ(answer(apart->subject.encoding, call), answer(other, call)) << tokens;
  }
  return apart->words + ", " + std::to_string(apart->answered.size()) + " of them";
}

TEST(CallsApart, are_those_of_one_token_or_of_several) {
  EXPECT_EQ(words_of([](std::size_t tokens) { return tokens == 1; }),
            "in calls of one token a row, 8 of them");
  EXPECT_EQ(words_of([](std::size_t tokens) { return tokens > 1; }),
            "in calls of several tokens a row, 8 of them");
  EXPECT_EQ(words_of([](std::size_t) { return true; }), "none");
  EXPECT_EQ(words_of([](std::size_t tokens) { return tokens == 1; }, 8, 9),
            "in calls of one token a row, 8 of them");
  for (const auto& [of_one, of_three] : {std::pair{7, 8}, {8, 7}})
    EXPECT_EQ(words_of([](std::size_t tokens) { return tokens == 1; }, static_cast<std::size_t>(of_one),
                       static_cast<std::size_t>(of_three)),
              "none")
        << "right ones may be right by chance";
  EXPECT_EQ(words_of([](std::size_t tokens) { return tokens > 1; }, 8, 7, 3), "none")
      << "calls of no token are none of several";
  EXPECT_EQ(words_of([](std::size_t tokens) { return tokens == 1; }, 8, 7, 3), "none");
}

}  // namespace
}  // namespace posproof::calls_apart_test
