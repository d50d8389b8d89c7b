#include <algorithm>
#include <cmath>
#include <complex>

#include "catalogue/encodings/selective_rope.h"
#include "catalogue/misreadings/selective_rope.h"
#include "misreadings/right.h"

namespace posproof::misreadings_selective_rope {
namespace {

using namespace inside;

struct Angles {
  bool of_queries = false;  // projected from queries, not keys
  bool of_each = false;     // those of queries from queries, those of keys from keys
  bool accumulated = true;  // added up from the first token on
  bool own = true;          // a token's own increment counts
  bool with_frequencies = true;
  bool gate_after = false;       // the gate multiplies what is added up, not each increment
  bool gate_of_step = true;      // the gate multiplies the step as well
  bool gate_of_queries = false;  // the gate is of the query at the key's place
  bool seen_alone = false;       // increments of keys that the query does not see do not count
  bool own_of_queries = true;    // where a token's own increment counts at all
  bool own_of_keys = true;
  int of_key = 1;                             // keys rotate that way
  Real (*function)(Real) = &misread::itself;  // of the projection and the step
};

Encoding reads(const Parameters& given, const Angles& of) {
  const Arguments p = misread::arguments(encodings::selective_rope, given);
  const bool gated = p.is("gate", "sigmoid");
  if (!gated && (of.gate_after || !of.gate_of_step || of.gate_of_queries))
    throw Refusal("the same without a gate");
  const std::size_t dim = p.width("dim"), half = dim / 2;
  const auto base = static_cast<Real>(p.real("base"));
  const Real step = p.real("step");
  const std::size_t next = p.is("layout", "half_split") ? 1 : 2, other = next == 1 ? half : 1;
  const Tensor projection = trained(half, dim, p.whole("table_seed"), p.real("increment_std")),
               gate = trained(1, dim, p.whole("table_seed") + 1);
  return misread::with_pairs(
      encodings::selective_rope, given,
      [=](const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
        using Rows = std::vector<std::vector<Real>>;
        const auto add_up = [&](bool of_queries, Rows& angles, Rows& increments) {
          std::vector<Real> sum(half);
          for (std::size_t j = 0; j < k.rows(); ++j) {
            const auto query = q.row(std::min(j, q.rows() - 1));
            const auto token = of_queries ? query : k.row(j);
            const auto gating = of.gate_of_queries ? query : token;
            const Real open = gated ? 1 / (1 + std::exp(-dot(gate.row(0), gating))) : 1;
            std::vector<Real> own(half);
            for (std::size_t c = 0; c < half; ++c) {
              const Real w = of.with_frequencies
                                 ? std::pow(base, -2 * static_cast<Real>(c) / static_cast<Real>(dim))
                                 : 1;
              const Real projected = dot(projection.row(c), token), increment = of.function(projected + step);
              own[c] = w * (of.gate_after     ? increment
                            : of.gate_of_step ? open * increment
                                              : open * projected + step);
            }
            std::vector<Real> at = of.own ? own : std::vector<Real>(half);
            for (std::size_t c = 0; c < half; ++c) {
              if (of.accumulated) at[c] += sum[c];
              sum[c] += own[c];
              if (of.gate_after) at[c] *= open;
            }
            angles.push_back(std::move(at));
            increments.push_back(std::move(own));
          }
        };
        Rows angles, increments, of_queries, added_to_queries;
        add_up(of.of_queries, angles, increments);
        if (of.of_each) add_up(true, of_queries, added_to_queries);
        using Complex = std::complex<Real>;
        const auto pair_of = [=](const Tensor& x, std::size_t row, std::size_t c) {
          return Complex(x.at(row, c * next), x.at(row, c * next + other));
        };
        const auto rotated = [=](const Rows& by, const Tensor& x, std::size_t row, std::size_t c, int sign,
                                 bool own) {
          const std::size_t at = std::min(row, angles.size() - 1);
          const Real angle = by[at][c] - (own ? 0 : increments[at][c]);
          return pair_of(x, row, c) * std::polar(Real{1}, static_cast<Real>(sign) * angle);
        };
        // By what is added up between the key and the query, which is an angle of the query's own.
        const auto between = [=, &mask](std::size_t i, std::size_t j, std::size_t c) {
          Real angle = 0;
          for (std::size_t l = j + 1; l <= std::min(i, increments.size() - 1); ++l)
            if (mask.at(i, l) != 0) angle += increments[l][c];
          return angle;
        };
        return Pairwise{
            [=, &q, &k](std::size_t i, std::size_t j) {
              Real sum_of_pairs = 0;
              for (std::size_t c = 0; c < half; ++c)
                sum_of_pairs += std::real(
                    of.seen_alone ? pair_of(q, i, c) * std::polar(Real{1}, between(i, j, c)) *
                                        std::conj(pair_of(k, j, c))
                                  : rotated(of.of_each ? of_queries : angles, q, i, c, 1, of.own_of_queries) *
                                        std::conj(rotated(angles, k, j, c, of.of_key, of.own_of_keys)));
              return sum_of_pairs / root(dim);
            },
            misread::plain_values(v)};
      });
}

Real tanh_of(Real x) {
  return std::tanh(x);
}

misread::Make with(const Angles& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

}  // namespace

const MisreadingFamily entry{{
    {"the increments are projected from the queries, not from the keys", with({.of_queries = true}), "dim=4"},
    {"the increments of queries are projected from the queries, those of keys from the keys",
     with({.of_each = true}), "dim=4"},
    {"the increments are not added up: each token rotates by its own", with({.accumulated = false}), "dim=4"},
    {"a token's own increment counts from the next token on", with({.own = false}), "dim=4"},
    {"the query's own increment is left out of its angle, and the key's is not",
     with({.own_of_queries = false}), "dim=4"},
    {"the key's own increment is left out of its angle, and the query's is not", with({.own_of_keys = false}),
     "dim=4"},
    {"the increments of keys that the mask hides are left out of the sum", with({.seen_alone = true}),
     "dim=4"},
    {"the increments are not multiplied by the frequencies", with({.with_frequencies = false}), "dim=4"},
    {"the increments are limited: tanh(p.k + step)", with({.function = &tanh_of}), "dim=4"},
    {"the increments are positive: ln(1 + e^(p.k + step))", with({.function = &misread::softplus}), "dim=4"},
    {"the gate multiplies the sum of the increments, not each of them", with({.gate_after = true}),
     "dim=4 gate=sigmoid"},
    {"the gate is that of the query at the same place, not of the key", with({.gate_of_queries = true}),
     "dim=4 gate=sigmoid"},
    {"the gate does not multiply the step", with({.gate_of_step = false}), "dim=4 gate=sigmoid"},
    {"the keys rotate the other way", with({.of_key = -1}), "dim=4"},
    {"the keys do not rotate", with({.of_key = 0}), "dim=4"},
}};

}  // namespace posproof::misreadings_selective_rope
