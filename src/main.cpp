// The command line, nothing else: words in, one call of run/, words out of report/, an exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "catalogue/defects.h"
#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "catalogue/properties.h"
#include "report/file.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/report.h"
#include "report/words.h"
#include "run/agreement.h"
#include "run/catalogued.h"
#include "run/gate.h"
#include "run/matrix.h"
#include "run/trial.h"
#include "subject/subject.h"

namespace posproof {
namespace {

// What the process ends with; see the README.
enum Exit : int { as_claimed = 0, broken = 1, usage = 2, not_checked = 3, no_subject = 4 };

struct Common {
  std::uint64_t seed = 1;
  std::uint64_t cases = 300;
  double seconds = 30;
  double call_seconds = 20;
  std::string filter;
  std::string positions;
  std::string junit;  // a file, for CI
  bool json = false;

  // `A:B`, both ends included.
  std::optional<std::pair<Position, Position>> range() const {
    if (positions.empty()) return std::nullopt;
    const auto colon = positions.find(':');
    const auto whole = [&](const std::string& word) {
      const auto value = Case::parse("position=" + word);
      return value.integer("position");
    };
    try {
      if (colon == std::string::npos) throw std::invalid_argument("no colon");
      return std::pair{whole(positions.substr(0, colon)), whole(positions.substr(colon + 1))};
    } catch (const std::invalid_argument&) {
      throw std::invalid_argument(
          fmt::format("--positions `{}`: FIRST:LAST was asked for, as in 0:4095", positions));
    }
  }

  Budget budget() const {
    Budget out;
    out.cases = cases;
    out.time = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    return out;
  }
};

void add_common(CLI::App& app, Common& common) {
  app.add_option("--seed", common.seed, "cases of a property are drawn from hash(seed, id)")
      ->capture_default_str();
  app.add_option("--cases", common.cases, "cases for each property")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--time", common.seconds, "longest search for one property, seconds")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  app.add_flag("--json", common.json, "write JSON");
}

report::Style style() {
  const char* no_colour = std::getenv("NO_COLOR");
  return {.colour = isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0')};
}

void write(std::string_view words) {
  std::fwrite(words.data(), 1, words.size(), stdout);
}

// On stderr: one line that is overwritten on a terminal, a plain line every ten seconds elsewhere.
class Progress {
 public:
  void operator()(std::string_view what, std::size_t done, std::size_t of) {
    const auto now = std::chrono::steady_clock::now();
    if (terminal_) {
      fmt::print(stderr, "\r\x1b[K{}/{} {}", done, of, what);
      std::fflush(stderr);
    } else if (now - last_ > std::chrono::seconds(10)) {
      fmt::print(stderr, "{}/{} {}\n", done, of, what);
      last_ = now;
    }
  }
  ~Progress() {
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// `--dim 128 --layout half_split` for one encoding, as subcommand options.
class Options {
 public:
  void add(CLI::App& app, const EncodingSpec& spec) {
    for (const Parameter& parameter : spec.parameters) {
      std::vector<std::string> grid;
      for (const Value& value : parameter.grid) grid.push_back(text(value));
      const std::string help = fmt::format("{} (standard {}; searched: {})", parameter.meaning,
                                           text(parameter.standard), fmt::join(grid, " "));
      app.add_option(fmt::format("--{}", parameter.name), words_[std::string(parameter.name)], help)
          ->group("Parameters");
    }
    app.add_option("--spec", file_, "parameters from a JSON object; options given beside it come first")
        ->check(CLI::ExistingFile)
        ->group("Parameters");
  }

  Parameters read(const EncodingSpec& spec) const {
    Parameters given;
    if (!file_.empty()) read_file(given);
    for (const auto& [name, word] : words_)
      if (!word.empty()) given.set(name, *Case::parse(fmt::format("{}={}", name, word)).find(name));
    return with(spec, given);
  }

 private:
  void read_file(Parameters& given) const {
    std::ifstream in(file_);
    const auto json = nlohmann::json::parse(in, nullptr, false);
    if (!json.is_object())
      throw std::invalid_argument(fmt::format("`{}` is no JSON object of parameters", file_));
    for (const auto& [name, value] : json.items()) {
      if (value.is_number())
        given.set(name, value.get<double>());
      else if (value.is_string())
        given.set(name, value.get<std::string>());
      else
        throw std::invalid_argument(
            fmt::format("`{}`: parameter `{}` is neither a number nor a word", file_, name));
    }
  }

  std::map<std::string, std::string> words_;
  std::string file_;
};

int exit_of(const Verdict& verdict) {
  if (std::holds_alternative<Refuted>(verdict)) return broken;
  return std::holds_alternative<Holds>(verdict) ? as_claimed : not_checked;
}

int run_matrix(const Common& common) {
  std::vector<Cell> cells;
  {
    Progress progress;
    cells = matrix(
        {.seed = common.seed,
         .budget = common.budget(),
         .filter = common.filter,
         .unclaimed = true,
         .progress = [&](std::string_view encoding, std::string_view property, std::size_t done,
                         std::size_t of) { progress(fmt::format("{}.{}", encoding, property), done, of); }});
  }
  if (cells.empty()) {
    fmt::print(stderr, "posproof: no `encoding.property` contains `{}`; nothing was checked\n", common.filter);
    return not_checked;
  }
  write(common.json ? report::json(cells) : report::matrix(cells, style()));
  if (any(cells, Standing::broken) || any(cells, Standing::stale)) return broken;
  return any(cells, Standing::not_checked) ? not_checked : as_claimed;
}

int run_gate(std::string_view id, const EncodingSpec& spec, const Parameters& parameters,
             const std::string& subject, const Common& common) {
  std::optional<Gated> gated;
  {
    Progress progress;
    gated =
        gate(id, spec, parameters, subject,
             {.seed = common.seed,
              .budget = common.budget(),
              .filter = common.filter,
              .call_time = std::chrono::milliseconds(static_cast<std::int64_t>(common.call_seconds * 1000)),
              .positions = common.range(),
              .progress = [&](std::string_view property, std::size_t done, std::size_t of) {
                progress(property, done, of);
              }});
  }
  if (!common.junit.empty()) report::replace_file(common.junit, report::junit(*gated));
  write(common.json ? report::json(*gated) : report::gated(*gated, style()));
  if (gated->refuted()) return broken;
  return gated->undecided() || gated->asked.empty() ? not_checked : as_claimed;
}

// One property, searched or replayed, of our own encoding or of a foreign subject.
int run_check(const std::string& property_id, std::string_view encoding_id, const EncodingSpec& spec,
              const Parameters& parameters, const std::string& foreign, const std::string& words,
              const Common& common) {
  const Encoding truth = spec.oracle(parameters);
  const bool agreeing = property_id == agreement_id;
  const Property property = agreeing ? agreement(truth) : property_named(property_id);
  const Subject subject =
      foreign.empty() ? Subject{std::string(encoding_id), "built in", spec.make(parameters), fp64, true}
                      : open(foreign, {.encoding = std::string(encoding_id),
                                       .parameters = parameters,
                                       .declared = in_every_kind(truth),
                                       .call_time = std::chrono::milliseconds(
                                           static_cast<std::int64_t>(common.call_seconds * 1000))});
  Verdict verdict =
      NotApplicable{fmt::format("{} cannot be asked of {}", property_id, kind(subject.encoding))};
  if (const auto one = trial(property, subject.encoding, subject.precision)) {
    if (words.empty()) {
      verdict = search(*one, {.seed = common.seed, .id = property_id, .budget = common.budget()});
    } else {
      verdict = replay(*one, Case::parse(words));
    }
  }
  std::string again = fmt::format("posproof check {} {}", property_id, encoding_id);
  for (const auto& [name, value] : parameters.fields())
    if (text(value) != text(*standard(spec).find(name))) again += fmt::format(" --{} {}", name, text(value));
  if (!foreign.empty()) again += " " + report::quoted(foreign);
  write(common.json ? report::json(property_id, verdict)
                    : report::verdict(subject.name, property_id, property, verdict, subject.precision, again,
                                      style()));
  return exit_of(verdict);
}

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
  if (find(catalogue::properties()) || find(catalogue::encodings()) || find(catalogue::experiments()))
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
  throw std::invalid_argument(fmt::format("nothing is called `{}`; near it: {}; all: posproof list", id,
                                          fmt::join(nearest(id, names), ", ")));
}

// Words for a command, or for an encoding after `gate`, that there is not: CLI11 would only say that one is
// missing.
std::optional<std::string> unknown_name(const CLI::App& app, int argc, char** argv) {
  const auto names = [](const CLI::App& of) {
    std::vector<std::string> all;
    for (const CLI::App* one : of.get_subcommands(nullptr)) all.push_back(one->get_name());
    return all;
  };
  const auto missing = [&](std::string_view what, const std::string& word,
                           const std::vector<std::string>& all) -> std::optional<std::string> {
    if (word.rfind('-', 0) == 0 || std::find(all.begin(), all.end(), word) != all.end()) return std::nullopt;
    return fmt::format("there is no {} `{}`; near it: {}; all: {}", what, word,
                       fmt::join(nearest(word, all), ", "), fmt::join(all, ", "));
  };
  if (argc < 2) return std::nullopt;
  const std::string first = argv[1];
  if (auto unknown = missing("command", first, names(app))) return unknown;
  const int at = first == "gate" ? 2 : first == "check" ? 3 : argc;
  if (at >= argc) return std::nullopt;
  return missing("encoding", argv[at], names(*app.get_subcommand(first)));
}

int command(int argc, char** argv) {
  CLI::App app{"posproof: the conformance suite for positional encodings"};
  app.require_subcommand(1);
  app.set_version_flag("--version", POSPROOF_VERSION);
  app.footer(
      "Exit: 0 as claimed, 1 something is broken, 2 wrong command line, 3 something was not checked,\n"
      "4 the subject could not be started.");
  Common common;
  int code = as_claimed;

  auto* matrix_app = app.add_subcommand("matrix", "every encoding x every property");
  add_common(*matrix_app, common);
  matrix_app->add_option("--filter", common.filter, "only cells whose `encoding.property` contains this");
  matrix_app->callback([&] { code = run_matrix(common); });

  auto* check_app = app.add_subcommand("check", "one property, searched or replayed");
  auto* gate_app =
      app.add_subcommand("gate", "a foreign implementation against everything that an encoding claims");
  std::string property, subject, words;
  check_app->add_option("PROPERTY", property, "as in `posproof list properties`, or agrees_with_its_oracle")
      ->required();
  check_app->require_subcommand(1);
  gate_app->require_subcommand(1);
  std::map<std::string, Options> check_options, gate_options;
  for (const auto& [id, spec] : catalogue::encodings()) {
    const std::string name(id);
    auto* one = check_app->add_subcommand(name, std::string(spec->summary));
    check_options[name].add(*one, *spec);
    add_common(*one, common);
    one->add_option("SUBJECT", subject,
                    "cmd:'PROGRAM ARGS'[@precision] or table:FILE[@precision]; left out: our own");
    one->add_option("--case", words, "replay this case, as a counterexample prints it");
    one->add_option("--call-time", common.call_seconds, "longest time for one answer, seconds")
        ->capture_default_str();
    one->callback([&, name, spec = spec] {
      code = run_check(property, name, *spec, check_options[name].read(*spec), subject, words, common);
    });

    auto* gated = gate_app->add_subcommand(name, std::string(spec->summary));
    gate_options[name].add(*gated, *spec);
    add_common(*gated, common);
    gated->add_option("SUBJECT", subject, "cmd:'PROGRAM ARGS'[@precision] or table:FILE[@precision]")
        ->required();
    gated->add_option("--junit", common.junit, "write a JUnit XML file, too");
    gated->add_option("--positions", common.positions, "only these, FIRST:LAST, both included");
    gated->add_option("--filter", common.filter, "only properties whose id contains this");
    gated->add_option("--call-time", common.call_seconds, "longest time for one answer, seconds")
        ->capture_default_str();
    gated->callback([&, name, spec = spec] {
      code = run_gate(name, *spec, gate_options[name].read(*spec), subject, common);
    });
  }

  auto* report_app = app.add_subcommand("report", "run the experiments and write reports/");
  std::vector<std::string> names;
  std::string folder = "reports";
  report_app->add_option("NAME", names, "as in `posproof list experiments`; none: all");
  report_app->add_option("-o,--output", folder, "folder to write to")->capture_default_str();
  report_app->callback([&] {
    Progress progress;
    const auto written = report::write_all(folder, names, std::ref(progress));
    for (const std::string& path : written) write(fmt::format("{}/{}\n", folder, path));
    write(fmt::format("{} files of {} changed\n", written.size(), folder));
  });

  auto* list_app = app.add_subcommand("list", "what there is");
  std::string what;
  list_app->add_option("WHAT", what, "encodings, properties, experiments or defects; none: all")
      ->check(CLI::IsMember({"encodings", "properties", "experiments", "defects"}));
  list_app->callback([&] { code = run_list(what); });

  auto* explain_app = app.add_subcommand("explain", "one property, encoding, experiment or defect");
  std::string id;
  explain_app->add_option("ID", id)->required();
  explain_app->callback([&] { code = run_explain(id); });

  try {
    if (const auto unknown = unknown_name(app, argc, argv)) throw std::invalid_argument(*unknown);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? as_claimed : usage;
  }
  return code;
}

}  // namespace
}  // namespace posproof

int main(int argc, char** argv) {
  try {
    return posproof::command(argc, argv);
  } catch (const posproof::SubjectError& error) {
    fmt::print(stderr, "posproof: {}\n", error.what());
    return posproof::no_subject;
  } catch (const posproof::Refusal& error) {
    fmt::print(stderr, "posproof: {}\n", error.what());
    return posproof::usage;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "posproof: {}\n", error.what());
    return posproof::usage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "posproof: {}\n", error.what());
    return posproof::not_checked;
  }
}
