#include "report/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/terminal.h"

namespace posproof::command {
namespace {

struct Asked {
  std::vector<std::string> names;
  std::string folder = "reports";
};

int run_report(const Asked& asked) {
  Progress progress;
  const auto written = report::write_all(asked.folder, asked.names, std::ref(progress));
  for (const std::string& path : written) write(fmt::format("{}/{}\n", asked.folder, path));
  write(fmt::format("{} files of {} changed\n", written.size(), asked.folder));
  return as_claimed;
}

}  // namespace

void add_report(CLI::App& app, int& code) {
  const auto asked = std::make_shared<Asked>();
  auto* report = app.add_subcommand("report", "run the experiments and write reports/");
  report->add_option("NAME", asked->names, "as in `posproof list experiments`; none: all");
  report->add_option("-o,--output", asked->folder, "folder to write to")->capture_default_str();
  report->callback([asked, &code] { code = run_report(*asked); });
}

}  // namespace posproof::command
