#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/properties.h"
#include "command/commands.h"
#include "command/terminal.h"
#include "report/glossary.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/backward.h"
#include "run/catalogued.h"
#include "run/history.h"

namespace posproof::command {
namespace {

// The properties that are made for each subject: in no catalogue, but in the results of a gate.
std::vector<std::pair<std::string_view, std::shared_ptr<const Property>>> asked_of_subjects() {
  const EncodingSpec& spec = encoding_named("none");
  const Encoding any = spec.oracle(with(spec, {}));
  return {{agreement_id, std::make_shared<const Property>(agreement(any))},
          {backward_id, std::make_shared<const Property>(backward_agreement(Rotary{}))},
          {history_id, std::make_shared<const Property>(history(any, {}))}};
}

int run_explain(const std::string& id) {
  std::vector<std::string> names;
  const auto find = [&](const auto& entries) {
    for (const auto& [entry_id, value] : entries) {
      if (entry_id == id) {
        write(report::explain(entry_id, *value));
        return true;
      }
      names.emplace_back(entry_id);
    }
    return false;
  };
  if (find(asked_of_subjects()) || find(catalogue::properties()) || find(catalogue::encodings()) ||
      find(catalogue::experiments()))
    return as_claimed;
  for (const auto& [family, defects] : catalogue::defects())
    for (const Defect& defect : defects->defects) {
      const std::string name = fmt::format("{}/{}", family, defect.name);
      if (name == id) {
        write(report::explain(name, defect));
        return as_claimed;
      }
      names.push_back(name);
    }
  if (const report::Term* term = report::term_named(id)) {
    write(report::explain(*term));
    return as_claimed;
  }
  for (const report::Term& term : report::glossary())
    names.insert(names.end(), term.names.begin(), term.names.end());
  throw std::invalid_argument(fmt::format("nothing is called `{}`; near it: {}; all: posproof list", id,
                                          fmt::join(nearest(id, names), ", ")));
}

}  // namespace

Command explain_command() {
  const auto words = std::make_shared<std::vector<std::string>>();
  return {.name = "explain",
          .help = "one property, encoding, experiment, defect or term of the glossary",
          .options = {{.names = "ID",
                       .field = words.get(),
                       .help = "as in `posproof list`, or a term as in reports/glossary.md",
                       .required = true,
                       .shows_standard = false}},
          .run = [words] { return run_explain(fmt::format("{}", fmt::join(*words, " "))); }};
}

}  // namespace posproof::command
