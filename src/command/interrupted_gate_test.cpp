// `posproof gate` and its like when a signal comes while the subject is busy: what is known is printed, and
// nothing of the subject remains.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "subject/testing/strays.h"
#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::interrupted_gate_test {
namespace {

using testing::Strays;

// The program, and all that it writes to stdout.
class Running {
 public:
  explicit Running(std::vector<std::string> words) {
    words.insert(words.begin(), "posproof");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
      ::execv(POSPROOF_BINARY, argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    out_ = ends[0];
  }
  ~Running() { ::close(out_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // What it ended with, as wait() says it, once all that it said was read.
  int end(int signal) {
    ::kill(pid_, signal);
    std::array<char, 4096> chunk;
    for (ssize_t n; (n = ::read(out_, chunk.data(), chunk.size())) > 0;)
      said_.append(chunk.data(), static_cast<std::size_t>(n));
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }

  const std::string& said() const { return said_; }

 private:
  pid_t pid_;
  int out_;
  std::string said_;
};

// Rows that are right until then, then no answer and processes that hear nothing.
std::string busy(const Strays& strays, int after_calls) {
  return testing::bad("busy '" + strays.path() + "' " + std::to_string(after_calls));
}

constexpr int many = 1500;  // the first properties are through, others are not

TEST(InterruptedGate, prints_what_is_known_and_ends_all_that_the_subject_started) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Strays strays;
    Running gate({"gate", "learned", "--dim", "4", "--table", "index", "--json", busy(strays, many)});
    ASSERT_TRUE(strays.work());
    const int status = gate.end(signal);
    EXPECT_TRUE(strays.gone()) << signal;
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -status, 128 + signal);

    const auto said = nlohmann::json::parse(gate.said());
    const std::string by = std::string("interrupted by ") + (signal == SIGINT    ? "SIGINT"
                                                             : signal == SIGTERM ? "SIGTERM"
                                                                                 : "SIGHUP");
    EXPECT_EQ(said["asked"].front()["verdict"], "refuted");
    EXPECT_EQ(said["asked"].back()["verdict"], "undecided");
    EXPECT_EQ(said["asked"].back()["why"], by + " before it was asked");
    EXPECT_EQ(
        std::count_if(said["asked"].begin(), said["asked"].end(),
                      [&](const auto& one) { return one.value("why", "") == by + " while it was asked"; }),
        1);
  }
}

// Agreement is refuted; then the subject answers no more: what explains it is not known.
TEST(InterruptedGate, says_what_was_refuted_while_the_diagnosis_is_under_way) {
  for (const bool json : {true, false}) {
    const std::string mark = ::testing::TempDir() + "posproof_diagnosed_" + std::to_string(::getpid());
    std::filesystem::remove(mark);
    std::vector<std::string> words = {
        "gate",     "learned",     "--dim",
        "4",        "--table",     "index",
        "--filter", "agrees_with", testing::bad("hangs_in_its_third_life '" + mark + "'")};
    if (json) words.push_back("--json");
    Running gate(words);
    for (int tries = 0; !std::filesystem::exists(mark + ".hangs") && tries < 60'000; ++tries) ::usleep(1000);
    ASSERT_TRUE(std::filesystem::exists(mark + ".hangs")) << "no diagnosis began";
    const int status = gate.end(SIGINT);
    std::filesystem::remove(mark);
    std::filesystem::remove(mark + ".hangs");
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -status, 130);
    if (json) {
      const auto said = nlohmann::json::parse(gate.said());
      EXPECT_EQ(said["verdict"], "refuted");
      EXPECT_EQ(said["interrupted"], "interrupted by SIGINT");
      EXPECT_EQ(said["explanations"], nlohmann::json::array());
      EXPECT_EQ(said["asked"][0]["verdict"], "refuted");
    } else {
      EXPECT_EQ(gate.said().find("REFUTED  learned --dim 4 of "), 0u) << gate.said();
      EXPECT_NE(gate.said().find(": 1 of 1 properties; cause: not known; interrupted by SIGINT\n"),
                std::string::npos)
          << gate.said();
      EXPECT_EQ(gate.said().find("no known defect"), std::string::npos) << gate.said();
    }
  }
}

TEST(InterruptedGate, that_is_killed_leaves_nothing_of_the_subject) {
  Strays strays;
  Running gate({"gate", "learned", "--dim", "4", busy(strays, many)});
  ASSERT_TRUE(strays.work());
  const int status = gate.end(SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_TRUE(strays.gone());
}

TEST(InterruptedGate, ends_before_the_first_answer_as_well) {
  Strays strays;
  Running gate({"gate", "learned", "--dim", "4",
                "cmd:" + testing::interpreter() + " '" POSPROOF_SOURCE "/src/subject/testing/strays.py' " +
                    strays.path()});
  ASSERT_TRUE(strays.work());
  const int status = gate.end(SIGINT);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -status, 130);
  EXPECT_TRUE(strays.gone());
}

TEST(InterruptedCheck, and_accuracy_end_alike) {
  const std::vector<std::vector<std::string>> commands = {
      {"check", "agrees_with_its_oracle", "learned", "--dim", "4"}, {"accuracy", "learned", "--dim", "4"}};
  for (std::vector<std::string> words : commands) {
    Strays strays;
    words.push_back(busy(strays, 0));
    Running command(words);
    ASSERT_TRUE(strays.work());
    const int status = command.end(SIGTERM);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -status, 143);
    EXPECT_NE(command.said().find("interrupted by SIGTERM"), std::string::npos) << command.said();
    EXPECT_TRUE(strays.gone());
  }
}

// Nobody has to be asked any more: a signal ends them at once, and by itself.
TEST(InterruptedCheck, and_accuracy_of_our_own_end_by_the_signal) {
  const std::vector<std::vector<std::string>> commands = {
      {"check", "rotary/composes", "rope", "--cases", "100000000", "--time", "5"},
      {"accuracy", "sinusoidal", "--positions", "0:20000000"}};
  for (const std::vector<std::string>& words : commands) {
    Running command(words);
    ::usleep(200000);
    const int status = command.end(SIGTERM);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << words.front() << ": " << status;
    EXPECT_EQ(command.said(), "");
  }
}

}  // namespace
}  // namespace posproof::interrupted_gate_test
