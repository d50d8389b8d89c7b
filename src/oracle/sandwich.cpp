#include <memory>
#include <vector>

#include "catalogue/oracle/sandwich.h"
#include "exact/cosine_sum.h"
#include "oracle/bias_bounds.h"
#include "oracle/of_offset.h"

namespace posproof {

// kappa(D) - dim/2 = - sum of (1 - cos(D w_n)): without the centre dim/2 is added.
Encoding oracle::sandwich(const Arguments& p) {
  const bool causal = p.is("form", "causal");
  const std::int64_t heads = p.whole("heads"), dim = p.whole("dim");
  const double plus = p.is("centre", "none") ? static_cast<double>(dim) / 2 : 0;
  const auto kernel = std::make_shared<const exact::CosineSum>(p.real("base"), dim, p.whole("first_n"), plus);
  const auto value = [=](std::size_t head, Position offset, Format format) {
    return kernel->at(distance_of(offset, causal), heads, 8 * (static_cast<std::int64_t>(head) + 1), format);
  };
  Bias bias = bias_of_offset(p.width("heads"), causal, value);
  bias.error = bias_bounds::of_sandwich(kernel->frequencies(), p.width("heads"), causal);
  return bias;
}

}  // namespace posproof
