#include "diagnosis/time_limit.h"

#include <utility>

#include "subject/interrupt.h"

namespace posproof {
namespace {

thread_local std::optional<BudgetClock::time_point> current;

}  // namespace

TimeLimit::TimeLimit(BudgetClock::time_point deadline) : before_(std::exchange(current, deadline)) {}

TimeLimit::~TimeLimit() {
  current = before_;
}

void TimeLimit::go_on() {
  if (current && (interrupted() != 0 || BudgetClock::now() >= *current)) throw TimeIsOver();
}

}  // namespace posproof
