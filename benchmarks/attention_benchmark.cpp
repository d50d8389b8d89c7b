// The reference operator against a product of matrices with the same multiplications: q k^T and the weights
// times v, 4 n^2 d floating-point operations.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "attention/dot_product.h"
#include "attention/mask.h"
#include "attention/multi_head.h"
#include "benchmarks/gemm_benchmark.h"

namespace posproof::attention {
namespace {

Tensor content(std::size_t rows, std::size_t width) {
  Tensor out({rows, width});
  for (std::size_t n = 0; n < out.data.size(); ++n) out.data[n] = std::sin(static_cast<double>(n));
  return out;
}

void count_operations(benchmark::State& state, std::size_t n, std::size_t d) {
  state.SetItemsProcessed(static_cast<std::int64_t>(4 * n * n * d) * state.iterations());
}

void reference(benchmark::State& state, std::size_t n, std::size_t d) {
  const Tensor x = content(n, d);
  const Mask mask = mask::none(n, n);
  for (auto _ : state) benchmark::DoNotOptimize(scaled_dot_product(x, x, x, mask).data.data());
  count_operations(state, n, d);
}

void product_of_matrices(benchmark::State& state, Gemm gemm, std::size_t n, std::size_t d) {
  const Tensor x = content(n, d), transposed = content(d, n);
  Tensor square({n, n}), out({n, d});
  for (auto _ : state) {
    gemm(x.data.data(), transposed.data.data(), square.data.data(), n, d, n);
    gemm(square.data.data(), x.data.data(), out.data.data(), n, n, d);
    benchmark::DoNotOptimize(out.data.data());
  }
  count_operations(state, n, d);
}

void in_heads(benchmark::State& state, std::size_t number) {
  constexpr std::size_t n = 64, dim = 128;
  const Tensor x = content(n, dim);
  const Mask mask = mask::none(n, n);
  const Attention operation = heads(dim, number);
  for (auto _ : state) benchmark::DoNotOptimize(operation.attend(x, x, x, mask).data.data());
}

const bool registered = [] {
  const auto add = [](const std::string& name, auto measure) {
    benchmark::RegisterBenchmark(name.c_str(), measure);
  };
  constexpr std::size_t n = 256, d = 64;
  add("attention/reference", [](benchmark::State& state) { reference(state, n, d); });
  const auto gemm = [add](const char* isa, Gemm one) {
    add(fmt::format("gemm/{}", isa),
        [one](benchmark::State& state) { product_of_matrices(state, one, n, d); });
  };
  gemm("plain", &gemm_plain);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) gemm("v3", &gemm_v3);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) gemm("v4", &gemm_v4);
#endif
  for (const std::size_t tokens : {64u, 128u, 256u, 512u})
    add(fmt::format("growth/attention/n/{}", tokens),
        [tokens](benchmark::State& state) { reference(state, tokens, d); });
  for (const std::size_t width : {64u, 128u, 256u, 512u})
    add(fmt::format("growth/attention/d/{}", width),
        [width](benchmark::State& state) { reference(state, 64, width); });
  for (const std::size_t number : {1u, 2u, 4u, 8u, 16u})
    add(fmt::format("growth/attention/heads/{}", number),
        [number](benchmark::State& state) { in_heads(state, number); });
  return true;
}();

}  // namespace
}  // namespace posproof::attention
