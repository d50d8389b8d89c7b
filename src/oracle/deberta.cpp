#include "catalogue/oracle/deberta.h"
#include "oracle/formula.h"
#include "oracle/whole.h"

namespace posproof {
namespace {

// make_log_bucket_position of DeBERTa-v2: offsets up to mid = buckets / 2 have a bucket each, beyond it is
// mid + ceil(ln(n / mid) / ln((longest - 1) / mid) * (mid - 1)), with the offset's sign. A quotient of two
// logarithms that is whole is whole to all but the last of 256 bits.
Position bucket(Position offset, Position buckets, Position longest) {
  const Position mid = buckets / 2, n = std::abs(offset);
  if (n <= mid) return offset;
  using exact::Number;
  const Number whole = Number(static_cast<double>(mid));
  const Number share = log(Number(static_cast<double>(n)) / whole) /
                       log(Number(static_cast<double>(longest - 1)) / whole) *
                       Number(static_cast<double>(mid - 1));
  const Number up = floor(share + Number(1) - Number(0x1p-200));
  return (offset < 0 ? -1 : 1) * (mid + static_cast<Position>(up.nearest()));
}

}  // namespace

// A~_ij = Q_i K_j^T + Q_i K_r[delta(i, j)]^T + K_j Q_r[delta(j, i)]^T, over sqrt(3 d): He et al. 2020,
// equation 4; delta is equation 3. The repository reads delta(i, j) in the third term, too.
Encoding oracle::deberta(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const bool logarithmic = p.is("offsets", "log_buckets");
  const Position span = p.whole("span"), longest = p.whole("max_position");
  const bool c2p = !p.is("terms", "p2c"), p2c = !p.is("terms", "c2p");
  const bool from_key = p.is("p2c", "paper");
  const std::int64_t seed = p.whole("table_seed");
  const Trained keys(2 * p.width("span"), dim, seed), queries(2 * p.width("span"), dim, seed + 1);
  const std::size_t root = dim * (1 + std::size_t{c2p} + std::size_t{p2c});

  const Kept<Position> buckets;
  const auto delta = [=](Position a, Position b) {
    const Position n =
        logarithmic ? buckets(a - b, [&](Position offset) { return bucket(offset, span, longest); }) : a - b;
    return n <= -span ? Position{0} : n >= span ? 2 * span - 1 : n + span;
  };
  Contextual deberta =
      contextual("deberta", dim, AsGiven(), [=](const auto& in, auto q, auto k, Position i, Position j) {
        auto logit = in.dot(q, k);
        if (c2p) logit = in.sum(logit, in.dot(q, trained(in, keys.row(delta(i, j)))));
        if (p2c)
          logit = in.sum(logit, in.dot(k, trained(in, queries.row(from_key ? delta(j, i) : delta(i, j)))));
        return in.over_root(logit, root);
      });
  deberta.positions = whole_domain(0, usual_end);
  return deberta;
}

}  // namespace posproof
