#pragma once

#include <cstdint>

#include "attention/multi_head.h"

// The encoder block of Vaswani et al. 2017, section 3.1: x + attention(x), then x + feed_forward(x), each
// normalised. Everything but the attention acts on each token alone.
namespace posproof::attention {

// gain * (x - mean) / sqrt(variance + epsilon) + shift over the channels of each token, the variance with
// divisor d. Ba, Kiros, Hinton 2016, eq. 4.
struct LayerNorm {
  Tensor gain, shift;  // [dim]
  double epsilon = 1e-5;
};
Tensor normalised(const LayerNorm& norm, const Tensor& x);

// max(0, x up + up_shift) down + down_shift. Vaswani et al. 2017, eq. 2.
struct FeedForward {
  Tensor up, up_shift;      // [dim, hidden], [hidden]
  Tensor down, down_shift;  // [hidden, dim], [dim]
};
Tensor transformed(const FeedForward& feed_forward, const Tensor& x);

struct Block {
  Projections projections;
  FeedForward feed_forward;
  LayerNorm after_attention, after_feed_forward;
  bool residual = true;           // x is added to what the layer makes of it
  bool normalise = true;          // after each of the two
  bool with_feed_forward = true;  // false: the attention alone
};

// One block over the tokens x[n, dim], with any operator in its middle.
Tensor encode(const Block& block, const Attention& attention, const Tensor& x, const Mask& mask);

// Normal entries of variance 1 / (inputs of the layer), 4 dim hidden channels, gain 1, shift 0.
Block random_block(std::size_t dim, std::uint64_t seed);

}  // namespace posproof::attention
