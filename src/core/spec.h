#pragma once

#include <string_view>
#include <vector>

#include "core/claim.h"
#include "core/encoding.h"
#include "core/parameter.h"

namespace posproof {

// An encoding: its parameters, its formula, its source, its oracle and its claims, in one file.
struct EncodingSpec {
  std::string_view summary;  // one line
  std::string_view formula;
  std::string_view source;
  Schema parameters;
  Encoding (*reference)(const Arguments&);  // in long double
  Encoding (*exact)(const Arguments&);      // the paper again: see oracle/
  std::vector<Declared> facts = {};
  std::vector<Claim> witnesses = {};  // of failures that follow from the facts, where they have none
  std::vector<Claim> claims = {};     // what follows from no fact
  // What is true of every other encoding, and of this one under a condition alone.
  struct Only {
    const Property* property;
    Condition where;
  };
  std::vector<Only> only = {};

  // With standard values for the parameters that are not given. They throw Refusal for parameters that the
  // schema does not allow.
  Encoding make(const Parameters& given) const { return reference(Arguments(parameters, given)); }
  Encoding oracle(const Parameters& given) const { return exact(Arguments(parameters, given)); }
  // The same where the kind is known: `rope.make<Rotary>(given)`. As `as` they throw for another kind.
  template <class Kind>
  Kind make(const Parameters& given) const {
    return as<Kind>(make(given));
  }
  template <class Kind>
  Kind oracle(const Parameters& given) const {
    return as<Kind>(oracle(given));
  }
};

Parameters standard(const EncodingSpec& spec);

// The spec's standard parameters with the given ones in their place. Throws Refusal as Arguments does.
Parameters with(const EncodingSpec& spec, const Parameters& given);

}  // namespace posproof
