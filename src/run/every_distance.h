#pragma once

#include <optional>

#include "core/encoding.h"
#include "core/verdict.h"
#include "search/search.h"

namespace posproof {

// Agreement of a bucketed bias at every distance up to twice the largest that its buckets tell apart, on both
// sides where both mean anything: sixteen offsets a call, each a case of agreement. At most 2^14 offsets, the
// nearest. Of a bias without buckets the sixteen around each multiple of 1,024 up to 2^13, and around each
// power of two that the domain has room for: long calls have all up to 1,024. None where the subject gives
// another kind, and where nothing could be asked.
std::optional<Verdict> agreement_at_every_distance(const Encoding& truth, const Encoding& subject,
                                                   const Precision& precision, const Budget& budget);

}  // namespace posproof
