// What is measured of a bias that is another function of the distance, and of one that lies by heads.
#include "run/bias_deviations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "run/testing/deviations.h"

namespace posproof::bias_deviations_test {
namespace {

using testing::said;
using testing::Sentences;

using Entry = std::function<double(double slope, double offset)>;
using Slopes = std::function<std::vector<double>(std::vector<double>)>;

Sentences of(const std::string& words, const Entry& entry, const Slopes& other = {}) {
  return said("alibi", words, [=](const Parameters& parameters) {
    Bias own = std::get<Bias>(encoding_named("alibi").make(parameters));
    own.bias = [=, slopes = other ? other(own.slopes) : own.slopes](const Positions& queries,
                                                                    const Positions& keys) {
      Tensor out({slopes.size(), queries.size(), keys.size()});
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (std::size_t c = 0; c < keys.size(); ++c)
          out.at(r, c) =
              entry(slopes[r / queries.size()], static_cast<double>(queries[r % queries.size()] - keys[c]));
      return out;
    };
    return Encoding(own);
  });
}

TEST(BiasDeviations, are_what_stands_for_the_distance) {
  const auto of_distance = [](const std::function<double(double)>& f) {
    return of("heads=3", [f](double m, double d) { return d > 0 ? -m * f(d) : 0; });
  };
  EXPECT_EQ(of_distance([](double d) { return d; }), Sentences{});
  EXPECT_EQ(of_distance([](double d) { return std::sqrt(d); }),
            (Sentences{"the square root of the distance stands for the distance"}));
  EXPECT_EQ(of_distance([](double d) { return std::log1p(d); }),
            (Sentences{"ln(1 + distance) stands for the distance"}));
  EXPECT_EQ(of_distance([](double d) { return std::log2(1 + d); }),
            (Sentences{"log2(1 + distance) stands for the distance"}));
  EXPECT_EQ(of_distance([](double d) { return std::pow(d, 0.75); }),
            (Sentences{"the distance to the power 0.75 stands for the distance"}));
  EXPECT_EQ(of_distance([](double d) { return std::sqrt(d + 1); }), Sentences{});
}

TEST(BiasDeviations, are_another_multiple_for_keys_after_the_query) {
  const auto later = [](double factor) {
    return of("heads=3 form=symmetric",
              [factor](double m, double d) { return -m * std::abs(d) * (d < 0 ? factor : 1); });
  };
  EXPECT_EQ(later(1), Sentences{});
  EXPECT_EQ(later(-1), (Sentences{"the bias of keys after the query has the wrong sign"}));
  EXPECT_EQ(later(0), (Sentences{"later keys have no bias"}));
  EXPECT_EQ(later(0.5), (Sentences{"the bias of keys after the query is 1/2 of the declared one"}));
}

TEST(BiasDeviations, are_the_declared_slopes_in_another_order) {
  const auto in_order = [](auto compare) {
    return of(
        "heads=12", [](double m, double d) { return d > 0 ? -m * d : 0; },
        [compare](std::vector<double> slopes) {
          std::ranges::sort(slopes, compare);
          return slopes;
        });
  };
  EXPECT_EQ(in_order(std::greater<>()), (Sentences{"heads have the declared slopes in falling order"}));
  EXPECT_EQ(in_order(std::less<>()), (Sentences{"heads have the declared slopes in rising order"}));
}

TEST(BiasDeviations, are_one_factor_before_they_are_other_heads) {
  EXPECT_EQ(said("sandwich", "heads=2 dim=4",
                 [](const Parameters& parameters) {
                   Bias own = std::get<Bias>(encoding_named("sandwich").make(parameters));
                   own.bias = [bias = own.bias](const Positions& queries, const Positions& keys) {
                     Tensor out = bias(queries, keys);
                     for (double& entry : out.data) entry /= 2;
                     return out;
                   };
                   return Encoding(own);
                 }),
            (Sentences{"every entry is 0.5 times the declared one"}));
}

}  // namespace
}  // namespace posproof::bias_deviations_test
