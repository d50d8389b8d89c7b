#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace posproof {

// A regular file's bytes where the system has them: mapped read-only and private, so that opening costs the
// same for every size and nothing is read before it is looked at. The file must stay as it is meanwhile. One
// that is replaced by renaming another over it does (the old one lives on while it is mapped); one that is
// written in place may show old and new values side by side; one that is cut short is noticed by
// check_length() and ends there with SubjectError, but bytes that vanish between that and the look at them
// end the process with SIGBUS.
class MappedFile {
 public:
  // Throws SubjectError where there is no such file, it is no regular file, or cannot be read.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::string_view bytes() const { return {at_, size_}; }

  // Throws SubjectError where the file has become shorter than it was when it was opened.
  void check_length() const;

  // SubjectError with the path before it.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  const char* at_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace posproof
