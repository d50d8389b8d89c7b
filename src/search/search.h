#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/draw.h"
#include "core/function.h"
#include "core/residual.h"
#include "core/verdict.h"

namespace posproof {

// One run of a check on the inputs that it draws. May throw Discard (try another case), Refusal (the subject
// declined: the case is discarded too, and the reason kept for the verdict), Failure (the implementation gave
// no answer: Refuted), or any other exception: Errored.
using Trial = Function<Residual(Draw&)>;

struct CaseResult;  // search/case_result.h

// How much a search may spend. It ends at whichever comes first.
struct Budget {
  std::uint64_t cases = 300;
  std::uint64_t shrinks = 2000;                  // runs of the check while shrinking
  std::chrono::milliseconds time{30000};         // for the search
  std::chrono::milliseconds shrink_time{10000};  // for shrinking, on top
  std::string_view limit = "--time";  // what sets `time`, for the words of a search that it cut short

  // `--time` (1.5 s)
  std::string limit_text() const;
};

// Case number n of a property is drawn from hash(seed, id, n) alone: a subset of the properties, another
// order or a new property repeats the same cases.
struct Plan {
  std::uint64_t seed = 1;
  std::string id;
  Budget budget = {};
  std::uint64_t first = 0;                        // number of the first case, for shards and for resuming
  std::set<std::string, std::less<>> known = {};  // failures that were shown already: these are not shrunk
};

// A case is drawn again when it was discarded, up to this often, under the same number: so numbers stay
// addressable, and shards of a plan are disjoint, however much is discarded.
constexpr std::uint64_t draws_per_case = 10;

// Looks for a case that the trial does not hold for; shrinks the first one found, runs it once more (flaky if
// it does not repeat) and finds out which of its fields do not matter. A case that ends in an error is shrunk
// to the smallest that ends in the same kind of error; an implementation that died and does not die again is
// Errored. A search that its time cuts short is Undecided, whatever held until then. A discarded case is
// drawn again, up to ten times under the same number, and does not count. Nothing leaves it but
// std::bad_alloc.
Verdict search(const Trial& trial, const Plan& plan);

// The verdict on a case that fails, as `run_repaired` made it: shrunk where that is the budget's to give.
Verdict shrunk(const Trial& trial, const CaseResult& failing, std::uint64_t found_after,
               const Budget& budget);

// One recorded case. Holds has the one case; a counterexample is not shrunk; a case that the check discards
// or the subject refuses is Undecided. Throws std::invalid_argument for a field that is missing, that is no
// answer to what is asked, or that nothing asks for.
Verdict replay(const Trial& trial, const Case& recorded);

}  // namespace posproof
