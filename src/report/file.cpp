#include "report/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace posproof::report {

namespace fs = std::filesystem;

std::optional<std::string> file_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool replace_file(const fs::path& path, const std::string& bytes) {
  if (file_bytes(path) == bytes) return false;
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  fs::path aside = path;
  aside += fmt::format(".{}.part", ::getpid());
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

}  // namespace posproof::report
