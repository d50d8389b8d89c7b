#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "catalogue/encodings/alibi.h"
#include "encodings/made.h"

namespace posproof {
namespace {

std::vector<double> log2_slopes(std::string_view parameters) {
  std::vector<double> out;
  for (const double m : made<Bias>(encodings::alibi, parameters).slopes) out.push_back(std::log2(m));
  return out;
}

using Doubles = std::vector<double>;

TEST(Alibi, has_the_slopes_of_the_official_rule) {
  EXPECT_EQ(log2_slopes("heads=1"), (Doubles{-8}));
  EXPECT_EQ(log2_slopes("heads=2"), (Doubles{-4, -8}));
  EXPECT_EQ(log2_slopes("heads=3"), (Doubles{-4, -8, -2}));
  EXPECT_EQ(log2_slopes("heads=5"), (Doubles{-2, -4, -6, -8, -1}));
  EXPECT_EQ(log2_slopes("heads=8"), (Doubles{-1, -2, -3, -4, -5, -6, -7, -8}));
  EXPECT_EQ(made<Bias>(encodings::alibi, "heads=12").slopes,
            (Doubles{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, 0.7071067811865476,
                     0.3535533905932738, 0.1767766952966369, 0.08838834764831845}));
}

TEST(Alibi, has_one_ladder_under_the_geometric_rule) {
  const auto slopes = made<Bias>(encodings::alibi, "heads=3 rule=geometric").slopes;
  for (std::size_t h = 0; h < 3; ++h) EXPECT_DOUBLE_EQ(slopes[h], std::exp2(-8.0 * double(h + 1) / 3));
  EXPECT_EQ(log2_slopes("heads=8 rule=geometric"), log2_slopes("heads=8"));
  EXPECT_EQ(log2_slopes("heads=4 max_bias=4"), (Doubles{-1, -2, -3, -4}));
}

TEST(Alibi, falls_with_the_distance_in_every_form) {
  const std::array<Position, 2> queries = {1, 5};
  const std::array<Position, 3> keys = {0, 1, 4};
  const auto bias = [&](std::string_view parameters) {
    return made<Bias>(encodings::alibi, parameters).bias(queries, keys);
  };
  // Slopes 1/16 and 1/256.
  const Tensor causal = bias("heads=2");
  EXPECT_EQ(causal.shape, (Shape{2, 2, 3}));
  EXPECT_EQ(causal.data, (Doubles{-1. / 16, 0, 0, -5. / 16, -4. / 16, -1. / 16,  //
                                  -1. / 256, 0, 0, -5. / 256, -4. / 256, -1. / 256}));
  EXPECT_FALSE(std::signbit(causal.data[1]));
  EXPECT_EQ(bias("heads=1 form=symmetric").data,
            (Doubles{-1. / 256, 0, -3. / 256, -5. / 256, -4. / 256, -1. / 256}));
  EXPECT_EQ(bias("heads=1 rows=key_index").data, (Doubles{0, 1. / 256, 4. / 256, 0, 1. / 256, 4. / 256}));
}

TEST(Alibi, declares_whether_it_is_causal) {
  EXPECT_TRUE(made<Bias>(encodings::alibi, "heads=2").causal);
  EXPECT_TRUE(made<Bias>(encodings::alibi, "heads=2 rows=key_index").causal);
  EXPECT_FALSE(made<Bias>(encodings::alibi, "heads=2 form=symmetric").causal);
}

TEST(Alibi, refuses_what_makes_no_sense) {
  const auto& spec = encodings::alibi;
  EXPECT_EQ(refused(spec, "heads=0"), "`heads=0`: allowed are whole numbers from 1 to 16384");
  EXPECT_EQ(refused(spec, "rule=linear"), "`rule=linear`: allowed are official, geometric");
  EXPECT_EQ(refused(spec, "form=full"), "`form=full`: allowed are causal, symmetric");
  EXPECT_EQ(refused(spec, "rows=absolute"), "`rows=absolute`: allowed are relative, key_index, any");
  EXPECT_EQ(refused(spec, "max_bias=0"), "`max_bias=0`: allowed are finite numbers above 0");
  EXPECT_EQ(
      refused(spec, "form=symmetric rows=key_index"),
      "`rows=key_index form=symmetric`: allowed are `rows=relative` or `rows=any` where the bias is symmetric: no "
      "function of the key alone is");
}

}  // namespace
}  // namespace posproof
