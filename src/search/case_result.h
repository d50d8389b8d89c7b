#pragma once

#include <string>
#include <string_view>

#include "search/rank.h"
#include "search/search.h"

namespace posproof {

// One run of a trial, and how it ended.
struct CaseResult {
  // `failed`: the implementation gave no answer, see core/failure.h; `threw`: any other error.
  enum class End { held, refuted, discarded, refused, failed, threw };
  End end;
  Residual residual = {0, 0, 0};
  std::string what = {};  // of the refusal or the error
  std::string kind = {};  // of the failure or the error, see `kind_of_error`
  bool died = false;      // the implementation; where it failed
  bool raised = false;    // an error of its own; where it failed
  Drawn drawn = {};

  // Something is wrong with the case: all but held, discarded and refused.
  bool fails() const { return end == End::refuted || end == End::failed || end == End::threw; }
  // The same failure: both refuted, or both the same kind of error.
  bool fails_like(const CaseResult& other) const { return fails() && end == other.end && kind == other.kind; }
};

// What a case that fails says: Refuted with the residual or with what the implementation did instead of
// answering, Errored for any other error. Not shrunk.
Verdict verdict_of(const CaseResult& failing, std::uint64_t found_after);

// How a run ends that an error ended: failed where it is a Failure, else threw. Nothing is drawn in it.
CaseResult ended_by(const std::exception& error);

// Nothing leaves the trial but Inapplicable and std::bad_alloc. What was drawn is left in the draw.
CaseResult run(const Trial& trial, Draw& draw);

// The nearest answer: a number is clamped, a list cut or filled with zeros, an order closed up; the simplest
// answer where there is nothing to be near to.
Value repaired(const Value* value, const Choice& choice);

// The trial on a case whose fields are repaired where they no longer answer what is asked: a width that
// shrank takes the contents with it. `drawn` is what was really drawn.
CaseResult run_repaired(const Trial& trial, const Case& wanted);

// The same, but with one field redrawn.
class RandomChoice;
CaseResult run_redrawn(const Trial& trial, const Case& wanted, std::string_view field, RandomChoice& choose);

// The words of an error's text without those that hold a digit or stand in backquotes, after the name of its
// type: what stays the same while the case shrinks.
std::string kind_of_error(const std::exception& error);

}  // namespace posproof
