#include "report/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
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

}  // namespace

std::optional<std::string> file_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool replace_file(const fs::path& path, const std::string& bytes) {
  if (file_bytes(path) == bytes) return false;
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  const fs::path aside = beside(path);
  std::ofstream out(aside, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw std::runtime_error(fmt::format("`{}` could not be written", path.string()));
  }
  fs::rename(aside, path);
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
  descriptor_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  std::error_code ignored;
  if (!in_place_) fs::remove(aside_, ignored);
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
