#include "diagnosis/token_effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/function.h"
#include "diagnosis/testing/effects.h"
#include "run/catalogued.h"
#include "subject/arrays.h"

namespace posproof::token_effects_test {
namespace {

using testing::effect;

// Content counted from 0 in 4 rows of 7 heads of 6 tokens, whose positions are counted from 100: which
// content stands at each place, and whether its position comes along, seen by the third head.
TEST(TokenEffects, put_other_content_in_each_place) {
  constexpr int rows = 4, heads = 7, tokens = 6;
  struct At {
    int row, head, token;
  };
  const auto before = [](int n, int of) { return n == 0 ? of - 1 : n - 1; };
  const auto after = [](int n, int of) { return n == of - 1 ? 0 : n + 1; };
  const struct {
    std::string answer, content;  // with its position, without
    Function<At(At)> from;
  } all[] = {
      {"", "heads have each other's content, in reverse order",
       [](At at) {
         return At{at.row, 6 - at.head, at.token};
       }},
      {"", "every head has the content of the one before, the first that of the last",
       [&](At at) {
         return At{at.row, before(at.head, heads), at.token};
       }},
      {"", "every head has the content of the one after, the last that of the first",
       [&](At at) {
         return At{at.row, after(at.head, heads), at.token};
       }},
      {"", "every head has the content of the first",
       [](At at) {
         return At{at.row, 0, at.token};
       }},
      {"", "every head has the content of the last",
       [](At at) {
         return At{at.row, 6, at.token};
       }},
      {"rows of the batch have each other's answers, in reverse order",
       "rows of the batch have each other's content, in reverse order",
       [](At at) {
         return At{3 - at.row, at.head, at.token};
       }},
      {"every row of the batch is answered as the one before, the first as the last",
       "every row of the batch has the content of the one before, the first that of the last",
       [&](At at) {
         return At{before(at.row, rows), at.head, at.token};
       }},
      {"every row of the batch is answered as the one after, the last as the first",
       "every row of the batch has the content of the one after, the last that of the first",
       [&](At at) {
         return At{after(at.row, rows), at.head, at.token};
       }},
      {"every row of the batch is answered as the first",
       "every row of the batch has the content of the first",
       [](At at) {
         return At{0, at.head, at.token};
       }},
      {"every row of the batch is answered as the last", "every row of the batch has the content of the last",
       [](At at) {
         return At{3, at.head, at.token};
       }},
      {"tokens of a row have each other's answers, in reverse order",
       "tokens of a row have each other's content, in reverse order",
       [](At at) {
         return At{at.row, at.head, 5 - at.token};
       }},
      {"every token is answered as the one before it in its row, the first as the last",
       "every token has the content of the one before it in its row, the first that of the last",
       [&](At at) {
         return At{at.row, at.head, before(at.token, tokens)};
       }},
      {"every token is answered as the one after it in its row, the last as the first",
       "every token has the content of the one after it in its row, the last that of the first",
       [&](At at) {
         return At{at.row, at.head, after(at.token, tokens)};
       }},
      {"every token is answered as the first of its row",
       "every token has the content of the first of its row",
       [](At at) {
         return At{at.row, at.head, 0};
       }},
      {"every token is answered as the last of its row", "every token has the content of the last of its row",
       [](At at) {
         return At{at.row, at.head, 5};
       }},
      // Token 3 of head 2 is number 3 * 7 + 2 of a row: token 5 of head 3. And the other way round.
      {"", "the content is read as [batch, n, heads, dim]",
       [](At at) {
         return At{at.row, (at.token * 7 + at.head) / 6, (at.token * 7 + at.head) % 6};
       }},
      // Head 2 of row 3 is number 2 * 4 + 3 of the heads of a batch, row by row: head 4 of row 1.
      {"", "the content is read as [heads, batch, n, dim]",
       [](At at) {
         return At{(at.head * 4 + at.row) / 7, (at.head * 4 + at.row) % 7, at.token};
       }},
      {"the answer lies as [heads, batch, n, dim]", "",
       [](At at) {
         return At{(at.row * 7 + at.head) % 4, (at.row * 7 + at.head) / 4, at.token};
       }},
      {"the answer lies as [batch, n, heads, dim]", "",
       [](At at) {
         return At{at.row, (at.head * 6 + at.token) % 7, (at.head * 6 + at.token) / 7};
       }},
  };
  Call call;
  call.batch = rows;
  call.contents = {Tensor({rows, heads, tokens, 1})};
  for (std::size_t n = 0; n < call.contents[0].data.size(); ++n)
    call.contents[0].data[n] = static_cast<double>(n);
  for (Position n = 0; n < rows * tokens; ++n) call.positions.whole.push_back(100 + n);
  const std::vector<Effect> effects = effects_on_tokens();
  std::size_t named = 0;
  for (const auto& [answer, content, from] : all)
    for (const bool along : {true, false}) {
      const std::string& words = along ? answer : content;
      if (words.empty()) continue;
      ++named;
      const Effect* one = effect(effects, words);
      ASSERT_NE(one, nullptr) << words;
      EXPECT_EQ(one->by_head, words.starts_with("the answer lies")) << words;
      const Instead instead = one->begin()(call, 2, heads);
      for (int row = 0; row < rows; ++row)
        for (int token = 0; token < tokens; ++token) {
          for (int head = 0; head < heads; ++head) {
            const At there = from({row, head, token});
            EXPECT_EQ(instead.call.contents[0].at(
                          static_cast<std::size_t>((row * heads + head) * tokens + token), 0),
                      (there.row * heads + there.head) * tokens + there.token)
                << words;
          }
          const At there = from({row, 2, token});
          EXPECT_EQ(instead.call.positions.whole[static_cast<std::size_t>(row * tokens + token)],
                    100 + (along ? there.row * tokens + there.token : row * tokens + token))
              << words;
        }
    }
  const Effect* rotated = effect(effects, "tokens are rotated as if they lay as [heads, batch, n, dim]");
  ASSERT_NE(rotated, nullptr);
  const Call seen = rotated->begin()(call, 2, heads).call;
  EXPECT_EQ(seen.contents[0].data, call.contents[0].data);
  for (int row = 0; row < rows; ++row)
    for (int token = 0; token < tokens; ++token)
      EXPECT_EQ(seen.positions.whole[static_cast<std::size_t>(row * tokens + token)],
                100 + (row * 7 + 2) % 4 * tokens + token);
  EXPECT_EQ(named + 2, effects.size());
}

// First positions 30, 10, 20: rows 1, 2 and 0 rise, and what then stands at 0 is row 2.
TEST(TokenEffects, put_sorted_rows_back_by_what_sorts_them) {
  Call call;
  call.batch = 3;
  call.positions.whole = {30, 1, 10, 2, 20, 3};
  call.contents = {Tensor({3, 2, 2, 1})};
  for (std::size_t n = 0; n < 12; ++n) call.contents[0].data[n] = static_cast<double>(n);
  const std::vector<Effect> effects = effects_on_tokens();
  const Effect* one =
      effect(effects,
             "rows of the batch are sorted by their first position, and their answers put back "
             "by the permutation that sorts them instead of its inverse");
  ASSERT_NE(one, nullptr);
  const Call seen = one->begin()(call, 0, 2).call;
  EXPECT_EQ(seen.positions.whole, (std::vector<Position>{20, 3, 30, 1, 10, 2}));
  EXPECT_EQ(seen.contents[0].data, (std::vector<double>{8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7}));
  call.batch = 0, call.positions.whole.clear(), call.contents = {Tensor({0, 2, 2, 1})};
  EXPECT_TRUE(one->begin()(call, 0, 2).call.positions.whole.empty());
}

// Calls are asked in the way that their positions give them.
TEST(TokenEffects, read_memory_as_if_it_were_contiguous) {
  const Encoding rope =
      encoding_named("rope").make(with(encoding_named("rope"), Case::parse("dim=2 heads=3")));
  const std::vector<Effect> all = effects_of_strides(rope);
  const auto first_channels = [&](std::size_t n, const Call& call) {
    const Tensor x = all.at(n).begin()(call, 0, 1).call.contents.front();
    std::vector<double> out;
    for (std::size_t r = 0; r < x.rows(); ++r) out.push_back(std::isnan(x.at(r, 0)) ? -1 : x.at(r, 0));
    return out;
  };
  const std::vector<double> as_it_is = {0, 1, 2, 3, 4, 5}, transposed = {0, 2, 4, 1, 3, 5},
                            slice = {0, -1, -1, 1, -1, -1};
  std::set<std::string_view> seen;
  for (Position t = 0; t < 40; ++t) {
    Call call{.batch = 1, .positions = {.whole = {t, t + 1}}, .contents = {Tensor({1, 3, 2, 2})}};
    for (std::size_t r = 0; r < 6; ++r) call.contents[0].at(r, 0) = static_cast<double>(r);
    const std::string_view lie = arrays_of(call, {1, 3, 2, 2});
    seen.insert(lie);
    const bool is_transposed = lie == "transposed", is_slice = lie == "slice";
    EXPECT_EQ(first_channels(0, call), is_transposed ? transposed : is_slice ? slice : as_it_is);
    EXPECT_EQ(first_channels(1, call), is_transposed ? transposed : as_it_is);
    EXPECT_EQ(first_channels(2, call), is_slice ? slice : as_it_is);
  }
  EXPECT_EQ(seen.size(), 3);
}

}  // namespace
}  // namespace posproof::token_effects_test
