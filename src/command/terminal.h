#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "report/words.h"

namespace posproof::command {

// Colours where stdout is a terminal and NO_COLOR is not set.
report::Style style();

// To stdout.
void write(std::string_view words);

// On stderr: one line that is overwritten on a terminal, a plain line every ten seconds elsewhere.
class Progress {
 public:
  Progress();
  ~Progress();  // the line is cleared
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(std::string_view what, std::size_t done, std::size_t of);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace posproof::command
