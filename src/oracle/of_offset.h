#pragma once

#include <map>
#include <utility>

#include "core/encoding.h"
#include "core/formats.h"
#include "core/hard.h"

// A bias that is a function of the offset key - query, of which every value can be had correctly rounded.
namespace posproof::oracle {

// `value(head, offset, format)`. In a call every offset is asked once.
template <class Value>
Bias bias_of_offset(std::size_t heads, bool causal, Value value) {
  Bias bias{.heads = heads, .causal = causal};
  bias.positions.hard = hard_positions(std::span<const Pair>{}, bias.positions.lo, bias.positions.hi);
  bias.bias = [heads, value](const Positions& queries, const Positions& keys) {
    Tensor out({heads, queries.size(), keys.size()});
    auto entry = out.data.begin();
    for (std::size_t h = 0; h < heads; ++h) {
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

// The distance of a key at that offset: of one after the query, where only those before it count, 0.
inline Position distance_of(Position offset, bool causal) {
  if (causal) return offset < 0 ? -offset : 0;
  return offset < 0 ? -offset : offset;
}

}  // namespace posproof::oracle
