#include "benchmarks/registered_benchmark.h"

#include <benchmark/benchmark.h>

int main(int argc, char** argv) {
  posproof::register_searches();
  posproof::register_rotations();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
