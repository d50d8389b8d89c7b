// Writes the performance report from what Google Benchmark measured: `./run performance` runs both.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/performance.h"

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> rounds;
  std::string folder = "reports";
  CLI::App app{"posproof_performance: writes the performance report from Google Benchmark's files"};
  app.add_option("ROUND", rounds, "folders with Google Benchmark's *.json, one a round")->required();
  app.add_option("-o,--output", folder, "folder to write to")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    for (const std::string& path : posproof::report::write_performance(folder, rounds))
      fmt::print("{}/{}\n", folder, path);
  } catch (const std::exception& error) {
    fmt::print(stderr, "posproof_performance: {}\n", error.what());
    return 2;
  }
}
