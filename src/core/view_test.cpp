#include "core/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>

#include "core/formats.h"

namespace posproof {
namespace {

using Format = std::function<double(double)>;

// Two pairs, one radian a position and a hundredth, each operation rounded to its own format.
Rotary rotary(const Format& angle, const Format& work, const Format& result) {
  Rotary out{.dim = 4, .pairs = {{0, 1, 1.0, 0}, {2, 3, static_cast<double>(0.01F), 1}}};
  out.rotate = [angle, work, result, pairs = out.pairs](const Tensor& x, const Positions& positions, Role) {
    Tensor y = x;
    for (const Pair& pair : pairs) {
      const double at = angle(static_cast<double>(positions[0]) * pair.frequency);
      const double c = work(std::cos(at)), s = work(std::sin(at));
      const double a = x.at(0, pair.first), b = x.at(0, pair.second);
      y.at(0, pair.first) = result(work(work(a * c) - work(b * s)));
      y.at(0, pair.second) = result(work(work(a * s) + work(b * c)));
    }
    return y;
  };
  return out;
}

// The largest share of what is allowed of the logits of the frequencies that were used.
double share(const Rotary& subject, const Precision& p) {
  const Score score = *posproof::score(subject);
  double most = 0;
  std::uint64_t state = 1;
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return std::ldexp(static_cast<double>(state >> 11), -53);
  };
  for (int n = 0; n < 20000; ++n) {
    std::array<double, 4> q, k;
    for (double& value : q) value = to_bf16(2 * next() - 1);
    for (double& value : k) value = to_bf16(2 * next() - 1);
    const double far = std::ldexp(1.0, static_cast<int>(21 * next()));
    const auto i = static_cast<Position>(far * next()), j = static_cast<Position>(far * next());
    long double exact = 0;
    for (const Pair& pair : subject.pairs) {
      const long double angle = static_cast<long double>(i - j) * pair.frequency;
      const std::size_t a = pair.first, b = pair.second;
      exact += (q[a] * k[a] + q[b] * k[b]) * std::cos(angle) + (q[a] * k[b] - q[b] * k[a]) * std::sin(angle);
    }
    const Score::Measured measured = score.measured(q, k, i, j, p);
    EXPECT_EQ(measured.value, score.at(q, k, i, j));
    most = std::max(most, std::abs(measured.value - static_cast<double>(exact)) / measured.rounding);
  }
  return most;
}

TEST(Score, of_a_rotation_is_within_its_rounding_and_near_it) {
  for (const auto& [subject, words] : {std::pair(rotary(&to_f32, &to_f32, &to_f32), "f32"),
                                       {rotary(&to_f32, &to_f32, &to_bf16), "bf16"},
                                       {rotary(&to_f32, &to_bf16, &to_bf16), "bf16+table=bf16"},
                                       {rotary(&to_f32, &to_f32, &to_f16), "f16"}}) {
    const double most = share(subject, Precision::parse(words));
    EXPECT_LE(most, 1) << words;
    EXPECT_GE(most, 0.3) << words;
  }
}

TEST(Score, of_a_logit_without_a_frequency_is_as_far_from_its_own_as_from_the_exact_one) {
  Contextual contextual{.dim = 1, .causal = true};
  contextual.logits = [](const Tensor&, const Tensor&, const Positions&, const Positions&) {
    return Tensor({1, 1, 1}, {3});
  };
  contextual.error = [](std::span<const double>, std::span<const double>, Position, Position,
                        const Precision&) { return 0.25; };
  const Score score = *posproof::score(contextual);
  EXPECT_TRUE(score.causal);
  const std::array<double, 1> one = {1};
  EXPECT_EQ(score.measured(one, one, 1, 0, all_f32).value, 3);
  EXPECT_EQ(score.measured(one, one, 1, 0, all_f32).rounding, 0.25);
}

}  // namespace
}  // namespace posproof
