#include "subject/interrupt.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace posproof {
namespace {

constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
constexpr std::array<const char*, 3> names = {"SIGINT", "SIGTERM", "SIGHUP"};

std::atomic<int> noted = 0, descriptor = -1;
static_assert(std::atomic<int>::is_always_lock_free);  // or a handler may not look at it
std::array<struct sigaction, signals.size()> before;

// Does only what a handler may.
void note(int signal) {
  const int error = errno;
  for (std::size_t i = 0; i < signals.size(); ++i)
    if (before[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &before[i], nullptr);
  noted = signal;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(descriptor, &one, sizeof one);
  errno = error;
}

}  // namespace

void note_interrupts() {
  if (descriptor >= 0) return;
  descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], nullptr, &before[i]);
  struct sigaction ours = {};
  ours.sa_handler = &note;
  for (const int signal : signals)
    sigaddset(&ours.sa_mask, signal);  // the second waits until the first is noted
  for (std::size_t i = 0; i < signals.size(); ++i)
    if (before[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &ours, nullptr);
}

int interrupted() {
  return noted;
}

std::string interruption() {
  for (std::size_t i = 0; i < signals.size(); ++i)
    if (signals[i] == noted) return fmt::format("interrupted by {}", names[i]);
  return "not interrupted";
}

int interrupt_descriptor() {
  return descriptor;
}

}  // namespace posproof
