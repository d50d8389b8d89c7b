#pragma once

#include "core/parameter.h"
#include "encodings/seeded.h"
#include "oracle/dynamic_bias.h"

namespace posproof {

// The numbers of a dynamic position bias: those that are given, and what stands for the trained ones.
inline oracle::DynamicBias dynamic_bias_of(const Arguments& p) {
  oracle::DynamicBias bias{.width = p.width("width"),
                           .depth = p.width("depth"),
                           .heads = p.width("heads"),
                           .distance = p.is("offset", "distance"),
                           .log = p.is("scale", "log"),
                           .silu = p.is("activation", "silu"),
                           .numbers = {}};
  const auto seed = static_cast<std::uint64_t>(p.whole("mlp_seed"));
  for (std::size_t n = 0; n < bias.count(); ++n) bias.numbers.push_back(seeded(seed, n, p.real("std")));
  return bias;
}

}  // namespace posproof
