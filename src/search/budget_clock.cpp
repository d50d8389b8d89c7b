#include "search/budget_clock.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace posproof {
namespace {

constexpr std::chrono::milliseconds between_readings{50};

// The second number of the file: nanoseconds. None where there is no such process, or no such file.
std::optional<std::chrono::nanoseconds> waited(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/schedstat", process));
  std::chrono::nanoseconds::rep ran = 0, waited = 0;
  if (!(file >> ran >> waited)) return std::nullopt;
  return std::chrono::nanoseconds(waited);
}

void add(pid_t process, Waits& out) {
  const auto own = waited(process);
  if (!own || !out.try_emplace(process, *own).second) return;
  std::error_code gone;
  for (std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), gone), end;
       !gone && thread != end; thread.increment(gone)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) add(child, out);
  }
}

}  // namespace

Waits waits_for_a_processor() {
  Waits out;
  add(::getpid(), out);
  return out;
}

void WaitsLeftOut::read(Steady::time_point now, Waits waits) {
  std::chrono::nanoseconds more{0};
  for (const auto& [process, all] : waits) {
    const auto before = waits_.find(process);
    more += all - (before == waits_.end() ? std::chrono::nanoseconds(0) : before->second);
  }
  left_out_ +=
      std::min<Steady::duration>(std::max(more, std::chrono::nanoseconds(0)), (now - read_at_) / 10 * 9);
  read_at_ = now;
  waits_ = std::move(waits);
}

BudgetClock::time_point BudgetClock::now() {
  static std::mutex alone;
  const std::lock_guard lock(alone);
  const auto now = std::chrono::steady_clock::now();
  static WaitsLeftOut clock(now, waits_for_a_processor());
  if (now - clock.read_at() >= between_readings) clock.read(now, waits_for_a_processor());
  return time_point(clock.at(now).time_since_epoch());
}

}  // namespace posproof
