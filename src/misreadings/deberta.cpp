#include <algorithm>
#include <cmath>

#include "catalogue/encodings/deberta.h"
#include "catalogue/misreadings/deberta.h"
#include "misreadings/right.h"

namespace posproof::misreadings_deberta {
namespace {

using namespace inside;

// In a call of n tokens, n below the span K, the code's rows are those of the offset + n, of a table from
// which the rows from K - n on are taken. Here it is not.
Encoding of_the_whole_table(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::deberta, given);
  if (!p.is("offsets", "linear")) throw Refusal("of buckets the span is not cut");
  const std::size_t dim = p.width("dim");
  const Position most = p.whole("span");
  const bool c2p = !p.is("terms", "p2c"), p2c = !p.is("terms", "c2p");
  const Position direction = p.is("p2c", "paper") ? -1 : 1;
  const Tensor of_keys = trained(2 * p.width("span"), dim, p.whole("table_seed")),
               of_queries = trained(2 * p.width("span"), dim, p.whole("table_seed") + 1);
  Contextual out = misread::right<Contextual>(encodings::deberta, given);
  out.logits = [=](const Tensor& q, const Tensor& k, const Positions& queries, const Positions& keys) {
    const Position span = std::min(most, static_cast<Position>(std::max(queries.size(), keys.size())));
    const auto row = [span](Position offset) {
      return static_cast<std::size_t>(std::clamp<Position>(offset + span, 0, 2 * span - 1));
    };
    return contextual(dim, 1,
                      [&](std::span<const double> one, std::span<const double> other, Position i, Position j,
                          std::size_t) {
                        Real logit = dot(one, other);
                        if (c2p) logit += dot(one, of_keys.row(row(i - j)));
                        if (p2c) logit += dot(other, of_queries.row(row(direction * (i - j))));
                        return logit / root(dim * (c2p && p2c ? 3 : 2));
                      })
        .logits(q, k, queries, keys);
  };
  return out;
}

// Beyond mid = K/2 the bucket of n is mid + up(ln(n / mid) / ln((longest - 1) / mid) (mid - 1)).
struct Buckets {
  Real (*whole)(Real);
  Position less;   // than max_position, of the longest
  Position fewer;  // buckets than mid
};

// A quotient of logarithms that is a whole number is one here, whatever it is rounded to.
Real up(Real x) {
  return std::ceil(x - 1e-12L);
}
Real down(Real x) {
  return std::floor(x + 1e-12L);
}
Real nearest(Real x) {
  return std::nearbyint(x);
}

Encoding reads(const Parameters& given, const Buckets& of) {
  const Arguments p = misread::arguments(encodings::deberta, given);
  if (!p.is("offsets", "log_buckets")) throw Refusal("there are no buckets");
  const std::size_t dim = p.width("dim");
  const Position span = p.whole("span"), mid = span / 2, longest = p.whole("max_position") - of.less;
  const bool c2p = !p.is("terms", "p2c"), p2c = !p.is("terms", "c2p");
  const Position direction = p.is("p2c", "paper") ? -1 : 1;
  const Tensor keys = trained(2 * p.width("span"), dim, p.whole("table_seed")),
               queries = trained(2 * p.width("span"), dim, p.whole("table_seed") + 1);
  const auto row = [=](Position offset) {
    Position n = std::abs(offset);
    if (n > mid) {
      const auto share = [mid](Position m) {
        return std::log(static_cast<Real>(m) / static_cast<Real>(mid));
      };
      n = mid +
          static_cast<Position>(of.whole(share(n) / share(longest) * static_cast<Real>(mid - of.fewer)));
    }
    return static_cast<std::size_t>(std::clamp<Position>((offset < 0 ? -n : n) + span, 0, 2 * span - 1));
  };
  return misread::with_logit(
      encodings::deberta, given,
      [=](std::span<const double> q, std::span<const double> k, Position i, Position j, std::size_t) {
        Real logit = dot(q, k);
        if (c2p) logit += dot(q, keys.row(row(i - j)));
        if (p2c) logit += dot(k, queries.row(row(direction * (i - j))));
        return logit / root(dim * (c2p && p2c ? 3 : 2));
      });
}

misread::Make with(const Buckets& of) {
  return [of](const Parameters& given) { return reads(given, of); };
}

constexpr std::string_view buckets = "dim=4 span=8 offsets=log_buckets max_position=64";

}  // namespace

const MisreadingFamily entry{{
    {"in calls of n tokens, n below the span, an offset has row offset + n of the whole table, not of its "
     "rows from span - n on",
     &of_the_whole_table, "dim=4 span=12"},
    {"buckets are rounded down, not up", with({&down, 1, 1}), buckets},
    {"buckets are rounded to the nearest, not up", with({&nearest, 1, 1}), buckets},
    {"the last bucket is reached at max_position, not one before it", with({&up, 0, 1}), buckets},
    {"the logarithm is multiplied by all buckets beyond the first half, not by one less", with({&up, 1, 0}),
     buckets},
}};

}  // namespace posproof::misreadings_deberta
