#include "command/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace posproof::command {

report::Style style() {
  const char* no_colour = std::getenv("NO_COLOR");
  return {.colour = isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0')};
}

void write(std::string_view words) {
  std::fwrite(words.data(), 1, words.size(), stdout);
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (terminal_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::operator()(std::string_view what, std::size_t done, std::size_t of) {
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    fmt::print(stderr, "\r\x1b[K{}/{} {}", done, of, what);
    std::fflush(stderr);
  } else if (now - last_ > std::chrono::seconds(10)) {
    fmt::print(stderr, "{}/{} {}\n", done, of, what);
    last_ = now;
  }
}

}  // namespace posproof::command
