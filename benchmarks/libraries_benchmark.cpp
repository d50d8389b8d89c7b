// How fast and how good others are, who promise nothing of the last bit: f32 tables of 131072 x 128 from
// angles in double, by glibc's sincos, glibc's vector library and SLEEF. The vector libraries are looked up
// when the program runs: they are optional, and calling them by name asks for no -ffast-math.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/errors_in_ulp.h"
#include "benchmarks/memory_benchmark.h"
#include "exact/exact_table.h"
#include "exact/ladder.h"

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

// Writes the sines and the cosines of one position, each side by side, in f32 or in f64.
struct Way {
  const char* name;
  void (*f32)(double t, const double* w, float* out);
  void (*f64)(double t, const double* w, double* out);
};

// What one way is off by, measured once.
struct Quality {
  double wrong_share, farthest;  // of the table in f32: exact/exact_table.h
  UlpErrors ulp;                 // of the sines and cosines of the angles that it was given, in f64
};

Quality quality_of(const Way& way, const float* table, const std::vector<double>& w) {
  using Part = Run::Part;
  Geometric powers{10000, {}};
  for (std::size_t i = 0; i < pairs; ++i)
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), 2 * pairs});
  const ExactTable exact(std::make_shared<const Ladder>(Frequencies{powers}),
                         {{Part::sines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}}, 2 * pairs, 0);
  const Compared found = exact.compare(Format::f32, 0, rows, table);
  Quality out{static_cast<double>(found.wrong) / (rows * 2 * pairs),
              *std::max_element(found.farthest.begin(), found.farthest.end()),
              {}};
  std::vector<double> row(2 * pairs);
  for (std::size_t t = 0; t < rows; t += 16) {
    way.f64(static_cast<double>(t), w.data(), row.data());
    for (std::size_t i = 0; i < pairs; ++i)
      out.ulp.add(static_cast<double>(t) * w[i], row[i], row[pairs + i]);
  }
  return out;
}

void table(benchmark::State& state, const Way& way) {
  const std::vector<double> w = frequencies();
  auto* const out = reinterpret_cast<float*>(benchmark_memory());
  for (auto _ : state)
    for (std::size_t t = 0; t < rows; ++t) way.f32(static_cast<double>(t), w.data(), out + t * 2 * pairs);
  state.SetItemsProcessed(static_cast<std::int64_t>(rows * 2 * pairs) * state.iterations());
  static std::map<std::string, Quality> known;
  if (!known.contains(way.name)) known.emplace(way.name, quality_of(way, out, w));
  const Quality& quality = known.at(way.name);
  state.counters["wrong_share"] = quality.wrong_share;
  state.counters["farthest"] = quality.farthest;
  state.counters["ulp_largest"] = quality.ulp.largest();
  state.counters["ulp_mean"] = quality.ulp.mean();
}

template <class T>
void row_by_glibc(double t, const double* w, T* out) {
  for (std::size_t i = 0; i < pairs; ++i) {
    double sine = 0, cosine = 0;
    ::sincos(t * w[i], &sine, &cosine);
    out[i] = static_cast<T>(sine);
    out[pairs + i] = static_cast<T>(cosine);
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

#define POSPROOF_WIDE __attribute__((target("avx512f")))
#define POSPROOF_NARROW __attribute__((target("avx2")))

POSPROOF_WIDE void store(float* out, __m512d x) {
  _mm256_storeu_ps(out, _mm512_cvtpd_ps(x));
}
POSPROOF_WIDE void store(double* out, __m512d x) {
  _mm512_storeu_pd(out, x);
}
POSPROOF_NARROW void store(float* out, __m256d x) {
  _mm_storeu_ps(out, _mm256_cvtpd_ps(x));
}
POSPROOF_NARROW void store(double* out, __m256d x) {
  _mm256_storeu_pd(out, x);
}

template <class T>
POSPROOF_WIDE void row_by_libmvec_v4(double t, const double* w, T* out) {
  const Libmvec& mvec = libmvec();
  for (std::size_t i = 0; i < pairs; i += 8) {
    const __m512d angle = _mm512_mul_pd(_mm512_set1_pd(t), _mm512_loadu_pd(w + i));
    store(out + i, mvec.wide_sine(angle));
    store(out + pairs + i, mvec.wide_cosine(angle));
  }
}

template <class T>
POSPROOF_NARROW void row_by_libmvec_v3(double t, const double* w, T* out) {
  const Libmvec& mvec = libmvec();
  for (std::size_t i = 0; i < pairs; i += 4) {
    const __m256d angle = _mm256_mul_pd(_mm256_set1_pd(t), _mm256_loadu_pd(w + i));
    store(out + i, mvec.narrow_sine(angle));
    store(out + pairs + i, mvec.narrow_cosine(angle));
  }
}

template <class T>
POSPROOF_WIDE void row_by_sleef_v4(double t, const double* w, T* out) {
  const Sleef& found = sleef();
  for (std::size_t i = 0; i < pairs; i += 8) {
    const TwoWide both = found.wide(_mm512_mul_pd(_mm512_set1_pd(t), _mm512_loadu_pd(w + i)));
    store(out + i, both.sine);
    store(out + pairs + i, both.cosine);
  }
}

template <class T>
POSPROOF_NARROW void row_by_sleef_v3(double t, const double* w, T* out) {
  const Sleef& found = sleef();
  for (std::size_t i = 0; i < pairs; i += 4) {
    const TwoNarrow both = found.narrow(_mm256_mul_pd(_mm256_set1_pd(t), _mm256_loadu_pd(w + i)));
    store(out + i, both.sine);
    store(out + pairs + i, both.cosine);
  }
}

#endif

const bool registered = [] {
  const auto add = [](const Way& way) {
    benchmark::RegisterBenchmark(way.name, [way](benchmark::State& state) { table(state, way); });
  };
  add({"library/glibc_sincos", &row_by_glibc<float>, &row_by_glibc<double>});
#if defined(__x86_64__)
  const bool v3 = __builtin_cpu_supports("avx2"), v4 = __builtin_cpu_supports("avx512f");
  // What the report says where a line is missing.
  benchmark::AddCustomContext("libmvec", libmvec().narrow_sine != nullptr ? "installed" : "not installed");
  benchmark::AddCustomContext("sleef", sleef().narrow != nullptr ? "installed" : "not installed");
  if (v3 && libmvec().narrow_sine != nullptr)
    add({"library/libmvec_v3", &row_by_libmvec_v3<float>, &row_by_libmvec_v3<double>});
  if (v4 && libmvec().wide_sine != nullptr)
    add({"library/libmvec_v4", &row_by_libmvec_v4<float>, &row_by_libmvec_v4<double>});
  if (v3 && sleef().narrow != nullptr)
    add({"library/sleef_v3", &row_by_sleef_v3<float>, &row_by_sleef_v3<double>});
  if (v4 && sleef().wide != nullptr)
    add({"library/sleef_v4", &row_by_sleef_v4<float>, &row_by_sleef_v4<double>});
#endif
  return true;
}();

}  // namespace
}  // namespace posproof::exact
