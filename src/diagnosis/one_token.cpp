#include "diagnosis/one_token.h"

#include <algorithm>

#include "diagnosis/call_fits.h"

namespace posproof {

Tensor OneToken::given(Position t) const {
  return answer(subject_.encoding, at(t));
}

bool OneToken::is_that_of(const Tensor& given, Position other) const {
  const Call call = at(other);
  const auto rows = right_rows(model_, declared_, call, given, answer(model_.encoding, call), farthest(call));
  return std::ranges::find(rows, false) == rows.end();
}

Call OneToken::at(Position t) const {
  Call call = sequence(declared_, {t});
  call.role = role_;
  if (signature(declared_).has(Axis::key)) call.keys.whole.assign(1, 0);
  for (Tensor& content : call.contents) std::ranges::fill(content.data, 1.0);
  return call;
}

}  // namespace posproof
