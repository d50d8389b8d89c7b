#include "command/terminal_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace posproof::command {
namespace {

// 0 where it is not set, or no number.
std::size_t columns_of_the_environment() {
  const char* words = std::getenv("COLUMNS");
  if (words == nullptr) return 0;
  const std::string_view text = words;
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? out : 0;
}

}  // namespace

std::size_t terminal_width() {
  constexpr std::size_t usual = 80;
  if (::isatty(STDOUT_FILENO) != 1) return 0;
  if (const std::size_t columns = columns_of_the_environment(); columns > 0) return columns;
  struct winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return usual;
}

}  // namespace posproof::command
