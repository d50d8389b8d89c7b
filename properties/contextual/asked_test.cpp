#include <gtest/gtest.h>

#include <cmath>

#include "catalogue/properties/contextual/adds_content_and_position.h"
#include "catalogue/properties/contextual/saturates.h"
#include "search/testing/asked.h"

namespace posproof::contextual_asked_test {
namespace {

using watched::ask;
using watched::Asked;
namespace asked = properties::contextual;

// The product, and what the positions add: from 8 on the distance no longer matters. The bound tells contents
// and positions of the calls apart.
Contextual of_two_heads(bool causal = false) {
  Contextual out{.dim = 2, .heads = 2, .positions = {1, 12}, .causal = causal};
  out.logits = [](const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys) {
    Tensor logits({2, queries.size(), keys.size()});
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j) {
          const double apart = std::min(8.0, std::abs(queries.at(i) - keys.at(j)));
          logits.at(h * queries.size() + i, j) =
              q.at(i, 0) * k.at(j, 0) + q.at(i, 1) * k.at(j, 1) - static_cast<double>(h + 1) * apart;
        }
    return logits;
  };
  out.error = [](std::span<const double> q, std::span<const double> k, std::span<const double> query,
                 std::span<const double> key, const Precision&) {
    return 0x1p-4 * std::abs(q[0]) + 0x1p-6 * std::abs(k[1]) + 0x1p-12 * query[0] + 0x1p-20 * key[0];
  };
  return out;
}

// Of the check, in double: some ten sums of numbers of less than 64.
constexpr double own_roundings = 10 * 64 * unit_f64;

// An entry of one answer is off.
Asked off(const Property& property, std::string_view words, std::size_t call, std::size_t entry, double by) {
  return ask(property, of_two_heads(), all_f64, words, [=](std::size_t n, Tensor& answer) {
    if (n == call) answer.data[entry] += by;
  });
}

TEST(AddsContentAndPosition, asks_two_pairs_with_and_without_their_contents) {
  const std::string_view words = "i=3 j=5 a=9 b=2 q=[1,2] k=[4,8]";
  const Asked found = ask(asked::adds_content_and_position, of_two_heads(), all_f64, words);
  EXPECT_EQ(found.drawn, "i 1..12, j 1..12, a 1..12, b 1..12, q [2], k [2]");
  EXPECT_EQ(
      ask(asked::adds_content_and_position, of_two_heads(true), all_f64, "i=3 j=2 a=9 b=2 q=[1,2] k=[4,8]")
          .drawn,
      "i 1..12, j 1..3, a 1..12, b 1..9, q [2], k [2]");
  ASSERT_EQ(found.calls.size(), 4u);
  const double bound = 2 * (0x1p-4 + 0x1p-6 * 8) + 2 * (0x1p-12 * (3 + 9) + 0x1p-20 * (5 + 2));
  EXPECT_NEAR(found.residual.bound, bound, own_roundings);
  EXPECT_EQ(found.residual.error, 0);
  EXPECT_EQ(found.residual.ceiling, no_ceiling);
  for (std::size_t call = 0; call < 4; ++call)
    for (const std::size_t head : {0, 1})
      for (const double share : {0.99, 1.01}) {
        const Residual wrong =
            off(asked::adds_content_and_position, words, call, head, share * bound).residual;
        EXPECT_EQ(wrong.holds(), share < 1) << "head " << head << " of answer " << call;
        EXPECT_NEAR(wrong.error, share * bound, own_roundings);
      }
}

TEST(AddsContentAndPosition, says_nothing_of_one_pair_and_of_no_contents) {
  const auto ceiling = [](std::string_view words) {
    return ask(asked::adds_content_and_position, of_two_heads(), all_f64, words).residual.ceiling;
  };
  EXPECT_EQ(ceiling("i=3 j=5 a=3 b=5 q=[1,2] k=[4,8]"), 0);
  EXPECT_EQ(ceiling("i=3 j=5 a=9 b=2 q=[0,0] k=[0,0]"), 0);
  for (const std::string_view words : {"i=3 j=5 a=3 b=2 q=[1,2] k=[4,8]", "i=3 j=5 a=9 b=5 q=[1,2] k=[4,8]",
                                       "i=3 j=5 a=9 b=2 q=[0,0] k=[4,8]", "i=3 j=5 a=9 b=2 q=[1,2] k=[0,0]"})
    EXPECT_EQ(ceiling(words), no_ceiling) << words;
}

TEST(ContextualSaturates, asks_the_two_largest_distances_of_either_side) {
  for (const auto& [side, query, far, next] :
       {std::tuple{"past", 12, 1, 2}, std::tuple{"future", 1, 12, 11}}) {
    const std::string words = fmt::format("side={} q=[1,2] k=[4,8]", side);
    const Asked found = ask(asked::saturates, of_two_heads(), all_f64, words);
    EXPECT_EQ(found.drawn, "side past/future, q [2], k [2]");
    ASSERT_EQ(found.calls.size(), 1u);
    EXPECT_EQ(found.calls[0].positions.whole, std::vector<Position>{query});
    EXPECT_EQ(found.calls[0].keys.whole, (std::vector<Position>{far, next}));
    const double bound = 2 * (0x1p-4 + 0x1p-6 * 8 + 0x1p-12 * query) + 0x1p-20 * (far + next);
    EXPECT_NEAR(found.residual.bound, bound, own_roundings);
    EXPECT_EQ(found.residual.error, 0);
    for (std::size_t entry = 0; entry < 4; ++entry)
      for (const double share : {0.99, 1.01})
        EXPECT_EQ(off(asked::saturates, words, 0, entry, share * bound).residual.holds(), share < 1) << entry;
  }
  EXPECT_EQ(ask(asked::saturates, of_two_heads(true), all_f64, "side=past q=[1,2] k=[4,8]").drawn,
            "side past, q [2], k [2]");
  Contextual short_one = of_two_heads();
  short_one.positions.hi = 2;
  EXPECT_THROW(ask(asked::saturates, short_one, all_f64, "side=past q=[1,2] k=[4,8]"), Inapplicable);
}

}  // namespace
}  // namespace posproof::contextual_asked_test
