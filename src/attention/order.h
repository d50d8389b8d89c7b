#pragma once

#include <cstddef>
#include <span>

#include "core/encoding.h"

// Orders of tokens. An order is a permutation of 0 .. n-1; row r of what it gives is row order[r] of what it
// is given.
namespace posproof::attention {

using Permutation = std::span<const std::size_t>;

// P x.
Tensor reordered(const Tensor& x, Permutation order);

// P M R^T: queries in the order P, keys in the order R.
Mask reordered(const Mask& mask, Permutation queries, Permutation keys);

bool is_identity(Permutation order);

// Whether the mask is the same for the tokens in that order: P M P^T = M.
bool is_symmetry(const Mask& mask, Permutation order);

// How many orders leave the mask as it is. All n! are tried; throws std::invalid_argument for n above 8.
std::size_t symmetries(const Mask& mask);

// What is reordered of self-attention: whole tokens, their queries alone, or their keys and values alone.
enum class Reordered { tokens, queries, keys_and_values };

// For how many of the n! orders P self-attention of x under this mask gives P times what it gives without
// (keys and values alone: just that), up to rounding in double. The mask stays as it is. n up to 8.
std::size_t equivariant_orders(const Attention& attention, const Tensor& x, const Mask& mask,
                               Reordered what = Reordered::tokens);

}  // namespace posproof::attention
