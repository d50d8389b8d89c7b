#pragma once

#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/claim.h"
#include "core/encoding.h"

namespace posproof {

// One parameter of an encoding. Every convention on which projects disagree is one, never a silent default.
struct Parameter {
  std::string_view name;     // as in the papers, and on the command line: `--base`
  Value standard;            // what the encoding is without saying otherwise
  std::vector<Value> grid;   // the values that claims are searched over, simplest first
  std::string_view meaning;  // one line, with the unit and the words allowed
  bool convention = false;   // projects disagree on it: another value explains a disagreement, see `identify`
};

// An encoding: its parameters, its formula, its source, its oracle and its claims, in one file.
struct EncodingSpec {
  std::string_view summary;  // one line
  std::string_view formula;
  std::string_view source;
  std::vector<Parameter> parameters;
  // Both throw Refusal, with what was asked and what is allowed, for parameters that make no sense together.
  Encoding (*make)(const Parameters&);
  Encoding (*oracle)(const Parameters&);  // the paper again, exactly: see oracle/
  std::vector<Claim> claims;
};

Parameters standard(const EncodingSpec& spec);

// The spec's standard parameters with the given ones in their place. Throws std::invalid_argument for a name
// that the spec does not have, or a value of another type.
Parameters with(const EncodingSpec& spec, const Parameters& given);

}  // namespace posproof
