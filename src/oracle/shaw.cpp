#include "catalogue/oracle/shaw.h"
#include "oracle/formula.h"
#include "oracle/whole.h"

namespace posproof {

// e_ij = (x_i W_Q)(x_j W_K + a_ij)^T / sqrt(d_z), a_ij = w_clip(j - i, k), clip(x, k) = max(-k, min(k, x)):
// Shaw et al. 2018, equations 2, 4 and the one before 3. The table holds w_-k first.
Encoding oracle::shaw(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Position clip = p.whole("clip");
  const bool key_minus_query = p.is("relative", "key_minus_query");
  // SpeechT5 has no row for the offset k: larger ones are k - 1.
  const Position most = clip - (p.is("last_offset", "clip_minus_one") ? 1 : 0);
  const Trained table(2 * p.width("clip") + 1, dim, p.whole("table_seed"));

  Contextual shaw =
      contextual("shaw", dim, AsGiven(), [=](const auto& in, auto q, auto k, Position i, Position j) {
        const Position offset = key_minus_query ? j - i : i - j;
        const auto a = trained(in, table.row(std::max(-clip, std::min(most, offset)) + clip));
        return in.over_root(in.sum(in.dot(q, k), in.dot(q, a)), dim);
      });
  shaw.positions = whole_domain(0, usual_end);
  return shaw;
}

}  // namespace posproof
