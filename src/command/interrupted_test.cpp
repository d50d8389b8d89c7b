// `posproof oracle` when a signal ends it in the middle of a file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "test_paths.h"

namespace posproof::interrupted_test {
namespace {

namespace fs = std::filesystem;

// Seeded entries are computed one by one: 64 million of them take long enough to be met in the middle.
class InterruptedOracle : public ::testing::Test {
 protected:
  InterruptedOracle() { fs::create_directories(folder_); }
  ~InterruptedOracle() override { fs::remove_all(folder_); }

  std::string file() const { return (folder_ / "x.npy").string(); }

  // Starts to write that many rows, and comes back when the file is begun.
  pid_t begun(const std::string& rows, int signal, void (*handling)(int)) {
    const std::string to = file();
    const pid_t command = ::fork();
    if (command == 0) {
      std::signal(signal, handling);
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::execl(POSPROOF_BINARY, "posproof", "oracle", "learned", "--dim", "1024", "--length", rows.c_str(),
              "--table", "seeded", "-o", to.c_str(), nullptr);
      ::_exit(127);
    }
    for (int tries = 0; fs::is_empty(folder_) && tries < 60'000; ++tries) ::usleep(1000);
    EXPECT_FALSE(fs::is_empty(folder_)) << "it did not begin";
    return command;
  }

  // What it ended with, as wait() says it.
  static int end(pid_t command, int signal) {
    ::kill(command, signal);
    int status = 0;
    ::waitpid(command, &status, 0);
    return status;
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("posproof_interrupted_" + std::to_string(::getpid()));
};

TEST_F(InterruptedOracle, leaves_nothing_behind_and_ends_by_its_signal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = end(begun("65536", signal, SIG_DFL), signal);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << ": " << status;
    EXPECT_TRUE(fs::is_empty(folder_)) << signal;
  }
}

TEST_F(InterruptedOracle, goes_on_where_the_signal_is_ignored_as_nohup_does) {
  const int status = end(begun("1024", SIGHUP, SIG_IGN), SIGHUP);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(fs::file_size(file()), 128u + 4u * 1024u * 1024u);
}

}  // namespace
}  // namespace posproof::interrupted_test
