#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/encoding.h"

// Which key each query may see, as values: [nq, nk] of 0 and 1. All but the first two are for self-attention
// or fix the number of keys by their argument.
namespace posproof::mask {

Mask none(std::size_t queries, std::size_t keys);  // every query sees every key
Mask none(std::size_t tokens);
Mask causal(std::size_t tokens);                                   // the keys at or before the query
Mask padding(std::size_t queries, const std::vector<bool>& keep);  // the keys that are kept
Mask block(std::span<const std::size_t> sizes);                    // the keys of the query's own block
Mask sliding_window(std::size_t tokens, std::size_t width);  // the keys less than `width` away, on both sides
Mask last_sees_all(std::size_t tokens);  // the query's own key; the last query sees every key

// What both show. Throws std::invalid_argument where they differ in shape.
Mask intersect(const Mask& a, const Mask& b);

// Whether that query sees that key. Throws std::invalid_argument for an entry that is neither 0 nor 1.
bool sees(const Mask& mask, std::size_t query, std::size_t key);

// The keys that a query sees, rising, to `keys`. Throws Refusal where there is none, and
// std::invalid_argument as `sees` does.
void seen(const Mask& mask, std::size_t query, std::vector<std::size_t>& keys);

}  // namespace posproof::mask
