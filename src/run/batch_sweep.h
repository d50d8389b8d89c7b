#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/encoding.h"
#include "core/function.h"
#include "core/verdict.h"
#include "search/budget_clock.h"

namespace posproof {

// How a walk over positions ended.
struct SweepResult {
  std::uint64_t declined = 0;           // positions that were refused
  Position first_declined = 0;          // where there are such
  std::optional<Refuted> failed = {};   // no answer came where one was due: see core/failure.h
  std::optional<Errored> errored = {};  // or another error ended it
  std::string stopped = {};             // or its time did
};

// Every position once, in order, many at a time.
struct BatchSweep {
  using Rows = Function<void(Position first, std::size_t rows)>;

  Position batch = 1;  // so many at a time, from a multiple of it
  Rows rows = {};      // throws Refusal where one of them is refused: then they are asked in halves
  Function<Case(Position)> again = {};  // where an error was
  // What those from the first to the last are called; else positions.
  Function<std::string(Position first, Position last)> words = {};
  std::optional<BudgetClock::time_point> deadline = {};
  Function<void(Position done, Position of)> progress = {};

  // `done` is told of the positions that were answered. What is no std::exception leaves it.
  SweepResult along(Position first, Position last, const Rows& done) const;
};

}  // namespace posproof
