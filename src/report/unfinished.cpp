#include "report/unfinished.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

namespace posproof::report {
namespace {

std::array<std::atomic<const char*>, 8> unfinished;
static_assert(std::atomic<const char*>::is_always_lock_free);  // or a handler may not look at it
std::atomic_flag ending;

// Does only what a handler may. A second signal, in another thread, leaves the first its time. What is raised
// here ends the process as soon as this returns, and the shell sees by what.
void remove_and_end(int signal) {
  if (ending.test_and_set()) return;
  for (auto& path : unfinished)
    if (const char* there = path.exchange(nullptr)) ::unlink(there);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool handle_signals() {
  struct sigaction ours = {}, before = {};
  ours.sa_handler = &remove_and_end;
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXCPU})
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      ::sigaction(signal, &ours, nullptr);
  return true;
}

}  // namespace

void remove_on_signal(const char* path) {
  [[maybe_unused]] static const bool once = handle_signals();
  for (auto& place : unfinished)
    if (const char* none = nullptr; place.compare_exchange_strong(none, path)) return;
}

void keep_on_signal(const char* path) {
  for (auto& place : unfinished)
    if (const char* there = path; place.compare_exchange_strong(there, nullptr)) return;
}

}  // namespace posproof::report
