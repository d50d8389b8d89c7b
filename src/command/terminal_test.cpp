// What is written to a terminal, and what is not where there is none.
#include "command/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "command/command.h"
#include "command/script_file.h"
#include "command/testing/flags.h"
#include "core/function.h"

namespace posproof::testing::terminal_test {
namespace {

using namespace std::chrono_literals;

// All that the program writes to a terminal, which is its standard output and its standard error; nothing
// where no terminal can be had.
std::optional<std::string> on_a_terminal(const std::string& words, const std::string& environment = "") {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return std::nullopt;
  const std::string device = ::ptsname(terminal);
  const int open = ::open(device.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const std::string command =
      fmt::format("{} {} {} >{} 2>{}", environment, POSPROOF_BINARY, words, device, device);
  const pid_t shell = ::fork();
  if (shell == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ::fcntl(terminal, F_SETFL, O_NONBLOCK);
  std::string out;
  std::array<char, 4096> chunk;
  bool ended = false;
  while (true) {
    const ssize_t n = ::read(terminal, chunk.data(), chunk.size());
    if (n > 0) {
      out.append(chunk.data(), static_cast<std::size_t>(n));
    } else if (ended) {
      break;
    } else {
      ended = ::waitpid(shell, nullptr, WNOHANG) == shell;
      ::usleep(1000);
    }
  }
  ::close(open);
  ::close(terminal);
  return out;
}

// How long the longest line of the matrix itself is: its block of two encodings, or one, and a name.
std::size_t widest_row(const std::string& said) {
  std::size_t out = 0;
  const auto shown = said.rfind("\x1b[K");  // what stands before it was progress
  for (const std::string& line : lines(shown == std::string::npos ? said : said.substr(shown + 3))) {
    if (line.starts_with("  holds ")) break;  // what the words mean
    out = std::max(out, line.find_last_not_of("\r\n ") + 1);
  }
  return out;
}

TEST(Terminal, has_a_matrix_in_blocks_that_fit_and_a_pipe_has_whole_lines) {
  const std::string words = "matrix --cases 2 --filter table/is_prefix";
  const auto usual = on_a_terminal(words, "env -u COLUMNS"), wide = on_a_terminal(words, "COLUMNS=100"),
             odd = on_a_terminal(words, "COLUMNS=100x"), none = on_a_terminal(words, "COLUMNS=0");
  if (!usual) GTEST_SKIP() << "there is no terminal to be had";
  EXPECT_GT(widest_row(*usual), 50u);
  EXPECT_LE(widest_row(*usual), 80u) << *usual;
  EXPECT_GT(widest_row(*wide), 80u) << *wide;
  EXPECT_LE(widest_row(*wide), 100u) << *wide;
  EXPECT_EQ(*odd, *usual);
  EXPECT_EQ(*none, *usual);
  const std::string piped = ran(fmt::format("COLUMNS=40 {} {} 2>/dev/null", POSPROOF_BINARY, words)).said;
  EXPECT_GT(widest_row(piped), 100u) << piped;
}

TEST(Terminal, is_written_to_in_colour_unless_NO_COLOR_says_otherwise) {
  const Tables tables;
  const std::string x = " table:" + tables.folder() + "/x.npy", y = " table:" + tables.folder() + "/y.npy",
                    red = "\x1b[31mREFUTED", green = "\x1b[32mHOLDS";
  const auto gate = on_a_terminal("gate sinusoidal --dim 8 --cases 5" + y);
  if (!gate) GTEST_SKIP() << "no pseudo-terminal can be had here";
  const auto has = [](const std::optional<std::string>& text, const std::string& part) {
    return text.value().find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(gate, red) && has(gate, green)) << *gate;
  EXPECT_TRUE(has(on_a_terminal("accuracy sinusoidal --dim 8" + x), green));
  EXPECT_TRUE(has(on_a_terminal("accuracy sinusoidal --dim 8" + x + " -o " + tables.folder() + "/a"), green));
  EXPECT_FALSE(has(report::file_bytes(tables.folder() + "/a"), "\x1b")) << "a file is no terminal";
  EXPECT_TRUE(has(on_a_terminal("check table/has_constant_norm sinusoidal --cases 5"), green));
  EXPECT_TRUE(has(on_a_terminal("matrix --filter rope.rotary/preserves_norm --cases 1000000000 --time 0.01"),
                  "\x1b[33mNOT CHECKED\x1b[0m"));
  const std::string list = "check table/has_constant_norm sinusoidal --cases 5";
  EXPECT_FALSE(has(on_a_terminal(list, "NO_COLOR=1"), "\x1b[3"));
  EXPECT_TRUE(has(on_a_terminal(list, "NO_COLOR="), green)) << "an empty one says nothing";
  EXPECT_EQ(posproof("gate sinusoidal --dim 8 --cases 5" + y).said.find('\x1b'), std::string::npos);
}

// One line, which is overwritten, and is gone before anything else is said.
TEST(Terminal, shows_how_far_a_command_has_come) {
  const Tables tables;
  const std::string x = " table:" + tables.folder() + "/x.npy";
  const auto gate = on_a_terminal("gate sinusoidal --dim 8 --cases 5 --filter unit" + x);
  if (!gate) GTEST_SKIP() << "no pseudo-terminal can be had here";
  const std::string clear = "\r\x1b[K";
  const std::string id = "table/keeps_pairs_on_the_unit_circle";
  EXPECT_EQ(gate->find(clear + "0/1 starting the subject" + clear + "1/1 " + id + clear +
                       "\x1b[32mHOLDS    \x1b[0m  " + id + "\r\n" + clear +
                       "\x1b[32mHOLDS\x1b[0m  sinusoidal --dim 8 of "),
            0u)
      << *gate;
  const auto check = on_a_terminal("check " + id + " sinusoidal --cases 5").value();
  EXPECT_EQ(check.find(clear + "1/1 " + id + clear + "\x1b[32mHOLDS"), 0u) << check;
  const auto matrix = on_a_terminal("matrix --cases 1 --filter alibi.bias/depends").value();
  EXPECT_EQ(matrix.find(clear + "0/"), 0u) << matrix;
  EXPECT_NE(matrix.find(" alibi.agrees_with_its_oracle" + clear), std::string::npos) << matrix;
  const auto late = on_a_terminal("gate rope --dim 4 --filter agrees_with --cases 3 --positions 0:9 " +
                                  test_subject("late=0.3"))
                        .value();
  EXPECT_NE(late.find("agrees_with_its_oracle, 1 s, "), std::string::npos) << late;
  EXPECT_NE(late.find(" calls" + clear), std::string::npos) << late;
  const auto accuracy = on_a_terminal("accuracy sinusoidal --dim 8 --positions 0:4095").value();
  EXPECT_NE(accuracy.find("/4096 positions" + clear), std::string::npos) << accuracy;
}

using Says = command::Progress::Says;

std::string said_while(Says says, std::chrono::milliseconds every,
                       const Function<void(command::Progress&)>& doing) {
  ::testing::internal::CaptureStderr();
  {
    command::Progress progress(says, every);
    doing(progress);
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(Progress, that_is_no_terminal_has_a_line_now_and_then) {
  const auto two = [](command::Progress& progress) {
    progress("a", 1, 3);
    ::usleep(2000);
    progress("b", 2, 3);
    progress.line("not here");
  };
  EXPECT_EQ(said_while(Says::when_told, 1ms, two), "2/3 b\n") << "a line that stays is for a terminal";
  EXPECT_EQ(said_while(Says::when_told, 1min, two), "");
  EXPECT_EQ(said_while(Says::all_the_time, 1min, two), "");
  const auto nothing = [](command::Progress&) { ::usleep(5000); };
  EXPECT_EQ(said_while(Says::all_the_time, 1ms, nothing), "") << "nothing was begun";
}

TEST(Progress, is_silent_for_a_second_at_most_on_a_terminal) {
  EXPECT_EQ(command::longest_silence(true, 10s), 1s);
  EXPECT_EQ(command::longest_silence(true, 20ms), 20ms);
  EXPECT_EQ(command::longest_silence(false, 10s), 10s);
  EXPECT_EQ(command::longest_silence(false, 20ms), 20ms);
}

TEST(Progress, goes_on_while_one_thing_takes_its_time) {
  const std::vector<std::string> said =
      lines(said_while(Says::all_the_time, 2ms, [](command::Progress& progress) {
        progress("one thing", 3, 14);
        ::usleep(40000);
      }));
  ASSERT_GE(said.size(), 3u);
  EXPECT_EQ(said.back(), "3/14 one thing");
}

// However long one thing takes, and however often it says the same.
TEST(Progress, is_never_silent_for_longer) {
  const std::vector<std::string> said =
      lines(said_while(Says::all_the_time, 20ms, [](command::Progress& progress) {
        progress("one thing", 3, 14);
        for (int n = 0; n < 7; ++n) progress.called();
        ::usleep(1200000);
        progress("another", 4, 14);
        ::usleep(50000);
        for (int n = 0; n < 2; ++n) progress.called();
        ::usleep(600000);
      }));
  EXPECT_GE(said.size(), 10u);
  EXPECT_EQ(said.front(), "3/14 one thing");
  EXPECT_NE(std::ranges::find(said, "3/14 one thing, 1 s, 7 calls"), said.end())
      << fmt::format("{}", fmt::join(said, "\n"));
  EXPECT_NE(std::ranges::find(said, "4/14 another"), said.end()) << "its own time";
  EXPECT_EQ(said.back(), "4/14 another, 1 s, 2 calls") << "its own calls";
}

TEST(Terminal, is_told_what_is_wrong_in_printable_words) {
  ::testing::internal::CaptureStderr();
  command::complain("no `\x1b\xff`");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "posproof: no `\\x1b\\xff`\n");
}

// Whoever flushed it: what was lost is known by the state of the stream alone.
TEST(Terminal, that_lost_what_somebody_else_wrote_is_no_success) {
  for (const auto& [code, ends_with] : {std::pair{0, 2}, {1, 1}, {3, 2}}) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
      std::fputs("lost", stdout);
      std::fflush(stdout);
      ::_exit(command::finished(code));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, ends_with);
  }
}

// A script that is written changes no verdict, and one that is not asked for does neither.
TEST(ScriptFile, keeps_the_code_of_the_verdict) {
  const std::string path = ::testing::TempDir() + "/posproof_script_file_test.py";
  for (const int code : {0, 1, 3}) {
    command::ScriptFile file(path);
    EXPECT_EQ(file.save("# A counterexample by posproof\n", code), code);
    EXPECT_EQ(command::ScriptFile("").save("x", code), code);
    EXPECT_EQ(file.named("# A counterexample by posproof\n"), path);
    EXPECT_EQ(file.named(std::nullopt), "") << "what is not written is no file to run";
    std::filesystem::remove(path);
  }
}

// The standard output that is written to is whole; a code stays what it was.
TEST(Terminal, keeps_the_code_of_what_arrived) {
  for (const int code : {0, 1, 2, 3, 4}) EXPECT_EQ(command::finished(code), code);
}

}  // namespace
}  // namespace posproof::testing::terminal_test
