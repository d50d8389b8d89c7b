#include "command/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "command/command.h"
#include "subject/words.h"

namespace posproof::command {

report::Style style() {
  const char* no_colour = std::getenv("NO_COLOR");
  return {.colour = isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0')};
}

namespace {

std::atomic<int> lost = 0;  // why what was written to stdout did not arrive: an errno

void nothing(int) {}

int instead_of(int code) {
  return code == broken ? broken : usage;
}

void flush() {
  if (std::fflush(stdout) != 0 && lost == 0) lost = errno;
}

// Of standard error nothing is checked: there is nowhere to say it.
void say(const std::string& words) {
  std::fwrite(words.data(), 1, words.size(), stderr);
}

}  // namespace

void prepare_to_write() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)  // opened the other way round, so that its use fails
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  struct sigaction ours = {}, before = {};
  ours.sa_handler = &nothing;
  ours.sa_flags = SA_RESTART;
  for (const int signal : {SIGPIPE, SIGXFSZ})
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(signal, &ours, nullptr);
}

void write(std::string_view words) {
  if (std::fwrite(words.data(), 1, words.size(), stdout) != words.size() && lost == 0) lost = errno;
}

void complain(std::string_view what) {
  say(fmt::format("posproof: {}\n", printable(what)));
}

int finished(int code) {
  flush();
  if (std::ferror(stdout) != 0 && lost == 0) lost = EIO;  // somebody else flushed it
  if (lost == 0) return code;
  if (lost != EPIPE) complain(fmt::format("standard output could not be written: {}", std::strerror(lost)));
  return instead_of(code);
}

int saved(report::NewFile& file, std::string_view bytes, int code) {
  flush();
  try {
    file.write(0, std::as_bytes(std::span(bytes)));
    file.commit();
    return code;
  } catch (const report::Unwritable& error) {
    complain(error.what());
    return instead_of(code);
  }
}

Progress::Progress(std::chrono::milliseconds every) : terminal_(isatty(STDERR_FILENO) == 1), every_(every) {}

Progress::~Progress() {
  if (terminal_) say("\r\x1b[K");
}

void Progress::operator()(std::string_view what, std::size_t done, std::size_t of) {
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    say(fmt::format("\r\x1b[K{}/{} {}", done, of, what));
  } else if (now - last_ > every_) {
    say(fmt::format("{}/{} {}\n", done, of, what));
    last_ = now;
  }
}

}  // namespace posproof::command
