#include "command/grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "command/options.h"
#include "core/function.h"
#include "core/nearest.h"

namespace posproof::command {
namespace {

// `--dim` of `--dim=64`, `-o` of `-oFILE`; empty for a word that is no option, as a number below 0.
std::string option_in(const std::string& word) {
  const std::size_t dashes = word.starts_with("--") ? 2 : 1;
  if (!word.starts_with('-') || word.size() <= dashes) return "";
  if (std::isalpha(static_cast<unsigned char>(word[dashes])) == 0) return "";
  return dashes == 2 ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

std::string without_dashes(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// The dashes tell no option from another.
std::string near_options(const std::string& name, const std::vector<std::string>& all) {
  std::vector<std::string> bare;
  for (const std::string& one : all) bare.push_back(without_dashes(one));
  std::string out;
  for (const std::string& near : nearest(without_dashes(name), bare))
    out += (out.empty() ? "; near it: " : ", ") +
           all[static_cast<std::size_t>(std::find(bare.begin(), bare.end(), near) - bare.begin())];
  return out;
}

}  // namespace

bool takes_encoding(const Command& command) {
  return !std::holds_alternative<Function<int()>>(command.run);
}

std::size_t place_of_encoding(const Command& command) {
  return 2 + command.options.size();
}

std::vector<Option> options_behind(const Command& command, const EncodingSpec& spec) {
  std::vector<Option> out = parameter_options(spec);
  out.insert(out.end(), command.after_encoding.begin(), command.after_encoding.end());
  return out;
}

void refuse_clashes(const Command& command, std::string_view encoding, const EncodingSpec& spec) {
  std::vector<std::string> taken = {"--help"};
  const std::vector<Option> all = options_behind(command, spec);
  for (const Option& option : std::span(all).subspan(spec.parameters.all.size()))
    for (std::string& name : spellings(option)) taken.push_back(std::move(name));
  for (const Parameter& parameter : spec.parameters)
    if (std::ranges::find(taken, fmt::format("--{}", parameter.name)) != taken.end())
      throw std::invalid_argument(
          fmt::format("encoding {}: parameter `{}`: `posproof {}` has the option --{}", encoding,
                      parameter.name, command.name, parameter.name));
}

std::vector<std::string> spellings(const Option& option) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= option.names.size();) {
    const std::size_t end = std::min(option.names.find(',', at), option.names.size());
    out.push_back(option.names.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool is_positional(const Option& option) {
  return !option.names.starts_with('-');
}

bool takes_value(const Option& option) {
  return !std::holds_alternative<bool*>(option.field);
}

std::vector<std::string> words_of(const Option& option) {
  if (option.words) return option.words();
  const auto* words = std::get_if<Option::OneOf>(&option.allowed);
  return words == nullptr ? Option::OneOf() : *words;
}

bool is_file(const Option& option) {
  return std::holds_alternative<Option::ExistingFile>(option.allowed) ||
         std::holds_alternative<Option::NewFile>(option.allowed);
}

std::string standard_of(const Option& option) {
  if (!option.shows_standard) return "";
  return std::visit(
      [](const auto* field) -> std::string {
        using Held = std::remove_cvref_t<decltype(*field)>;
        if constexpr (std::is_same_v<Held, bool> || std::is_same_v<Held, std::vector<std::string>>)
          return "";
        else
          return field == nullptr ? "" : fmt::format("{}", *field);
      },
      option.field);
}

void refuse_unknown_options(std::string_view called, const std::vector<Option>& options,
                            std::span<const std::string> words) {
  std::vector<std::string> all = {"--help", "-h"};
  for (const Option& option : options)
    if (!is_positional(option))
      for (const std::string& name : spellings(option)) all.push_back(name);
  for (const std::string& word : words) {
    if (word == "--") return;
    const std::string name = option_in(word);
    if (name.empty() || std::find(all.begin(), all.end(), name) != all.end()) continue;
    throw std::invalid_argument(fmt::format("there is no option `{}` of `{}`{}; all: {} --help", name, called,
                                            near_options(name, all), called));
  }
}

}  // namespace posproof::command
