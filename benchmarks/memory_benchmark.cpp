// What the memory of this machine allows: a write past the caches, a read, a copy; one thread, the widest
// vectors that the processor has.
#include "benchmarks/memory_benchmark.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // of the compiler's own header: GCC bug 105593
#endif
#include <immintrin.h>
#endif

namespace posproof::exact {

char* benchmark_memory() {
  static char* const memory = [] {
    constexpr std::size_t huge = std::size_t{1} << 21;
    auto* const at = static_cast<char*>(::operator new (benchmark_bytes, std::align_val_t{huge}));
    madvise(at, benchmark_bytes, MADV_HUGEPAGE);
    std::memset(at, 1, benchmark_bytes);
    return at;
  }();
  return memory;
}

namespace {

#if defined(__x86_64__)
__attribute__((target("avx512f"))) void write_v4(char* to, std::size_t bytes) {
  const __m512i value = _mm512_set1_epi32(1);
  for (std::size_t at = 0; at < bytes; at += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), value);
  _mm_sfence();
}

__attribute__((target("avx2"))) void write_v3(char* to, std::size_t bytes) {
  const __m256i value = _mm256_set1_epi32(1);
  for (std::size_t at = 0; at < bytes; at += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at), value);
  _mm_sfence();
}

__attribute__((target("avx512f"))) std::int64_t read_v4(const char* from, std::size_t bytes) {
  __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
  for (std::size_t at = 0; at < bytes; at += 256) {
    a = _mm512_xor_si512(a, _mm512_load_si512(from + at));
    b = _mm512_xor_si512(b, _mm512_load_si512(from + at + 64));
    c = _mm512_xor_si512(c, _mm512_load_si512(from + at + 128));
    d = _mm512_xor_si512(d, _mm512_load_si512(from + at + 192));
  }
  return _mm512_reduce_add_epi64(_mm512_xor_si512(_mm512_xor_si512(a, b), _mm512_xor_si512(c, d)));
}

__attribute__((target("avx2"))) std::int64_t read_v3(const char* from, std::size_t bytes) {
  const auto* at = reinterpret_cast<const __m256i*>(from);
  __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
  for (const auto* end = at + bytes / 32; at < end; at += 4) {
    a = _mm256_xor_si256(a, _mm256_load_si256(at));
    b = _mm256_xor_si256(b, _mm256_load_si256(at + 1));
    c = _mm256_xor_si256(c, _mm256_load_si256(at + 2));
    d = _mm256_xor_si256(d, _mm256_load_si256(at + 3));
  }
  a = _mm256_xor_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(c, d));
  return _mm256_extract_epi64(a, 0) ^ _mm256_extract_epi64(a, 1) ^ _mm256_extract_epi64(a, 2) ^
         _mm256_extract_epi64(a, 3);
}
#endif

void write_memory(char* to, std::size_t bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return write_v4(to, bytes);
  if (__builtin_cpu_supports("avx2")) return write_v3(to, bytes);
#endif
  std::memset(to, 1, bytes);
}

std::int64_t read_memory(const char* from, std::size_t bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return read_v4(from, bytes);
  if (__builtin_cpu_supports("avx2")) return read_v3(from, bytes);
#endif
  std::int64_t sum = 0;
  for (std::size_t at = 0; at < bytes; at += 8) {
    std::int64_t one = 0;
    std::memcpy(&one, from + at, 8);
    sum ^= one;
  }
  return sum;
}

const bool registered = [] {
  const auto every = [](const char* what, std::size_t mebibytes, auto work) {
    const std::size_t bytes = mebibytes << 20;
    benchmark::RegisterBenchmark(
        fmt::format("memory/{}/{}MiB", what, mebibytes).c_str(), [bytes, work](benchmark::State& state) {
          char* const memory = benchmark_memory();
          for (auto _ : state) work(memory, bytes);
          state.SetItemsProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
        });
  };
  // 32 MiB: 131072 x 128 in bf16 and f16; 64: in f32; 128: in f64; 512: 1048576 x 128 in f32.
  for (const std::size_t mebibytes : {32u, 64u, 128u, 512u}) {
    every("write", mebibytes, [](char* memory, std::size_t bytes) {
      write_memory(memory, bytes);
      benchmark::ClobberMemory();
    });
    every("read", mebibytes,
          [](char* memory, std::size_t bytes) { benchmark::DoNotOptimize(read_memory(memory, bytes)); });
  }
  for (const std::size_t mebibytes : {1u, 64u, 128u})
    every("copy", mebibytes, [](char* memory, std::size_t bytes) {
      std::memcpy(memory + benchmark_bytes / 2, memory, bytes);
      benchmark::ClobberMemory();
    });
  return true;
}();

}  // namespace
}  // namespace posproof::exact
