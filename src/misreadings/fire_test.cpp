#include "catalogue/misreadings/fire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "encodings/fire_numbers.h"
#include "encodings/perceptron.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_fire_test {
namespace {

using testing::EntryFormula, testing::Real;

struct Numbers {
  Real c, epsilon, threshold, past, i, j;
  Real row, count;  // of the call: the query's row, and how many keys there are
  Real psi(Real x) const { return std::log1p(c * x); }
};

// Of what goes into the perceptron.
EntryFormula given(Real (*input)(const Numbers&)) {
  return [input](const Arguments& p, std::size_t head, Position i, Position j) {
    const auto fire = fire_of(p);
    const std::vector<Position> at = {0, 1, 2, 5, 7, 8, 9, 16, 23, 150};  // as testing::expect_biases asks
    const Numbers of{p.real("c"),
                     p.real("epsilon"),
                     p.real("threshold"),
                     Real(std::max<Position>(i - j, 0)),
                     Real(i),
                     Real(j),
                     Real(std::ranges::find(at, i) - at.begin()),
                     Real(at.size())};
    const std::array x = {input(of)};
    return perceptron(fire.layers, head, x);
  };
}

Real positive_part(Real x) {
  return x > 0 ? x : 0;
}

// Of the layers, where the right number goes in.
EntryFormula layered(Real first, Real last, Real (*activation)(Real)) {
  return [=](const Arguments& p, std::size_t head, Position i, Position j) {
    const auto layers = fire_of(p).layers;
    const Real c = p.real("c");
    const Real x = std::log1p(c * Real(std::max<Position>(i - j, 0))) /
                   (std::log1p(c * std::max<Real>(Real(i), p.real("threshold"))) + p.real("epsilon"));
    Real out = last * layers.last_bias(head);
    for (std::size_t k = 0; k < p.width("width"); ++k) {
      const Real hidden = layers.weight(k, 0) * x + first * layers.bias(k);
      out += layers.last_weight(head, k) * activation(hidden);
    }
    return out;
  };
}

TEST(MisreadFire, is_what_the_sentence_says) {
  testing::expect_biases(
      "fire", misreadings::fire,
      {{"the logarithm is left out: psi(x) is c x", given([](const Numbers& of) {
          return of.c * of.past / (of.c * std::max(of.i, of.threshold) + of.epsilon);
        })},
       {"the 1 is left out of the divisor's logarithm: ln(c x), not ln(c x + 1)",
        given([](const Numbers& of) {
          return of.psi(of.past) / (std::log(of.c) + std::log(std::max(of.i, of.threshold)) + of.epsilon);
        })},
       {"the logarithm is of the distance alone, not of what it is divided by", given([](const Numbers& of) {
          return of.psi(of.past) / (std::max(of.i, of.threshold) + of.epsilon);
        })},
       {"the logarithm is of what the distance is divided by, not of the distance",
        given(
            [](const Numbers& of) { return of.past / (of.psi(std::max(of.i, of.threshold)) + of.epsilon); })},
       {"psi is taken of the quotient of the distance, not of both its numbers", given([](const Numbers& of) {
          return of.psi(of.past / (std::max(of.i, of.threshold) + of.epsilon));
        })},
       {"c multiplies the 1 as well: psi(x) is ln(c (x + 1))", given([](const Numbers& of) {
          return std::log(of.c * of.past + of.c) /
                 (std::log(of.c * std::max(of.i, of.threshold) + of.c) + of.epsilon);
        })},
       {"1e-6 stands for the 1 in the logarithm: psi(x) is ln(c x + 1e-6)", given([](const Numbers& of) {
          return std::log(1e-6L + of.c * of.past) /
                 (std::log(1e-6L + of.c * std::max(of.i, of.threshold)) + of.epsilon);
        })},
       {"1e-5 stands for the 1 in the logarithm: psi(x) is ln(c x + 1e-5)", given([](const Numbers& of) {
          return std::log(1e-5L + of.c * of.past) /
                 (std::log(1e-5L + of.c * std::max(of.i, of.threshold)) + of.epsilon);
        })},
       {"1e-8 stands for the 1 in the logarithm: psi(x) is ln(c x + 1e-8)", given([](const Numbers& of) {
          return std::log(1e-8L + of.c * of.past) /
                 (std::log(1e-8L + of.c * std::max(of.i, of.threshold)) + of.epsilon);
        })},
       {"c is left out: psi(x) is ln(x + 1)", given([](const Numbers& of) {
          return std::log(of.past + 1) / (std::log(std::max(of.i, of.threshold) + 1) + of.epsilon);
        })},
       {"psi of the distance is divided by nothing",
        given([](const Numbers& of) { return of.psi(of.past); })},
       {"psi of the distance is divided by that of the threshold, whatever the query's position",
        given([](const Numbers& of) { return of.psi(of.past) / (of.psi(of.threshold) + of.epsilon); })},
       {"the threshold is left out: psi of the distance is divided by that of the query's position",
        given([](const Numbers& of) { return of.psi(of.past) / (of.psi(of.i) + of.epsilon); })},
       {"the threshold is 1: psi of the distance is divided by that of the query's position",
        given(
            [](const Numbers& of) { return of.psi(of.past) / (of.psi(of.i < 1 ? 1 : of.i) + of.epsilon); })},
       {"the smaller of the query's position and the threshold is taken, not the larger",
        given([](const Numbers& of) {
          return of.psi(of.past) / (of.psi(of.i < of.threshold ? of.i : of.threshold) + of.epsilon);
        })},
       {"the sum of the query's position and the threshold is taken, not the larger of them",
        given(
            [](const Numbers& of) { return of.psi(of.past) / (of.psi(of.i + of.threshold) + of.epsilon); })},
       {"the larger of the key's position and the threshold is taken, not of the query's",
        given([](const Numbers& of) {
          return of.psi(of.past) / (of.psi(of.j > of.threshold ? of.j : of.threshold) + of.epsilon);
        })},
       {"the larger of the distance and the threshold is taken, not of the query's position",
        given([](const Numbers& of) {
          return of.psi(of.past) / (of.psi(of.past > of.threshold ? of.past : of.threshold) + of.epsilon);
        })},
       {"the query's position counts from 1 beside the threshold", given([](const Numbers& of) {
          const Real length = of.i + 1;
          return of.psi(of.past) / (of.psi(length > of.threshold ? length : of.threshold) + of.epsilon);
        })},
       // The last of those that are asked for.
       {"the largest position of a call's queries is taken for each of them in the divisor",
        given([](const Numbers& of) { return of.psi(of.past) / (of.psi(150) + of.epsilon); })},
       // The first of them is at 0.
       {"the position of a call's first query is taken for each of them in the divisor",
        given([](const Numbers& of) { return of.psi(of.past) / (of.psi(of.threshold) + of.epsilon); })},
       {"the number of the query's row in the call is taken, not its position", given([](const Numbers& of) {
          return of.psi(of.past) / (of.psi(of.row > of.threshold ? of.row : of.threshold) + of.epsilon);
        })},
       {"the number of keys of the call is taken, not the query's position", given([](const Numbers& of) {
          return of.psi(of.past) / (of.psi(of.count > of.threshold ? of.count : of.threshold) + of.epsilon);
        })},
       {"the perceptron's hidden layer has no biases", layered(0, 1, &positive_part)},
       {"the perceptron has no biases", layered(0, 0, &positive_part)},
       {"the perceptron's hidden layer has no max(., 0)", layered(1, 1, [](Real x) { return x; })},
       {"the perceptron's last layer has no biases", layered(1, 0, &positive_part)},
       {"the perceptron's hidden layer has max(x, 0.01 x)",
        layered(1, 1, [](Real x) { return x > 0 ? x : x / 100; })},
       {"the perceptron's hidden layer has min(max(x, 0), 1)",
        layered(1, 1, [](Real x) -> Real { return x < 0   ? 0
                                                  : x > 1 ? 1
                                                          : x; })},
       {"the perceptron's hidden layer has GELU",
        layered(1, 1, [](Real x) { return x * (1 + std::erf(x / std::sqrt(Real{2}))) / 2; })},
       {"the perceptron's hidden layer has GELU by its approximation with tanh",
        layered(1, 1,
                [](Real x) {
                  const Real to = x + 0.044715L * x * x * x;
                  return x / (1 + std::exp(-2 * std::sqrt(2 / std::numbers::pi_v<Real>) * to));
                })},
       {"the perceptron's hidden layer has SiLU",
        layered(1, 1, [](Real x) { return x * (1 + std::tanh(x / 2)) / 2; })},
       {"the square root stands for the logarithm: psi(x) is sqrt(x)", given([](const Numbers& of) {
          return std::sqrt(of.past) / (std::sqrt(of.i > of.threshold ? of.i : of.threshold) + of.epsilon);
        })}});
}

// A position that counts from 1 is as far as the next: it is allowed what the declared one is.
TEST(MisreadFire, is_allowed_no_more_where_a_position_counts_from_1) {
  const auto& all = misreadings::fire.misreadings;
  const auto one =
      std::ranges::find(all, "the query's position counts from 1 beside the threshold", &Misreading::what);
  ASSERT_NE(one, all.end());
  const Parameters words = with(encoding_named("fire"), Case::parse(std::string(one->setting)));
  const Bias made = as<Bias>(one->make(words)), right = as<Bias>(encoding_named("fire").make(words));
  const std::vector<double> query = {30}, key = {7};
  EXPECT_EQ(made.error(1, query, key, 0.5, all_f32), right.error(1, query, key, 0.5, all_f32));
}

// That of a query at 30 is made with the number of the one at 20 before it.
TEST(MisreadFire, takes_the_first_query) {
  const auto& all = misreadings::fire.misreadings;
  const auto one =
      std::ranges::find(all, "the position of a call's first query is taken for each of them in the divisor",
                        &Misreading::what);
  ASSERT_NE(one, all.end());
  const Parameters words = with(encoding_named("fire"), Case::parse(std::string(one->setting)));
  const std::vector<Position> first = {20}, both = {20, 30}, near = {10}, far = {20};
  const Tensor made = as<Bias>(one->make(words)).bias(both, far),
               right = as<Bias>(encoding_named("fire").make(words)).bias(first, near);
  for (std::size_t h = 0; h < 2; ++h) EXPECT_EQ(made.at(2 * h + 1, 0), right.at(h, 0)) << h;
}

}  // namespace
}  // namespace posproof::misreadings_fire_test
