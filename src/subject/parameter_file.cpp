#include "subject/parameter_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/asked_and_allowed.h"
#include "subject/json_text.h"
#include "subject/words.h"

namespace posproof {
namespace {

constexpr std::size_t most_parameters = 1000;  // no encoding has a tenth of them

}  // namespace

Parameters parameters_of(std::string_view file, std::string_view json) {
  if (const std::string fault = fault_of_json(json); !fault.empty())
    throw std::invalid_argument(fmt::format("`{}` {}", file, fault));
  const auto read = nlohmann::json::parse(json);
  if (!read.is_object())
    throw std::invalid_argument(fmt::format("`{}` is no JSON object of parameters", file));
  if (read.size() > most_parameters)
    throw std::invalid_argument(
        fmt::format("`{}` has {} parameters; allowed: at most {}", file, read.size(), most_parameters));
  Parameters out;
  for (const auto& [name, value] : read.items()) {
    const auto numbers = [](const nlohmann::json& one) { return one.is_number(); };
    if (value.is_number())
      out.set(name, value.get<double>());
    else if (value.is_string())
      out.set(name, value.get<std::string>());
    else if (value.is_boolean())
      out.set(name, value.get<bool>() ? "true" : "false");
    else if (value.is_array() && std::all_of(value.begin(), value.end(), numbers))
      out.set(name, value.get<std::vector<double>>());
    else
      throw std::invalid_argument(
          asked_and_allowed(fmt::format("`{}`: `{}={}`", file, name, printable(value.dump(), 100)),
                            "a number, a word, true, false or a list of numbers"));
  }
  return out;
}

}  // namespace posproof
