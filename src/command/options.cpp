#include "command/options.h"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>
#include <utility>

#include "report/file.h"
#include "run/catalogued.h"
#include "subject/config_settings.h"
#include "subject/parameter_file.h"

namespace posproof::command {

namespace {

constexpr double longest = 86400;  // seconds

// The one value that the word stands for.
Value value_of(std::string_view name, const std::string& word) {
  const Case one = Case::parse(fmt::format("{}={}", name, word));
  if (one.fields().size() != 1)
    throw std::invalid_argument(fmt::format("--{} `{}`: takes one value", name, word));
  return one.fields().front().value;
}

std::vector<std::string> words_of(const Type& type) {
  if (std::holds_alternative<type::Flag>(type)) return {"true", "false"};
  const auto* one = std::get_if<type::Word>(&type);
  return one == nullptr ? std::vector<std::string>()
                        : std::vector<std::string>(one->words.begin(), one->words.end());
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

std::vector<Option> with_common(Common& common, std::vector<Option> others) {
  std::vector<Option> out = {
      {"--seed", &common.seed, "seed of the random cases: each property draws from hash(seed, id)"},
      {"--cases", &common.cases, "cases for each property", Option::Range{1, 0x1p40}},
      {"--time", &common.seconds,
       "longest search for one property, seconds without those of waiting for a processor; one that is "
       "cut short is undecided",
       Option::Range{0.001, longest}},
      {"--json", &common.json, "write JSON"}};
  out.insert(out.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return out;
}

Option call_time(double& seconds) {
  return {"--call-time", &seconds, "longest time for one answer, seconds; three times that for the first",
          Option::Range{0.001, longest}};
}

Option total_time(double& seconds) {
  return {"--budget", &seconds,
          "longest time for all properties, seconds; what is not asked by then is undecided",
          Option::Range{0.001, longest}};
}

std::vector<std::string> schemes() {
  return {"cmd:", "lib:", "table:"};
}

Option sandbox(bool& wanted) {
  return {
      "--sandbox", &wanted,
      "start the program with bubblewrap: no network, files read-only but /tmp, limits; refused where that "
      "is not available"};
}

void refuse_sandbox_of_our_own(bool wanted, const std::string& subject) {
  if (wanted && subject.empty())
    throw std::invalid_argument(
        "--sandbox is for a program, `cmd:PROGRAM ARGS` or `lib:LIBRARY`; no SUBJECT is named");
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::optional<std::pair<Position, Position>> range(const std::string& positions) {
  if (positions.empty()) return std::nullopt;
  const auto colon = positions.find(':');
  const auto whole = [](const std::string& word) {
    value_of("positions", word);
    return Case::parse("position=" + word).integer("position");
  };
  std::pair<Position, Position> arguments;
  try {
    if (colon == std::string::npos) throw std::invalid_argument("no colon");
    arguments = {whole(positions.substr(0, colon)), whole(positions.substr(colon + 1))};
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(
        fmt::format("--positions `{}`; allowed: FIRST:LAST, as in 0:4095", positions));
  }
  if (arguments.first > arguments.second)
    throw std::invalid_argument(
        fmt::format("positions `{}`; allowed: FIRST:LAST, the first not past the last", positions));
  return arguments;
}

std::vector<Option> parameter_options(const EncodingSpec& spec) {
  std::vector<Option> out;
  const auto add = [&](Option option) {
    option.field = static_cast<std::string*>(nullptr);
    option.group = "Parameters";
    out.push_back(std::move(option));
  };
  for (const Parameter& parameter : spec.parameters)
    add({.names = fmt::format("--{}", parameter.name),
         .field = {},
         .help = help(parameter),
         .words = [&parameter] { return words_of(parameter.type); }});
  add({.names = "--spec",
       .field = {},
       .help = "parameters from a JSON object; options given beside it take precedence",
       .allowed = Option::ExistingFile{}});
  add({.names = "--config",
       .field = {},
       .help =
           "parameters from a model's config.json, its GGUF file, or the attributes of an ONNX operator as JSON; "
           "options and --spec take precedence",
       .allowed = Option::ExistingFile{}});
  return out;
}

std::vector<Option> GivenParameters::options(const EncodingSpec& spec) {
  encoding_ = id_of(spec);
  std::vector<Option> out = parameter_options(spec);
  for (Option& option : out)
    option.field = option.names == "--spec"     ? &file_
                   : option.names == "--config" ? &config_
                                                : &words_[option.names.substr(2)];
  return out;
}

Parameters GivenParameters::read(const EncodingSpec& spec) const {
  return with(spec, given());
}

Parameters GivenParameters::named() const {
  Parameters named;
  if (!file_.empty()) named = parameters_of(file_, report::text_of_file(file_, longest_parameters));
  for (const auto& [name, word] : words_)
    if (!word.empty()) named.set(name, value_of(name, word));
  return named;
}

Configured GivenParameters::configuration(const Parameters& named) const {
  Configured out;
  try {
    out = posproof::configured(read_config(config_), encoding_);
  } catch (const std::invalid_argument& error) {
    const std::string_view what = error.what();  // one of its own has the name already
    throw std::invalid_argument(what.find(config_) != what.npos ? std::string(what)
                                                                : fmt::format("`{}` {}", config_, what));
  }
  for (const auto& [parameter, readings] : out.ambiguous)
    if (!named.has(parameter))
      throw std::invalid_argument(fmt::format("`{}` gives more than one value of `{}`: {}; choose one with --{}",
                                              config_, parameter, readings, parameter));
  for (const auto& [parameter, what] : out.missing)
    if (!named.has(parameter))
      throw std::invalid_argument(fmt::format("`{}` {}; name it with --{}", config_, what, parameter));
  return out;
}

Parameters GivenParameters::given() const {
  const Parameters named = this->named();
  if (config_.empty()) return named;
  Parameters given = configuration(named).parameters;
  for (const auto& [name, value] : named.fields()) given.set(name, value);
  return given;
}

std::vector<std::string> GivenParameters::configured() const {
  if (config_.empty()) return {};
  const Parameters named = this->named();
  const Configured configured = configuration(named);
  std::vector<std::string> out;
  for (const std::string& one : configured.understood) out.push_back(fmt::format("{}: {}", config_, one));
  // The standard parameters would be judged in place of the model's.
  if (out.empty())
    throw std::invalid_argument(
        fmt::format("`{}` has no setting of `{}`; --spec takes parameters by name", config_, encoding_));
  for (const auto& [name, value] : configured.parameters.fields())
    if (const Value* own = named.find(name); own != nullptr && text(*own) != text(value))
      out.push_back(
          fmt::format("{}: {}={} takes precedence over {}", config_, name, text(*own), text(value)));
  for (const auto& [parameter, what] : configured.notes)
    if (!named.has(parameter)) out.push_back(fmt::format("{}: {}", config_, what));
  return out;
}

}  // namespace posproof::command
