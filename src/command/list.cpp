#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/identities.h"
#include "catalogue/properties.h"
#include "command/commands.h"
#include "command/terminal.h"
#include "report/schema.h"

namespace posproof::command {
namespace {

std::string listed(std::string_view id, std::size_t wide, std::string_view what) {
  return fmt::format("{:{}} {}\n", id, wide, what);
}

std::string encodings(std::string_view indent) {
  std::string out;
  for (const auto& [id, spec] : catalogue::encodings()) out.append(indent) += listed(id, 20, spec->summary);
  return out;
}

std::string properties(std::string_view indent) {
  std::string out;
  for (const auto& [id, property] : catalogue::properties())
    out.append(indent) += listed(id, 44, property->statement);
  return out;
}

std::string experiments(std::string_view indent) {
  std::string out;
  for (const auto& [id, experiment] : catalogue::experiments())
    out.append(indent) += listed(id, 36, experiment->question);
  return out;
}

std::string defects(std::string_view indent) {
  std::string out;
  for (const auto& [family, all] : catalogue::defects())
    for (const Defect& defect : all->defects)
      out.append(indent) += listed(fmt::format("{}/{}", family, defect.name), 44, defect.wrong);
  return out;
}

std::string identities(std::string_view indent) {
  std::string out;
  for (const auto& [id, identity] : catalogue::identities())
    out.append(indent) += listed(id, 46, identity->statement);
  return out;
}

struct Catalogue {
  std::string name;
  std::string (*text)(std::string_view indent);
  std::string (*json)();
};

const std::array<Catalogue, 5> catalogues = {{{"encodings", &encodings, &report::json_of_encodings},
                                              {"properties", &properties, &report::json_of_properties},
                                              {"identities", &identities, &report::json_of_identities},
                                              {"experiments", &experiments, &report::json_of_experiments},
                                              {"defects", &defects, &report::json_of_defects}}};

int run_list(const std::string& what, bool json) {
  if (what.empty() && json) write(report::json_of_catalogues());
  for (const Catalogue& one : catalogues) {
    if (what == one.name) write(json ? one.json() : one.text(""));
    if (what.empty() && !json) write(fmt::format("{}\n{}", one.name, one.text("  ")));
  }
  return as_claimed;
}

}  // namespace

Command list_command() {
  const auto what = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  return {.name = "list",
          .help = "list encodings, properties, identities, experiments and defects",
          .options =
              {{"WHAT", what.get(), "encodings, properties, identities, experiments or defects; none: all",
                Option::OneOf{"encodings", "properties", "identities", "experiments", "defects"}},
               {"--json", json.get(),
                "write JSON: of encodings their parameters, claims and schemas, of defects their sources"}},
          .run = [what, json] { return run_list(*what, *json); }};
}

}  // namespace posproof::command
