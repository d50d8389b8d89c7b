// What is rounded from a position on.
#include "diagnosis/from_a_position.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/wrong_encodings.h"

namespace posproof::from_a_position_test {
namespace {

using namespace testing;

// Cosines and sines as a table of f32 keeps them, in fewer digits where that says so.
Make kept(const Function<double(double x, Position t)>& as) {
  return [=](const Parameters& parameters) {
    auto out = posproof::as<Rotary>(encoding_named("rope").make(parameters));
    out.rotate = [=, pairs = out.pairs](const Tensor& x, const Positions& positions, Role) {
      const std::size_t heads = x.shape[1], n = x.shape[2];
      Tensor y = x;
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : pairs) {
          const Position t = positions[r / (heads * n) * n + r % n];
          const double angle = static_cast<double>(t) * pair.frequency;
          const double c = as(to_f32(std::cos(angle)), t), s = as(to_f32(std::sin(angle)), t);
          const double a = x.at(r, pair.first), b = x.at(r, pair.second);
          y.at(r, pair.first) = static_cast<float>(a * c - b * s);
          y.at(r, pair.second) = static_cast<float>(a * s + b * c);
        }
      return y;
    };
    return Encoding(out);
  };
}

TEST(FromAPosition, what_is_rounded_is_named) {
  const std::string dim = "dim=32 heads=2";
  expect_said(
      "rope",
      {{dim,
        kept([](double x, Position t) { return t < 4096 ? x : to_f16(x); }),
        {"at positions from 4096 on: cosine and sine are rounded to f16"}},
       {dim,
        kept([](double x, Position t) { return t < 777 ? x : to_bf16(x); }),
        {"at positions from 777 on: cosine and sine are rounded to bf16"}},
       // Of another number of digits; and up to another position again as declared.
       {dim, kept([](double x, Position t) { return t < 4096 ? x : std::nearbyint(x * 5000) / 5000; }), {}},
       {dim, kept([](double x, Position t) { return t < 4096 || t > 60000 ? x : to_f16(x); }), {}}});
  const auto rows = [](const Function<double(double, Position)>& as) {
    return spoiled("sinusoidal", [=](const Call& call, Tensor& out) {
      for (std::size_t r = 0; r < out.rows(); ++r)
        for (double& x : out.row(r)) x = as(to_f32(x), call.positions.whole[r]);
    });
  };
  expect_said("sinusoidal", {{"dim=32",
                              rows([](double x, Position t) { return t < 1000 ? x : to_f16(x); }),
                              {"at positions from 1000 on: answers are rounded to f16"}}});
}

TEST(FromAPosition, tokens_are_the_others) {
  const Encoding one =
                     encoding_named("rope").make(with(encoding_named("rope"), Case::parse("dim=4 heads=2"))),
                 other = encoding_named("rope").make(
                     with(encoding_named("rope"), Case::parse("dim=4 heads=2 base=500")));
  const Encoding both = from_a_position(one, other, 5);
  Call call = sequence(one, {4, 5, 7, 1});
  call.contents.front().data.assign(call.contents.front().data.size(), 1.0);
  const Tensor is = answer(both, call), below = answer(one, call), above = answer(other, call);
  for (std::size_t r = 0; r < is.rows(); ++r)
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_EQ(is.at(r, c), (r % 4 == 0 || r % 4 == 3 ? below : above).at(r, c)) << r << ' ' << c;
  EXPECT_TRUE(differs_at(4, model_of(one, all_f32), other));
  EXPECT_FALSE(differs_at(0, model_of(one, all_f32), other));
}

}  // namespace
}  // namespace posproof::from_a_position_test
