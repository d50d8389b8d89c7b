// What is measured of a rotation whose frequencies depend on how far its call goes.
#include "diagnosis/rotation_in_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/formats.h"
#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::rotation_in_calls_test {
namespace {

using testing::said;
using testing::Sentences;
// The frequency of pair i of so many, in long calls and in short ones.
using Frequency = Function<double(double declared, std::size_t i, std::size_t pairs, bool is_long)>;

const std::string longrope =
    "dim=16 base=100 scaling=longrope factor=4 original_length=64 "
    "short_factors=[1,1.5,1.75,2,2.25,2.5,2.75,3.5] factors=[2,3.25,4.25,5.25,6.25,7.25,8.25,9.75]";
const std::string dynamic = "dim=16 base=100 scaling=dynamic_ntk factor=4 original_length=64";

Rotary at(Rotary own, const Frequency& other, bool is_long) {
  for (std::size_t i = 0; i < own.pairs.size(); ++i)
    own.pairs[i].frequency = other(own.pairs[i].frequency, i, own.pairs.size(), is_long);
  own.rotate = [pairs = own.pairs, a = own.amplitude](const Tensor& x, const Positions& positions, Role) {
    Tensor y = x;
    const std::size_t n = x.shape[2], heads = x.shape[1];
    for (std::size_t r = 0; r < x.rows(); ++r)
      for (const Pair& pair : pairs) {
        const double angle = static_cast<double>(positions[r / (heads * n) * n + r % n]) * pair.frequency;
        const double c = a * std::cos(angle), s = a * std::sin(angle);
        y.at(r, pair.first) = c * x.at(r, pair.first) - s * x.at(r, pair.second);
        y.at(r, pair.second) = s * x.at(r, pair.first) + c * x.at(r, pair.second);
      }
    return y;
  };
  return own;
}

Sentences said_at(const std::string& words, const Frequency& other) {
  return said("rope", words, [other](const Parameters& parameters) -> Encoding {
    auto out = as<Rotary>(encoding_named("rope").make(parameters));
    const auto trained = static_cast<Position>(parameters.real("original_length"));
    out.in_call = [=, right = out.in_call](Position last) {
      return std::make_shared<const Rotary>(at(*right(last), other, last >= trained));
    };
    out.rotate = [in_call = out.in_call](const Tensor& x, const Positions& positions, Role role) {
      return in_call(positions.empty() ? 0 : std::ranges::max(positions))->rotate(x, positions, role);
    };
    return out;
  });
}

constexpr double longer[] = {2, 3.25, 4.25, 5.25, 6.25, 7.25, 8.25, 9.75};
constexpr double shorter[] = {1, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3.5};

// Of divisors that are read otherwise in long calls, in short ones, or in both.
Sentences divided(const Function<double(const double* all, std::size_t i)>& other, bool in_long,
                  bool in_short) {
  return said_at(longrope, [=](double declared, std::size_t i, std::size_t, bool is_long) {
    const double* all = is_long ? longer : shorter;
    return (is_long ? in_long : in_short) ? declared * all[i] / other(all, i) : declared;
  });
}

TEST(RotationInCalls, is_named_by_its_divisors) {
  const std::string in_long = "in calls that reach position 64: ",
                    in_short = "in calls that end before position 64: ";
  const auto of = [](double to, std::size_t pair) {
    return [=](const double* all, std::size_t i) { return i == pair ? to : all[i]; };
  };
  EXPECT_EQ(divided(of(6, 3), true, false), Sentences{in_long + "the divisor of pair 3 is 6, not 5.25"});
  EXPECT_EQ(divided(of(3, 7), false, true), Sentences{in_short + "the divisor of pair 7 is 3, not 3.5"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return 1 / all[i]; }, false, true),
            Sentences{in_short + "frequencies are multiplied by their divisors"});
  EXPECT_EQ(divided([](const double*, std::size_t) { return 1; }, true, false),
            Sentences{in_long + "frequencies are not divided"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return std::min(all[i], 7.0); }, true, true),
            Sentences{in_long + "divisors past 7 count as 7"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return std::floor(all[i]); }, true, false),
            Sentences{in_long + "divisors are rounded down to whole numbers"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return std::nearbyint(all[i]); }, true, false),
            Sentences{in_long + "divisors are rounded to whole numbers"});
  EXPECT_EQ(divided([](const double* all, std::size_t i) { return all[7 - i]; }, true, false),
            Sentences{in_long + "divisors stand in reverse order: pair i has that of the last pair but i"});
}

TEST(RotationInCalls, is_named_by_the_pair_whose_divisor_it_has) {
  const std::string in_short = "in calls that end before position 64: ";
  const auto moved = [](std::size_t (*other)(std::size_t)) {
    return divided([other](const double* all, std::size_t i) { return all[other(i)]; }, false, true);
  };
  EXPECT_EQ(
      moved([](std::size_t i) { return (i + 7) % 8; }),
      Sentences{in_short + "every pair has the divisor of the pair before, the first that of the last"});
  EXPECT_EQ(moved([](std::size_t i) { return (i + 1) % 8; }),
            Sentences{in_short + "every pair has the divisor of the pair after, the last that of the first"});
  EXPECT_EQ(moved([](std::size_t i) { return i == 0 ? 0 : i - 1; }),
            Sentences{in_short + "every pair but the first has the divisor of the pair before"});
  EXPECT_EQ(moved([](std::size_t i) { return std::min<std::size_t>(i + 1, 7); }),
            Sentences{in_short + "every pair but the last has the divisor of the pair after"});
}

// The ladder that is divided: declared it is 100^(-2i/16).
TEST(RotationInCalls, is_named_by_its_ladder) {
  const auto of_ladder = [](const std::string& words, double by, bool in_long) {
    return said_at(words, [=](double declared, std::size_t i, std::size_t, bool is_long) {
      return is_long && !in_long ? declared
                                 : declared * std::pow(100.0, static_cast<double>(i) / 8) *
                                       std::pow(100.0, -(static_cast<double>(i) + by) / 8);
    });
  };
  EXPECT_EQ(of_ladder(longrope, 1, true),
            Sentences{"frequencies are base^(-(2i + 2)/16), not base^(-2i/16)"});
  EXPECT_EQ(of_ladder(dynamic, 1, false),
            Sentences{"in calls that end before position 64: frequencies are base^(-(2i + 2)/16), not "
                      "base^(-2i/16)"});
  EXPECT_EQ(of_ladder(longrope, 0, true), Sentences{});
}

TEST(RotationInCalls, is_asked_with_one_token_more) {
  std::vector<Position> asked;
  Rotary own{.dim = 2, .heads = 2};
  own.rotate = [&asked](const Tensor& x, const Positions& positions, Role) {
    asked.assign(positions.begin(), positions.end());
    Tensor y = x;
    for (double& entry : y.data) entry *= 2;
    return y;
  };
  Tensor x({2, 2, 2, 2});
  for (std::size_t n = 0; n < x.data.size(); ++n) x.data[n] = static_cast<double>(n + 1);
  const std::vector<Position> at = {3, 5, 7, 1};
  const Rotary longer_ones = in_calls_to(own, 9);
  const Tensor y = longer_ones.rotate(x, at, Role::query);
  EXPECT_EQ(asked, (std::vector<Position>{3, 5, 9, 7, 1, 9}));
  ASSERT_EQ(y.shape, x.shape);
  for (std::size_t n = 0; n < x.data.size(); ++n) EXPECT_EQ(y.data[n], 2 * x.data[n]) << n;
  EXPECT_EQ(longer_ones.positions.hi, 9);
}

}  // namespace
}  // namespace posproof::rotation_in_calls_test
