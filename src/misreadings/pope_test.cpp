#include "catalogue/misreadings/pope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_pope_test {
namespace {

using testing::LogitFormula, testing::Real;

Real right(Real x) {
  return std::log(1 + std::exp(x));
}

// The phases of queries and keys: what multiplies them, and what is taken from them first.
struct Phases {
  Real of_queries = 0, of_keys = 1, less = 2;
};

using Magnitude = Real (*)(Real x);
// What the frequency of a channel is a power of base of: -exponent / dim.
using Exponent = Real (*)(std::size_t c, std::size_t dim);

LogitFormula polar(Magnitude of_query, Magnitude of_key, Exponent exponent, Phases phases) {
  return [=](const Arguments& p, std::span<const double> q, std::span<const double> k, Position i, Position j,
             std::size_t) {
    const std::size_t dim = p.width("dim");
    const Tensor trained = inside::trained(1, dim, p.is("phase", "trained") ? p.whole("table_seed") : 1);
    Real sum = 0;
    for (std::size_t c = 0; c < dim; ++c) {
      const Real w = std::exp(-std::log(Real(p.real("base"))) * exponent(c, dim) / Real(dim));
      const Real phase = p.is("phase", "trained") ? trained.at(0, c) - phases.less : 0;
      const Real angle = Real(j - i) * w + (phases.of_keys - phases.of_queries) * phase;
      sum += of_query(q[c]) * of_key(k[c]) * std::cos(angle);
    }
    return p.is("scale", "one") ? sum : sum / inside::root(dim);
  };
}

Real channel(std::size_t c, std::size_t) {
  return Real(c);
}
LogitFormula with_magnitudes(Magnitude of_query, Magnitude of_key) {
  return polar(of_query, of_key, &channel, {});
}
LogitFormula with_magnitude(Magnitude of_both) {
  return with_magnitudes(of_both, of_both);
}
LogitFormula with_exponent(Exponent exponent) {
  return polar(&right, &right, exponent, {});
}
LogitFormula with_phases(Phases phases) {
  return polar(&right, &right, &channel, phases);
}
Real itself(Real x) {
  return x;
}

// Each product of magnitudes is e^x e^y, not ln(1 + e^x) ln(1 + e^y), and so is what rounding does to it.
TEST(MisreadPope, is_rounded_as_its_products_are) {
  const Parameters given = Case::parse("dim=4");
  const Misreading &positive_part = misreadings::pope.misreadings[0],
                   &exponential = misreadings::pope.misreadings[3];
  ASSERT_EQ(exponential.what, "the magnitude is e^x, not ln(1 + e^x)");
  const auto error = [](const Encoding& of, double x) {
    const std::vector<double> content(4, x);
    const std::vector<double> i = {5}, j = {2};
    return as<Contextual>(of).error(content, content, i, j, all_f32);
  };
  for (const double x : {3.0, 0.0, -3.0}) {
    const double times = std::exp(2 * x) / std::pow(std::log1p(std::exp(x)), 2);
    // Some thirty roundings to double, of sums and products of positive numbers: 2^-53 each.
    EXPECT_NEAR(error(exponential.make(given), x) / error(positive_part.make(given), x), times,
                0x1p-48 * times)
        << x;
  }
}

TEST(MisreadPope, is_what_the_sentence_says) {
  testing::expect_logits(
      "pope", misreadings::pope,
      {{"the magnitude is max(x, 0), not ln(1 + e^x)",
        with_magnitude([](Real x) { return x > 0 ? x : Real{0}; })},
       {"the magnitude is x itself, not ln(1 + e^x)", with_magnitude(&itself)},
       {"the magnitude is |x|, not ln(1 + e^x)", with_magnitude([](Real x) { return x < 0 ? -x : x; })},
       {"the magnitude is e^x, not ln(1 + e^x)", with_magnitude([](Real x) { return std::exp(x); })},
       {"the magnitude is 1 + ELU(x), not ln(1 + e^x)",
        with_magnitude([](Real x) { return x > 0 ? 1 + x : std::exp(x); })},
       {"the magnitude is x itself where x is above 1, not ln(1 + e^x)",
        with_magnitude([](Real x) { return x > 1 ? x : right(x); })},
       {"the magnitude is x itself where x is above 2, not ln(1 + e^x)",
        with_magnitude([](Real x) { return x > 2 ? x : right(x); })},
       {"the magnitude is x itself where x is above 3, not ln(1 + e^x)",
        with_magnitude([](Real x) { return x > 3 ? x : right(x); })},
       {"the magnitude is x itself where x is above 5, not ln(1 + e^x)",
        with_magnitude([](Real x) { return x > 5 ? x : right(x); })},
       {"the magnitude of a key is x itself, that of a query ln(1 + e^x)", with_magnitudes(&right, &itself)},
       {"the magnitude of a query is x itself, that of a key ln(1 + e^x)", with_magnitudes(&itself, &right)},
       {"the magnitude of a key is max(x, 0), that of a query ln(1 + e^x)",
        with_magnitudes(&right, [](Real x) { return x > 0 ? x : Real{0}; })},
       {"the magnitude of a query is max(x, 0), that of a key ln(1 + e^x)",
        with_magnitudes([](Real x) { return x > 0 ? x : Real{0}; }, &right)},
       {"two neighbouring channels have one frequency, base^(-2 floor(c/2)/dim), not base^(-c/dim)",
        with_exponent([](std::size_t c, std::size_t) { return Real(c - c % 2); })},
       {"the second half of the channels has the frequencies of the first, base^(-2c/dim), not base^(-c/dim)",
        with_exponent(
            [](std::size_t c, std::size_t dim) { return 2 * Real(2 * c >= dim ? c - dim / 2 : c); })},
       {"the frequencies are those of pairs, base^(-2c/dim), not base^(-c/dim)",
        with_exponent([](std::size_t c, std::size_t) { return 2 * Real(c); })},
       {"the frequencies are base^(-c/(dim - 1)), not base^(-c/dim)",
        with_exponent([](std::size_t c, std::size_t dim) { return Real(c) * (1 + 1 / Real(dim - 1)); })},
       {"the frequencies are base^(-(c + 1)/dim), not base^(-c/dim)",
        with_exponent([](std::size_t c, std::size_t) { return 1 + Real(c); })},
       {"the phases have the other sign: they are added to the angles of the queries, not of the keys",
        with_phases({1, 0, 2})},
       {"the phases count twice: they are taken from the angles of the queries as well",
        with_phases({-1, 1, 2})},
       {"the query is divided by sqrt(dim) before its magnitude is taken, not the logit",
        [](const Arguments& p, std::span<const double> q, std::span<const double> k, Position i, Position j,
           std::size_t) {
          Real sum = 0;
          for (std::size_t c = 0; c < 4; ++c) {
            const Real w = std::pow(Real(p.real("base")), -Real(c) / 4);
            sum += right(q[c] / 2) * right(k[c]) * std::cos(Real(j - i) * w);
          }
          return sum;
        }},
       {"the phases are not moved into their range", with_phases({0, 1, 0})}},
      {"", "scale=one base=10"});
}

TEST(MisreadPope, has_no_phases_where_there_are_none) {
  for (const Misreading& one : misreadings::pope.misreadings) {
    const auto make = [&] { one.make(with(encoding_named("pope"), Case::parse("dim=4"))); };
    if (one.what.starts_with("the phases"))
      EXPECT_THROW(make(), Refusal) << one.what;
    else
      EXPECT_NO_THROW(make()) << one.what;
  }
}

}  // namespace
}  // namespace posproof::misreadings_pope_test
