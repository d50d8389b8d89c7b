#include "command/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "command/command.h"
#include "subject/words.h"

namespace posproof::command {

namespace {

report::Style style_of(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return {.colour = isatty(descriptor) == 1 && (no_colour == nullptr || *no_colour == '\0')};
}

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

// While it lives, threads that are started hear no signal: those are the first thread's.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

report::Style style() {
  return style_of(STDOUT_FILENO);
}

report::Style style_of_errors() {
  return style_of(STDERR_FILENO);
}

void prepare_to_write() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);  // so that writing to it fails
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

std::chrono::milliseconds longest_silence(bool on_terminal, std::chrono::milliseconds every) {
  return on_terminal ? std::min<std::chrono::milliseconds>(every, std::chrono::seconds(1)) : every;
}

Progress::Progress(Says says, std::chrono::milliseconds every)
    : terminal_(isatty(STDERR_FILENO) == 1), every_(every) {
  if (says == Says::when_told) return;
  const WithoutSignals now;
  saying_ = std::jthread([this](std::stop_token stop) { keep_saying(std::move(stop)); });
}

Progress::~Progress() {
  saying_ = {};  // ended, and waited for
  if (terminal_) say("\r\x1b[K");
}

void Progress::operator()(std::string_view what, std::size_t done, std::size_t of) {
  const std::scoped_lock lock(mutex_);
  if (what != what_) {
    what_ = what;
    begun_ = Clock::now();
    calls_ = 0;
  }
  done_ = done;
  of_ = of;
  if (terminal_ || Clock::now() - last_ > every_) say_now();
}

void Progress::line(std::string_view words) {
  if (!terminal_) return;
  const std::scoped_lock lock(mutex_);
  say(fmt::format("\r\x1b[K{}\n", words));
}

void Progress::keep_saying(std::stop_token stop) {
  const auto pause = longest_silence(terminal_, every_);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next = last_ + pause;
    ended_.wait_until(lock, stop, next, [] { return false; });
    if (!stop.stop_requested() && Clock::now() >= last_ + pause) say_now();
  }
}

// With the lock.
void Progress::say_now() {
  last_ = Clock::now();
  if (of_ == 0) return;
  say(terminal_ ? fmt::format("\r\x1b[K{}", words()) : words() + "\n");
}

// `3/14 score/depends_on_offset, 12 s, 340 calls`
std::string Progress::words() const {
  std::string out = fmt::format("{}/{} {}", done_, of_, what_);
  const auto seconds = std::chrono::round<std::chrono::seconds>(last_ - begun_).count();
  if (seconds > 0) out += fmt::format(", {} s", seconds);
  if (seconds > 0 && calls_ > 0) out += fmt::format(", {} calls", calls_.load());
  return out;
}

}  // namespace posproof::command
