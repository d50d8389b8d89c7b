#pragma once

#include "core/parameter.h"
#include "encodings/seeded.h"
#include "oracle/bias_bounds.h"

namespace posproof {

// The numbers of FIRE: those that are given, and what stands for the trained ones.
inline bias_bounds::Fire fire_of(const Arguments& p) {
  bias_bounds::Fire fire{
      p.real("c"), p.real("threshold"), p.real("epsilon"), {1, p.width("width"), p.width("heads"), true}};
  const auto seed = static_cast<std::uint64_t>(p.whole("mlp_seed"));
  for (std::size_t n = 0; n < fire.layers.count(); ++n) fire.layers.numbers.push_back(seeded(seed, n, 1.0));
  return fire;
}

}  // namespace posproof
