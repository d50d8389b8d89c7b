#pragma once

#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "core/function.h"

namespace posproof {

// A formula that is easily written in place of an encoding's own: a function left out, a factor in the wrong
// place. The diagnosis tries each, where no convention and no defect explains a subject.
struct Misreading {
  std::string_view what;                       // what is computed instead, as a sentence of a diagnosis
  Function<Encoding(const Parameters&)> make;  // throws Refusal where it is the same as what is right
  std::string_view setting = "";  // parameters that show it, beside the standard ones: `kernel=power`
};

// The file's name is that of the encoding whose formula is misread, and whose parameters it takes.
struct MisreadingFamily {
  std::vector<Misreading> misreadings;
};

}  // namespace posproof
