#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct stat;

namespace posproof::report {

// A file's bytes; none where it cannot be read.
std::optional<std::string> file_bytes(const std::filesystem::path& path);

// A text from outside: none of more than `most` bytes is taken into memory. Throws std::invalid_argument with
// the path for one that is longer, and for one that cannot be read. A pipe that nobody writes to is empty.
std::string text_of_file(const std::filesystem::path& path, std::size_t most);

// Output that cannot be written, or was lost: the path and why.
struct Unwritable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Of a file that is written, the folders that are missing.
enum class MissingFolders { are_refused, are_made };

// Gives the file these bytes, written aside and then renamed, so that it is never half-written; folders that
// are missing are made. True where it had others, or was not there. Throws Unwritable.
bool replace_file(const std::filesystem::path& path, const std::string& bytes);

// The same for a file too large to be had at once, and for one that has to be possible before it is known. A
// regular file, and one that is not there, is written aside piece by piece, by a new name in the same folder,
// and takes its place with commit(); of a symbolic link that is the file at its end. Where commit() is not
// reached, nothing stays behind but folders that were made, nor does it where an interrupt (SIGINT, SIGTERM,
// SIGHUP and their like) ends the process; SIGKILL leaves
// `.posproof-*.part`. Character devices, pipes that somebody reads, and whatever standard output and standard
// error go to
// (`/dev/stdout`) are written in place; anything else is refused. Everything throws Unwritable.
class NewFile {
 public:
  // `size`, bytes: refused where the disk has not so many left. A folder that is missing in a path that a
  // user wrote is more likely a misspelt one.
  NewFile(std::filesystem::path path, std::uintmax_t size,
          MissingFolders missing = MissingFolders::are_refused);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // `at`: bytes from the beginning. In place, what comes before its turn is kept until then.
  void write(std::uintmax_t at, std::span<const std::byte> bytes);
  void commit();

 private:
  void open(const struct stat& there, std::uintmax_t size);
  void open_in_place(const struct stat& there);
  void open_aside(std::filesystem::path target, unsigned mode, std::uintmax_t size);
  void find_folder(const std::filesystem::path& folder, MissingFolders missing) const;
  void write_in_place(std::uintmax_t at, std::span<const std::byte> bytes);
  std::size_t checked(std::ptrdiff_t written) const;
  [[noreturn]] void refuse(std::string_view why) const;
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;    // as it was given
  std::filesystem::path target_;  // what is replaced; empty: written in place
  std::filesystem::path aside_;   // what takes its place; empty: nothing is there
  int descriptor_ = -1;
  std::uintmax_t written_ = 0;  // in place, bytes
  std::map<std::uintmax_t, std::vector<std::byte>> early_;
};

}  // namespace posproof::report
