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

// The program with these words, which says nothing.
inline pid_t started(const std::string& words) {
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
  return process;
}

// How many the program has at once, at most, while it works on something long: looks until there are
// `enough` and for a quarter of a second at least, and for a minute at most. Then it is ended. On a busy
// machine it may be over before we looked at the right moment: then it is started again. Four looks in a row
// count as one, of the fewest: one that has ended is there for a moment beside the next.
inline int threads_of(const std::string& words, int enough) {
  int most = 0;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  pid_t process = started(words);
  for (auto gone = Clock::now() - begin; gone < std::chrono::minutes(1); gone = Clock::now() - begin) {
    int fewest = threads_of(process);
    for (int look = 0; look < 3; ++look) fewest = std::min(fewest, threads_of(process));
    most = std::max(most, fewest);
    if (most >= enough && gone > std::chrono::milliseconds(250)) break;
    if (::waitpid(process, nullptr, WNOHANG) == process) process = started(words);
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  return most;
}

}  // namespace posproof::testing
