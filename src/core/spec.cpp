#include "core/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace posproof {

Parameters standard(const EncodingSpec& spec) {
  Parameters parameters;
  for (const Parameter& parameter : spec.parameters) parameters.set(parameter.name, parameter.standard);
  return parameters;
}

Parameters with(const EncodingSpec& spec, const Parameters& given) {
  Parameters parameters = standard(spec);
  for (const auto& [name, value] : given.fields()) {
    const Value* standard_value = parameters.find(name);
    if (standard_value == nullptr) {
      std::vector<std::string_view> names;
      for (const Parameter& parameter : spec.parameters) names.push_back(parameter.name);
      throw std::invalid_argument(
          fmt::format("there is no parameter `{}`; there are {}", name, fmt::join(names, ", ")));
    }
    if (standard_value->index() != value.index())
      throw std::invalid_argument(fmt::format("parameter `{}={}` is not of the type of `{}`", name,
                                              text(value), text(*standard_value)));
    parameters.set(name, value);
  }
  return parameters;
}

}  // namespace posproof
