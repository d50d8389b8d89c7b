#include "core/rotation.h"

#include <fmt/format.h>

namespace posproof {

void check_rotation(const Tensor& x, const Positions& positions, std::size_t heads, std::size_t dim,
                    std::size_t axes) {
  const Shape& shape = x.shape;
  if (shape.size() == 4 && shape[1] == heads && shape[3] == dim && positions.axes() == axes &&
      positions.size() == shape[0] * shape[2])
    return;
  throw std::invalid_argument(
      fmt::format("a rotation of x {} at {} positions of {}; allowed: [batch, {}, n, {}] and batch * n "
                  "positions of {}",
                  text(shape), positions.size(), positions.axes(), heads, dim, axes));
}

}  // namespace posproof
