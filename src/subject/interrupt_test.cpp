#include "subject/interrupt.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace posproof::interrupt_test {
namespace {

// What a process that does this ends with, as wait() says it: signals are for a process as a whole.
int ended(const auto& action) {
  const pid_t process = ::fork();
  if (process == 0) ::_exit(action());
  int status = 0;
  ::waitpid(process, &status, 0);
  return status;
}

bool readable(int descriptor) {
  pollfd fd = {descriptor, POLLIN, 0};
  return ::poll(&fd, 1, 0) == 1;
}

TEST(Interrupt, is_noted_once_and_ends_the_process_the_second_time) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = ended([signal] {
      note_interrupts();
      if (interrupted() != 0 || readable(interrupt_descriptor())) return 1;
      ::raise(signal);
      if (interrupted() != signal || !readable(interrupt_descriptor())) return 2;
      if (signal == SIGTERM && interruption() != "interrupted by SIGTERM") return 3;
      ::raise(signal);
      return 4;
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << ": " << status;
  }
}

// As under nohup, or in the background of a script.
TEST(Interrupt, that_whoever_starts_these_tests_ignores_is_none_here) {
  EXPECT_EQ(ended([] {
              for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
              ::execl("/proc/self/exe", "posproof_tests", "--gtest_brief=1",
                      "--gtest_filter=Interrupt.is_noted_once_and_ends_the_process_the_second_time",
                      static_cast<char*>(nullptr));
              return 1;
            }),
            0);
}

TEST(Interrupt, that_is_ignored_stays_so) {
  EXPECT_EQ(ended([] {
              std::signal(SIGHUP, SIG_IGN);
              note_interrupts();
              ::raise(SIGHUP);
              if (interrupted() != 0) return 1;
              ::raise(SIGINT);
              ::raise(SIGHUP);
              return interrupted() == SIGINT ? 0 : 2;
            }),
            0);
}

TEST(Interrupt, after_another_handler_leaves_it_the_second_time) {
  const int status = ended([] {
    std::signal(SIGINT, [](int) { ::_exit(42); });
    note_interrupts();
    ::raise(SIGINT);
    ::raise(SIGINT);
    return 1;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
}

}  // namespace
}  // namespace posproof::interrupt_test
