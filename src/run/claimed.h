#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/spec.h"

// What an encoding claims, before any of it is judged.
namespace posproof {

// All claims of a catalogued encoding: of properties that are true of every encoding, what follows from the
// facts that it declares, and its own; of one property those that hold first. Throws std::invalid_argument
// for what `mistakes` finds. The claims live as long as the program.
const std::vector<Claim>& claims_of(const EncodingSpec& spec);

// What is wrong with the claims themselves, a line each, before anything is searched or replayed: a parameter
// or a value that the encoding has not, a witness that cannot be read, that the encoding refuses or that lies
// outside its own condition, a property that cannot be asked of the encoding, a failure that follows from a
// fact and has no witness, a witness of none, what a fact claims already, and a parameter of a name under
// which properties draw.
std::vector<std::string> mistakes(std::string_view id, const EncodingSpec& spec);

// A recorded case of an encoding: the parameters that it names, and the inputs.
std::pair<Parameters, Case> split(const EncodingSpec& spec, const Case& recorded);

// `rotary/is_linear cannot be asked of a table encoding`.
std::string cannot_be_asked(const Property& property, const Encoding& encoding);

}  // namespace posproof
