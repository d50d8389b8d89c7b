#include "catalogue/oracle/shaw.h"
#include "oracle/clip.h"
#include "oracle/formula.h"
#include "oracle/whole.h"

namespace posproof {

// e_ij = (x_i W_Q)(x_j W_K + a_ij)^T / sqrt(d_z), a_ij = w_clip(j - i, k), clip(x, k) = max(-k, min(k, x)):
// Shaw et al. 2018, equations 2, 4 and the one before 3. The table holds w_-k first.
Encoding oracle::shaw(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Clip clip(p);
  const Trained table(clip.rows(), dim, p.whole("table_seed"));

  Contextual shaw =
      contextual("shaw", dim, AsGiven(), [=](const auto& in, auto q, auto k, Position i, Position j) {
        const Position row = clip.row(i, j);
        const auto content = in.dot(q, k);
        if (row < 0) return in.over_root(content, dim);
        return in.over_root(in.sum(content, in.dot(q, trained(in, table.row(row)))), dim);
      });
  shaw.positions = whole_domain(0, usual_end);
  return shaw;
}

}  // namespace posproof
