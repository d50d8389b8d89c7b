#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>

namespace posproof::testing {

// The FIFO that the processes of strays.py hold open. Nothing here depends on how fast they are: a minute is
// for a test that fails.
class Strays {
 public:
  static constexpr std::chrono::minutes most{1};

  Strays()
      : path_(std::filesystem::temp_directory_path() / ("posproof_strays_" + std::to_string(::getpid()))) {
    std::filesystem::remove(path_);
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    reader_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~Strays() {
    ::close(reader_);
    std::filesystem::remove(path_);
  }
  Strays(const Strays&) = delete;
  Strays& operator=(const Strays&) = delete;

  std::string path() const { return path_.string(); }

  // Whether the process and its grandchild are at work; waits until they are.
  bool work() {
    std::array<char, 1> one;
    for (int n = 0; n < 2; ++n)
      if (!readable() || ::read(reader_, one.data(), 1) != 1) return false;
    return true;
  }

  // Whether none of them is left; waits for it.
  bool gone() {
    std::array<char, 1> one;
    return readable() && ::read(reader_, one.data(), 1) == 0;
  }

 private:
  // Before the first has opened it, a FIFO has neither bytes nor an end.
  bool readable() {
    pollfd fd = {reader_, POLLIN, 0};
    return ::poll(&fd, 1, static_cast<int>(std::chrono::milliseconds(most).count())) == 1;
  }

  std::filesystem::path path_;
  int reader_;
};

}  // namespace posproof::testing
