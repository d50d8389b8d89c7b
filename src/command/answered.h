#pragma once

#include <string_view>

#include "core/case.h"

namespace posproof::command {

// Of a file of cosines and sines. It has its columns where the answer has its channels: an interleaved rope
// that answers half-split (`output_layout`) has them there as a half-split one.
Parameters as_answered(Parameters parameters);

// The same where these words name a file, and else the parameters as they are.
Parameters as_answered_by(std::string_view subject, Parameters parameters);

}  // namespace posproof::command
