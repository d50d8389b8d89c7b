#pragma once

#include <string>
#include <vector>

#include "core/encoding.h"

namespace posproof {

// What was measured of a subject, in a sentence each, and the encoding that it makes of the declared one.
struct Deviation {
  std::vector<std::string> sentences;
  Encoding corrected;
  bool guessed =
      false;  // tried because it is known, not measured: another deviation on top is not looked for
};

}  // namespace posproof
