#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/case.h"
#include "subject/subject.h"

namespace posproof {

// What is measured and reported, and fails nobody: rounding allows it.
struct Observation {
  std::uint64_t calls = 0;   // that were compared
  std::uint64_t differ = 0;  // of these, with a bit that is another
  double largest = 0;        // difference of two entries; NaN where one of them is no number
  Case first = {};           // of the calls that differ, as agreement draws it
};

struct Observations {
  Observation repeated;  // the same call twice in a row
  // A row of a batch alone, and in its batch; of kinds without a batch a token, or a query.
  Observation alone;
};

// Some thirty calls, short and long ones; those that the subject declines or fails at are left out. `truth`
// is of any kind. None of a file, which is no implementation, and of a subject of none of the truth's kinds.
std::optional<Observations> observe(const Subject& subject, const Encoding& truth, std::uint64_t seed,
                                    std::chrono::milliseconds time);

// `same bits in 27 of 27 calls`, `same bits in 20 of 27 calls, at most 1.2e-07 apart, first at batch=2 ..`.
std::string words(const Observation& observation);

}  // namespace posproof
