// What a case costs, as ratios within one run: the bare driver, the draws, whole properties, and the oracle.
//   cmake --build --preset release --target posproof_benchmarks && build/release/posproof_benchmarks
#include <benchmark/benchmark.h>

#include <string>

#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/search.h"
#include "run/trial.h"

namespace posproof {
namespace {

constexpr std::uint64_t cases = 300;

void searched(benchmark::State& state, const Trial& one) {
  Plan plan{.seed = 1, .id = "benchmark"};
  plan.budget.cases = cases;
  for (auto _ : state) benchmark::DoNotOptimize(search(one, plan));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(cases));
}

void driver(benchmark::State& state) {
  searched(state, [](Draw&) { return Residual{0, 0, 1}; });
}

void three_positions(benchmark::State& state) {
  const Domain domain;
  searched(state, [&](Draw& draw) {
    draw.position("i", domain);
    draw.position("j", domain);
    draw.position("t", domain);
    return Residual{0, 0, 1};
  });
}

// One property of one encoding at its standard parameters.
void property_of(benchmark::State& state, const std::string& property, const std::string& encoding) {
  const EncodingSpec& spec = encoding_named(encoding);
  searched(state, *trial(property_named(property), spec.make(standard(spec)), fp64));
}

void agreement_of(benchmark::State& state, const std::string& encoding) {
  const EncodingSpec& spec = encoding_named(encoding);
  const Parameters parameters = standard(spec);
  searched(state, *trial(agreement(spec.oracle(parameters)), spec.make(parameters), fp64));
}

BENCHMARK(driver);
BENCHMARK(three_positions);
BENCHMARK_CAPTURE(property_of, rope_score, "score/depends_on_offset", "rope");
BENCHMARK_CAPTURE(property_of, rope_composes, "rotary/composes", "rope");
BENCHMARK_CAPTURE(property_of, sinusoidal_translation, "table/translates_by_a_rotation", "sinusoidal");
BENCHMARK_CAPTURE(property_of, none_equivariance, "attention/permutation_equivariant", "none");
BENCHMARK_CAPTURE(agreement_of, rope, "rope");
BENCHMARK_CAPTURE(agreement_of, sinusoidal, "sinusoidal");

}  // namespace
}  // namespace posproof

BENCHMARK_MAIN();
