#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace posproof {

// A regular file that is open to be read piece by piece. Opening costs the same for every size, and nothing
// is kept of what is read: whoever reads a large file block by block, into a buffer that stays in the cache,
// does it at the speed of a mapped one. A mapped one ends the process with SIGBUS where the file is cut short
// meanwhile; here that is an error. A file that is replaced by renaming another over it stays what it was;
// one that is written in place may give old and new values side by side.
class RegularFile {
 public:
  // Throws SubjectError where there is no such file, it is no regular file, or cannot be read.
  explicit RegularFile(std::string path);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  const std::string& path() const { return path_; }
  std::size_t size() const { return size_; }  // when it was opened

  // Its bytes from `at` on, as many as `to` has, which must be within its size. Throws SubjectError where it
  // has become shorter, or cannot be read. Several threads may read at once.
  void read(std::size_t at, std::span<std::byte> to) const;

  // SubjectError with the path before it.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

}  // namespace posproof
