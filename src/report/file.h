#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace posproof::report {

// A file's bytes; none where it cannot be read.
std::optional<std::string> file_bytes(const std::filesystem::path& path);

// A text from outside: none of more than `most` bytes is taken into memory. Throws std::invalid_argument with
// the path for one that is longer, and for one that cannot be read. A pipe that nobody writes to is empty.
std::string text_of_file(const std::filesystem::path& path, std::size_t most);

// Gives the file these bytes, written aside and then renamed, so that it is never half-written; folders that
// are missing are made. True where it had others, or was not there. Throws std::runtime_error with the path.
bool replace_file(const std::filesystem::path& path, const std::string& bytes);

// The same for a file too large to be had at once: written aside piece by piece, and in its place only with
// commit(). Where that is not reached, nothing stays behind but the folders, nor does it where an interrupt
// (SIGINT, SIGTERM, SIGHUP and their like) ends the process; SIGKILL leaves FILE.PID.part. Everything throws
// std::runtime_error with the path.
class NewFile {
 public:
  // `size`, bytes: refused where the disk has not so many left.
  NewFile(std::filesystem::path path, std::uintmax_t size);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::uintmax_t at, std::span<const std::byte> bytes);  // `at`: bytes from the beginning
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_, aside_;
  int descriptor_ = -1;
  bool in_place_ = false;
};

}  // namespace posproof::report
