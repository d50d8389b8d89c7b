#include "report/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

namespace posproof::report {
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
  replace_file(path, "old");
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

TEST_F(NewFiles, a_text_from_outside_has_an_end) {
  const auto refused = [](const fs::path& path) {
    try {
      return text_of_file(path, 4);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };
  const std::string path = (folder_ / "x").string();
  EXPECT_EQ(refused(path), "`" + path + "` could not be read: No such file or directory");
  replace_file(path, "1234");
  EXPECT_EQ(refused(path), "1234");
  replace_file(path, "12345");
  EXPECT_EQ(refused(path), "`" + path + "` is longer than 4 bytes");
  EXPECT_EQ(refused("/dev/zero"), "`/dev/zero` is longer than 4 bytes");
  EXPECT_EQ(refused(folder_), "`" + folder_.string() + "` could not be read: Is a directory");
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refused(pipe), "");
}

}  // namespace
}  // namespace posproof::report
