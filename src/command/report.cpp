#include "report/report.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "command/commands.h"
#include "command/terminal.h"
#include "subject/words.h"

namespace posproof::command {
namespace {

struct ReportArguments {
  std::vector<std::string> names;
  std::string folder = "reports";
  bool html = false;
};

int run_report(const ReportArguments& arguments) {
  Progress progress;
  const auto written =
      report::write_all(arguments.folder, arguments.names, std::ref(progress), arguments.html);
  for (const std::string& path : written) write(fmt::format("{}/{}\n", printable(arguments.folder), path));
  write(fmt::format("{} files of {} changed\n", written.size(), printable(arguments.folder)));
  if (arguments.html) write(fmt::format("{}/html/index.html\n", printable(arguments.folder)));
  return as_claimed;
}

}  // namespace

Command report_command() {
  const auto arguments = std::make_shared<ReportArguments>();
  return {
      .name = "report",
      .help = "run the experiments and write reports/",
      .options =
          {{.names = "NAME",
            .field = &arguments->names,
            .help =
                "as in `posproof list experiments`, or `encodings/rope` for the page of an encoding; none: all",
            .shows_standard = false,
            .words = &report::page_names},
           {"-o,--output", &arguments->folder, "folder to write to", Option::NewFile{}},
           {"--html", &arguments->html, "write the same as pages for a browser, to html/ in that folder"}},
      .run = [arguments] { return run_report(*arguments); }};
}

}  // namespace posproof::command
