#include "catalogue/oracle/pope.h"
#include "oracle/formula.h"
#include "oracle/whole.h"

namespace posproof {

// a_ts = sum_c mu_q,c mu_k,c cos((s - t) theta_c + delta_c), mu = softplus, theta_c = base^(-c/d), c from 0:
// Gopalakrishnan et al. 2025. Trained phases lie between -2 - sqrt 3 and -2 + sqrt 3.
Encoding oracle::pope(const Arguments& p) {
  const std::size_t dim = p.width("dim"), root = p.is("scale", "rsqrt") ? dim : 1;
  const double base = p.real("base");
  const bool phases = p.is("phase", "trained");
  const Trained phase(1, dim, p.whole("table_seed"));
  const KeptNumbers<exact::InFull::Angle> of_queries, of_keys;
  std::vector<Wave> waves;
  for (std::size_t c = 0; c < dim; ++c) waves.push_back({base, c, dim});

  const auto magnitudes = [](const auto& in, std::span<const double> x) {
    auto out = given(in, x);
    for (auto& one : out) one = in.softplus(one);
    return out;
  };
  Contextual pope = contextual(
      "pope", dim, magnitudes, [=](const auto& in, const auto& q, const auto& k, Position i, Position j) {
        const auto rotated_by = [&](bool key) {
          return [&, key](const auto& with, Position t) {
            std::vector<typename std::decay_t<decltype(with)>::Angle> angles;
            for (std::size_t c = 0; c < dim; ++c)
              angles.push_back(with.angle_at(static_cast<double>(t), waves[c],
                                             key && phases ? phase.at(static_cast<Position>(c)) - 2 : 0));
            return angles;
          };
        };
        const auto of_query = of_queries(in, i, rotated_by(false)), of_key = of_keys(in, j, rotated_by(true));
        NumbersOf<std::decay_t<decltype(in)>> terms;
        for (std::size_t c = 0; c < dim; ++c)
          terms.push_back(in.product(in.product(q[c], k[c]), in.turn(of_key[c], of_query[c]).cosine));
        return in.over_root(in.total(terms), root);
      });
  pope.positions = whole_domain(0, usual_end);
  return pope;
}

}  // namespace posproof
