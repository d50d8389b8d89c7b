#pragma once

#include <string>

// What a program may read of the encodings and their parameters.
namespace posproof::report {

// All encodings: what each is, its parameters, what it claims and from which facts, and the JSON schema
// (draft 2020-12) of the object that `--spec` reads.
std::string json_of_encodings();

}  // namespace posproof::report
