#include "report/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>
#include <utility>

#include "report/unfinished.h"

namespace posproof::report {

namespace fs = std::filesystem;

namespace {

// A name in the target's folder that nobody can guess, so that nothing waits there for us.
fs::path aside_of(const fs::path& target) {
  std::random_device random;
  return target.parent_path() / fmt::format(".posproof-{:08x}{:08x}.part", random(), random());
}

// Standard output or standard error, where `file` is what they go to: `/dev/stdout`, or the file itself. What
// they have written must not be lost with the file, so they are gone on with. -1: neither.
int standard_stream(const struct stat& file) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream = {};
    if (::fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino)
      return descriptor;
  }
  return -1;
}

}  // namespace

std::optional<std::string> file_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string text_of_file(const fs::path& path, std::size_t most) {
  const auto refuse = [&path](std::string_view why) {
    throw std::invalid_argument(fmt::format("`{}` {}", path.string(), why));
  };
  // Without O_NONBLOCK, a pipe would be waited for until somebody opens its other end.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) refuse(fmt::format("could not be read: {}", std::strerror(errno)));
  ::fcntl(descriptor, F_SETFL, 0);
  std::string text(most + 1, '\0');
  std::size_t size = 0;
  ssize_t came = 1;
  while (came > 0 && size < text.size()) {
    came = ::read(descriptor, text.data() + size, text.size() - size);
    if (came < 0 && errno == EINTR)
      came = 1;
    else if (came > 0)
      size += static_cast<std::size_t>(came);
  }
  const int error = came < 0 ? errno : 0;
  ::close(descriptor);
  if (error != 0) refuse(fmt::format("could not be read: {}", std::strerror(error)));
  if (size > most) refuse(fmt::format("is longer than {} bytes", most));
  text.resize(size);
  return text;
}

bool replace_file(const fs::path& path, const std::string& bytes) {
  if (fs::is_regular_file(path) && file_bytes(path) == bytes) return false;
  NewFile file(path, bytes.size(), MissingFolders::are_made);
  file.write(0, std::as_bytes(std::span(bytes)));
  file.commit();
  return true;
}

NewFile::NewFile(fs::path path, std::uintmax_t size, MissingFolders missing) : path_(std::move(path)) {
  struct stat there = {};
  if (!path_.has_filename()) refuse("it names no file");
  if (::stat(path_.c_str(), &there) == 0)
    open(there, size);
  else if (errno != ENOENT)
    fail(errno);
  else if (fs::is_symlink(fs::symlink_status(path_)))
    refuse("it is a symbolic link to nothing");
  else {
    find_folder(fs::absolute(path_).parent_path(), missing);
    open_aside(fs::absolute(path_), 0666, size);
  }
}

void NewFile::find_folder(const fs::path& folder, MissingFolders missing) const {
  std::error_code failed;
  if (fs::exists(folder, failed)) return;
  if (missing == MissingFolders::are_refused)
    refuse(fmt::format("there is no folder `{}`", path_.parent_path().string()));
  fs::create_directories(folder, failed);
  if (failed) fail(failed.value());
}

void NewFile::open(const struct stat& there, std::uintmax_t size) {
  const int stream = S_ISCHR(there.st_mode) ? -1 : standard_stream(there);
  if (stream >= 0) {
    std::fflush(stream == STDOUT_FILENO ? stdout : stderr);
    descriptor_ = ::fcntl(stream, F_DUPFD_CLOEXEC, 3);
    if (descriptor_ < 0) fail(errno);
  } else if (S_ISREG(there.st_mode)) {
    std::error_code failed;
    const fs::path target = fs::canonical(path_, failed);
    if (failed) fail(failed.value());
    if (::access(target.c_str(), W_OK) != 0) fail(errno);
    open_aside(target, there.st_mode & 0777, size);
  } else if (S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode)) {
    open_in_place(there);
  } else if (S_ISDIR(there.st_mode)) {
    fail(EISDIR);
  } else {
    refuse(S_ISBLK(there.st_mode) ? "it is a block device" : "it is a socket");
  }
}

void NewFile::open_in_place(const struct stat& there) {
  // Without O_NONBLOCK, a pipe would be waited for until somebody reads.
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor_ < 0 && errno == ENXIO && S_ISFIFO(there.st_mode)) refuse("it is a pipe that nobody reads");
  if (descriptor_ < 0) fail(errno);
  ::fcntl(descriptor_, F_SETFL, 0);
  struct stat opened = {};
  if (::fstat(descriptor_, &opened) == 0 && opened.st_dev == there.st_dev && opened.st_ino == there.st_ino)
    return;
  ::close(descriptor_);
  refuse("something else took its place");
}

void NewFile::open_aside(fs::path target, unsigned mode, std::uintmax_t size) {
  target_ = std::move(target);
  const fs::path folder = target_.parent_path();
  std::error_code failed;
  if (const auto space = fs::space(folder, failed); !failed && space.available < size)
    refuse(fmt::format("it is {} bytes large, {} are left", size, space.available));
  aside_ = aside_of(target_);
  remove_on_signal(aside_.c_str());
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  const int error = errno;
  if (descriptor_ >= 0) return;
  keep_on_signal(aside_.c_str());
  aside_.clear();
  fail(error);
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (aside_.empty()) return;
  ::unlink(aside_.c_str());
  keep_on_signal(aside_.c_str());
}

void NewFile::write(std::uintmax_t at, std::span<const std::byte> bytes) {
  if (target_.empty()) return write_in_place(at, bytes);
  while (!bytes.empty()) {
    const std::size_t written =
        checked(::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at)));
    at += written;
    bytes = bytes.subspan(written);
  }
}

void NewFile::write_in_place(std::uintmax_t at, std::span<const std::byte> bytes) {
  early_[at].assign(bytes.begin(), bytes.end());
  for (auto next = early_.find(written_); next != early_.end(); next = early_.find(written_)) {
    std::span<const std::byte> rest = next->second;
    written_ += rest.size();
    while (!rest.empty()) rest = rest.subspan(checked(::write(descriptor_, rest.data(), rest.size())));
    early_.erase(next);
  }
}

// Of a write: how much was written, which may be nothing for the time being.
std::size_t NewFile::checked(std::ptrdiff_t written) const {
  if (written < 0 && errno == EINTR) return 0;
  if (written <= 0) fail(written < 0 ? errno : ENOSPC);
  return static_cast<std::size_t>(written);
}

void NewFile::commit() {
  // Some file systems say only here that the disk is full.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (target_.empty()) return;
  if (::rename(aside_.c_str(), target_.c_str()) != 0) fail(errno);
  keep_on_signal(aside_.c_str());
  aside_.clear();
}

void NewFile::refuse(std::string_view why) const {
  throw Unwritable(fmt::format("`{}` could not be written: {}", path_.string(), why));
}

void NewFile::fail(int error) const {
  refuse(std::strerror(error));
}

}  // namespace posproof::report
