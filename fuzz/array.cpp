#include "fuzz/array.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

#include "fuzz/harness.h"
#include "subject/array_file.h"
#include "subject/subject.h"

namespace posproof::fuzz {
namespace {

// Gone when the process ends.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("posproof_fuzz_" + std::to_string(::getpid()));
};

}  // namespace

void read_as_array(const std::string& ending, const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string path = folder.file(fmt::format("x{}", ending));
  const std::string file = folder.file(fmt::format("x{}", ending.substr(0, ending.find(':'))));
  std::filesystem::remove(file);  // one that is written over is flushed to the disk
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const Array array = read_array(path);
    const std::size_t values = count(array.shape);
    require(values <= most_values, "no larger array is read");
    require(values * bytes(array.format) <= size, "the values are in the file");
    if (array.empty()) return;
    std::vector<double> row(array.width());
    array.row(0, row);
    array.row(values / array.width() - 1, row);
  } catch (const SubjectError& error) {
    require(std::string_view(error.what()).starts_with(path.substr(0, path.rfind(':'))),
            "a refusal names the file");
  }
}

}  // namespace posproof::fuzz
