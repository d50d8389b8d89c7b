#include "subject/sandbox.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "subject/testing/subjects.h"

namespace posproof::subject_sandbox_test {
namespace {

using testing::expected;

// Somebody to connect to on this machine.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::string port() const { return std::to_string(port_); }

 private:
  int socket_;
  int port_ = 0;
};

bool root() {
  return ::getuid() == 0;
}

// No test of containment passes where nothing is contained.
class Sandbox : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      sandboxed({"true"});
    } catch (const SubjectError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  Subject opened(const std::string& words, bool sandbox) {
    Expected four = expected(Table{.dim = 4});
    four.sandbox = sandbox;
    return open(words, four);
  }

  // What came of its attempts.
  std::string found(bool sandbox, int processes) {
    const std::string said = opened(testing::python("src/subject/testing/escapes.py",
                                                    listener_.port() + " " + std::to_string(processes)),
                                    sandbox)
                                 .description;
    return said.substr(said.find('(') + 1, said.rfind(')') - said.find('(') - 1);
  }

  Listener listener_;
};

TEST_F(Sandbox, keeps_a_program_from_files_networks_processes_and_memory) {
  const std::string contained =
      "own_folder=EROFS scratch=done file=EFBIG network=ECONNREFUSED memory=ENOMEM others=False processes=";
  EXPECT_EQ(found(true, root() ? 0 : 10'000), contained + (root() ? "all" : "some"));
}

TEST_F(Sandbox, is_what_keeps_it_from_them) {
  const bool ours = ::access((testing::source + "/src/subject/testing").c_str(), W_OK) == 0;
  EXPECT_EQ(found(false, 0),
            std::string("own_folder=") + (ours ? "done" : "EACCES") +
                " scratch=done file=done network=done memory=done others=True processes=all");
}

TEST_F(Sandbox, says_what_it_contains_and_what_not) {
  const Containment it = opened(testing::bad("nothing"), true).containment;
  const auto says = [](const std::vector<std::string>& all, const std::string& part) {
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& one) { return one.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(says(it.contained, "no network"));
  EXPECT_TRUE(says(root() ? it.not_contained : it.contained, "processes"));
  EXPECT_TRUE(says(it.not_contained, "reading files"));
  EXPECT_TRUE(opened(testing::bad("nothing"), false).containment.contained.empty());
}

// What stands beside the hidden folders, or above them, needs not be put back.
TEST_F(Sandbox, puts_back_what_lies_in_a_hidden_folder_and_nothing_else) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("posproof_put_back_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "x").string();
  std::ofstream(file) << "x";
  const std::vector<std::string> words =
      sandboxed({"/usr/bin/env", "/", "/tmp", "/run", "/usr", file, file}).argv;
  std::filesystem::remove_all(folder);
  std::vector<std::string> put_back;
  for (std::size_t n = 0; n < words.size(); ++n)
    if (words[n] == "--ro-bind" && words[n + 1] != "/") {
      EXPECT_EQ(words[n + 1], words[n + 2]);
      put_back.push_back(words[n + 1]);
    }
  // The working folder, where it lies in one of them.
  std::erase_if(put_back, [&](const std::string& path) {
    return path != folder && std::filesystem::current_path().string().starts_with(path + "/");
  });
  EXPECT_EQ(put_back, std::vector<std::string>{folder.string()});
}

// No word of a command needs to name a file.
TEST_F(Sandbox, puts_back_nothing_for_an_empty_word) {
  EXPECT_EQ(sandboxed({"/usr/bin/env", ""}).argv.back(), "");
}

TEST_F(Sandbox, limits_what_it_says_that_it_limits) {
  const Sandboxed all = sandboxed({"/usr/bin/env", "x"});
  const std::vector<std::string> limits = {
      "--",         "prlimit",  "--nproc=1024", "--as=34359738368", "--fsize=1073741824",
      "--cpu=3600", "--core=0", "--",           "/usr/bin/env",     "x"};
  ASSERT_GT(all.argv.size(), limits.size());
  EXPECT_EQ(
      std::vector<std::string>(all.argv.end() - static_cast<std::ptrdiff_t>(limits.size()), all.argv.end()),
      limits);
  std::vector<std::string> contained = {"no network",    "files are read-only but for an empty /tmp of 1 GiB",
                                        "an empty /run", "no other processes",
                                        "no devices",    "at most 32 GiB of memory a process",
                                        "1 GiB a file",  "3600 s of processor time a process"};
  if (!root()) contained.emplace_back("at most 1024 processes");
  EXPECT_EQ(all.containment.contained, contained);
}

TEST_F(Sandbox, leaves_the_words_for_a_death_as_they_are) {
  const std::string words = testing::bad("crash");
  const Subject subject = opened(words, true);
  EXPECT_EQ(
      testing::thrown(words, [&] { testing::rows(subject, {13}); }),
      ": rows(positions [1], length 100): it is killed by SIGSEGV\nits stderr ends with\nabout to read past the "
      "end\n");
  EXPECT_EQ(testing::rows(subject, {1}), Tensor({1, 4}, {1, 2, 3, 4}));
}

TEST_F(Sandbox, is_for_programs) {
  EXPECT_EQ(
      testing::thrown<std::invalid_argument>("", [&] { opened("table:x.npy", true); }),
      "`table:x.npy`: --sandbox is for a program, `cmd:PROGRAM ARGS` or `lib:LIBRARY`; a file is only read");
}

// As where the kernel permits no user namespaces; and one that speaks, and goes on.
TEST(SandboxThatDoesNotWork, is_refused_with_what_it_says) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("posproof_bwrap_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.string() + ":" + path).c_str(), 1);
  for (const auto& [script, said] :
       {std::pair{"echo no permission >&2; exit 3", "exits with status 3: no permission"},
        {"echo waiting >&2; echo x; exec sleep 100", "does not end: waiting"}}) {
    std::ofstream(folder / "bwrap") << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(folder / "bwrap", std::filesystem::perms::owner_all);
    const std::string message = testing::thrown("", [] { sandboxed({"/bin/true"}); });
    const std::string start = std::string("`--sandbox`: bwrap ") + said;
    EXPECT_EQ(message.substr(0, start.size()), start);
  }
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::remove_all(folder);
}

TEST(SandboxThatIsNotThere, is_refused_with_where_to_get_it) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const std::string message = testing::thrown("", [] { sandboxed({"/bin/true"}); });
  ::setenv("PATH", path.c_str(), 1);
  const std::string start =
      "`--sandbox`: `bwrap` cannot be started: No such file or directory; Debian has it in the package bubblewrap";
  EXPECT_EQ(message.substr(0, start.size()), start);
}

}  // namespace
}  // namespace posproof::subject_sandbox_test
