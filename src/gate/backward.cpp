#include "gate/backward.h"

#include <utility>

#include "run/agreement.h"

namespace posproof {
namespace {

Tensor exchanged(const std::vector<Pair>& pairs, Tensor x) {
  for (std::size_t row = 0; row < x.rows(); ++row)
    for (const Pair& pair : pairs) std::swap(x.at(row, pair.first), x.at(row, pair.second));
  return x;
}

}  // namespace

Rotary transposed(const Rotary& rotary) {
  Rotary back = rotary;
  back.exact = nullptr;  // of the cosine first
  for (Pair& pair : back.pairs) std::swap(pair.first, pair.second);
  back.rotate = [rotate = rotary.rotate, pairs = rotary.pairs](const Tensor& x, const Positions& positions,
                                                               Role role) {
    return exchanged(pairs, rotate(exchanged(pairs, x), positions, role));
  };
  return back;
}

Property backward_agreement(const Encoding& truth) {
  Property property = agreement(transposed(as<Rotary>(truth)));
  property.statement =
      "The gradient with respect to what was rotated is the gradient with respect to the result, rotated back.";
  property.formula = "dL/dx = R(t)^T dL/dy";
  property.source = "the chain rule for y = R(t) x, with the encoding computed exactly: oracle/";
  return property;
}

}  // namespace posproof
