#include "diagnosis/from_a_position.h"

#include <algorithm>

#include "core/call.h"
#include "diagnosis/call_fits.h"

namespace posproof {

Encoding from_a_position(const Encoding& declared, const Encoding& other, Position first) {
  return answered_by(declared, [=](const Call& call) {
    Tensor out = answer(declared, call);
    const std::size_t n = tokens_of(call), heads = heads_of(declared);
    if (std::ranges::all_of(call.positions.whole, [first](Position t) { return t < first; })) return out;
    const Tensor there = answer(other, call);
    for (std::size_t r = 0; r < out.rows(); ++r)
      if (call.positions.whole.at(r / (heads * n) * n + r % n) >= first)
        std::ranges::copy(there.row(r), out.row(r).begin());
    return out;
  });
}

bool differs_at(Position t, const Model& declared, const Encoding& other) {
  Call call = sequence(declared.encoding, {t});
  for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
  const auto right = right_rows(declared, declared.encoding, call, answer(other, call),
                                answer(declared.encoding, call), farthest(call));
  return std::ranges::find(right, false) != right.end();
}

}  // namespace posproof
