#include "search/budget_clock.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace posproof::budget_clock_test {
namespace {

using namespace std::chrono_literals;

constexpr WaitsLeftOut::Steady::time_point begin{1h};

TEST(WaitsLeftOut, are_those_between_two_readings) {
  WaitsLeftOut clock(begin, {{1, 700ms}});
  EXPECT_EQ(clock.at(begin + 10ms), begin + 10ms);
  clock.read(begin + 100ms, {{1, 730ms}});
  EXPECT_EQ(clock.at(begin + 100ms), begin + 70ms);
  EXPECT_EQ(clock.at(begin + 150ms), begin + 120ms);
  clock.read(begin + 200ms, {{1, 750ms}});
  EXPECT_EQ(clock.at(begin + 200ms), begin + 150ms);
}

TEST(WaitsLeftOut, are_those_of_every_process) {
  WaitsLeftOut clock(begin, {{1, 0ms}, {2, 10ms}});
  clock.read(begin + 100ms, {{1, 5ms}, {2, 30ms}, {3, 7ms}});  // the third is new
  EXPECT_EQ(clock.at(begin + 100ms), begin + 68ms);
  clock.read(begin + 200ms, {{1, 6ms}, {3, 9ms}});  // the second has ended
  EXPECT_EQ(clock.at(begin + 200ms), begin + 165ms);
}

// Processes that wait at the same time would stop the clock.
TEST(WaitsLeftOut, are_nine_tenths_at_most) {
  WaitsLeftOut clock(begin, {});
  clock.read(begin + 100ms, {{1, 60ms}, {2, 60ms}});
  EXPECT_EQ(clock.at(begin + 100ms), begin + 10ms);
}

TEST(WaitsLeftOut, never_run_the_clock_back) {
  WaitsLeftOut clock(begin, {});
  EXPECT_EQ(clock.at(begin + 99ms), begin + 99ms);
  clock.read(begin + 100ms, {{1, 50ms}});
  EXPECT_EQ(clock.at(begin + 100ms), begin + 99ms);
  EXPECT_EQ(clock.at(begin + 160ms), begin + 110ms);
  clock.read(begin + 200ms, {{1, 40ms}});  // the number was given to another process
  EXPECT_EQ(clock.at(begin + 200ms), begin + 150ms);
}

// Three programs of one processor, each ready all the time: each waits.
class Busy {
 public:
  Busy() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    for (pid_t& process : processes) {
      process = ::fork();
      if (process == 0) {
        ::sched_setaffinity(0, sizeof one, &one);
        for (volatile int n = 0;;) n = n + 1;
      }
    }
  }
  ~Busy() {
    for (const pid_t process : processes) ::kill(process, SIGKILL), ::waitpid(process, nullptr, 0);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

  std::chrono::nanoseconds waited() const {
    std::chrono::nanoseconds sum{0};
    const Waits all = waits_for_a_processor();
    for (const pid_t process : processes) sum += all.at(process);
    return sum;
  }

  void until_they_waited(std::chrono::nanoseconds most) const {
    for (int tries = 0; tries < 1000 && waited() < most; ++tries) ::usleep(10'000);
  }

  std::array<pid_t, 3> processes{};
};

TEST(WaitsForAProcessor, are_seen_of_programs_that_were_started) {
  if (waits_for_a_processor().empty()) GTEST_SKIP() << "this system does not count them";
  pid_t ended = 0;
  {
    const auto before = std::chrono::steady_clock::now();
    const Busy busy;
    busy.until_they_waited(100ms);
    EXPECT_GE(busy.waited(), 100ms);
    // Two of three wait at any time, and one runs: waits are twice the time, and what they ran is less than
    // it.
    EXPECT_GT(busy.waited(), std::chrono::steady_clock::now() - before);
    EXPECT_TRUE(waits_for_a_processor().contains(::getpid()));
    ended = busy.processes[0];
  }
  EXPECT_FALSE(waits_for_a_processor().contains(ended));
}

TEST(BudgetClock, leaves_out_what_is_waited_and_goes_on) {
  if (waits_for_a_processor().empty()) GTEST_SKIP() << "this system does not count them";
  ::usleep(60'000);  // the waits are read every 50 ms: now they are due, and none from before count later
  const auto before = BudgetClock::now();
  const auto steady = std::chrono::steady_clock::now();
  const Busy busy;
  busy.until_they_waited(400ms);
  const auto really =
      std::chrono::steady_clock::now() - steady;  // before the other: it may be a while to the next line
  const auto passed = BudgetClock::now() - before;
  EXPECT_LT(passed, really * 3 / 4);
  EXPECT_GE(passed, really / 11);  // a tenth goes on always
}

}  // namespace
}  // namespace posproof::budget_clock_test
