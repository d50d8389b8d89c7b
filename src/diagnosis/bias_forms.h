#pragma once

#include <string>
#include <vector>

#include "diagnosis/bias_entries.h"

namespace posproof {

// Other functions of the positions, which need no number to be measured.
struct BiasForm {
  std::string words;
  OtherEntry other;
};
std::vector<BiasForm> bias_forms();

}  // namespace posproof
