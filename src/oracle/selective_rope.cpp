#include "catalogue/oracle/selective_rope.h"
#include "oracle/formula.h"

namespace posproof {

// Queries and keys are rotated by temperature_c times the sum of the increments of all tokens up to their
// own: arXiv:2511.17388. Increments are (P x)_c + s, times sigmoid(w . x) where they are
// gated. The key stands for x; there is no convolution over tokens. Past the last key nothing is added.
Encoding oracle::selective_rope(const Arguments& p) {
  const std::size_t dim = p.width("dim"), half = dim / 2;
  const double base = p.real("base"), step = p.real("step");
  const bool split = p.is("layout", "half_split"), gated = p.is("gate", "sigmoid");
  const std::int64_t seed = p.whole("table_seed");
  const Trained projection(half, dim, seed, p.real("increment_std")), gate(1, dim, seed + 1);

  Attention selective = attention(
      "selective_rope", dim,
      [=](const auto& in, const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
        using In = std::decay_t<decltype(in)>;
        Operands<In> of;
        std::vector<NumbersOf<In>> keys, sums;
        NumbersOf<In> temperatures;
        for (std::size_t c = 0; c < half; ++c) temperatures.push_back(in.power(Wave{base, 2 * c, dim}));
        for (std::size_t j = 0; j < k.rows(); ++j) {
          keys.push_back(given(in, k.row(j)));
          const auto open = in.sigmoid(in.dot(trained(in, gate.row(0)), keys[j]));
          NumbersOf<In> sum;
          for (std::size_t c = 0; c < half; ++c) {
            auto one = in.sum(in.dot(trained(in, projection.row(static_cast<Position>(c))), keys[j]),
                              in.trained(step));
            if (gated) one = in.product(open, one);
            sum.push_back(j == 0 ? one : in.next(sums.back()[c], one));
          }
          sums.push_back(sum);
        }
        std::vector<std::vector<typename In::Angle>> angles(k.rows());
        for (std::size_t j = 0; j < k.rows(); ++j)
          for (std::size_t c = 0; c < half; ++c)
            angles[j].push_back(in.angle(in.product(temperatures[c], in.stored(sums[j][c]))));
        for (std::size_t i = 0; i < q.rows(); ++i) {
          const auto query = given(in, q.row(i));
          for (std::size_t j = 0; j < k.rows(); ++j) {
            NumbersOf<In> terms;
            for (std::size_t c = 0; c < half; ++c) {
              const std::size_t a = split ? c : 2 * c, b = split ? half + c : 2 * c + 1;
              const auto turn = in.turn(angles[std::min(i, k.rows() - 1)][c], angles[j][c]);
              const auto& key = keys[j];
              const auto along = in.sum(in.product(query[a], key[a]), in.product(query[b], key[b]));
              const auto across =
                  in.sum(in.product(query[a], key[b]), in.minus(in.product(query[b], key[a])));
              terms.push_back(in.product(along, turn.cosine));
              terms.push_back(in.product(across, turn.sine));
            }
            of.logits.push_back(in.over_root(in.total(terms), dim));
          }
        }
        for (const double x : v.data) of.values.push_back(in.given(x));
        return of;
      });
  selective.only_logits = true;
  selective.causal = true;
  return selective;
}

}  // namespace posproof
