#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "catalogue/oracle/t5_bias.h"
#include "core/hard.h"
#include "exact/numbers.h"
#include "exact/real.h"

namespace posproof {

using namespace exact;

namespace {

using Whole = boost::multiprecision::cpp_int;

// For one direction of n buckets: the distances below n/2 have a bucket each, and bucket n/2 + k begins at
// the smallest distance r with log(r / exact) / log(max / exact) * (n - exact) >= k, the last bucket having
// no end. In whole numbers:
//   r^(n - exact) * exact^k >= max^k * exact^(n - exact).
std::vector<Position> edges_of(unsigned n, Position max_distance) {
  const unsigned exact = n / 2, logarithmic = n - exact;
  std::vector<Position> edges;
  for (unsigned k = 1; k < logarithmic; ++k) {
    const Whole left = pow(Whole(exact), k);
    const Whole right = pow(Whole(max_distance), k) * pow(Whole(exact), logarithmic);
    Position below = exact, at = max_distance;  // max_distance is in every bucket's reach, `exact` in none's
    while (at - below > 1) {
      const Position middle = below + (at - below) / 2;
      (pow(Whole(middle), logarithmic) * left >= right ? at : below) = middle;
    }
    edges.push_back(at);
  }
  return edges;
}

struct Rule {
  Position per_direction;  // buckets
  bool bidirectional, key_minus_query;
  std::vector<Position> edges;

  Position bucket(Position query, Position key) const {
    const Position relative = key_minus_query ? key - query : query - key;
    const Position ahead = bidirectional && relative > 0 ? per_direction : 0;
    const Position distance = bidirectional ? std::abs(relative) : std::max<Position>(-relative, 0);
    const Position exact = per_direction / 2;
    if (distance < exact) return ahead + distance;
    return ahead + exact + (std::upper_bound(edges.begin(), edges.end(), distance) - edges.begin());
  }
};

// A trained number times the scale: the product of two doubles, rounded once.
double scaled(double scale, double entry, Format format) {
  Real product(128, entry);
  mpfr_mul_d(product.x, product.x, scale, MPFR_RNDN);
  return *rounded(format, product, 0);
}

}  // namespace

Encoding oracle::t5_bias(const Arguments& p) {
  const std::size_t heads = p.width("heads");
  const Position count = p.whole("buckets"), max_distance = p.whole("max_distance");
  const bool bidirectional = p.is("direction", "bidirectional");
  const bool key_minus_query = p.is("relative", "key_minus_query");
  const bool seeded_table = p.is("table", "seeded");
  const std::int64_t seed = p.whole("table_seed");
  const double scale = p.real("scale");
  const Position per_direction = bidirectional ? count / 2 : count;

  Bias bias{.heads = heads,
            .buckets = Buckets{.count = static_cast<std::size_t>(count),
                               .max_distance = static_cast<std::size_t>(max_distance),
                               .bidirectional = bidirectional},
            .causal = !bidirectional && key_minus_query};
  bias.positions.hard = hard_positions(*bias.buckets, bias.positions.hi);

  const Rule rule{per_direction, bidirectional, key_minus_query,
                  edges_of(static_cast<unsigned>(per_direction), max_distance)};
  std::vector<double> values;  // [bucket][head]
  for (std::uint64_t b = 0; b < static_cast<std::uint64_t>(count); ++b)
    for (std::uint64_t h = 0; h < heads; ++h)
      values.push_back(seeded_table ? seeded(1, seed, b * heads + h)
                                    : static_cast<double>(b + static_cast<std::uint64_t>(count) * h));
  bias.bias = [rule, values, heads, scale](std::span<const Position> queries,
                                           std::span<const Position> keys) {
    Tensor out({heads, queries.size(), keys.size()});
    auto entry = out.data.begin();
    for (std::size_t h = 0; h < heads; ++h)
      for (const Position i : queries)
        for (const Position j : keys)
          *entry++ =
              scaled(scale, values[static_cast<std::size_t>(rule.bucket(i, j)) * heads + h], Format::f64);
    return out;
  };
  // The entries of a trained table are the doubles that they are.
  bias.exact = ExactBias{};
  bias.exact->fill = [rule, values, heads, scale](std::size_t head, Position first, Format format,
                                                  std::span<double> out) {
    for (double& entry : out)
      entry = scaled(scale, values[static_cast<std::size_t>(rule.bucket(0, first++)) * heads + head], format);
  };
  return bias;
}

}  // namespace posproof
