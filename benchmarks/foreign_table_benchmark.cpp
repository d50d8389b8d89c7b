// Tables that others made in the same run: how long it takes to verify them (which entries are right) and to
// measure them (how far off the others are), and how much of them is wrong. They are the files of the folder
// in POSPROOF_FOREIGN_TABLES: NAME.COLUMNS.f32, 131072 rows of 128 values in f32, row-major, of base 10000;
// COLUMNS is `interleaved`, `sin_cos`, or `cos_cos` and `sin_sin`, each frequency twice, as caches of rotary
// encodings have them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/memory_benchmark.h"
#include "exact/exact_table.h"
#include "exact/ladder.h"

namespace posproof::exact {
namespace {

constexpr std::size_t rows = 131072, dim = 128, pairs = dim / 2;

std::vector<Run> runs_of(const std::string& columns) {
  using Part = Run::Part;
  if (columns == "interleaved") return {{Part::sines_and_cosines, 0, 0, pairs}};
  if (columns == "sin_cos") return {{Part::sines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}};
  if (columns == "cos_cos") return {{Part::cosines, 0, 0, pairs}, {Part::cosines, pairs, 0, pairs}};
  if (columns == "sin_sin") return {{Part::sines, 0, 0, pairs}, {Part::sines, pairs, 0, pairs}};
  return {};
}

struct Foreign {
  std::filesystem::path file;
  std::vector<Run> runs;

  // Calls `work` with the exact table and the values, again and again.
  template <class Work>
  void time(benchmark::State& state, Work work) const {
    char* const values = benchmark_memory();
    constexpr auto size = static_cast<std::streamsize>(rows * dim * sizeof(float));
    std::ifstream in(file, std::ios::binary);
    if (!in.read(values, size) || in.peek() != std::ifstream::traits_type::eof())
      return state.SkipWithError(fmt::format("{}: not {} bytes", file.string(), size).c_str());
    Geometric powers{10000, {}};
    for (std::size_t i = 0; i < pairs; ++i)
      powers.exponents.push_back({2 * static_cast<std::int64_t>(i), dim});
    const ExactTable exact(std::make_shared<const Ladder>(Frequencies{powers}), runs, dim, 0);
    for (auto _ : state) work(exact, values);
    state.SetItemsProcessed(static_cast<std::int64_t>(rows * dim) * state.iterations());
  }
};

void verify(benchmark::State& state, const Foreign& foreign) {
  std::uint64_t wrong = 0;
  foreign.time(state, [&](const ExactTable& exact, const char* values) {
    wrong = exact.count_wrong(Format::f32, 0, rows, values);
  });
  state.counters["wrong_share"] = static_cast<double>(wrong) / (rows * dim);
}

void measure(benchmark::State& state, const Foreign& foreign) {
  Compared found;
  foreign.time(state, [&](const ExactTable& exact, const char* values) {
    found = exact.compare(Format::f32, 0, rows, values);
  });
  if (found.farthest.empty()) return;
  state.counters["farthest"] = *std::max_element(found.farthest.begin(), found.farthest.end());
  state.counters["ulp"] = found.ulp;
}

const bool registered = [] {
  const char* const folder = std::getenv("POSPROOF_FOREIGN_TABLES");
  if (folder == nullptr || !std::filesystem::is_directory(folder)) return false;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path path = entry.path();
    const std::string columns = path.stem().extension().string();
    const auto runs = columns.empty() ? std::vector<Run>{} : runs_of(columns.substr(1));
    if (path.extension() != ".f32" || runs.empty()) continue;
    const std::string name = path.stem().stem().string();
    benchmark::RegisterBenchmark(("verify/" + name).c_str(), &verify, Foreign{path, runs});
    benchmark::RegisterBenchmark(("measure/" + name).c_str(), &measure, Foreign{path, runs});
  }
  return true;
}();

}  // namespace
}  // namespace posproof::exact
