#pragma once

#include <exception>
#include <new>
#include <optional>

#include "core/encoding.h"
#include "core/function.h"
#include "diagnosis/time_limit.h"

namespace posproof {

// A candidate for what a subject is. None where its parameters make no sense together, or where it is the
// same as declared with them (Refusal). One that fails otherwise is wrong itself: that costs the candidate
// alone, not the verdict on the subject.
inline std::optional<Encoding> made_candidate(const Function<Encoding()>& candidate) {
  TimeLimit::go_on();
  try {
    return candidate();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace posproof
