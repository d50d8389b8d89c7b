#include "attention/mask.h"

#include <fmt/format.h>

#include <stdexcept>

namespace posproof::mask {
namespace {

template <class Shown>
Mask where(std::size_t queries, std::size_t keys, const Shown& shown) {
  Mask mask({queries, keys});
  for (std::size_t i = 0; i < queries; ++i)
    for (std::size_t j = 0; j < keys; ++j) mask.at(i, j) = shown(i, j) ? 1 : 0;
  return mask;
}

}  // namespace

Mask none(std::size_t queries, std::size_t keys) {
  return where(queries, keys, [](std::size_t, std::size_t) { return true; });
}

Mask none(std::size_t tokens) {
  return none(tokens, tokens);
}

Mask causal(std::size_t tokens) {
  return where(tokens, tokens, [](std::size_t i, std::size_t j) { return j <= i; });
}

Mask padding(std::size_t queries, const std::vector<bool>& keep) {
  return where(queries, keep.size(), [&](std::size_t, std::size_t j) { return keep[j]; });
}

Mask block(std::span<const std::size_t> sizes) {
  std::vector<std::size_t> block_of;
  for (std::size_t b = 0; b < sizes.size(); ++b) block_of.insert(block_of.end(), sizes[b], b);
  const std::size_t tokens = block_of.size();
  return where(tokens, tokens, [&](std::size_t i, std::size_t j) { return block_of[i] == block_of[j]; });
}

Mask sliding_window(std::size_t tokens, std::size_t width) {
  return where(tokens, tokens, [&](std::size_t i, std::size_t j) { return (i < j ? j - i : i - j) < width; });
}

Mask last_sees_all(std::size_t tokens) {
  return where(tokens, tokens, [tokens](std::size_t i, std::size_t j) { return i == j || i + 1 == tokens; });
}

Mask intersect(const Mask& a, const Mask& b) {
  if (a.shape != b.shape)
    throw std::invalid_argument(
        fmt::format("a mask of {} cannot meet one of {}", text(a.shape), text(b.shape)));
  return where(a.rows(), a.width(),
               [&](std::size_t i, std::size_t j) { return sees(a, i, j) && sees(b, i, j); });
}

bool sees(const Mask& mask, std::size_t query, std::size_t key) {
  const double entry = mask.at(query, key);
  if (entry != 0 && entry != 1)
    throw std::invalid_argument(
        fmt::format("the mask of query {} and key {} is {}; allowed: 0 and 1", query, key, entry));
  return entry == 1;
}

void seen(const Mask& mask, std::size_t query, std::vector<std::size_t>& keys) {
  keys.clear();
  for (std::size_t j = 0; j < mask.width(); ++j)
    if (sees(mask, query, j)) keys.push_back(j);
  if (keys.empty()) throw Refusal(fmt::format("query {} sees no key", query));
}

}  // namespace posproof::mask
