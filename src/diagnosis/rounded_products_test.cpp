// What is said of rotations whose products are rounded before they are added.
#include "diagnosis/rounded_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/formats.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::rounded_products_test {
namespace {

using testing::said;
using testing::Sentences;
using Rounding = double (*)(double);

double same(double x) {
  return x;
}
double bf16(double x) {
  return to_bf16(static_cast<float>(x));
}
double f16(double x) {
  return to_f16(static_cast<float>(x));
}

// A rotation in f32 but for its four products, and their two sums.
Sentences of(Rounding product, Rounding sum, const std::string& words = "dim=6 heads=2") {
  const auto make = [=](const Parameters& parameters) {
    const Encoding right = encoding_named("rope").make(parameters);
    return answered_by(right, [=](const Call& call) {
      const auto& rotary = as<Rotary>(right);
      Tensor out = call.contents.front();
      const std::size_t n = call.positions.size() / call.batch;
      for (std::size_t r = 0; r < out.rows(); ++r) {
        const auto t = static_cast<double>(call.positions.whole[r / (rotary.heads * n) * n + r % n]);
        for (const Pair& pair : rotary.pairs) {
          const double c = to_f32(std::cos(t * pair.frequency)), s = to_f32(std::sin(t * pair.frequency));
          const double a = out.at(r, pair.first), b = out.at(r, pair.second);
          out.at(r, pair.first) = sum(product(a * c) - product(b * s));
          out.at(r, pair.second) = sum(product(a * s) + product(b * c));
        }
      }
      return out;
    });
  };
  return said("rope", words, make, all_f32);
}

TEST(RoundedProducts, are_named) {
  EXPECT_EQ(of(&bf16, &same), Sentences{"each product with a cosine or a sine is rounded to bf16"});
  EXPECT_EQ(of(&f16, &same), Sentences{"each product with a cosine or a sine is rounded to f16"});
  EXPECT_EQ(of(&bf16, &bf16),
            Sentences{"each product with a cosine or a sine is rounded to bf16, and so is their sum"});
  EXPECT_EQ(of(&same, &bf16), Sentences{"answers are rounded to bf16"});
  EXPECT_EQ(of(&same, &same), Sentences{});
  // Half of the channels are in no pair, and stay as they came.
  EXPECT_EQ(of(&bf16, &same, "dim=8 rotary_dim=4"),
            Sentences{"each product with a cosine or a sine is rounded to bf16"});
}

// 7/4 and 5/4 of a channel each, at position 1 of the fastest pair: cos 1 = 0.5403 and sin 1 = 0.8415.
TEST(RoundedProducts, are_what_they_say) {
  const Encoding declared = encoding_named("rope").oracle(Case::parse("dim=4 rotary_dim=2"));
  Call call = sequence(declared, {1});
  call.contents.front().data = {1.75, 1.25, 0.3, 70000};
  const auto all = rounded_products(declared, all_f32);
  const auto made = [&](const std::string& words) {
    for (const Deviation& one : all)
      if (one.sentences == Sentences{words}) return answer(one.corrected, call).data;
    ADD_FAILURE() << words;
    return std::vector<double>{};
  };
  const std::string words = "each product with a cosine or a sine is rounded to bf16";
  const std::vector<double> products = {bf16(1.75 * std::cos(1.0)), bf16(1.25 * std::sin(1.0)),
                                        bf16(1.75 * std::sin(1.0)), bf16(1.25 * std::cos(1.0))};
  const std::vector<double> sums = {products[0] - products[1], products[2] + products[3]};
  EXPECT_EQ(made(words), (std::vector<double>{sums[0], sums[1], 0.3, 70000}));
  EXPECT_EQ(made(words + ", and so is their sum"),
            (std::vector<double>{bf16(sums[0]), bf16(sums[1]), 0.3, 70000}));
  EXPECT_NE(bf16(sums[1]), sums[1]);
  EXPECT_EQ(all.size(), 8u);  // rounded to f16, f16 held within its range, bf16, cut to bf16
  EXPECT_TRUE(rounded_products(encoding_named("sinusoidal").oracle(Case::parse("dim=4")), all_f32).empty());
}

}  // namespace
}  // namespace posproof::rounded_products_test
