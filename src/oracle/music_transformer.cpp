#include "catalogue/oracle/music_transformer.h"
#include "oracle/formula.h"
#include "oracle/whole.h"

namespace posproof {

// RelativeAttention = Softmax((Q K^T + S_rel) / sqrt(D_h)) V, S_rel[i, j] = q_i . e_r for r = j - i <= 0:
// Huang et al. 2018, equation 3 and section 3.4. The table holds e_-(L-1) first and e_0 last. Further back
// there is no embedding: tensor2tensor pads with zeros, other code repeats the first.
Encoding oracle::music_transformer(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const Position length = p.whole("length");
  const bool repeats = p.is("beyond", "repeat");
  const Trained table(p.width("length"), dim, p.whole("table_seed"));

  Contextual music = contextual(
      "music_transformer", dim, AsGiven(), [=](const auto& in, auto q, auto k, Position i, Position j) {
        const Position row = length - 1 + std::min<Position>(j - i, 0);
        const auto content = in.dot(q, k);
        if (row < 0 && !repeats) return in.over_root(content, dim);
        return in.over_root(in.sum(content, in.dot(q, trained(in, table.row(std::max<Position>(row, 0))))),
                            dim);
      });
  music.positions = whole_domain(0, usual_end);
  music.causal = true;
  return music;
}

}  // namespace posproof
