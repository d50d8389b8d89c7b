#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "report/file.h"
#include "report/words.h"

namespace posproof::command {

// Colours where stdout is a terminal and NO_COLOR is not set.
report::Style style();

// What a program does before anything else: a descriptor among 0, 1 and 2 that is closed stays unusable, so
// that no file that is opened takes its number; and a write to a pipe that is closed, or past a limit of the
// shell, fails as one on a full disk does instead of ending the program. What it starts has the signals'
// defaults.
void prepare_to_write();

// To stdout. What is lost is remembered until finished().
void write(std::string_view words);

// On stderr: `posproof: ` and what was wrong, which may quote anybody.
void complain(std::string_view what);

// What the process ends with: `code` if all that was written to stdout arrived. Output that is lost is not
// success: then it says so on stderr and gives `usage`, or `broken` where the code is that already. Of a pipe
// whose reader has gone
// (`| head`) nothing is said.
int finished(int code);

// Writes a file at the end of a run, when the verdict `code` has been written already: gives that, or as
// finished() does where the file cannot be written.
int saved(report::NewFile& file, std::string_view bytes, int code);

// On stderr: one line that is overwritten on a terminal, a plain line now and then elsewhere.
class Progress {
 public:
  explicit Progress(std::chrono::milliseconds every = std::chrono::seconds(10));
  ~Progress();  // the line is cleared
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(std::string_view what, std::size_t done, std::size_t of);

 private:
  bool terminal_;
  std::chrono::milliseconds every_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace posproof::command
