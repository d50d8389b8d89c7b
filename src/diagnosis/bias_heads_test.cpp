// What is measured of the slopes of heads, without an answer that confirms it.
#include "diagnosis/bias_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/precision.h"
#include "run/catalogued.h"

namespace posproof::bias_heads_test {
namespace {

using Sentences = std::vector<std::string>;

Sentences said(const std::string& words, const std::vector<double>& slopes) {
  const Parameters parameters = with(encoding_named("alibi"), Case::parse(words));
  const Bias truth = as<Bias>(encoding_named("alibi").make(parameters));
  Bias own = truth;
  own.bias = [slopes](const Positions& queries, const Positions& keys) {
    Tensor out({slopes.size(), queries.size(), keys.size()});
    for (std::size_t r = 0; r < out.rows(); ++r)
      for (std::size_t c = 0; c < keys.size(); ++c)
        out.at(r, c) = -slopes[r / queries.size()] *
                       static_cast<double>(std::max<Position>(queries[r % queries.size()] - keys[c], 0));
    return out;
  };
  const auto found = measured_heads({own, truth, parameters, all_f32, truth.positions});
  return found ? found->sentences : Sentences{};
}

// 2^(-8 k/of) for each k.
std::vector<double> slopes(const std::vector<double>& k, double of) {
  std::vector<double> out;
  for (const double one : k) out.push_back(std::exp2(-8 * one / of));
  return out;
}

// The rule for 12 heads is that of 8, and 4 of every second one of 16.
TEST(BiasHeads, are_groups_of_six) {
  EXPECT_EQ(said("heads=12", slopes({1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}, 8)),
            Sentences{"each 6 neighbouring heads have one slope: head h that of head floor(h/6)"});
  EXPECT_EQ(said("heads=12", slopes({1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}, 2)),
            Sentences{"each 6 neighbouring heads have one slope: those of 2 heads"});
}

// The rule for 3 heads is that of 2, and the first of 4: it is not how the rule for 4 begins.
TEST(BiasHeads, are_groups_of_the_rule_for_three) {
  EXPECT_EQ(said("heads=6", slopes({2, 2, 4, 4, 1, 1}, 4)),
            Sentences{"each 2 neighbouring heads have one slope: those of 3 heads"});
}

// One head has 2^-8: all that have it are no groups.
TEST(BiasHeads, are_no_group_where_all_have_one_slope) {
  for (const std::string& one : said("heads=8", std::vector<double>(8, std::exp2(-8.0))))
    EXPECT_EQ(one.find("neighbouring"), one.npos) << one;
  for (const std::string& one : said("heads=8", std::vector<double>(8, 0.5)))
    EXPECT_EQ(one.find("neighbouring"), one.npos) << one;
}

// Of 4 heads no slope is past the largest power of 2.
TEST(BiasHeads, are_none_past_a_power_of_2_that_they_are) {
  for (const std::string& one : said("heads=4", slopes({1, 2, 2, 4}, 4)))
    EXPECT_EQ(one.find("past head"), one.npos) << one;
}

// The paper's code alone takes every second slope past a power of 2.
TEST(BiasHeads, are_past_a_power_of_2_by_the_official_rule) {
  for (const std::string& one : said("heads=6 rule=geometric", slopes({8, 16, 24, 32, 6, 12}, 48)))
    EXPECT_EQ(one.find("past head"), one.npos) << one;
}

// The rule of 4 heads refuses 6 that have a bias.
TEST(BiasHeads, are_those_of_fewer_heads_where_these_can_be) {
  std::vector<double> all = slopes({1, 2, 3, 4}, 4);
  for (const double m : slopes({1, 3}, 8)) all.push_back(m);
  all.push_back(all[0]), all.push_back(all[1]);
  EXPECT_NO_THROW(said("heads=8 biased_heads=6", all));
}

}  // namespace
}  // namespace posproof::bias_heads_test
