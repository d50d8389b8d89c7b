// The baseline: what a careful program does that has MPFR and nothing else. Frequencies are computed once,
// every pair takes one product and one mpfr_sin_cos, and Ziv's test decides whether both may be rounded; if
// not, with twice the digits. It runs on every 64th row of the table of 131072, and on random rows for single
// pairs.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <mpfr.h>

#include <algorithm>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "core/encoding.h"
#include "exact/real.h"

namespace posproof::exact {
namespace {

constexpr std::size_t rows = 131072, pairs = 64;

std::vector<Real> frequencies(mpfr_prec_t bits) {
  std::vector<Real> out;
  for (std::size_t i = 0; i < pairs; ++i) {
    Real w(bits + 32), exponent(bits + 32, -static_cast<double>(2 * i) / (2 * pairs));
    const Real base(bits + 32, 10000);
    mpfr_pow(w.x, base.x, exponent.x, MPFR_RNDN);
    Real rounded(bits);
    mpfr_set(rounded.x, w.x, MPFR_RNDN);
    out.push_back(rounded);
  }
  return out;
}

// One precision to work in: its frequencies, and numbers that are allocated once.
struct Working {
  explicit Working(mpfr_prec_t precision)
      : bits(precision), w(frequencies(bits)), angle(bits), sine(bits), cosine(bits) {}

  mpfr_prec_t bits;
  std::vector<Real> w;
  Real angle, sine, cosine;
};

class Program {
 public:
  // Results of so many digits.
  Program(mpfr_prec_t bits, mpfr_prec_t digits) : digits_(digits), first_(bits), second_(2 * bits) {}

  template <class Value>
  void pair(Position t, std::size_t i, Value& sine, Value& cosine) {
    if (!tried(first_, t, i, sine, cosine) && !tried(second_, t, i, sine, cosine)) {
      Working third(8 * first_.bits);
      tried(third, t, i, sine, cosine);
    }
  }

 private:
  template <class Value>
  bool tried(Working& in, Position t, std::size_t i, Value& sine, Value& cosine) {
    mpfr_mul_si(in.angle.x, in.w[i].x, t, MPFR_RNDN);
    mpfr_sin_cos(in.sine.x, in.cosine.x, in.angle.x, MPFR_RNDN);
    // The frequency and the product are each off by half a place: together by one place of the angle, which
    // moves a sine or cosine by no more; 2 places for both roundings.
    const mpfr_exp_t off = t == 0 ? -in.bits : mpfr_get_exp(in.angle.x) - in.bits + 1;
    for (const Real* value : {&in.sine, &in.cosine}) {
      if (mpfr_zero_p(value->x) != 0 || t == 0) continue;  // the sine and cosine of 0 are exact
      const mpfr_exp_t size = mpfr_get_exp(value->x);
      const mpfr_exp_t good = std::min<mpfr_exp_t>(size - off, in.bits) - 1;
      if (good < 2 || mpfr_can_round(value->x, good, MPFR_RNDN, MPFR_RNDN, digits_) == 0) return false;
    }
    if constexpr (std::is_same_v<Value, float>) {
      sine = mpfr_get_flt(in.sine.x, MPFR_RNDN);
      cosine = mpfr_get_flt(in.cosine.x, MPFR_RNDN);
    } else {
      sine = mpfr_get_d(in.sine.x, MPFR_RNDN);
      cosine = mpfr_get_d(in.cosine.x, MPFR_RNDN);
    }
    return true;
  }

  mpfr_prec_t digits_;
  Working first_, second_;
};

template <class Value>
void table(benchmark::State& state) {
  Program program(state.range(0), std::numeric_limits<Value>::digits);
  constexpr std::size_t step = 64;
  std::vector<Value> row(2 * pairs);
  for (auto _ : state)
    for (std::size_t t = 0; t < rows; t += step) {
      for (std::size_t i = 0; i < pairs; ++i)
        program.pair(static_cast<Position>(t + t / step % step), i, row[i], row[pairs + i]);
      benchmark::DoNotOptimize(row.data());
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(rows / step * 2 * pairs) * state.iterations());
}

void random_rows(benchmark::State& state) {
  Program program(state.range(0), std::numeric_limits<double>::digits);
  std::mt19937_64 random(1);
  std::vector<double> row(2 * pairs);
  constexpr int some = 256;
  for (auto _ : state)
    for (int n = 0; n < some; ++n) {
      const auto t = static_cast<Position>(random() >> 44);
      for (std::size_t i = 0; i < pairs; ++i) program.pair(t, i, row[i], row[pairs + i]);
      benchmark::DoNotOptimize(row.data());
    }
  state.SetItemsProcessed(some * static_cast<std::int64_t>(pairs) * state.iterations());
}

// The cheapest of the precisions is the baseline; fewer bits need a second try more often.
BENCHMARK(table<float>)->Name("mpfr/f32")->Arg(64)->Arg(80)->Arg(96);
BENCHMARK(table<double>)->Name("mpfr/f64")->Arg(96)->Arg(112)->Arg(128);
BENCHMARK(random_rows)->Name("mpfr/random_rows")->Arg(96)->Arg(112)->Arg(128);

}  // namespace
}  // namespace posproof::exact
