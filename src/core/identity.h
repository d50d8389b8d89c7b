#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/draw.h"
#include "core/precision.h"
#include "core/residual.h"
#include "core/spec.h"

namespace posproof {

// What an identity compares: a subject that is meant to be the left encoding, and both encodings as their
// oracles have them. The left one's own answers are never asked for: its declaration bounds the subject's.
struct Sides {
  const Encoding& subject;
  const Encoding& left;
  const Encoding& right;
  const Arguments& parameters;  // of the left one
  const Precision& precision;   // of the subject; the right one is rounded once, in f64
};

// A left side that is wrong by little, and that the identity must refute.
struct WrongSide {
  std::string_view wrong;    // as a phrase: "positions are divided by the factor + 2^-20"
  std::string_view setting;  // parameters of the left encoding
  Encoding (*make)(const Encoding& right_one);
  Precision precision = all_f32;
};

// A property of two declared encodings: what the left one answers to a call is, but for a map of calls or of
// answers, what the right one answers. Searched over the left one's parameters; what may be lost is the sum
// of what both may.
struct Identity {
  std::string_view statement;  // a sentence
  std::string_view formula;
  std::string_view source;
  const EncodingSpec* left;
  const EncodingSpec* right;
  // The left's parameters for which it is said. They are searched over the values that stand here, and over
  // the schema's grid where a parameter is not named.
  Condition where;
  // The right one's parameters for these of the left; none: nothing is said of them.
  std::optional<Parameters> (*right_of)(const Arguments& left);
  Residual (*check)(const Sides&, Draw&);
  std::vector<WrongSide> must_reject;
};

}  // namespace posproof
