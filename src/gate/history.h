#pragma once

#include <string_view>

#include "core/property.h"
#include "core/verdict.h"
#include "gate/wrong_answer.h"
#include "search/search.h"
#include "subject/subject.h"

// Whether an object's answers depend on what it was asked before. A process that answers one call after the
// other cannot show that by itself: the first call it was ever asked may have spoilt it for all later ones.
// So the subject is asked on new objects (Subject::renew).
namespace posproof {

constexpr std::string_view history_id = "answers_like_a_new_object";

// Whether this counterexample of it has calls before the last: one alone is wrong in every object.
bool needs_calls_before(const Refuted& refuted);

// The statement, asked of `subject` where it is live: several calls of a new object, then one more, whose
// answer is compared with the exact one and with the answer of another new object. A case holds all of these
// calls.
Property history(const Encoding& truth, const Subject& subject);

// The statement asked of the same subject with another function in its place.
TrialOf history_of(const Encoding& truth, const Subject& subject);

// Sequences of calls, each of a new object: growing from one token to the end of the domain, then short
// again, in batches, shifted; the same from its far end; prefill and decode; positions in other orders;
// batches of which the first row stands still; of keys, tokens far behind a prompt; one token behind 2^k, 3
// 2^k, 1, 2 and 5 times 10^k others. Every answer is compared with the exact one; one that is not that is the
// last call of a case, which is asked and shrunk; where a new object does the same, the case has the far end
// before it. What is wrong whatever was asked before is for agreement to say; where that holds, it has not
// asked for it, and the call alone is the case.
enum class Agrees { yes, unknown };
Verdict history_searched(const Encoding& truth, const Subject& subject, const Plan& plan,
                         Agrees agrees = Agrees::unknown);

}  // namespace posproof
