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

struct Arguments {
  std::vector<std::string> names;
  std::string folder = "reports";
};

int run_report(const Arguments& arguments) {
  Progress progress;
  const auto written = report::write_all(arguments.folder, arguments.names, std::ref(progress));
  for (const std::string& path : written) write(fmt::format("{}/{}\n", arguments.folder, path));
  write(fmt::format("{} files of {} changed\n", written.size(), arguments.folder));
  return as_claimed;
}

}  // namespace

void add_report(CLI::App& app, int& code) {
  const auto arguments = std::make_shared<Arguments>();
  auto* report = app.add_subcommand("report", "run the experiments and write reports/");
  report->add_option("NAME", arguments->names, "as in `posproof list experiments`; none: all");
  report->add_option("-o,--output", arguments->folder, "folder to write to")->capture_default_str();
  report->callback([arguments, &code] { code = run_report(*arguments); });
}

}  // namespace posproof::command
