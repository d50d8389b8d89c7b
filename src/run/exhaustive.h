#pragma once

#include <optional>

#include "core/verdict.h"
#include "run/accuracy.h"
#include "search/search.h"
#include "subject/subject.h"

namespace posproof {

// What every position says of a subject, not a sample.
struct Exhaustive {
  std::optional<Verdict> verdict;    // of agreement; none where not all could be asked
  std::optional<Accuracy> accuracy;  // where entries were compared
};

// Agreement at every position where there are few enough or where it is fast: all of a file (a table, a cache
// of rotations or a bias), and a table or a rotary that declares at most 8192 positions, as caches do
// (on a grid a table of so many places, a rotary of 1024, a bias of 256, where that takes little time);
// `exhaustive`: all positions of any, of a grid all places. Holds with as many cases as it took, or the first
// position that does not, shrunk. Undecided where time runs out, and, where all was asked for, where it ends
// for another reason.
Exhaustive exhaustive(const Encoding& truth, const Subject& subject, const Budget& budget, bool exhaustive);

}  // namespace posproof
