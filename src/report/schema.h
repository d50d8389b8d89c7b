#pragma once

#include <string>

// What a program may read of the catalogues.
namespace posproof::report {

// All encodings: what each is, its parameters, what it claims and from which facts, and the JSON schema
// (draft 2020-12) of the object that `--spec` reads.
std::string json_of_encodings();

// The other catalogues, an array each: of properties the statement, the formula, the source, what they can be
// asked of and what they refute; of identities both encodings as well; of experiments the question, the
// method and the report; of defects the family, the sources, a small setting that shows each and the
// property that refutes it.
std::string json_of_properties();
std::string json_of_identities();
std::string json_of_experiments();
std::string json_of_defects();

// One object that has all five under `encodings`, `properties`, `identities`, `experiments` and `defects`.
std::string json_of_catalogues();

}  // namespace posproof::report
