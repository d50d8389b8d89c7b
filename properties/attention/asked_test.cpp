#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "attention/mask.h"
#include "attention/order.h"
#include "catalogue/properties/attention/breaks_the_symmetry.h"
#include "catalogue/properties/attention/has_the_symmetry_of_its_mask.h"
#include "catalogue/properties/attention/is_causal.h"
#include "catalogue/properties/attention/keeps_constant_sequences_constant.h"
#include "catalogue/properties/attention/key_order_invariant.h"
#include "catalogue/properties/attention/permutation_equivariant.h"
#include "catalogue/properties/attention/pooled_readout_invariant.h"
#include "catalogue/properties/attention/query_order_equivariant.h"
#include "catalogue/properties/attention/weighs_keys_alike_from_every_later_query.h"
#include "core/function.h"
#include "negative_examples.h"
#include "search/testing/asked.h"
#include "testing/each_entry.h"
#include "tokens.h"

namespace posproof::attention_asked_test {
namespace {

using watched::ask;
using watched::Asked;
namespace asked = properties::attention;

// Each query has the mean of the values that it sees. Its bound tells the contents of two calls apart.
Attention means(bool causal) {
  Attention attention{.dim = 2, .value_dim = 3, .causal = causal};
  attention.attend = [](const Tensor& q, const Tensor&, const Tensor& v, const Mask& mask) {
    Tensor out({q.rows(), v.width()});
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < q.rows(); ++i) {
      mask::seen(mask, i, seen);
      for (const std::size_t j : seen)
        for (std::size_t c = 0; c < v.width(); ++c)
          out.at(i, c) += v.at(j, c) / static_cast<double>(seen.size());
    }
    return out;
  };
  attention.errors = testing::each_entry(
      [](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, const Precision&) {
        return 0x1p-4 * std::abs(q.data.back()) + 0x1p-6 * std::abs(k.data[0]) +
               0x1p-8 * std::abs(v.data[1]) + 0x1p-10 * mask.data[1];
      });
  return attention;
}

std::string words_of(const Call& call) {
  const auto list = [](const Tensor& x) { return fmt::format("{}", fmt::join(x.data, ",")); };
  return fmt::format("{} | {} | {} under {}", list(call.contents[0]), list(call.contents[1]),
                     list(call.contents[2]), list(call.mask));
}

std::string words_of(const Residual& residual) {
  return fmt::format("{} of {}, at most {}", std::round(residual.error * 0x1p30) * 0x1p-30, residual.bound,
                     residual.ceiling);
}

// What a check draws in a case, what it asks of the means then, and what comes out.
struct Known {
  const Property& property;
  bool causal;
  std::string_view words, drawn;
  std::vector<std::string> calls;
  std::string_view residual;
};

const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      {asked::permutation_equivariant,
       false,
       "n=3 permutation=[2,0,1] mask=none x=[1,-3,2,-6,4,-12]",
       "n 2..6, permutation order of 3, mask none/causal/padding/block/window, x [6]",
       {"4,-12,1,-3,2,-6 | -12,4,-3,1,-6,2 | 4,-12,4,1,-3,1,2,-6,2 under 1,1,1,1,1,1,1,1,1",
        "1,-3,2,-6,4,-12 | -3,1,-6,2,-12,4 | 1,-3,1,2,-6,2,4,-12,4 under 1,1,1,1,1,1,1,1,1"},
       "0 of 1.419921875, at most inf"},
      {asked::permutation_equivariant,
       false,
       "n=3 permutation=[0,1,2] mask=window reach=2 x=[1,-3,2,-6,4,-12]",
       "n 2..6, permutation order of 3, mask none/causal/padding/block/window, reach 1..3, x [6]",
       {"1,-3,2,-6,4,-12 | -3,1,-6,2,-12,4 | 1,-3,1,2,-6,2,4,-12,4 under 1,1,0,1,1,1,0,1,1",
        "1,-3,2,-6,4,-12 | -3,1,-6,2,-12,4 | 1,-3,1,2,-6,2,4,-12,4 under 1,1,0,1,1,1,0,1,1"},
       "0 of 1.619140625, at most 0"},
      {asked::permutation_equivariant,
       true,
       "n=4 permutation=[0,2,1,3] mask=block block=2 x=[1,-3,2,-6,4,-12,8,-24]",
       "n 2..6, permutation order of 4, mask none/causal/padding/block/window/last_sees_all, block 1..4, x [8]",
       {"1,-3,4,-12,2,-6,8,-24 | -3,1,-12,4,-6,2,-24,8 | 1,-3,1,4,-12,4,2,-6,2,8,-24,8 under 1,0,0,0,0,1,0,0,1,0,1,0,0,1,0,1",
        "1,-3,2,-6,4,-12,8,-24 | -3,1,-6,2,-12,4,-24,8 | 1,-3,1,2,-6,2,4,-12,4,8,-24,8 under 1,0,0,0,1,1,0,0,0,0,1,0,0,0,1,1"},
       "0 of 3.1171875, at most inf"},
      {asked::has_the_symmetry_of_its_mask,
       false,
       "n=2 mask=none permutation=[1,0] x=[1,-3,2,-6]",
       "n 2..3, mask none/causal/padding/block/window, permutation order of 2, x [4]",
       {"2,-6,1,-3 | -6,2,-3,1 | 2,-6,2,1,-3,1 under 1,1,1,1",
        "1,-3,2,-6 | -3,1,-6,2 | 1,-3,1,2,-6,2 under 1,1,1,1"},
       "0 of 0.740234375, at most inf"},
      {asked::has_the_symmetry_of_its_mask,
       false,
       "n=2 mask=none permutation=[0,1] x=[1,-3,2,-6]",
       "n 2..3, mask none/causal/padding/block/window, permutation order of 2, x [4]",
       {"1,-3,2,-6 | -3,1,-6,2 | 1,-3,1,2,-6,2 under 1,1,1,1",
        "1,-3,2,-6 | -3,1,-6,2 | 1,-3,1,2,-6,2 under 1,1,1,1"},
       "0 of 0.869140625, at most 0"},
      {asked::has_the_symmetry_of_its_mask,
       false,
       "n=2 mask=padding kept=1 permutation=[1,0] x=[1,-3,2,-6]",
       "n 2..3, mask none/causal/padding/block/window, kept 1..2, permutation order of 2, x [4]",
       {"0,0,0,0 | 0,0,0,0 | 0,1,0,1,0,0 under 1,0,1,0", "0,0,0,0 | 0,0,0,0 | 1,0,0,0,1,0 under 1,0,1,0"},
       "0 of 0.003906250000000111, at most 0.5"},
      {asked::has_the_symmetry_of_its_mask,
       true,
       "n=2 mask=none permutation=[1,0] x=[1,-3,2,-6]",
       "n 2..3, mask none/causal/padding/block/window/last_sees_all, permutation order of 2, x [4]",
       {"0,0,0,0 | 0,0,0,0 | 0,1,0,1,0,0 under 1,0,1,1", "0,0,0,0 | 0,0,0,0 | 1,0,0,0,1,0 under 1,0,1,1"},
       "0 of 0.003906250000000111, at most 0.5"},
      {asked::is_causal,
       false,
       "n=3 first=1 x=[1,-3,2,-6,4,-12] later=[8,-24,16,-48]",
       "n 2..8, first 1..2, x [6], later [4]",
       {"1,-3,2,-6,4,-12 | -3,1,-6,2,-12,4 | 1,-3,1,2,-6,2,4,-12,4 under 1,0,0,1,1,0,1,1,1",
        "1,-3,8,-24,16,-48 | -3,1,-24,8,-48,16 | 1,-3,1,8,-24,8,16,-48,16 under 1,0,0,1,1,0,1,1,1"},
       "0 of 3.8671875, at most inf"},
      {asked::is_causal,
       false,
       "n=3 first=2 x=[1,-3,2,-6,4,-12] later=[4,-12]",
       "n 2..8, first 1..2, x [6], later [2]",
       {"1,-3,2,-6,4,-12 | -3,1,-6,2,-12,4 | 1,-3,1,2,-6,2,4,-12,4 under 1,0,0,1,1,0,1,1,1",
        "1,-3,2,-6,4,-12 | -3,1,-6,2,-12,4 | 1,-3,1,2,-6,2,4,-12,4 under 1,0,0,1,1,0,1,1,1"},
       "0 of 1.6171875, at most 0"},
      {asked::keeps_constant_sequences_constant,
       false,
       "n=3 mask=causal x=[4,-12]",
       "n 2..8, mask none/causal/padding/block/window, x [2]",
       {"4,-12,4,-12,4,-12 | -12,4,-12,4,-12,4 | 4,-12,4,4,-12,4,4,-12,4 under 1,0,0,1,1,0,1,1,1"},
       "0 of 1.96875, at most inf"},
      {asked::keeps_constant_sequences_constant,
       true,
       "n=2 mask=none x=[4,-12]",
       "n 2..8, mask none/causal/padding/block/window/last_sees_all, x [2]",
       {"4,-12,4,-12 | -12,4,-12,4 | 4,-12,4,4,-12,4 under 1,0,1,1"},
       "0 of 1.96875, at most inf"},
      {asked::key_order_invariant,
       false,
       "queries=1 keys=3 permutation=[1,2,0] q=[1,-3] k=[2,-6,4,-12,8,-24]",
       "queries 1..4, keys 2..5, permutation order of 3, q [2], k [6]",
       {"1,-3 | 4,-12,8,-24,2,-6 | -12,4,-12,-24,8,-24,-6,2,-6 under 1,1,1",
        "1,-3 | 2,-6,4,-12,8,-24 | -6,2,-6,-12,4,-12,-24,8,-24 under 1,1,1"},
       "0 of 0.494140625, at most inf"},
      {asked::key_order_invariant,
       true,
       "queries=1 keys=3 permutation=[1,2,0] q=[1,-3] k=[2,-6,4,-12,8,-24]",
       "queries 1..4, keys 2..5, permutation order of 3, q [2], k [6]",
       {"0,0,0,0,1,-3 | 4,-12,8,-24,2,-6 | -12,4,-12,-24,8,-24,-6,2,-6 under 1,0,0,1,1,0,1,1,1",
        "0,0,0,0,1,-3 | 2,-6,4,-12,8,-24 | -6,2,-6,-12,4,-12,-24,8,-24 under 1,0,0,1,1,0,1,1,1"},
       "0 of 0.4921875, at most inf"},
      {asked::key_order_invariant,
       false,
       "queries=2 keys=2 permutation=[0,1] q=[1,-3,2,-6] k=[2,-6,4,-12]",
       "queries 1..4, keys 2..5, permutation order of 2, q [4], k [4]",
       {"1,-3,2,-6 | 2,-6,4,-12 | -6,2,-6,-12,4,-12 under 1,1,1,1",
        "1,-3,2,-6 | 2,-6,4,-12 | -6,2,-6,-12,4,-12 under 1,1,1,1"},
       "0 of 0.830078125, at most 0"},
      {asked::pooled_readout_invariant,
       false,
       "n=2 permutation=[1,0] x=[1,-3,2,-6]",
       "n 2..6, permutation order of 2, x [4]",
       {"2,-6,1,-3 | -6,2,-3,1 | 2,-6,2,1,-3,1 under 1,1,1,1",
        "1,-3,2,-6 | -3,1,-6,2 | 1,-3,1,2,-6,2 under 1,1,1,1"},
       "0 of 0.740234375000002, at most inf"},
      {asked::pooled_readout_invariant,
       false,
       "n=2 permutation=[0,1] x=[1,-3,2,-6]",
       "n 2..6, permutation order of 2, x [4]",
       {"1,-3,2,-6 | -3,1,-6,2 | 1,-3,1,2,-6,2 under 1,1,1,1",
        "1,-3,2,-6 | -3,1,-6,2 | 1,-3,1,2,-6,2 under 1,1,1,1"},
       "0 of 0.869140625000002, at most 0"},
      {asked::pooled_readout_invariant,
       true,
       "n=2 permutation=[0,1] x=[1,-3,2,-6]",
       "n 2..6, permutation order of 2, x [4]",
       {"1,-3,2,-6 | -3,1,-6,2 | 1,-3,1,2,-6,2 under 1,0,1,1",
        "1,-3,2,-6 | -3,1,-6,2 | 1,-3,1,2,-6,2 under 1,0,1,1"},
       "0 of 0.867187500000002, at most 0"},
      {asked::query_order_equivariant,
       false,
       "queries=3 keys=1 permutation=[1,2,0] q=[1,-3,2,-6,4,-12] k=[8,-24]",
       "queries 2..5, keys 1..5, permutation order of 3, q [6], k [2]",
       {"2,-6,4,-12,1,-3 | 8,-24 | -24,8,-24 under 1,1,1", "1,-3,2,-6,4,-12 | 8,-24 | -24,8,-24 under 1,1,1"},
       "0 of 1.251953125, at most inf"},
      {asked::query_order_equivariant,
       true,
       "queries=2 keys=2 permutation=[1,0] q=[1,-3,2,-6] k=[8,-24,16,-48]",
       "queries 2..5, keys 1..5, permutation order of 2, q [4], k [4]",
       {"0,0,2,-6,1,-3 | 8,-24,16,-48 | -24,8,-24,-48,16,-48 under 1,0,1,1,1,1",
        "0,0,1,-3,2,-6 | 8,-24,16,-48 | -24,8,-24,-48,16,-48 under 1,0,1,1,1,1"},
       "0 of 0.875, at most inf"},
      {asked::query_order_equivariant,
       false,
       "queries=2 keys=1 permutation=[0,1] q=[1,-3,2,-6] k=[8,-24]",
       "queries 2..5, keys 1..5, permutation order of 2, q [4], k [2]",
       {"1,-3,2,-6 | 8,-24 | -24,8,-24 under 1,1", "1,-3,2,-6 | 8,-24 | -24,8,-24 under 1,1"},
       "0 of 1.064453125, at most 0"},
  };
  return all;
}

TEST(AttentionProperties, draw_ask_and_allow_what_the_statements_say) {
  for (const Known& one : known()) {
    const Asked asked = ask(one.property, means(one.causal), all_f32, one.words);
    EXPECT_EQ(asked.drawn, one.drawn) << one.words;
    std::vector<std::string> calls;
    for (const Call& call : asked.calls) calls.push_back(words_of(call));
    EXPECT_EQ(calls, one.calls) << one.words;
    EXPECT_EQ(words_of(asked.residual), one.residual) << one.words;
  }
}

// Where only keys at or before the query mean anything, an order that shows a key behind its query is another
// case.
TEST(PermutationEquivariant, asks_a_causal_operator_nothing_about_keys_behind_the_query) {
  const char* words = "n=2 permutation=[1,0] mask=causal x=[1,2,3,4]";
  EXPECT_THROW(ask(asked::permutation_equivariant, means(true), all_f32, words), Discard);
  EXPECT_NO_THROW(ask(asked::permutation_equivariant, means(false), all_f32, words));
}

// Every entry of every answer is looked at, and counts as far as the bound goes; of a mean, an nth of it.
TEST(AttentionProperties, see_every_entry_of_every_answer) {
  for (const Known& one : known()) {
    const Asked exact = ask(one.property, means(one.causal), all_f32, one.words);
    if (exact.residual.ceiling == 0.5) continue;  // asks for a difference
    for (std::size_t n = 0; n < exact.calls.size(); ++n) {
      const std::size_t queries = exact.calls[n].mask.rows(), keys = exact.calls[n].mask.width();
      for (std::size_t entry = 0; entry < 3 * queries; ++entry)
        for (const double share : {0.95, 1.05}) {
          const bool pooled = &one.property == &asked::pooled_readout_invariant;
          const double off = share * exact.residual.bound * (pooled ? static_cast<double>(queries) : 1);
          const Residual found =
              ask(one.property, means(one.causal), all_f32, one.words, [&](std::size_t call, Tensor& answer) {
                if (call == n) answer.data[entry] += entry % 2 == 0 ? off : -off;
              }).residual;
          const bool hidden =
              &one.property == &asked::is_causal
                  ? entry / 3 >= static_cast<std::size_t>(Case::parse(one.words).integer("first"))
                  // Queries that stand before the others so that these see all keys.
                  : one.words.starts_with("queries") && one.causal && entry / 3 + 1 < keys;
          EXPECT_EQ(found.holds(), hidden || share < 1)
              << one.words << ": entry " << entry << " of answer " << n << ": " << words_of(found);
        }
    }
  }
}

// Of two tokens under a mask that shows the second of them the first alone, the answers differ by all of it.
TEST(HasTheSymmetryOfItsMask, asks_for_an_nth_of_a_difference_where_the_mask_is_not_kept) {
  const auto answered = [](double first, Precision p = all_f64) {
    Attention same = means(false);
    // Of the unit values in their order the first, in the other the second.
    same.errors = testing::each_entry([](const Tensor&, const Tensor&, const Tensor& v, const auto&...) {
      return 0x1p-10 * v.data[0] + 0x1p-12 * v.data[3];
    });
    same.attend = [first](const Tensor& q, const Tensor&, const Tensor& v, const Mask&) {
      Tensor out({q.rows(), 3});
      out.data.back() = v.data[0] * first;
      return out;
    };
    return ask(asked::has_the_symmetry_of_its_mask, same, p,
               "n=3 mask=causal permutation=[1,0,2] x=[0,0,0,0,0,0]")
        .residual;
  };
  EXPECT_EQ(answered(0.25).error, 1 / 3.0 - 0.25);
  EXPECT_EQ(answered(-0.25).error, 1 / 3.0 - 0.25);
  EXPECT_EQ(answered(0.25).bound, 0x1p-10 + 0x1p-12 + unit_f64);
  EXPECT_EQ(answered(0.25).ceiling, 1 / 3.0);
  EXPECT_TRUE(answered(0.34).holds());
  EXPECT_TRUE(std::isnan(answered(std::nan("")).error));
}

// As many tokens as there are unit vectors for, up to 6.
TEST(HasTheSymmetryOfItsMask, draws_no_more_tokens_than_values_have_channels) {
  Attention wide = means(false);
  wide.value_dim = 8;
  EXPECT_TRUE(ask(asked::has_the_symmetry_of_its_mask, wide, all_f32,
                  "n=6 mask=none permutation=[1,0,2,3,4,5] x=[1*12]")
                  .drawn.starts_with("n 2..6, "));
}

// An operator without position and with hardly any error, one entry of whose answers is changed.
Asked broken(bool causal, std::size_t call, std::size_t entry, double off) {
  Attention exact = means(causal);
  exact = as_other_operators(std::move(exact), 0x1p-30);
  return ask(asked::breaks_the_symmetry, exact, all_f32, "n=3 permutation=[1,0,2]",
             [=](std::size_t n, Tensor& answer) { answer.data[entry] += n == call ? off : 0; });
}

constexpr double least = 0x1p-11;

TEST(BreaksTheSymmetry, asks_for_two_sets_of_tokens_in_both_orders) {
  const std::vector<std::size_t> order = {1, 0, 2}, causal_order = {1, 0, 2, 3};
  const std::vector<Call> calls = broken(false, 0, 0, 0).calls, causal = broken(true, 0, 0, 0).calls;
  ASSERT_EQ(calls.size(), 4u);
  for (const std::size_t set : {0u, 1u}) {
    const Tensor x = tokens::distinct(3, 2, 5 * set), longer = tokens::distinct(4, 2, 5 * set);
    EXPECT_EQ(calls[2 * set].contents[0], attention::reordered(x, order));
    EXPECT_EQ(calls[2 * set + 1].contents[0], x);
    EXPECT_EQ(calls[2 * set].mask, mask::none(3));
    EXPECT_EQ(causal[2 * set].contents[0], attention::reordered(longer, causal_order));
    EXPECT_EQ(causal[2 * set + 1].contents[0], longer);
    EXPECT_EQ(causal[2 * set + 1].mask, mask::causal(4));
  }
}

TEST(BreaksTheSymmetry, is_short_of_the_least_by_what_the_larger_break_is) {
  for (const std::size_t call : {0u, 1u, 2u, 3u})
    for (std::size_t entry = 0; entry < 9; ++entry) {
      EXPECT_NEAR(broken(false, call, entry, 0.75 * least).residual.error, 0.25 * least, 1e-15);
      EXPECT_NEAR(broken(false, call, entry, -0.75 * least).residual.error, 0.25 * least, 1e-15);
      EXPECT_EQ(broken(false, call, entry, 1.25 * least).residual.error, 0);
      EXPECT_TRUE(std::isnan(broken(false, call, entry, std::nan("")).residual.error));
    }
  const Asked none = broken(false, 0, 0, 0);
  EXPECT_EQ(none.drawn, "n 3..8, permutation order of 3");
  EXPECT_NEAR(none.residual.error, least, 1e-15);
  EXPECT_EQ(none.residual.ceiling, least);
  EXPECT_EQ(broken(false, 0, 0, 1.25 * least).calls.size(), 2u) << "the second set is not needed";
}

// The answers behind the last token that moves see the same tokens in both orders; others do not.
TEST(BreaksTheSymmetry, looks_behind_the_last_token_that_moves_where_the_mask_is_causal) {
  for (std::size_t entry = 0; entry < 12; ++entry)
    EXPECT_NEAR(broken(true, 2, entry, 0.75 * least).residual.error, entry < 6 ? least : 0.25 * least, 1e-15)
        << entry;
}

// error_of_both, of the first set: 1/16 of the last entry of a query, 1/64 of the first of a key, 1/256 of
// the second of a value, and 2^-10.
TEST(BreaksTheSymmetry, allows_the_errors_of_both_answers) {
  const double x = 0x1p-4 * 0.25 + 0x1p-6 * 0.75 + 0x1p-8 * 0.75 + 0x1p-10,
               moved = 0x1p-4 * 0.25 + 0x1p-6 * 0.5 + 0x1p-8 * 0.5 + 0x1p-10;
  EXPECT_DOUBLE_EQ(broken(false, 0, 0, 1.25 * least).residual.bound, 0x1p-30 * (x + moved));
}

// The values of the two keys are 3 apart at most: where logits alone know of positions, so are answers. The
// bound is that of both: twice 1/16 of 7, 1/64 of the first key and 1/256 of the second value.
TEST(WeighsKeysAlike, asks_two_queries_for_the_same_two_keys) {
  Attention attention = means(true);
  const auto asked = [&](const Function<void(std::size_t, Tensor&)>& change) {
    return ask(properties::attention::weighs_keys_alike_from_every_later_query, attention, all_f32,
               "n=4 i=2 near=1 far=0 k=[1,-3,2,-6,4,-12,8,-24] q=[5,7]", change);
  };
  const auto nothing = [](std::size_t, Tensor&) {};
  const Asked found = asked(nothing);
  EXPECT_EQ(found.drawn, "n 4..8, i 2..2, near 1..1, far 0..0, k [8], q [2]");
  ASSERT_EQ(found.calls.size(), 1u);
  EXPECT_EQ(words_of(found.calls[0]),
            "1,-3,2,-6,5,7,5,7 | 1,-3,2,-6,4,-12,8,-24 | -3,1,-3,-6,2,-6,-12,4,-12,-24,8,-24 under "
            "1,0,0,0,1,1,0,0,1,1,0,0,1,1,0,0");
  EXPECT_EQ(words_of(found.residual), "0 of 0.9140625, at most inf");
  attention.only_logits = true;
  EXPECT_EQ(words_of(asked(nothing).residual), "0 of 0.9140625, at most 3");
  for (std::size_t entry = 0; entry < 12; ++entry)
    EXPECT_EQ(asked([&](std::size_t, Tensor& y) { y.data[entry] += 0.25; }).residual.error,
              entry < 6 ? 0 : 0.25)
        << entry;
}

TEST(WeighsKeysAlike, asks_for_keys_that_are_apart) {
  const Asked found = ask(properties::attention::weighs_keys_alike_from_every_later_query, means(true),
                          all_f32, "n=5 i=3 near=2 far=0 k=[1,-3,2,-6,4,-12,8,-24,16,-48] q=[5,7]");
  EXPECT_EQ(found.drawn, "n 4..8, i 2..3, near 1..2, far 0..1, k [10], q [2]");
  EXPECT_EQ(found.calls.at(0).mask.data,
            (std::vector<double>{1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0}));
}

}  // namespace
}  // namespace posproof::attention_asked_test
