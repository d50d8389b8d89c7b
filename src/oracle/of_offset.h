#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/hard.h"

// A bias that is a function of the offset key - query, of which every value can be had correctly rounded.
namespace posproof::oracle {

// `value(head, offset, format)`. In a call every offset is asked once, of a head that is like an earlier one
// never: `like[head]` is the first that has its numbers.
template <class Value>
Bias bias_of_offset(const std::vector<std::size_t>& like, bool causal, Value value) {
  const std::size_t heads = like.size();
  Bias bias{.heads = heads, .causal = causal};
  bias.positions.hard = hard_positions(std::span<const Pair>{}, bias.positions.lo, bias.positions.hi);
  bias.bias = [heads, like, value](const Positions& queries, const Positions& keys) {
    Tensor out({heads, queries.size(), keys.size()});
    const auto each = static_cast<std::ptrdiff_t>(queries.size() * keys.size());
    auto entry = out.data.begin();
    for (std::size_t h = 0; h < heads; ++h) {
      if (like[h] != h) {
        entry = std::copy_n(out.data.begin() + static_cast<std::ptrdiff_t>(like[h]) * each, each, entry);
        continue;
      }
      std::map<Position, double> known;
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (std::size_t j = 0; j < keys.size(); ++j) {
          const Position offset = keys[j] - queries[i];
          const auto [at, is_new] = known.try_emplace(offset);
          if (is_new) at->second = value(h, offset, Format::f64);
          *entry++ = at->second;
        }
    }
    return out;
  };
  bias.exact = ExactBias{};
  bias.exact->fill = [value](std::size_t head, Position first, Format format, std::span<double> out) {
    for (double& entry : out) entry = value(head, first++, format);
  };
  return bias;
}

// Every head has numbers of its own.
template <class Value>
Bias bias_of_offset(std::size_t heads, bool causal, Value value) {
  std::vector<std::size_t> like(heads);
  std::iota(like.begin(), like.end(), 0);
  return bias_of_offset(like, causal, std::move(value));
}

// The distance of a key at that offset: of one after the query, where only those before it count, 0.
inline Position distance_of(Position offset, bool causal) {
  if (causal) return offset < 0 ? -offset : 0;
  return offset < 0 ? -offset : offset;
}

}  // namespace posproof::oracle
