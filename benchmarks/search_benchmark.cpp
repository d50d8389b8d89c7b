// What a case costs: the bare driver, the draws, the cells of the matrix, and the gate's first question, to
// an encoding of this process and to one of another.
//   ./run performance, or
//   cmake --build --preset release --target posproof_benchmarks && build/release/posproof_benchmarks
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "benchmarks/registered_benchmark.h"
#include "catalogue/encodings.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/claimed.h"
#include "run/claims.h"
#include "search/search.h"
#include "search/trial.h"
#include "subject/subject.h"
#include "test_paths.h"

namespace posproof {
namespace {

void searched(benchmark::State& state, const Trial& one, std::uint64_t cases) {
  Plan plan{.seed = 1, .id = "benchmark"};
  plan.budget.cases = cases;
  for (auto _ : state) {
    const Verdict verdict = search(one, plan);
    if (!std::holds_alternative<Holds>(verdict)) state.SkipWithError("a claim does not hold");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(cases));
}

Residual nothing_to_check() {
  return {0, 0, 1};
}

void driver(benchmark::State& state) {
  searched(
      state, [](Draw&) { return nothing_to_check(); }, 300);
}

void three_positions(benchmark::State& state) {
  const Domain domain;
  searched(
      state,
      [&](Draw& draw) {
        draw.position("i", domain);
        draw.position("j", domain);
        draw.position("t", domain);
        return nothing_to_check();
      },
      300);
}

// What users_today.py has Hypothesis check, too.
void depends_on_offset(benchmark::State& state) {
  const EncodingSpec& rope = encoding_named("rope");
  searched(state,
           *trial(property_named("score/depends_on_offset"),
                  rope.make(with(rope, Case::parse("dim=64 heads=1"))), all_f64),
           300);
}

// One cell of the matrix: a claim over the encoding's grid, whose settings are built once, before the time
// counts.
void cell(benchmark::State& state, const Claim& claim, const EncodingSpec& spec) {
  const Trial one = over_grid(*claim.property, spec, claim.when);
  search(one, {.seed = 1, .id = "benchmark"});
  searched(state, one, 100);
}

constexpr std::uint64_t gate_cases = 200;

void gate_in_process(benchmark::State& state) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Parameters parameters = standard(spec);
  searched(state, *trial(agreement(spec.oracle(parameters)), spec.make(parameters), all_f64), gate_cases);
}

void gate_out_of_process(benchmark::State& state) {
  const EncodingSpec& spec = encoding_named("alibi");
  const Parameters parameters = standard(spec);
  const Encoding truth = spec.oracle(parameters);
  const Subject subject =
      open(fmt::format("cmd:{} {}/examples/numpy_alibi.py", POSPROOF_PYTHON, POSPROOF_SOURCE),
           {.encoding = "alibi", .parameters = parameters, .declared = {truth}});
  searched(state, *trial(agreement(truth), subject.encoding, subject.precision), gate_cases);
}

BENCHMARK(driver)->Name("cases/driver");
BENCHMARK(three_positions)->Name("cases/three_positions");
BENCHMARK(depends_on_offset)->Name("cases/depends_on_offset");
BENCHMARK(gate_in_process)->Name("gate/in_process")->UseRealTime();
BENCHMARK(gate_out_of_process)->Name("gate/out_of_process")->UseRealTime();

}  // namespace

// Everything that is claimed to hold.
void register_searches() {
  for (const auto& [id, spec] : catalogue::encodings())
    for (const Claim& claim : claims_of(*spec))
      if (claim.holds)
        benchmark::RegisterBenchmark(
            fmt::format("matrix/{}.{}", id, id_of(*claim.property)).c_str(),
            [&claim, spec = spec](benchmark::State& state) { cell(state, claim, *spec); })
            ->MinTime(0.01);
  for (const std::uint64_t cases : {100u, 400u, 1600u, 6400u})
    benchmark::RegisterBenchmark(
        fmt::format("growth/search/cases/{}", cases).c_str(), [cases](benchmark::State& state) {
          const EncodingSpec& rope = encoding_named("rope");
          searched(state,
                   *trial(property_named("score/depends_on_offset"), rope.make(standard(rope)), all_f64),
                   cases);
        });
}

}  // namespace posproof
