#include <fmt/format.h>

#include <memory>
#include <string>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/properties.h"
#include "command/commands.h"
#include "command/terminal.h"

namespace posproof::command {
namespace {

int run_list(const std::string& what) {
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
  return {.name = "list",
          .help = "what there is",
          .options = {{"WHAT", what.get(), "encodings, properties, experiments or defects; none: all",
                       Option::OneOf{"encodings", "properties", "experiments", "defects"}}},
          .run = [what] { return run_list(*what); }};
}

}  // namespace posproof::command
