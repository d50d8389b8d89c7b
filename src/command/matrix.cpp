#include "run/matrix.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "command/commands.h"
#include "command/options.h"
#include "command/terminal.h"
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
  if (cells.empty()) {
    fmt::print(stderr, "posproof: no `encoding.property` contains `{}`; nothing was checked\n", filter);
    return not_checked;
  }
  write(common.json ? report::json(cells) : report::matrix(cells, style()));
  if (any(cells, ClaimStatus::broken) || any(cells, ClaimStatus::stale)) return broken;
  return any(cells, ClaimStatus::not_checked) ? not_checked : as_claimed;
}

}  // namespace

void add_matrix(CLI::App& app, int& code) {
  struct Arguments {
    Common common;
    std::string filter;
  };
  const auto arguments = std::make_shared<Arguments>();
  auto* matrix = app.add_subcommand("matrix", "every encoding x every property");
  add_common(*matrix, arguments->common);
  matrix->add_option("--filter", arguments->filter, "only cells whose `encoding.property` contains this");
  matrix->callback([arguments, &code] { code = run_matrix(arguments->common, arguments->filter); });
}

}  // namespace posproof::command
