#include "report/performance.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/terminal.h"

namespace posproof::command {
namespace {

struct Asked {
  std::vector<std::filesystem::path> rounds;
  std::string folder = "reports";
};

int run_performance(const Asked& asked) {
  const auto written = report::write_performance(asked.folder, asked.rounds);
  for (const std::string& path : written) write(fmt::format("{}/{}\n", asked.folder, path));
  return as_claimed;
}

}  // namespace

void add_performance(CLI::App& app, int& code) {
  const auto asked = std::make_shared<Asked>();
  auto* performance = app.add_subcommand(
      "performance", "write the performance report from benchmarks; `./run performance` runs them");
  performance->add_option("ROUND", asked->rounds, "folders with Google Benchmark's *.json, one a round")
      ->required();
  performance->add_option("-o,--output", asked->folder, "folder to write to")->capture_default_str();
  performance->callback([asked, &code] { code = run_performance(*asked); });
}

}  // namespace posproof::command
