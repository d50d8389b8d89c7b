#pragma once

#include <optional>

#include "core/parameter.h"
#include "core/spec.h"
#include "diagnosis/call_deviations.h"
#include "diagnosis/deviation.h"
#include "subject/subject.h"

namespace posproof {

// Of a table or a rotation whose positions are whole numbers on one axis: at which positions it gives what
// was declared of another one, and of which, where that is so of a few of them, or where the other is so many
// ahead or behind, or counted back, from one position to another. The first 8192 positions are asked, in one
// call. None where some of the answers are those of no position, or where nothing differs. It is not
// confirmed.
std::optional<Deviation> exchanged_positions(const Encoding& subject, const Encoding& declared,
                                             const EncodingSpec& spec, const Parameters& parameters,
                                             const Precision& precision);

}  // namespace posproof
