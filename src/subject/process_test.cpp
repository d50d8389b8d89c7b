#include "subject/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "subject/subject.h"
#include "subject/testing/strays.h"
#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::process_test {
namespace {

using namespace std::chrono_literals;
using testing::Strays;

Process::Clock::time_point a_minute() {
  return Process::Clock::now() + 60s;
}

std::vector<std::string> strays(const Strays& of) {
  return {testing::interpreter(), testing::source + "/src/subject/testing/strays.py", of.path()};
}

// All that it wrote when it had ended, and how it did.
std::string said(const std::vector<std::string>& argv,
                 Process::Status seen = Process::Status::of_the_program) {
  Process process(argv, seen);
  EXPECT_EQ(process.await(1 << 20, a_minute()), Process::Wait::ended);
  EXPECT_TRUE(process.ended());
  return std::string(process.come()) + process.ending();
}

TEST(Process, says_how_its_program_ended) {
  EXPECT_EQ(said({"true"}), "exits with status 0");
  EXPECT_EQ(said({"sh", "-c", "echo one; exit 3"}), "one\nexits with status 3");
  EXPECT_EQ(said({"sh", "-c", "exit 139"}), "exits with status 139");
  EXPECT_EQ(said({"sh", "-c", "exit 139"}, Process::Status::of_a_wrapper), "is killed by SIGSEGV");
  EXPECT_EQ(said({"sh", "-c", "exit 129"}, Process::Status::of_a_wrapper), "is killed by SIGHUP");
  EXPECT_EQ(said({"sh", "-c", "exit 128"}, Process::Status::of_a_wrapper), "exits with status 128");
  EXPECT_EQ(said({"sh", "-c", "kill -SEGV $$"}), "is killed by SIGSEGV");
  EXPECT_EQ(said({"sh", "-c", "kill -TERM $$"}), "is killed by SIGTERM");
  for (const std::string name : {"BUS", "FPE", "ILL", "KILL", "INT", "HUP", "TRAP", "XCPU"})
    EXPECT_EQ(said({"sh", "-c", "kill -" + name + " $$"}), "is killed by SIG" + name);
  EXPECT_EQ(said({"sh", "-c", "kill -USR1 $$"}), "is killed by signal " + std::to_string(SIGUSR1));
}

TEST(Process, that_cannot_be_started_is_refused_with_the_reason) {
  const auto refused = [](const std::string& program) {
    return testing::thrown("", [&] { Process process({program}); });
  };
  EXPECT_EQ(refused("/no/such"), "`/no/such` cannot be started: No such file or directory");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere:/usr/bin", 1);
  EXPECT_EQ(refused("no_such_program"), "`no_such_program` cannot be started: No such file or directory");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(refused("/etc/passwd"), "`/etc/passwd` cannot be started: Permission denied");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

// As a shell has it: in a folder of PATH a file of that name that may not be executed is passed over.
TEST(Process, is_of_the_first_program_of_that_name_that_may_be_executed) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("posproof_process_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "true") << "no program";
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.string() + ":" + path).c_str(), 1);
  EXPECT_EQ(said({"true"}), "exits with status 0");
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::remove_all(folder);
}

TEST(Process, says_how_its_program_ended_where_nobody_here_asks_for_children) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(said({"sh", "-c", "exit 3"}), "exits with status 3");
  std::signal(SIGCHLD, before);
}

TEST(Process, keeps_the_end_of_its_stderr) {
  Process process({"sh", "-c", "yes | head -c 300000 >&2; echo end >&2"});
  EXPECT_EQ(process.await(1, a_minute()), Process::Wait::ended);
  const std::string tail(process.stderr_tail());
  EXPECT_EQ(tail.size(), 4096u);
  EXPECT_TRUE(tail.ends_with("y\nend\n")) << tail.substr(tail.size() - 8);
}

TEST(Process, gives_its_program_three_descriptors_and_the_usual_signals) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  EXPECT_EQ(said({"sh", "-c", "cd /proc/self/fd && echo *"}).substr(0, 6),
            "0 1 2 ");  // then that of the shell's *
  EXPECT_EQ(said({"sh", "-c", "test -e /proc/self/fd/" + std::to_string(leaked)}), "exits with status 1");
  ::close(leaked);
  EXPECT_EQ(said({"sh", "-c", "kill -PIPE $$"}), "is killed by SIGPIPE");
  EXPECT_EQ(said({"grep", "-c", "SigBlk:\t0000000000000000", "/proc/self/status"}), "1\nexits with status 0");
}

TEST(Process, ends_with_everything_that_it_started) {
  Strays all;
  auto process = std::make_unique<Process>(strays(all));
  ASSERT_TRUE(all.work());
  process.reset();
  EXPECT_TRUE(all.gone());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no zombie, no child";
}

TEST(Process, whose_program_has_ended_leaves_no_grandchild) {
  Strays all;
  Process process(
      {"sh", "-c", "setsid \"$0\" \"$1\" \"$2\" & exit 4", strays(all)[0], strays(all)[1], all.path()});
  EXPECT_EQ(process.await(1, a_minute()), Process::Wait::ended);
  EXPECT_EQ(process.ending(), "exits with status 4");
  ASSERT_TRUE(all.work());
  process.stop();
  EXPECT_TRUE(all.gone());
}

// A signal at the parent's death comes when the thread ends that made the process.
TEST(Process, outlives_the_thread_that_started_it) {
  std::unique_ptr<Process> process;
  std::thread([&] { process = std::make_unique<Process>(std::vector<std::string>{"cat"}); }).join();
  process->send("still here");
  EXPECT_EQ(process->await(10, a_minute()), Process::Wait::ready);
  EXPECT_EQ(process->come(), "still here");
  EXPECT_FALSE(process->ended());
}

TEST(Process, does_not_outlive_us_whatever_ends_us) {
  for (const int signal : {SIGKILL, SIGTERM, SIGABRT}) {
    Strays all;
    const pid_t us = ::fork();
    if (us == 0) {
      Process process(strays(all));
      ::pause();
      ::_exit(0);
    }
    EXPECT_TRUE(all.work());
    ::kill(us, signal);
    ::waitpid(us, nullptr, 0);
    EXPECT_TRUE(all.gone()) << signal;
  }
}

TEST(Process, that_writes_to_stderr_without_end_is_late_in_time_and_takes_no_memory) {
  Process process({"sh", "-c", "yes problem >&2"});
  const auto most = a_minute();
  while (process.stderr_tail().empty() && Process::Clock::now() < most) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(process.await(1, Process::Clock::now() + 300ms), Process::Wait::late);
  EXPECT_LE(process.stderr_tail().size(), 4096u);
  EXPECT_NE(process.stderr_tail().find("problem\nproblem\n"), std::string::npos);
}

TEST(Process, that_reads_nothing_is_late_in_time) {
  Process process({"sleep", "1000"});
  process.send(std::string(10 << 20, 'x'));
  EXPECT_EQ(process.await(1, Process::Clock::now() + 100ms), Process::Wait::late);
}

// Its own end is waited for until then, and not for the ten seconds that a dying program has.
TEST(Process, that_closes_its_stdout_and_goes_on_has_ended_at_the_deadline) {
  Process process({"sh", "-c", "exec >&-; echo closed >&2; exec sleep 1000"});
  const auto most = a_minute();
  while (process.stderr_tail().empty() && Process::Clock::now() < most) std::this_thread::sleep_for(1ms);
  const auto start = Process::Clock::now();
  EXPECT_EQ(process.await(1, start + 100ms), Process::Wait::ended);
  EXPECT_LT(Process::Clock::now() - start, 10s);
  EXPECT_TRUE(process.ended());
  EXPECT_EQ(process.ending(), "closes its stdout");
}

TEST(Process, that_closes_its_stdin_can_still_answer) {
  Process process({"sh", "-c", "exec 0<&-; echo closed; exec sleep 1000"});
  EXPECT_EQ(process.await(7, a_minute()), Process::Wait::ready);
  process.send(std::string(10 << 20, 'x'));
  EXPECT_EQ(process.await(8, Process::Clock::now() + 100ms), Process::Wait::late);
}

}  // namespace
}  // namespace posproof::process_test
