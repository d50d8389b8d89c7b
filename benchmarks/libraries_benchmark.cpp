// What others are as fast as, without a promise of the last bit: f32 tables of 131072 x 128 from angles in
// double, by glibc's sincos, glibc's vector library and SLEEF. The vector libraries are looked up when the
// program runs: they are optional, and calling them by name asks for no -ffast-math.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cmath>
#include <vector>

#include "benchmarks/memory_benchmark.h"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // of the compiler's own header: GCC bug 105593
#endif
#include <immintrin.h>
#endif

namespace posproof::exact {
namespace {

constexpr std::size_t rows = 131072, pairs = 64;

std::vector<double> frequencies() {
  std::vector<double> w(pairs);
  for (std::size_t i = 0; i < pairs; ++i) w[i] = std::pow(10000.0, -static_cast<double>(2 * i) / (2 * pairs));
  return w;
}

// `row` writes the sines and the cosines of one position, each side by side.
template <class Row>
void table(benchmark::State& state, Row row) {
  const std::vector<double> w = frequencies();
  auto* const out = reinterpret_cast<float*>(benchmark_memory());
  for (auto _ : state)
    for (std::size_t t = 0; t < rows; ++t) row(static_cast<double>(t), w.data(), out + t * 2 * pairs);
  state.SetItemsProcessed(static_cast<std::int64_t>(rows * 2 * pairs) * state.iterations());
}

void row_by_glibc(double t, const double* w, float* out) {
  for (std::size_t i = 0; i < pairs; ++i) {
    double sine = 0, cosine = 0;
    ::sincos(t * w[i], &sine, &cosine);
    out[i] = static_cast<float>(sine);
    out[pairs + i] = static_cast<float>(cosine);
  }
}

void* function(const char* library, const char* name) {
  void* const opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return opened == nullptr ? nullptr : dlsym(opened, name);
}

#if defined(__x86_64__)

struct TwoWide {
  __m512d sine, cosine;
};
struct TwoNarrow {
  __m256d sine, cosine;
};

struct Libmvec {
  __m512d (*wide_sine)(__m512d);
  __m512d (*wide_cosine)(__m512d);
  __m256d (*narrow_sine)(__m256d);
  __m256d (*narrow_cosine)(__m256d);
};

struct Sleef {
  TwoWide (*wide)(__m512d);
  TwoNarrow (*narrow)(__m256d);
};

template <class Function>
void find(Function*& to, const char* library, const char* name) {
  to = reinterpret_cast<Function*>(function(library, name));
}

const Libmvec& libmvec() {
  static const Libmvec found = [] {
    Libmvec out{};
    constexpr const char* library = "libmvec.so.1";
    find(out.wide_sine, library, "_ZGVeN8v_sin");
    find(out.wide_cosine, library, "_ZGVeN8v_cos");
    find(out.narrow_sine, library, "_ZGVdN4v_sin");
    find(out.narrow_cosine, library, "_ZGVdN4v_cos");
    return out;
  }();
  return found;
}

const Sleef& sleef() {
  static const Sleef found = [] {
    Sleef out{};
    find(out.wide, "libsleef.so.3", "Sleef_sincosd8_u10avx512f");
    find(out.narrow, "libsleef.so.3", "Sleef_sincosd4_u10avx2");
    return out;
  }();
  return found;
}

__attribute__((target("avx512f"))) void row_by_libmvec_v4(double t, const double* w, float* out) {
  const Libmvec& mvec = libmvec();
  for (std::size_t i = 0; i < pairs; i += 8) {
    const __m512d angle = _mm512_mul_pd(_mm512_set1_pd(t), _mm512_loadu_pd(w + i));
    _mm256_storeu_ps(out + i, _mm512_cvtpd_ps(mvec.wide_sine(angle)));
    _mm256_storeu_ps(out + pairs + i, _mm512_cvtpd_ps(mvec.wide_cosine(angle)));
  }
}

__attribute__((target("avx2"))) void row_by_libmvec_v3(double t, const double* w, float* out) {
  const Libmvec& mvec = libmvec();
  for (std::size_t i = 0; i < pairs; i += 4) {
    const __m256d angle = _mm256_mul_pd(_mm256_set1_pd(t), _mm256_loadu_pd(w + i));
    _mm_storeu_ps(out + i, _mm256_cvtpd_ps(mvec.narrow_sine(angle)));
    _mm_storeu_ps(out + pairs + i, _mm256_cvtpd_ps(mvec.narrow_cosine(angle)));
  }
}

__attribute__((target("avx512f"))) void row_by_sleef_v4(double t, const double* w, float* out) {
  const Sleef& found = sleef();
  for (std::size_t i = 0; i < pairs; i += 8) {
    const TwoWide both = found.wide(_mm512_mul_pd(_mm512_set1_pd(t), _mm512_loadu_pd(w + i)));
    _mm256_storeu_ps(out + i, _mm512_cvtpd_ps(both.sine));
    _mm256_storeu_ps(out + pairs + i, _mm512_cvtpd_ps(both.cosine));
  }
}

__attribute__((target("avx2"))) void row_by_sleef_v3(double t, const double* w, float* out) {
  const Sleef& found = sleef();
  for (std::size_t i = 0; i < pairs; i += 4) {
    const TwoNarrow both = found.narrow(_mm256_mul_pd(_mm256_set1_pd(t), _mm256_loadu_pd(w + i)));
    _mm_storeu_ps(out + i, _mm256_cvtpd_ps(both.sine));
    _mm_storeu_ps(out + pairs + i, _mm256_cvtpd_ps(both.cosine));
  }
}

#endif

const bool registered = [] {
  const auto add = [](const char* name, void (*row)(double, const double*, float*)) {
    benchmark::RegisterBenchmark(name, [row](benchmark::State& state) { table(state, row); });
  };
  add("library/glibc_sincos", &row_by_glibc);
#if defined(__x86_64__)
  const bool v3 = __builtin_cpu_supports("avx2"), v4 = __builtin_cpu_supports("avx512f");
  // What the report says where a line is missing.
  benchmark::AddCustomContext("libmvec", libmvec().narrow_sine != nullptr ? "installed" : "not installed");
  benchmark::AddCustomContext("sleef", sleef().narrow != nullptr ? "installed" : "not installed");
  if (v3 && libmvec().narrow_sine != nullptr) add("library/libmvec_v3", &row_by_libmvec_v3);
  if (v4 && libmvec().wide_sine != nullptr) add("library/libmvec_v4", &row_by_libmvec_v4);
  if (v3 && sleef().narrow != nullptr) add("library/sleef_v3", &row_by_sleef_v3);
  if (v4 && sleef().wide != nullptr) add("library/sleef_v4", &row_by_sleef_v4);
#endif
  return true;
}();

}  // namespace
}  // namespace posproof::exact
