#pragma once

#include <string>
#include <string_view>

#include "search/rank.h"
#include "search/search.h"

namespace posproof {

// One run of a trial, and how it ended.
struct CaseResult {
  enum class End { held, refuted, discarded, refused, threw };
  End end;
  Residual residual = {0, 0, 0};
  std::string what = {};  // of the refusal or the error
  std::string kind = {};  // of the error, see `kind_of_error`
  Drawn drawn = {};

  // The same failure: both refuted, or both the same kind of error.
  bool fails_like(const CaseResult& other) const {
    return end == other.end && kind == other.kind && (end == End::refuted || end == End::threw);
  }
};

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
