#include "command/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace posproof::command {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace

Budget Common::budget() const {
  Budget out;
  out.cases = cases;
  out.time = milliseconds(seconds);
  return out;
}

std::chrono::milliseconds Common::call_time() const {
  return milliseconds(call_seconds);
}

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

std::optional<std::pair<Position, Position>> range(const std::string& positions) {
  if (positions.empty()) return std::nullopt;
  const auto colon = positions.find(':');
  const auto whole = [](const std::string& word) {
    return Case::parse("position=" + word).integer("position");
  };
  std::pair<Position, Position> arguments;
  try {
    if (colon == std::string::npos) throw std::invalid_argument("no colon");
    arguments = {whole(positions.substr(0, colon)), whole(positions.substr(colon + 1))};
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(
        fmt::format("--positions `{}`: FIRST:LAST was asked for, as in 0:4095", positions));
  }
  if (arguments.first > arguments.second)
    throw std::invalid_argument(
        fmt::format("positions {}: FIRST:LAST was asked for, the first not past the last", positions));
  return arguments;
}

void Options::add(CLI::App& app, const EncodingSpec& spec) {
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

Parameters Options::read(const EncodingSpec& spec) const {
  Parameters given;
  if (!file_.empty()) read_file(given);
  for (const auto& [name, word] : words_)
    if (!word.empty()) given.set(name, *Case::parse(fmt::format("{}={}", name, word)).find(name));
  return with(spec, given);
}

void Options::read_file(Parameters& given) const {
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

}  // namespace posproof::command
