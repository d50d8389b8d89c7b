#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/properties.h"
#include "command/commands.h"
#include "command/terminal.h"
#include "report/schema.h"

namespace posproof::command {
namespace {

int run_list(const std::string& what, bool json) {
  if (json) {
    if (what != "encodings") throw std::invalid_argument("--json: allowed is `list encodings --json`");
    write(report::json_of_encodings());
    return as_claimed;
  }
  const auto all = what.empty();
  const auto heading = [&](std::string_view name) {
    if (all) write(fmt::format("{}\n", name));
  };
  const std::string_view indent = all ? "  " : "";
  if (all || what == "encodings") {
    heading("encodings");
    for (const auto& [id, spec] : catalogue::encodings())
      write(fmt::format("{}{:20} {}\n", indent, id, spec->summary));
  }
  if (all || what == "properties") {
    heading("properties");
    for (const auto& [id, property] : catalogue::properties())
      write(fmt::format("{}{:44} {}\n", indent, id, property->statement));
  }
  if (all || what == "experiments") {
    heading("experiments");
    for (const auto& [id, experiment] : catalogue::experiments())
      write(fmt::format("{}{:36} {}\n", indent, id, experiment->question));
  }
  if (all || what == "defects") {
    heading("defects");
    for (const auto& [family, defects] : catalogue::defects())
      for (const Defect& defect : defects->defects)
        write(fmt::format("{}{:44} {}\n", indent, fmt::format("{}/{}", family, defect.name), defect.wrong));
  }
  return as_claimed;
}

}  // namespace

Command list_command() {
  const auto what = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  return {.name = "list",
          .help = "what there is",
          .options = {{"WHAT", what.get(), "encodings, properties, experiments or defects; none: all",
                       Option::OneOf{"encodings", "properties", "experiments", "defects"}},
                      {"--json", json.get(), "of encodings: their parameters, claims and JSON schemas"}},
          .run = [what, json] { return run_list(*what, *json); }};
}

}  // namespace posproof::command
