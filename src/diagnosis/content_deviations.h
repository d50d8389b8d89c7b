#pragma once

#include <optional>
#include <vector>

#include "diagnosis/answered.h"
#include "diagnosis/deviation.h"
#include "subject/subject.h"

namespace posproof {

// The declared encoding of contents that are kept in fewer digits than that precision has: all of them, or
// those of one operand or role.
std::vector<Deviation> rounded_contents(const Encoding& declared, const Precision& precision);

// A declared rotation whose contents are held within a limit, or of which the small ones are taken for 0, as
// the subject was asked for tokens whose channels are all the same number. None where it gives all such
// tokens as declared, or where no one limit tells those that it does not.
std::optional<Deviation> limited_contents(const Subject& subject, const Encoding& declared);

}  // namespace posproof
