#include "catalogue/misreadings/log_cpb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/function.h"
#include "encodings/seeded.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_log_cpb_test {
namespace {

using testing::Real;

// The perceptron of one head.
struct Net {
  const Arguments& p;
  std::size_t head;

  Real extent(std::size_t axis) const {
    const std::vector<double>& trained = p.list("pretrained");
    return trained.empty() ? Real(p.whole(axis == 0 ? "height" : "width")) : Real(trained[axis]);
  }
  Real operator()(Real rows, Real columns, Real (*activation)(Real), Real biases = 1) const {
    const std::size_t hidden = p.width("hidden");
    const auto seed = static_cast<std::uint64_t>(p.whole("mlp_seed"));
    Real out = 0;
    if (p.is("last_biases", "trained"))
      out = seeded(seed, (3 + p.width("heads")) * hidden + head, p.real("std"));
    for (std::size_t k = 0; k < hidden; ++k)
      out += seeded(seed, (3 + head) * hidden + k, p.real("std")) *
             activation(seeded(seed, 2 * k, 1.0) * rows + seeded(seed, 2 * k + 1, 1.0) * columns +
                        biases * seeded(seed, 2 * hidden + k, 1.0));
    return out;
  }
};

Real relu(Real x) {
  return x > 0 ? x : 0;
}
Real sigmoid(Real z) {
  return (1 + std::tanh(z / 2)) / 2;
}
Real sign(Real x) {
  return x < 0 ? -1 : 1;
}
// log2(1 + 8 |t| / (e - 1)) / 3, in natural logarithms.
Real spaced(Real offset, Real extent) {
  return sign(offset) * std::log(1 + 8 * std::abs(offset) / (extent - 1)) / std::log(Real{8});
}

// Of the offsets from the key to the query.
using Formula = Function<Real(const Net&, Real rows, Real columns)>;

Formula of_coordinates(Real (*coordinate)(Real offset, Real extent)) {
  return [coordinate](const Net& net, Real rows, Real columns) {
    return 16 * sigmoid(net(coordinate(rows, net.extent(0)), coordinate(columns, net.extent(1)), &relu));
  };
}
Formula of_layers(Real (*activation)(Real), Real biases, Real (*limit)(Real)) {
  return [=](const Net& net, Real rows, Real columns) {
    return limit(net(spaced(rows, net.extent(0)), spaced(columns, net.extent(1)), activation, biases));
  };
}
Formula of_raw(Real (*coordinate)(Real offset)) {
  return [coordinate](const Net& net, Real rows, Real columns) {
    return net(coordinate(rows), coordinate(columns), &relu);
  };
}
Real right_limit(Real z) {
  return 16 * sigmoid(z);
}

const testing::Formulas<Formula> formulas = {
    {"offsets are divided by the extents of the window, not by one less",
     of_coordinates([](Real t, Real e) { return spaced(t, e + 1); })},
    {"the factor 8 is left out: log2(1 + |t| / (e - 1)) / 3",
     of_coordinates([](Real t, Real e) { return spaced(t / 8, e); })},
    {"offsets are not divided by the extents: log2(1 + 8 |t|) / 3",
     of_coordinates([](Real t, Real) { return spaced(t, 2); })},
    {"the logarithm is natural, not to base 2",
     of_coordinates([](Real t, Real e) { return spaced(t, e) * std::log(Real{2}); })},
    {"the logarithm is not divided by 3, the one of 8",
     of_coordinates([](Real t, Real e) { return spaced(t, e) * 3; })},
    {"the logarithm is divided by 4, the one of 16, not by 3", of_coordinates([](Real t, Real e) {
       return sign(t) * std::log(1 + 8 * std::abs(t) / (e - 1)) / std::log(Real{16});
     })},
    {"the logarithm is left out: 8 t / (e - 1)",
     of_coordinates([](Real t, Real e) { return 8 * t / (e - 1); })},
    {"the 1 in the logarithm is left out: log2(8 |t| / (e - 1)) / 3, and 0 where t is 0",
     of_coordinates([](Real t, Real e) {
       return t == 0 ? 0 : sign(t) * (1 + std::log(std::abs(t) / (e - 1)) / std::log(Real{8}));
     })},
    {"the offsets are those of the key to the query",
     of_coordinates([](Real t, Real e) { return spaced(-t, e); })},
    {"the coordinates of rows and columns are exchanged",
     [](const Net& net, Real rows, Real columns) {
       return right_limit(net(spaced(columns, net.extent(1)), spaced(rows, net.extent(0)), &relu));
     }},
    {"rows are divided by the extent of columns, and columns by that of rows",
     [](const Net& net, Real rows, Real columns) {
       return right_limit(net(spaced(rows, net.extent(1)), spaced(columns, net.extent(0)), &relu));
     }},
    {"columns are divided by the extent of rows",
     [](const Net& net, Real rows, Real columns) {
       return right_limit(net(spaced(rows, net.extent(0)), spaced(columns, net.extent(0)), &relu));
     }},
    {"rows are divided by the extent of columns",
     [](const Net& net, Real rows, Real columns) {
       return right_limit(net(spaced(rows, net.extent(1)), spaced(columns, net.extent(1)), &relu));
     }},
    {"the perceptron's output has max(., 0) before the sigmoid",
     of_layers(&relu, 1, [](Real z) { return 16 * sigmoid(relu(z)); })},
    {"the factor 16 of the sigmoid is left out", of_layers(&relu, 1, &sigmoid)},
    {"the sigmoid is left out: 16 z", of_layers(&relu, 1, [](Real z) { return 16 * z; })},
    {"8 tanh(z) stands for 16 / (1 + e^-z)",
     of_layers(&relu, 1, [](Real z) { return 16 * sigmoid(2 * z) - 8; })},
    {"the perceptron's hidden layer has no biases", of_layers(&relu, 0, &right_limit)},
    {"the perceptron's hidden layer has no max(., 0)", of_layers([](Real x) { return x; }, 1, &right_limit)},
    {"the perceptron's hidden layer has GELU",
     of_layers([](Real x) { return x * (1 + std::erf(x / std::sqrt(Real{2}))) / 2; }, 1, &right_limit)},
    {"the logarithm of raw offsets is to base 2, not natural",
     of_raw([](Real t) { return sign(t) * std::log(1 + std::abs(t)) / std::log(Real{2}); })},
    {"the logarithm of raw offsets is to base 10, not natural",
     of_raw([](Real t) { return sign(t) * std::log(1 + std::abs(t)) / std::log(Real{10}); })},
    {"the 1 in the logarithm of raw offsets is left out: ln |t|, and 0 where t is 0",
     of_raw([](Real t) { return t == 0 ? 0 : sign(t) * std::log2(std::abs(t)) * std::log(Real{2}); })},
    {"the logarithm of raw offsets is left out: t itself", of_raw([](Real t) { return t; })},
    {"raw offsets have no sign: ln(1 + |t|)", of_raw([](Real t) { return std::log(1 + (t < 0 ? -t : t)); })},
    {"raw offsets are those of the key to the query",
     of_raw([](Real t) { return -sign(t) * std::log(1 + std::abs(t)); })},
};

TEST(MisreadLogCpb, is_what_the_sentence_says) {
  testing::expect_formulas<Bias>(
      "log_cpb", misreadings::log_cpb, formulas, {"", "pretrained=[4,9]"},
      [](const Bias& made, const Arguments& p, const Formula& formula, const std::string& where) {
        const std::vector<double> places = {0, 0, 4, 6, 1, 5, 3, 2};
        const Positions at(std::span<const double>(places), 2);
        const Tensor all = made.bias(at, at);
        for (std::size_t h = 0; h < made.heads; ++h)
          for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j)
              testing::expect_same(
                  all.at(h * 4 + i, j),
                  formula({p, h}, places[2 * i] - places[2 * j], places[2 * i + 1] - places[2 * j + 1]),
                  where);
      });
}

TEST(MisreadLogCpb, has_the_same_extents_in_a_square_window) {
  const auto& all = misreadings::log_cpb.misreadings;
  const EncodingSpec& spec = encoding_named("log_cpb");
  for (const std::string sentence :
       {"rows are divided by the extent of columns, and columns by that of rows",
        "columns are divided by the extent of rows", "rows are divided by the extent of columns"}) {
    const auto one = std::ranges::find(all, sentence, &Misreading::what);
    ASSERT_NE(one, all.end()) << sentence;
    EXPECT_THROW(one->make(with(spec, Case::parse("height=5 width=5"))), Refusal) << sentence;
    EXPECT_THROW(one->make(with(spec, Case::parse("height=5 width=7 pretrained=[4,4]"))), Refusal)
        << sentence;
  }
}

}  // namespace
}  // namespace posproof::misreadings_log_cpb_test
