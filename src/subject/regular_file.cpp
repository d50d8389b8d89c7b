#include "subject/regular_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "subject/subject.h"

namespace posproof {

RegularFile::RegularFile(std::string path) : path_(std::move(path)) {
  // To open a pipe would wait for somebody to write to it, without O_NONBLOCK, which a regular file does not
  // heed.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status = {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    if (error == ENOENT || error == ENOTDIR) refuse("there is no such file");
    if (error == ENXIO) refuse("is no regular file");  // a socket
    refuse(fmt::format("cannot be read: {}", std::strerror(error)));
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (S_ISREG(status.st_mode)) return;
  ::close(descriptor_);
  refuse("is no regular file");
}

RegularFile::~RegularFile() {
  ::close(descriptor_);
}

void RegularFile::read(std::size_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t came = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(at));
    if (came < 0 && errno == EINTR) continue;
    if (came < 0) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (came == 0)
      refuse(fmt::format("was cut short while it was read: it had {} bytes and has {}", size_,
                         ::lseek(descriptor_, 0, SEEK_END)));
    at += static_cast<std::size_t>(came);
    to = to.subspan(static_cast<std::size_t>(came));
  }
}

void RegularFile::refuse(std::string_view why) const {
  throw SubjectError(fmt::format("{}: {}", path_, why));
}

}  // namespace posproof
