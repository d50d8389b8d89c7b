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
  std::string words;
  for (const std::string& word : sandboxed({"/usr/bin/env", "/", "/tmp", "/run", "/usr", file}).argv)
    words += " " + word;
  std::filesystem::remove_all(folder);
  EXPECT_EQ(words.find(".."), std::string::npos) << words;
  EXPECT_NE(words.find(" --ro-bind " + folder.string() + " " + folder.string() + " "), std::string::npos)
      << words;
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
  EXPECT_EQ(testing::thrown<std::invalid_argument>("", [&] { opened("table:x.npy", true); }),
            "`table:x.npy`: --sandbox is for a program, `cmd:PROGRAM ARGS`; a file is only read");
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
