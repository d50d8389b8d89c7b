// What is said of a rotation whose cosines and sines are approximated.
#include "diagnosis/approximate_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/function.h"
#include "diagnosis/testing/deviations.h"

namespace posproof::approximate_forms_test {
namespace {

using testing::said;
using testing::Sentences;

constexpr double pi = std::numbers::pi;
using OfAngle = Function<double(double)>;

double to_one_turn(double a) {
  return a - 2 * pi * std::round(a / (2 * pi));
}

Sentences said_of(const OfAngle& cosine, const OfAngle& sine) {
  return said("rope", "dim=8", [=](const Parameters& parameters) -> Encoding {
    auto out = as<Rotary>(encoding_named("rope").make(parameters));
    out.rotate = [=, pairs = out.pairs](const Tensor& x, const Positions& positions, Role) {
      Tensor y = x;
      const std::size_t heads = x.shape[1], n = x.shape[2];
      for (std::size_t r = 0; r < x.rows(); ++r)
        for (const Pair& pair : pairs) {
          const double angle = positions.at(r / (heads * n) * n + r % n) * pair.frequency;
          const double c = cosine(angle), s = sine(angle), a = x.at(r, pair.first), b = x.at(r, pair.second);
          y.at(r, pair.first) = static_cast<float>(a * c - b * s);
          y.at(r, pair.second) = static_cast<float>(a * s + b * c);
        }
      return y;
    };
    return out;
  });
}

Sentences said_of_sine(const OfAngle& sine) {
  return said_of([=](double a) { return sine(to_one_turn(a + pi / 2)); },
                 [=](double a) { return sine(to_one_turn(a)); });
}

// A parabola through 0, the quarter and the half turn; with its square the weights 0.775 and 0.225.
double parabola(double a) {
  return 4 * a * (pi - std::abs(a)) / (pi * pi);
}
double refined(double a) {
  const double y = parabola(a);
  return 0.775 * y + 0.225 * y * std::abs(y);
}
double bhaskara(double a) {
  const double b = std::abs(a) * (pi - std::abs(a));
  return (a < 0 ? -16 : 16) * b / (5 * pi * pi - 4 * b);
}

TEST(ApproximateForms, are_those_of_kernels) {
  EXPECT_EQ(said_of_sine(&parabola),
            Sentences{"the sine is approximated by a parabola, 4/pi a - 4/pi^2 a |a|"});
  EXPECT_EQ(said_of_sine(&refined),
            Sentences{"the sine is approximated by two parabolas, y + 0.225 (y |y| - y)"});
  EXPECT_EQ(said_of_sine(&bhaskara),
            Sentences{"the sine is approximated by 16 a (pi - a) / (5 pi^2 - 4 a (pi - a))"});
  EXPECT_EQ(said_of(
                [](double angle) {
                  const double a = to_one_turn(angle);
                  return 1 - a * a / 2 + std::pow(a, 4) / 24 - std::pow(a, 6) / 720;
                },
                [](double angle) {
                  const double a = to_one_turn(angle);
                  return a - std::pow(a, 3) / 6 + std::pow(a, 5) / 120 - std::pow(a, 7) / 5040;
                }),
            Sentences{"cosine and sine are series up to the powers 6 and 7 of an angle from -pi to pi"});
  const auto in_steps = [](double step, double (*whole)(double)) {
    const auto at = [=](double angle) { return whole(to_one_turn(angle) / step) * step; };
    return said_of([=](double a) { return std::cos(at(a)); }, [=](double a) { return std::sin(at(a)); });
  };
  EXPECT_EQ(in_steps(2 * pi / 1024, &std::round), Sentences{"angles are rounded to whole 1024ths of a turn"});
  EXPECT_EQ(in_steps(2 * pi / 4096, &std::floor),
            Sentences{"angles are rounded down to whole 4096ths of a turn"});
  const auto between = [](double (*function)(double)) {
    return [function](double angle) {
      const double step = 2 * pi / 512, below = std::floor(to_one_turn(angle) / step) * step,
                   share = (to_one_turn(angle) - below) / step;
      return function(below) + share * (function(below + step) - function(below));
    };
  };
  EXPECT_EQ(said_of(between(&std::cos), between(&std::sin)),
            Sentences{"cosine and sine are interpolated between whole 512ths of a turn"});
}

Sentences said_of_angle(const OfAngle& other) {
  return said_of([=](double a) { return std::cos(other(a)); }, [=](double a) { return std::sin(other(a)); });
}

TEST(ApproximateForms, are_of_angles_in_steps) {
  EXPECT_EQ(said_of_angle([](double a) { return std::floor(1024 * a) / 1024; }),
            Sentences{"angles are rounded down to multiples of 1/1024"});
  EXPECT_EQ(said_of_angle([](double a) { return std::round(100 * a) / 100; }),
            Sentences{"angles are rounded to multiples of 1/100"});
}

TEST(ApproximateForms, are_of_few_digits_of_pi) {
  EXPECT_EQ(said_of_angle([](double a) { return std::fmod(a, 2 * 3.1416); }),
            Sentences{"angles are reduced modulo 2 x 3.1416, not 2 pi"});
  EXPECT_EQ(said_of_angle([](double a) { return std::fmod(a, 6.28318); }),
            Sentences{"angles are reduced modulo 2 x 3.14159, not 2 pi"});
  // A frequency that is too high by as much, and a number that no pi has.
  EXPECT_EQ(said_of_angle([](double a) { return a * (2 * pi / 6.28318); }),
            Sentences{"every pair rotates too fast by a relative 8.4e-07"});
  for (const std::string& one : said_of_angle([](double a) { return std::fmod(a, 6.2829); }))
    EXPECT_EQ(one.find("reduced"), one.npos) << one;
}

TEST(ApproximateForms, are_of_angles_that_end) {
  EXPECT_EQ(said_of_angle([](double a) { return std::fmod(a, 1000); }),
            Sentences{"angles are taken modulo 1000, which is no whole number of turns"});
  EXPECT_EQ(said_of_angle([](double a) { return std::clamp(a, -700.0, 700.0); }),
            Sentences{"angles past 700 count as 700"});
}

// Weights that are no kernel's, and steps that do not divide a turn.
TEST(ApproximateForms, are_none_of_others) {
  EXPECT_EQ(said_of_sine([](double a) {
              const double y = parabola(a);
              return 0.78 * y + 0.22 * y * std::abs(y);
            }),
            Sentences{});
  EXPECT_EQ(said_of([](double a) { return std::cos(std::round(a * 137) / 137); },
                    [](double a) { return std::sin(std::round(a * 137) / 137); }),
            Sentences{});
}

// The fastest pair of a rope makes a radian a step.
TEST(ApproximateForms, are_of_angles_that_end_from_a_radian_on) {
  const auto rope = as<Rotary>(encoding_named("rope").make(Case::parse("dim=4")));
  EXPECT_EQ(limited_angles(rope, 0).size(), 0u);
  EXPECT_EQ(limited_angles(rope, 1).size(), 2u);
}

}  // namespace
}  // namespace posproof::approximate_forms_test
