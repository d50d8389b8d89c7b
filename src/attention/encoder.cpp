#include "attention/encoder.h"

#include <algorithm>
#include <cmath>

#include "attention/dot_product.h"
#include "attention/generator.h"

namespace posproof::attention {
namespace {

Tensor sum(const Tensor& a, const Tensor& b) {
  Tensor out = a;
  for (std::size_t e = 0; e < out.data.size(); ++e) out.data[e] += b.data.at(e);
  return out;
}

Tensor shifted(Tensor x, const Tensor& shift) {
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < x.width(); ++c) x.at(r, c) += shift.data.at(c);
  return x;
}

LayerNorm plain_norm(std::size_t dim) {
  return {Tensor({dim}, std::vector<double>(dim, 1.0)), Tensor({dim})};
}

}  // namespace

Tensor normalised(const LayerNorm& norm, const Tensor& x) {
  Tensor out(x.shape);
  const auto d = static_cast<double>(x.width());
  for (std::size_t r = 0; r < x.rows(); ++r) {
    double mean = 0, variance = 0;
    for (const double value : x.row(r)) mean += value;
    mean /= d;
    for (const double value : x.row(r)) variance += (value - mean) * (value - mean);
    variance /= d;
    const double root = std::sqrt(variance + norm.epsilon);
    for (std::size_t c = 0; c < x.width(); ++c)
      out.at(r, c) = norm.gain.data.at(c) * ((x.at(r, c) - mean) / root) + norm.shift.data.at(c);
  }
  return out;
}

Tensor transformed(const FeedForward& feed_forward, const Tensor& x) {
  Tensor hidden = shifted(product(x, feed_forward.up), feed_forward.up_shift);
  for (double& value : hidden.data) value = value < 0 ? 0 : value;  // NaN stays
  return shifted(product(hidden, feed_forward.down), feed_forward.down_shift);
}

Tensor encode(const Block& block, const Attention& attention, const Tensor& x, const Mask& mask) {
  const auto joined = [&](const Tensor& before, const Tensor& after, const LayerNorm& norm) {
    const Tensor both = block.residual ? sum(before, after) : after;
    return block.normalise ? normalised(norm, both) : both;
  };
  const Tensor attended =
      joined(x, multi_head(block.projections, attention, x, x, mask), block.after_attention);
  if (!block.with_feed_forward) return attended;
  return joined(attended, transformed(block.feed_forward, attended), block.after_feed_forward);
}

Block random_block(std::size_t dim, std::uint64_t seed) {
  const std::size_t hidden = 4 * dim;
  Generator generator(seed);
  const auto deviation = [](std::size_t inputs) { return 1 / std::sqrt(static_cast<double>(inputs)); };
  const Projections projections = random_projections(dim, generator.next());
  Tensor up = generator.normal({dim, hidden}, deviation(dim));
  Tensor down = generator.normal({hidden, dim}, deviation(hidden));
  return {projections,
          {std::move(up), Tensor({hidden}), std::move(down), Tensor({dim})},
          plain_norm(dim),
          plain_norm(dim)};
}

}  // namespace posproof::attention
