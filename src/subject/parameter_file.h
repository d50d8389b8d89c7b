#pragma once

#include <cstddef>
#include <string_view>

#include "core/case.h"

namespace posproof {

// The longest text of parameters that is read, bytes.
constexpr std::size_t longest_parameters = std::size_t{1} << 20;

// The parameters of a JSON object, as `--spec` reads it. Throws std::invalid_argument with the file's name,
// the parameter and what is allowed.
Parameters parameters_of(std::string_view file, std::string_view json);

}  // namespace posproof
