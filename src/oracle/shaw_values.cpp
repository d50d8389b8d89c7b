#include "catalogue/oracle/shaw_values.h"
#include "oracle/clip.h"
#include "oracle/formula.h"

namespace posproof {

// z_i = sum_j softmax(e_ij) (x_j W_V + a^V_ij): Shaw et al. 2018, equation 3, with e_ij as in
// oracle/shaw.cpp.
Encoding oracle::shaw_values(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Clip clip(p);
  const Trained of_keys(clip.rows(), dim, p.whole("table_seed")),
      of_values(clip.rows(), dim, p.whole("table_seed") + 1);

  Attention shaw = attention(
      "shaw_values", dim,
      [=](const auto& in, const Tensor& q, const Tensor& k, const Tensor& v, const Mask&) {
        Operands<std::decay_t<decltype(in)>> out;
        for (std::size_t i = 0; i < q.rows(); ++i) {
          const auto query = given(in, q.row(i));
          for (std::size_t j = 0; j < k.rows(); ++j) {
            const Position row = clip.row(static_cast<Position>(i), static_cast<Position>(j));
            auto logit = in.dot(query, given(in, k.row(j)));
            if (row >= 0) logit = in.sum(logit, in.dot(query, trained(in, of_keys.row(row))));
            out.logits.push_back(in.over_root(logit, dim));
            for (std::size_t c = 0; c < dim; ++c) {
              const auto value = in.given(v.at(j, c));
              out.values.push_back(row < 0 ? value : in.sum(value, in.trained(of_values.row(row)[c])));
            }
          }
        }
        return out;
      });
  shaw.any_mask = true;
  return shaw;
}

}  // namespace posproof
