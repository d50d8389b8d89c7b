#include "run/matrix.h"

#include <fmt/format.h>

#include <memory>

#include "command/commands.h"
#include "command/exit_code.h"
#include "command/options.h"
#include "command/terminal.h"
#include "command/terminal_width.h"
#include "report/json.h"
#include "report/words.h"

namespace posproof::command {
namespace {

int run_matrix(const Common& common, const std::string& filter) {
  std::vector<Cell> cells;
  {
    Progress progress;
    cells = matrix(
        {.seed = common.seed,
         .budget = common.budget(),
         .filter = filter,
         .unclaimed = true,
         .progress = [&](std::string_view encoding, std::string_view property, std::size_t done,
                         std::size_t of) { progress(fmt::format("{}.{}", encoding, property), done, of); }});
  }
  if (cells.empty())
    complain(fmt::format("no `encoding.property` contains `{}`; nothing was checked", filter));
  else
    write(common.json ? report::json(cells) : report::matrix(cells, style(), terminal_width()));
  return exit_of(cells);
}

}  // namespace

Command matrix_command() {
  struct MatrixArguments {
    Common common;
    std::string filter;
  };
  const auto arguments = std::make_shared<MatrixArguments>();
  return {.name = "matrix",
          .help = "check every property of every encoding",
          .options = with_common(arguments->common, {{"--filter", &arguments->filter,
                                                      "only cells whose `encoding.property` contains this"}}),
          .run = [arguments] { return run_matrix(arguments->common, arguments->filter); }};
}

}  // namespace posproof::command
