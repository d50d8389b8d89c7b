#include "report/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

namespace posproof::report::file_test {
namespace {

namespace fs = std::filesystem;

class NewFiles : public ::testing::Test {
 protected:
  ~NewFiles() override { fs::remove_all(folder_); }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("posproof_new_file_" + std::to_string(::getpid()));
};

std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST_F(NewFiles, pieces_come_in_any_order_and_stand_there_at_once) {
  const fs::path path = folder_ / "deeper" / "x";
  replace_file(path, "old");  // makes the folder
  NewFile file(path, 6);
  file.write(3, bytes("def"));
  file.write(0, bytes("abc"));
  EXPECT_EQ(file_bytes(path), "old");
  file.commit();
  EXPECT_EQ(file_bytes(path), "abcdef");
}

TEST_F(NewFiles, nothing_stays_behind_without_commit) {
  replace_file(folder_ / "x", "old");
  {
    NewFile file(folder_ / "x", 3);
    file.write(0, bytes("new"));
    EXPECT_EQ(files(), 2);
  }
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(file_bytes(folder_ / "x"), "old");
}

TEST_F(NewFiles, what_cannot_be_is_refused) {
  const auto refused = [](const fs::path& path, std::uintmax_t size) {
    try {
      NewFile(path, size);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  fs::create_directories(folder_ / "y");
  EXPECT_EQ(refused(folder_ / "y", 1),
            "`" + (folder_ / "y").string() + "` could not be written: Is a directory");
  EXPECT_EQ(refused(folder_ / "x", std::uintmax_t{1} << 62)
                .find("`" + (folder_ / "x").string() +
                      "` could not be written: it is 4611686018427387904 bytes large, "),
            0);
  {
    NewFile file(folder_ / "z", 1);
    fs::create_directories(folder_ / "z" / "in the way");
    EXPECT_THROW(file.commit(), std::runtime_error);
  }
  EXPECT_EQ(files(), 2);  // y and z
}

void write(const fs::path& path, std::string_view text) {
  NewFile file(path, text.size());
  file.write(0, bytes(text));
  file.commit();
}

std::string refused(const fs::path& path) {
  try {
    write(path, "new");
  } catch (const Unwritable& error) {
    const std::string said = error.what(), before = "`" + path.string() + "` could not be written: ";
    return said.starts_with(before) ? said.substr(before.size()) : said;
  }
  return "it was written";
}

TEST_F(NewFiles, the_name_aside_cannot_be_guessed_and_is_not_followed) {
  replace_file(folder_ / "x", "old");
  std::set<fs::path> names;
  for (int n = 0; n < 3; ++n) {
    NewFile file(folder_ / "x", 3);
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.insert(entry.path());
      EXPECT_FALSE(entry.is_symlink());
    }
  }
  EXPECT_EQ(names.size(), 4u);  // x, and another one each time
}

TEST_F(NewFiles, a_file_keeps_who_may_read_it) {
  replace_file(folder_ / "x", "old");
  fs::permissions(folder_ / "x", fs::perms::owner_read | fs::perms::owner_write);
  write(folder_ / "x", "new");
  EXPECT_EQ(fs::status(folder_ / "x").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(NewFiles, at_the_end_of_a_link_is_what_is_replaced) {
  replace_file(folder_ / "deep" / "x", "old");
  fs::create_symlink("deep/x", folder_ / "one");
  fs::create_symlink("one", folder_ / "two");
  write(folder_ / "two", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "one") && fs::is_symlink(folder_ / "two"));
  EXPECT_EQ(file_bytes(folder_ / "deep" / "x"), "new");
  EXPECT_FALSE(fs::is_symlink(folder_ / "deep" / "x"));

  fs::create_symlink("nowhere", folder_ / "three");
  EXPECT_EQ(refused(folder_ / "three"), "it is a symbolic link to nothing");
  fs::create_symlink("four", folder_ / "four");
  EXPECT_EQ(refused(folder_ / "four"), "Too many levels of symbolic links");
  EXPECT_EQ(files(), 5u);
}

TEST_F(NewFiles, a_device_is_written_in_place) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo-terminal can be had here: /dev/pts is not mounted";
  ASSERT_TRUE(::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0);
  const fs::path device = ::ptsname(terminal);
  const int open =
      ::open(device.c_str(), O_RDWR | O_NOCTTY);  // or there is nothing to read when it was closed
  {
    NewFile file(device, 6);
    file.write(3, bytes("def"));
    file.write(0, bytes("abc"));
    file.commit();
  }
  EXPECT_TRUE(fs::is_character_file(device));
  std::string came;  // in one piece or in several
  for (char next = 0; came.size() < 6 && ::read(terminal, &next, 1) == 1;) came += next;
  EXPECT_EQ(came, "abcdef");
  ::close(open);
  ::close(terminal);
}

TEST_F(NewFiles, a_pipe_is_written_where_somebody_reads) {
  fs::create_directories(folder_);
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refused(pipe), "it is a pipe that nobody reads");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write(pipe, "new");
  std::string came(4, ' ');
  EXPECT_EQ(::read(reader, came.data(), 4), 3);
  EXPECT_EQ(came, "new ");
  EXPECT_TRUE(fs::is_fifo(pipe));
  ::close(reader);
  EXPECT_EQ(files(), 1u);
}

TEST_F(NewFiles, anything_else_is_refused) {
  fs::create_directories(folder_);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = (folder_ / "s").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(refused(path), "it is a socket");
  EXPECT_TRUE(fs::is_socket(path));
  ::close(socket);
  EXPECT_EQ(refused(""), "it names no file");
  EXPECT_EQ(refused(folder_ / "x/"), "it names no file");
  replace_file(folder_ / "x", "");
  EXPECT_EQ(refused(folder_ / "x" / "y"), "Not a directory");
  EXPECT_EQ(refused(folder_ / "x" / "y" / "z"), "Not a directory");
  const fs::path missing = folder_ / "missing" / "too";
  EXPECT_EQ(refused(missing / "x"), "there is no folder `" + missing.string() + "`");
  EXPECT_EQ(files(), 2u);
}

// What a process leaves that a signal ends while it writes eight files, after others that are whole or were
// given up: those that are whole.
TEST_F(NewFiles, a_signal_takes_those_that_are_not_whole) {
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXCPU}) {
    struct sigaction before = {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;  // under nohup
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const pid_t child = ::fork();
    if (child == 0) {
      for (const std::string name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
        write(folder_ / name, "whole");
        NewFile given_up(folder_ / (name + "2"), 1);
      }
      std::vector<std::unique_ptr<NewFile>> eight;
      for (const std::string name : {"a", "1", "2", "3", "4", "5", "6", "7"}) {
        eight.push_back(std::make_unique<NewFile>(folder_ / name, 1));
        eight.back()->write(0, bytes("x"));
      }
      if (files() == 18) std::raise(signal);
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << ": " << status;
    EXPECT_EQ(files(), 10u) << signal;
    EXPECT_EQ(file_bytes(folder_ / "a"), "whole");
  }
}

TEST_F(NewFiles, a_signal_that_is_ignored_takes_nothing) {
  fs::create_directories(folder_);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    NewFile file(folder_ / "x", 5);
    std::raise(SIGHUP);
    file.write(0, bytes("whole"));
    file.commit();
    ::_exit(7);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_EQ(file_bytes(folder_ / "x"), "whole");
}

TEST_F(NewFiles, says_whether_it_changed_anything) {
  EXPECT_TRUE(replace_file(folder_ / "x", "one"));
  EXPECT_FALSE(replace_file(folder_ / "x", "one"));
  EXPECT_TRUE(replace_file(folder_ / "x", "two"));
  EXPECT_EQ(file_bytes(folder_ / "x"), "two");
  EXPECT_EQ(file_bytes(folder_ / "none"), std::nullopt);
}

// More than a pipe holds comes in several pieces.
TEST_F(NewFiles, a_text_is_read_to_its_end) {
  std::string text;
  while (text.size() < 300000) text += std::to_string(text.size()) + " ";
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (std::size_t sent = 0; sent < text.size();)
      sent += static_cast<std::size_t>(::write(ends[1], text.data() + sent, text.size() - sent));
    ::close(ends[1]);
  });
  EXPECT_EQ(text_of_file("/dev/fd/" + std::to_string(ends[0]), text.size()), text);
  ::close(ends[0]);  // what is still written is for nobody, and ends
  writer.join();
}

TEST_F(NewFiles, a_text_from_outside_has_an_end) {
  const auto read = [](const fs::path& path) {
    try {
      return text_of_file(path, 4);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  const std::string path = (folder_ / "x").string();
  EXPECT_EQ(read(path), "`" + path + "` could not be read: No such file or directory");
  replace_file(path, "1234");
  EXPECT_EQ(read(path), "1234");
  replace_file(path, "12345");
  EXPECT_EQ(read(path), "`" + path + "` is longer than 4 bytes");
  EXPECT_EQ(read("/dev/zero"), "`/dev/zero` is longer than 4 bytes");
  EXPECT_EQ(read(folder_), "`" + folder_.string() + "` could not be read: Is a directory");
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read(pipe), "");
}

}  // namespace
}  // namespace posproof::report::file_test
