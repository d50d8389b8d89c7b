#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "subject/words.h"
#include "test_paths.h"

namespace posproof::testing {

// Threads of a process, as the kernel counts them; 0 where there is none.
inline int threads_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;)
    if (int count = 0; word == "Threads:" && status >> count) return count;
  return 0;
}

// How many the program has at once, at most, while it works on something long: looks until there are
// `enough` and for a quarter of a second at least, and for a minute at most. Then it is ended.
inline int threads_of(const std::string& words, int enough) {
  std::vector<std::string> split_words = split("posproof " + words);
  std::vector<char*> argv;
  for (std::string& word : split_words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t process = ::fork();
  if (process == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execv(POSPROOF_BINARY, argv.data());
    ::_exit(127);
  }
  int most = 0;
  using Clock = std::chrono::steady_clock;
  for (const auto begin = Clock::now();;) {
    const int now = threads_of(process);
    most = std::max(most, now);
    const auto gone = Clock::now() - begin;
    if (now == 0 || gone > std::chrono::minutes(1)) break;
    if (most >= enough && gone > std::chrono::milliseconds(250)) break;
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  return most;
}

}  // namespace posproof::testing
