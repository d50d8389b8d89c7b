#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/spec.h"

// What a program may read of the encodings and their parameters.
namespace posproof::report {

// All encodings: what each is, its parameters, what it claims and from which facts, and the JSON schema
// (draft 2020-12) of the object that `--spec` reads.
std::string json_of_encodings();

// The longest text of parameters that is read, bytes.
constexpr std::size_t longest_parameters = std::size_t{1} << 20;

// The parameters of a JSON object, as `--spec` reads it. Throws std::invalid_argument with the file's name,
// the parameter and what is allowed.
Parameters parameters_of(std::string_view file, std::string_view json);

}  // namespace posproof::report
