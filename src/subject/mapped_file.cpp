#include "subject/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "subject/subject.h"

namespace posproof {

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  struct stat status = {};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) refuse("there is no such file");
    refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  // Asked before it is opened: to open a pipe would wait for somebody to write to it.
  if (!S_ISREG(status.st_mode)) refuse("is no regular file");
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = MAP_FAILED;
  if (descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ == 0) return;  // nothing to map
    mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  }
  if (mapped == MAP_FAILED) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    refuse(fmt::format("cannot be read: {}", std::strerror(error)));
  }
  at_ = static_cast<const char*>(mapped);
}

MappedFile::~MappedFile() {
  if (at_ != nullptr) ::munmap(const_cast<char*>(at_), size_);
  ::close(descriptor_);
}

void MappedFile::check_length() const {
  // Asked before every look at the file: where it ends, which costs a fraction of what fstat does.
  const auto end = ::lseek(descriptor_, 0, SEEK_END);
  if (end < 0) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  const auto now = static_cast<std::size_t>(end);
  if (now < size_)
    refuse(fmt::format("was cut short while it was read: it had {} bytes and has {}", size_, now));
}

void MappedFile::refuse(std::string_view why) const {
  throw SubjectError(fmt::format("{}: {}", path_, why));
}

}  // namespace posproof
