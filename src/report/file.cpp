#include "report/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace posproof::report {

namespace fs = std::filesystem;

namespace {

// Where a file is written before it takes its place.
fs::path beside(fs::path path) {
  return path += fmt::format(".{}.part", ::getpid());
}

// What is being written, for a signal that ends the process: one more at once than there are places would
// stay behind.
std::array<std::atomic<const char*>, 8> unfinished;
static_assert(std::atomic<const char*>::is_always_lock_free);  // or a handler may not look at it

// Does only what a handler may. SA_RESETHAND has put the signal's default back: what is raised here ends the
// process as soon as this returns, and the shell sees by what.
void remove_and_end(int signal) {
  for (auto& path : unfinished)
    if (const char* there = path.exchange(nullptr)) ::unlink(there);
  std::raise(signal);
}

// What is ignored stays so (nohup), and what somebody else handles.
bool handle_signals() {
  struct sigaction ours = {}, before = {};
  ours.sa_handler = &remove_and_end;
  ours.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXCPU})
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(signal, &ours, nullptr);
  return true;
}

void remove_on_signal(const char* path) {
  [[maybe_unused]] static const bool once = handle_signals();
  for (auto& place : unfinished)
    if (const char* none = nullptr; place.compare_exchange_strong(none, path)) return;
}

void keep_on_signal(const char* path) {
  for (auto& place : unfinished)
    if (const char* there = path; place.compare_exchange_strong(there, nullptr)) return;
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
  if (file_bytes(path) == bytes) return false;
  NewFile file(path, bytes.size());
  file.write(0, std::as_bytes(std::span(bytes)));
  file.commit();
  return true;
}

NewFile::NewFile(fs::path path, std::uintmax_t size) : path_(std::move(path)), aside_(beside(path_)) {
  if (fs::is_directory(path_)) fail(EISDIR);
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  fs::create_directories(folder);
  std::error_code unknown;
  if (const auto space = fs::space(folder, unknown); !unknown && space.available < size)
    throw std::runtime_error(fmt::format("`{}` could not be written: it is {} bytes large, {} are left",
                                         path_.string(), size, space.available));
  remove_on_signal(aside_.c_str());
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) return;
  keep_on_signal(aside_.c_str());
  fail(errno);
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  std::error_code ignored;
  if (!in_place_) fs::remove(aside_, ignored);
  keep_on_signal(aside_.c_str());
}

void NewFile::write(std::uintmax_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(written < 0 ? errno : ENOSPC);
    at += static_cast<std::uintmax_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void NewFile::commit() {
  // Some file systems say only here that the disk is full.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (::rename(aside_.c_str(), path_.c_str()) != 0) fail(errno);
  in_place_ = true;
}

void NewFile::fail(int error) const {
  throw std::runtime_error(
      fmt::format("`{}` could not be written: {}", path_.string(), std::strerror(error)));
}

}  // namespace posproof::report
