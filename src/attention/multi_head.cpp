#include "attention/multi_head.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "attention/dot_product.h"
#include "attention/generator.h"
#include "attention/reference_attention.h"

namespace posproof::attention {

Attention heads(std::size_t dim, std::size_t number) {
  if (number == 0 || dim % number != 0)
    throw std::invalid_argument(fmt::format("{} channels cannot be split among {} heads", dim, number));
  // A rotary encoding that rotates nothing is the operator without position.
  Rotary still{.dim = dim / number, .heads = number};
  still.rotate = [](const Tensor& x, std::span<const Position>, Role) { return x; };
  Attention attention = reference_attention(still);
  attention.positional = false;
  return attention;
}

Projections random_projections(std::size_t dim, std::uint64_t seed) {
  Generator generator(seed);
  const auto one = [&] { return generator.normal({dim, dim}, 1 / std::sqrt(static_cast<double>(dim))); };
  Projections projections;
  for (Tensor* matrix : {&projections.query, &projections.key, &projections.value, &projections.output})
    *matrix = one();
  return projections;
}

Tensor multi_head(const Projections& projections, const Attention& attention, const Tensor& x,
                  const Tensor& y, const Mask& mask) {
  return product(attention.attend(product(x, projections.query), product(y, projections.key),
                                  product(y, projections.value), mask),
                 projections.output);
}

}  // namespace posproof::attention
