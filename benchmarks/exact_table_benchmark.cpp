// Exact tables: tables of 131072 x 128 (and 1048576 x 128) written and verified, in every format,
// layout and kernel, with what it takes to set it up, and single rows at random positions.
#include "exact/exact_table.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/memory_benchmark.h"
#include "exact/ladder.h"

namespace posproof::exact {
namespace {

constexpr std::size_t rows = 131072, dim = 128;
constexpr double base = 10000;

enum class Layout { sin_cos, interleaved };

std::string_view name(Layout layout) {
  return layout == Layout::sin_cos ? "sin_cos" : "interleaved";
}

std::shared_ptr<const Ladder> ladder(const Kernel& kernel, std::size_t width = dim) {
  Geometric powers{base, {}};
  for (std::size_t i = 0; i < width / 2; ++i)
    powers.exponents.push_back({2 * static_cast<std::int64_t>(i), static_cast<std::int64_t>(width)});
  return std::make_shared<const Ladder>(Frequencies{powers}, 1.0, kernel);
}

ExactTable table(const Kernel& kernel, Layout layout, std::size_t width = dim) {
  const std::size_t pairs = width / 2;
  const std::vector<Run> runs =
      layout == Layout::sin_cos
          ? std::vector<Run>{{Run::Part::sines, 0, 0, pairs}, {Run::Part::cosines, pairs, 0, pairs}}
          : std::vector<Run>{{Run::Part::sines_and_cosines, 0, 0, pairs}};
  return ExactTable(ladder(kernel, width), runs, width, 0);
}

void count_values(benchmark::State& state, std::size_t values) {
  state.SetItemsProcessed(static_cast<std::int64_t>(values) * state.iterations());
}

// The table as tutorials make it, all in f32: 97 % of it is not correctly rounded.
std::vector<float> tutorial(Layout layout) {
  std::vector<float> out(rows * dim);
  constexpr std::size_t pairs = dim / 2;
  std::array<float, pairs> w{};
  for (std::size_t i = 0; i < pairs; ++i)
    w[i] = std::exp(static_cast<float>(2 * i) * (-std::log(static_cast<float>(base)) / dim));
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t i = 0; i < pairs; ++i) {
      const float angle = static_cast<float>(t) * w[i];
      float* const row = &out[t * dim];
      row[layout == Layout::sin_cos ? i : 2 * i] = std::sin(angle);
      row[layout == Layout::sin_cos ? pairs + i : 2 * i + 1] = std::cos(angle);
    }
  return out;
}

// The same in a format, kept: it takes longer to make than to measure.
const std::vector<char>& tutorial(Layout layout, Format format) {
  static std::map<std::pair<Layout, Format>, std::vector<char>> kept;
  auto& bytes_of = kept[{layout, format}];
  if (!bytes_of.empty()) return bytes_of;
  const std::vector<float> values = tutorial(layout);
  bytes_of.resize(values.size() * bytes(format));
  for (std::size_t n = 0; n < values.size(); ++n) {
    char* const at = &bytes_of[n * bytes(format)];
    const double wide = values[n];
    const std::uint16_t narrow =
        bytes(format) == 2 ? bits_of(format, nearest(format, wide)) : std::uint16_t{0};
    if (format == Format::f64) std::memcpy(at, &wide, sizeof wide);
    if (format == Format::f32) std::memcpy(at, &values[n], sizeof(float));
    if (bytes(format) == 2) std::memcpy(at, &narrow, sizeof narrow);
  }
  return bytes_of;
}

// ---- what is measured ----

struct Case {
  const Kernel* kernel;
  Format format;
  Layout layout;
  unsigned threads = 1;
  std::size_t rows = exact::rows;
};

void fill(benchmark::State& state, const Case& one) {
  const ExactTable exact = table(*one.kernel, one.layout);
  char* const memory = benchmark_memory();
  for (auto _ : state) exact.fill(one.format, 0, one.rows, memory, one.threads);
  count_values(state, one.rows * dim);
}

// From nothing: the ladder, its tables, the values.
void fill_with_set_up(benchmark::State& state, const Case& one) {
  char* const memory = benchmark_memory();
  for (auto _ : state) table(*one.kernel, one.layout).fill(one.format, 0, one.rows, memory, one.threads);
  count_values(state, one.rows * dim);
}

void verify(benchmark::State& state, const Case& one) {
  const ExactTable exact = table(*one.kernel, one.layout);
  char* const memory = benchmark_memory();
  exact.fill(one.format, 0, one.rows, memory, one.threads);
  for (auto _ : state)
    if (exact.compare(one.format, 0, one.rows, memory, {}, one.threads).wrong != 0)
      state.SkipWithError("what the oracle wrote, it refutes");
  count_values(state, one.rows * dim);
}

void measure_mismatched(benchmark::State& state, const Case& one) {
  const ExactTable exact = table(*one.kernel, one.layout);
  // In the memory that a plain read is timed on.
  char* const memory = benchmark_memory();
  std::ranges::copy(tutorial(one.layout, one.format), memory);
  std::uint64_t wrong = 0;
  for (auto _ : state) wrong = exact.compare(one.format, 0, one.rows, memory, {}, one.threads).wrong;
  state.counters["wrong_share"] = static_cast<double>(wrong) / static_cast<double>(one.rows * dim);
  count_values(state, one.rows * dim);
}

// What is computed before the first value: the frequencies, their sines and cosines in MPFR, the table of the
// lowest digit.
void ladder_made(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ladder(best_kernel())->phasors());
}

// The same, then one row just below position 2^20, which takes the tables of all four digits.
void first_row(benchmark::State& state) {
  std::vector<float> row(dim);
  for (auto _ : state) table(best_kernel(), Layout::sin_cos).fill(Format::f32, (1 << 20) - 1, 1, row.data());
}

// Rows at random positions below 2^20, f64; the items are pairs of a sine and a cosine.
void random_rows(benchmark::State& state) {
  const auto frequencies = ladder(best_kernel());
  std::mt19937_64 random(1);
  std::vector<Position> at(1024);
  for (Position& t : at) t = static_cast<Position>(random() >> 44);
  for (auto _ : state)
    for (const Position t : at) benchmark::DoNotOptimize(frequencies->points(t).data());
  count_values(state, at.size() * dim / 2);
}

void growth_in_rows(benchmark::State& state) {
  const ExactTable exact = table(best_kernel(), Layout::sin_cos);
  const auto n = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) exact.fill(Format::f32, 0, n, benchmark_memory());
}

void growth_in_width(benchmark::State& state) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const ExactTable exact = table(best_kernel(), Layout::sin_cos, width);
  for (auto _ : state) exact.fill(Format::f32, 0, 16384, benchmark_memory());
}

void growth_of_the_ladder(benchmark::State& state) {
  const auto width = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(ladder(best_kernel(), width)->phasors());
}

BENCHMARK(ladder_made)->Name("exact/ladder");
BENCHMARK(first_row)->Name("exact/first_row");
BENCHMARK(random_rows)->Name("exact/random_rows");
BENCHMARK(growth_in_rows)->Name("growth/exact_write/n")->RangeMultiplier(4)->Range(1 << 12, 1 << 20);
BENCHMARK(growth_in_width)->Name("growth/exact_write/d")->RangeMultiplier(2)->Range(64, 1024);
BENCHMARK(growth_of_the_ladder)->Name("growth/exact_ladder/d")->RangeMultiplier(2)->Range(64, 1024);

const bool registered = [] {
  const auto add = [](std::string_view what, void (*measure)(benchmark::State&, const Case&),
                      const Case& one) {
    const std::string threads = one.threads == 1 ? "" : fmt::format("/threads_{}", one.threads);
    auto* const added =
        benchmark::RegisterBenchmark(fmt::format("exact/{}/{}/{}/{}/{}{}", what, posproof::name(one.format),
                                                 name(one.layout), one.kernel->name, one.rows, threads)
                                         .c_str(),
                                     measure, one);
    if (one.threads > 1) added->UseRealTime();
  };
  for (const Format format : every_format) {
    for (const Kernel* kernel : kernels_here()) {
      const Case one{kernel, format, Layout::sin_cos};
      add("write", &fill, one);
      add("verify", &verify, one);
      add("measure_mismatched", &measure_mismatched, one);
    }
    const Case interleaved{&best_kernel(), format, Layout::interleaved};
    add("write", &fill, interleaved);
    add("verify", &verify, interleaved);
    if (format == Format::f32) add("measure_mismatched", &measure_mismatched, interleaved);
    const Case two{&best_kernel(), format, Layout::sin_cos, 2};
    add("write", &fill, two);
    add("verify", &verify, two);
  }
  for (const Format format : {Format::f32, Format::f64})
    for (const Kernel* kernel : kernels_here())
      add("write_with_set_up", &fill_with_set_up, {kernel, format, Layout::sin_cos});
  const Case eight_times{&best_kernel(), Format::f32, Layout::sin_cos, 1, 8 * rows};
  add("write", &fill, eight_times);
  add("verify", &verify, eight_times);
  return true;
}();

}  // namespace
}  // namespace posproof::exact
