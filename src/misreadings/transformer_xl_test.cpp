#include "catalogue/misreadings/transformer_xl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/function.h"
#include "misreadings/testing/formulas.h"

namespace posproof::misreadings_transformer_xl_test {
namespace {

using inside::dot, inside::Real;
using testing::LogitFormula;

// What stands for u and v, the row r of an offset, and W.
struct Read {
  std::size_t u = 0, v = 1;
  Function<Real(Position i, Position j)> offset = [](Position i, Position j) { return Real(i - j); };
  bool swapped = false, transposed = false, clamped = true;
};

// (q + u).k + (q + v).(W r), as vectors.
LogitFormula formula(const Read& is) {
  return [is](const Arguments& p, std::span<const double> q, std::span<const double> k, Position i,
              Position j, std::size_t) {
    const std::size_t dim = q.size();
    const Tensor w = inside::trained(dim, dim, p.whole("table_seed")),
                 vectors = inside::trained(2, dim, p.whole("table_seed") + 1);
    std::vector<double> content(q.begin(), q.end());
    std::vector<Real> r(dim);
    for (std::size_t c = 0; c < dim; ++c) {
      content[c] += vectors.at(is.u, c);
      const bool halves = p.is("layout", "sin_cos");
      const std::size_t pair = halves ? c % (dim / 2) : c / 2;
      const bool cosine = (halves ? c >= dim / 2 : c % 2 == 1) != is.swapped;
      const Real clamp = Real(p.whole("clamp_len")), far = is.offset(i, j);
      const Real n = clamp == 0 || !is.clamped ? far : std::min(std::max(far, -clamp), clamp);
      const Real angle = n / std::pow(Real(p.real("base")), 2 * Real(pair) / Real(dim));
      r[c] = cosine ? std::cos(angle) : std::sin(angle);
    }
    Real logit = dot(content, k);
    for (std::size_t a = 0; a < dim; ++a)
      for (std::size_t c = 0; c < dim; ++c)
        logit += (q[a] + Real(vectors.at(is.v, a))) * (is.transposed ? w.at(c, a) : w.at(a, c)) * r[c];
    return logit / std::sqrt(Real(dim));
  };
}

TEST(MisreadTransformerXl, is_what_the_sentence_says) {
  testing::expect_logits(
      "transformer_xl", misreadings::transformer_xl,
      {{"u and v are in each other's place", formula({.u = 1, .v = 0})},
       {"v stands for u, too", formula({.u = 1})},
       {"u stands for v, too", formula({.v = 0})},
       {"sines and cosines of the offset are in each other's place", formula({.swapped = true})},
       {"the position of the key stands for the offset",
        formula({.offset = [](Position, Position j) { return Real(j); }, .clamped = false})},
       {"W is transposed", formula({.transposed = true})}},
      {"", "layout=interleaved table_seed=2", "clamp_len=2"});
}

}  // namespace
}  // namespace posproof::misreadings_transformer_xl_test
