#pragma once

#include <vector>

#include "gate/gate.h"
#include "identify/identify.h"
#include "run/accuracy.h"
#include "run/claims.h"
#include "run/matrix.h"

// What a command ends with by what it found: see the README, and command.h for the numbers.
namespace posproof::command {

int exit_of(const Verdict& verdict);

// `not_checked` where nothing was asked, too.
int exit_of(const GateResult& gated);

// `as_claimed` where every position that was asked for was compared and is within what rounding allows.
int exit_of(const Accuracy& found);

// `as_claimed` where a convention holds, else `not_checked`.
int exit_of(const Identified& found);

// A recorded failure that no longer fails is broken, too; of no cell at all `not_checked`.
int exit_of(const std::vector<Cell>& cells);

// Of a property that is claimed to fail, by its witness: a search may miss the failure.
int exit_of(const ClaimResult& witness);

}  // namespace posproof::command
