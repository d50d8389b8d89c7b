// Rotating queries: the reference (long double, for its certainty), and the oracle's rotate (rounded once
// from the exact value). What a copy of the same bytes takes is in benchmarks/memory_benchmark.cpp.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <variant>
#include <vector>

#include "benchmarks/registered_benchmark.h"
#include "run/catalogued.h"

namespace posproof {
namespace {

using Made = Encoding (EncodingSpec::*)(const Parameters&) const;

Rotary rotary(Made make, double dim, double heads) {
  return std::get<Rotary>(
      (encoding_named("rope").*make)(Case::parse(fmt::format("dim={} heads={}", dim, heads))));
}

void rotate(benchmark::State& state, Made make, std::size_t heads, std::size_t n, std::size_t dim) {
  const Rotary one = rotary(make, static_cast<double>(dim), static_cast<double>(heads));
  Tensor x({1, heads, n, dim});
  for (std::size_t k = 0; k < x.data.size(); ++k) x.data[k] = std::sin(static_cast<double>(k));
  std::vector<Position> positions(n);
  for (std::size_t t = 0; t < n; ++t) positions[t] = static_cast<Position>(t);
  for (auto _ : state) benchmark::DoNotOptimize(one.rotate(x, positions, Role::query).data.data());
  state.SetItemsProcessed(static_cast<std::int64_t>(x.data.size()) * state.iterations());
}

}  // namespace

void register_rotations() {
  const auto add = [](const std::string& name, Made make, std::size_t heads, std::size_t n, std::size_t dim) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) { rotate(state, make, heads, n, dim); });
  };
  add("rotary/reference", &EncodingSpec::make, 32, 32, 128);  // 1 MiB in double
  add("rotary/oracle", &EncodingSpec::oracle, 32, 32, 128);
  for (const std::size_t n : {16u, 64u, 256u})
    add(fmt::format("growth/rotary/n/{}", n), &EncodingSpec::make, 8, n, 64);
  for (const std::size_t d : {16u, 64u, 256u})
    add(fmt::format("growth/rotary/d/{}", d), &EncodingSpec::make, 8, 32, d);
  for (const std::size_t heads : {16u, 64u, 256u})
    add(fmt::format("growth/rotary/heads/{}", heads), &EncodingSpec::make, heads, 16, 64);
}

}  // namespace posproof
