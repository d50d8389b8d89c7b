#pragma once

#include <string>

#include "gate/gate.h"

namespace posproof::report {

// One JUnit XML test suite, as CI services read it: a case for each property that was asked. Refuted is a
// failure, errored an error; undecided and not applicable are skipped, with the reason, and never a pass.
std::string junit(const GateResult& gated);

}  // namespace posproof::report
