#include "catalogue/oracle/transformer_xl.h"
#include "oracle/formula.h"
#include "oracle/whole.h"

namespace posproof {

// A_ij = E_i W_q W_kE E_j + E_i W_q W_kR R_i-j + u W_kE E_j + v W_kR R_i-j, over sqrt(d): Dai et al. 2019,
// section 3.3, with q = W_q E_i and k = W_kE E_j. R_n = [sin(n w) | cos(n w)].
Encoding oracle::transformer_xl(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Position clamp = p.whole("clamp_len");
  const double base = p.real("base");
  const bool halves = p.is("layout", "sin_cos");
  const std::int64_t seed = p.whole("table_seed");
  const Trained projection(dim, dim, seed), vectors(2, dim, seed + 1);
  const KeptNumbers<exact::Number> by_offset;
  std::vector<Wave> waves;
  for (std::size_t c = 0; c < dim / 2; ++c) waves.push_back({base, 2 * c, dim});

  Contextual xl = contextual(
      "transformer_xl", dim, AsGiven(), [=](const auto& in, auto q, auto k, Position i, Position j) {
        const Position limit = clamp == 0 ? largest_whole : clamp;
        const auto projected =
            by_offset(in, std::max(-limit, std::min(limit, i - j)), [&](const auto& with, Position n) {
              using Numbers = NumbersOf<std::decay_t<decltype(with)>>;
              Numbers r(dim), out;
              for (std::size_t c = 0; c < dim / 2; ++c) {
                r[halves ? c : 2 * c] = with.sine(static_cast<double>(n), waves[c]);
                r[halves ? dim / 2 + c : 2 * c + 1] = with.cosine(static_cast<double>(n), waves[c]);
              }
              for (std::size_t a = 0; a < dim; ++a)
                out.push_back(with.dot(trained(with, projection.row(static_cast<Position>(a))), r));
              return out;
            });
        const auto u = trained(in, vectors.row(0)), v = trained(in, vectors.row(1));
        return in.over_root(
            in.sum(in.sum(in.dot(q, k), in.dot(q, projected)), in.sum(in.dot(u, k), in.dot(v, projected))),
            dim);
      });
  xl.positions = whole_domain(0, usual_end);
  xl.causal = p.is("form", "causal");
  return xl;
}

}  // namespace posproof
