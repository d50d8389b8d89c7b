#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace posproof {

// How long each of some processes was ready and waited for a processor that others had, in all.
using Waits = std::map<pid_t, std::chrono::nanoseconds>;

// Of the first thread of this process and of each process that it started, and those started in turn. Linux
// counts them (/proc/PID/schedstat); empty where it does not.
Waits waits_for_a_processor();

// A clock that leaves out waits, but nine tenths of the time at most. It never runs back.
class WaitsLeftOut {
 public:
  using Steady = std::chrono::steady_clock;

  explicit WaitsLeftOut(Steady::time_point now, Waits waits) : read_at_(now), waits_(std::move(waits)) {}

  // Between two readings of the waits nothing is left out.
  Steady::time_point at(Steady::time_point now) { return latest_ = std::max(latest_, now - left_out_); }

  // What a process waited before it was seen first counts, what one that has ended waited last does not.
  void read(Steady::time_point now, Waits waits);

  Steady::time_point read_at() const { return read_at_; }

 private:
  Steady::time_point read_at_, latest_ = {};
  Waits waits_;
  Steady::duration left_out_{0};
};

// The clock of budgets: seconds, without those in which this process and its subjects waited for a processor.
// So a busy machine decides no verdict: a search does as much within `--time` as it would do on one of its
// own.
class BudgetClock {
 public:
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BudgetClock>;
  static constexpr bool is_steady = true;

  static time_point now();
};

}  // namespace posproof
