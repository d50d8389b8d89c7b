#pragma once

#include <optional>

#include "search/budget_clock.h"

namespace posproof {

// Thrown where a diagnosis stops before its end. It is no std::exception: who leaves out a candidate that
// fails does not leave out this.
struct TimeIsOver {};

// While it lives, a diagnosis on this thread stops where the deadline has passed or an interrupt was noted
// (subject/interrupt.h). Candidates are made and compared at a hundred places, each of which may take
// seconds: none of them takes a deadline along.
class TimeLimit {
 public:
  explicit TimeLimit(BudgetClock::time_point deadline);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // Throws TimeIsOver; nothing where no limit lives.
  static void go_on();

 private:
  std::optional<BudgetClock::time_point> before_;
};

}  // namespace posproof
