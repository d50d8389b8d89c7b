#include "core/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <stdexcept>

namespace posproof {

std::size_t count(const Shape& shape) {
  std::size_t product = 1;
  for (const std::size_t extent : shape) {
    if (extent != 0 && product > std::numeric_limits<std::size_t>::max() / extent)
      throw std::length_error(fmt::format("shape {} has more values than can be counted", text(shape)));
    product *= extent;
  }
  return product;
}

std::string text(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Tensor::Tensor(Shape extents) : shape(std::move(extents)), data(count(shape)) {}

Tensor::Tensor(Shape extents, std::vector<double> values)
    : shape(std::move(extents)), data(std::move(values)) {
  if (count(shape) != data.size())
    throw std::length_error(
        fmt::format("shape {} holds {} values, {} came", text(shape), count(shape), data.size()));
}

Tensor columns_in_order(const Tensor& x, std::span<const std::size_t> order) {
  Tensor out(x.shape);
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < order.size(); ++c) out.at(r, c) = x.at(r, order[c]);
  return out;
}

}  // namespace posproof
