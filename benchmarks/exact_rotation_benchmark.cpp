// Every output of a RoPE apply on (1, 32, 4096, 128) in f32, written and verified, in both pairings.
#include "exact/exact_rotation.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/memory_benchmark.h"
#include "exact/ladder.h"

namespace posproof::exact {
namespace {

constexpr std::size_t heads = 32, tokens = 4096, dim = 128, pairs = dim / 2;
constexpr std::size_t values = heads * tokens * dim;

ExactRotation rotate(const Kernel& kernel, bool half_split) {
  Geometric powers{10000, {}};
  std::vector<Pair> rotating;
  for (std::size_t i = 0; i < pairs; ++i) {
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), dim});
    rotating.push_back({half_split ? i : 2 * i, half_split ? i + pairs : 2 * i + 1, 0, i});
  }
  return ExactRotation(std::make_shared<const Ladder>(Frequencies{powers}, 1.0, kernel), rotating, dim);
}

// The input in the first half of the memory, the output in the second.
void verify(benchmark::State& state, const Kernel& kernel, bool half_split) {
  const ExactRotation exact = rotate(kernel, half_split);
  auto* const x = reinterpret_cast<float*>(benchmark_memory());
  float* const rotated = x + benchmark_bytes / 2 / sizeof(float);
  for (std::size_t n = 0; n < values; ++n)
    x[n] = static_cast<float>(static_cast<std::int64_t>(n * 2654435761 % 4093) - 2046) * 0x1p-10f;
  std::vector<Position> positions(tokens);
  for (std::size_t t = 0; t < tokens; ++t) positions[t] = static_cast<Position>(t);
  const ExactRotation::Extents extents{1, heads, tokens};
  exact.fill(Format::f32, x, rotated, extents, positions);
  for (auto _ : state)
    if (exact.compare(Format::f32, x, rotated, extents, positions).wrong != 0)
      state.SkipWithError("what the oracle wrote, it refutes");
  state.SetItemsProcessed(static_cast<std::int64_t>(values) * state.iterations());
}

const bool registered = [] {
  for (const Kernel* kernel : kernels_here())
    for (const bool half_split : {true, false})
      benchmark::RegisterBenchmark(
          fmt::format("exact/verify_rotation/{}/{}", half_split ? "half_split" : "interleaved", kernel->name)
              .c_str(),
          [kernel, half_split](benchmark::State& state) { verify(state, *kernel, half_split); });
  return true;
}();

}  // namespace
}  // namespace posproof::exact
