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

LogitFormula polar(Real (*magnitude)(Real x), Real exponent = 1, Phases phases = {}) {
  return [=](const Arguments& p, std::span<const double> q, std::span<const double> k, Position i, Position j,
             std::size_t) {
    const std::size_t dim = p.width("dim");
    const Tensor trained = inside::trained(1, dim, p.is("phase", "trained") ? p.whole("table_seed") : 1);
    Real sum = 0;
    for (std::size_t c = 0; c < dim; ++c) {
      const Real w = std::pow(Real(p.real("base")), -exponent * Real(c) / Real(dim));
      const Real phase = p.is("phase", "trained") ? trained.at(0, c) - phases.less : 0;
      const Real angle = Real(j - i) * w + (phases.of_keys - phases.of_queries) * phase;
      sum += magnitude(q[c]) * magnitude(k[c]) * std::cos(angle);
    }
    return p.is("scale", "one") ? sum : sum / inside::root(dim);
  };
}

TEST(MisreadPope, is_what_the_sentence_says) {
  testing::expect_logits(
      "pope", misreadings::pope,
      {{"the magnitude is max(x, 0), not ln(1 + e^x)", polar([](Real x) { return x > 0 ? x : Real{0}; })},
       {"the magnitude is x itself, not ln(1 + e^x)", polar([](Real x) { return x; })},
       {"the magnitude is |x|, not ln(1 + e^x)", polar([](Real x) { return x < 0 ? -x : x; })},
       {"the magnitude is e^x, not ln(1 + e^x)", polar([](Real x) { return std::exp(x); })},
       {"the magnitude is 1 + ELU(x), not ln(1 + e^x)",
        polar([](Real x) { return x > 0 ? 1 + x : std::exp(x); })},
       {"the frequencies are those of pairs, base^(-2c/dim), not base^(-c/dim)", polar(&right, 2)},
       {"the phases have the other sign: they are added to the angles of the queries, not of the keys",
        polar(&right, 1, {1, 0, 2})},
       {"the phases count twice: they are taken from the angles of the queries as well",
        polar(&right, 1, {-1, 1, 2})},
       {"the phases are not moved into their range", polar(&right, 1, {0, 1, 0})}},
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
