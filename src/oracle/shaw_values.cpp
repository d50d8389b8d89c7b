#include "catalogue/oracle/shaw_values.h"
#include "oracle/formula.h"

namespace posproof {

// z_i = sum_j softmax(e_ij) (x_j W_V + a^V_ij): Shaw et al. 2018, equation 3, with e_ij as in
// oracle/shaw.cpp.
Encoding oracle::shaw_values(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Position clip = p.whole("clip");
  const bool key_minus_query = p.is("relative", "key_minus_query");
  const Position most = clip - (p.is("last_offset", "clip_minus_one") ? 1 : 0);
  const Trained of_keys(2 * p.width("clip") + 1, dim, p.whole("table_seed")),
      of_values(2 * p.width("clip") + 1, dim, p.whole("table_seed") + 1);

  Attention shaw = attention(
      "shaw_values", dim,
      [=](const auto& in, const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
        Operands<std::decay_t<decltype(in)>> out;
        for (std::size_t i = 0; i < q.rows(); ++i) {
          const auto query = given(in, q.row(i));
          for (std::size_t j = 0; j < k.rows(); ++j) {
            const auto ahead = static_cast<Position>(j) - static_cast<Position>(i);
            const Position row = std::max(-clip, std::min(most, key_minus_query ? ahead : -ahead)) + clip;
            out.logits.push_back(in.over_root(
                in.sum(in.dot(query, given(in, k.row(j))), in.dot(query, trained(in, of_keys.row(row)))),
                dim));
            for (std::size_t c = 0; c < dim; ++c)
              out.values.push_back(in.sum(in.given(v.at(j, c)), in.trained(of_values.row(row)[c])));
          }
        }
        return out;
      });
  shaw.any_mask = true;
  return shaw;
}

}  // namespace posproof
