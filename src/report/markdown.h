#pragma once

#include <string>
#include <string_view>

#include "core/experiment.h"

namespace posproof::report {

// The page of one experiment: finding, question, method, condition, what was measured, and the command that
// repeats it. Figures are expected in figures/<id>/ beside it, see `figures`.
std::string markdown(const Document& document, std::string_view id, const Experiment& experiment);

}  // namespace posproof::report
