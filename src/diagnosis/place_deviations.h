#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/parameter.h"
#include "core/spec.h"
#include "diagnosis/call_deviations.h"

namespace posproof {

// What a subject does in a part of its calls or of its channels alone, where nothing else explains it: in
// places in which several things are so, in the calls that it was asked by, in some channels; or what it does
// elsewhere as another encoding, by one other parameter or by another form of the rotation. None where
// nothing known explains all of its answers.
std::optional<std::string> place_deviation(const Model& model, const EncodingSpec& spec,
                                           const Parameters& parameters, const Subject& subject,
                                           const Encoding& declared, const std::vector<Answered>& answered);

}  // namespace posproof
