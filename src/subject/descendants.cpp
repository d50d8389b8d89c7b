#include "subject/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bitset>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <string_view>

namespace posproof {
namespace {

constexpr std::size_t processes = 1 << 22;  // more than /proc/sys/kernel/pid_max can say

// The number that the text begins with; 0 where it begins with none.
pid_t number(std::string_view text) {
  pid_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// 0 where there is no such process.
pid_t parent(pid_t pid) {
  std::array<char, 64> path = {'/', 'p', 'r', 'o', 'c', '/'};
  char* end = std::to_chars(path.data() + 6, path.data() + 32, pid).ptr;
  std::string_view("/stat").copy(end, 5);  // the rest of the array is 0
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 512> line;
  const ssize_t size = ::read(file, line.data(), line.size());
  ::close(file);
  // `PID (NAME) STATE PARENT ...`, and a name may hold anything.
  const std::string_view said(line.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const auto name_ends = said.rfind(')');
  return name_ends == std::string_view::npos || name_ends + 4 > said.size()
             ? 0
             : number(said.substr(name_ends + 4));
}

// A number may be given to another process between two looks: what is killed is the process that was held
// while its parent was seen.
void kill_if_child_of(pid_t of, pid_t pid) {
  const auto held =
      static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // glibc 2.36 does not say that its own is C
  if (held < 0) return;
  if (parent(pid) == of) ::syscall(SYS_pidfd_send_signal, held, SIGKILL, nullptr, 0);
  ::close(held);
}

}  // namespace

void kill_descendants() {
  static std::bitset<processes> ours;
  ours.reset();
  ours[static_cast<std::size_t>(::getpid())] = true;
  const int folder = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 1 << 15> entries;
  // In the order of the numbers: most processes have a greater one than their parent.
  for (ssize_t size; (size = ::getdents64(folder, entries.data(), entries.size())) > 0;)
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      const pid_t pid = number(entry->d_name), of = pid > 0 ? parent(pid) : 0;
      if (of <= 0 || static_cast<std::size_t>(pid) >= processes ||
          static_cast<std::size_t>(of) >= processes || !ours[static_cast<std::size_t>(of)])
        continue;
      ours[static_cast<std::size_t>(pid)] = true;
      kill_if_child_of(of, pid);
    }
  ::close(folder);
}

}  // namespace posproof
