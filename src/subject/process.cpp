#include "subject/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "subject/subject.h"

extern char** environ;

namespace posproof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t tail = 4096;         // bytes of stderr that are kept
constexpr std::size_t one_read = 1 << 16;  // bytes: what a pipe holds
constexpr auto look_again =
    200ms;  // a child whose own child holds the pipes open ends without an end of file

void close(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// A pipe that no other child inherits, away from 0, 1 and 2, which are remade in the child.
std::array<int, 2> make_pipe() {
  std::array<int, 2> low{}, ends{};
  if (::pipe2(low.data(), O_CLOEXEC) != 0)
    throw SubjectError(fmt::format("no pipe: {}", std::strerror(errno)));
  for (std::size_t i = 0; i < 2; ++i) {
    ends[i] = ::fcntl(low[i], F_DUPFD_CLOEXEC, 3);
    ::close(low[i]);
  }
  return ends;
}

void do_not_block(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

std::string signal_name(int number) {
  constexpr std::array<std::pair<int, std::string_view>, 12> names = {{{SIGSEGV, "SIGSEGV"},
                                                                       {SIGABRT, "SIGABRT"},
                                                                       {SIGBUS, "SIGBUS"},
                                                                       {SIGFPE, "SIGFPE"},
                                                                       {SIGILL, "SIGILL"},
                                                                       {SIGKILL, "SIGKILL"},
                                                                       {SIGTERM, "SIGTERM"},
                                                                       {SIGINT, "SIGINT"},
                                                                       {SIGHUP, "SIGHUP"},
                                                                       {SIGPIPE, "SIGPIPE"},
                                                                       {SIGTRAP, "SIGTRAP"},
                                                                       {SIGXCPU, "SIGXCPU"}}};
  for (const auto& [known, name] : names)
    if (known == number) return std::string(name);
  return fmt::format("signal {}", number);
}

pid_t spawn(const std::vector<std::string>& argv, int in, int out, int err) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, err, 2);

  // We ignore SIGPIPE, and what is ignored stays ignored over exec: the child has the default again.
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t usual, none;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, words.front(), &files, &how, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  errno = failed;
  return failed == 0 ? pid : -1;
}

}  // namespace

Process::Process(const std::vector<std::string>& argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a write to a dead child is an error to report, not our end
  auto [child_in, in] = make_pipe();
  auto [out, child_out] = make_pipe();
  auto [err, child_err] = make_pipe();
  pid_ = spawn(argv, child_in, child_out, child_err);
  const int failed = errno;
  close(child_in);
  close(child_out);
  close(child_err);
  in_ = in, out_ = out, err_ = err;
  if (pid_ < 0) {
    close(in_);
    close(out_);
    close(err_);
    throw SubjectError(fmt::format("`{}` cannot be started: {}", argv.front(), std::strerror(failed)));
  }
  for (const int fd : {in_, out_, err_}) do_not_block(fd);
}

Process::~Process() {
  stop(500ms);
}

void Process::write_some() {
  while (in_ >= 0 && written_ < outgoing_.size()) {
    const ssize_t n = ::write(in_, outgoing_.data() + written_, outgoing_.size() - written_);
    if (n >= 0) {
      written_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      close(in_);  // it reads no more; what it still has to say is read, and then it has ended
    }
  }
  outgoing_.clear();
  written_ = 0;
}

void Process::read_some() {
  if (out_ < 0) return;
  std::array<char, one_read> chunk;  // not cleared: that would cost more than a small call
  const ssize_t n = ::read(out_, chunk.data(), chunk.size());
  if (n > 0) incoming_.append(chunk.data(), static_cast<std::size_t>(n));
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) close(out_);
}

void Process::read_stderr_tail() {
  std::array<char, tail> chunk{};
  while (err_ >= 0) {
    const ssize_t n = ::read(err_, chunk.data(), chunk.size());
    if (n <= 0) {
      if (n == 0 || (errno != EAGAIN && errno != EINTR)) close(err_);
      return;
    }
    stderr_tail_.append(chunk.data(), static_cast<std::size_t>(n));
    if (stderr_tail_.size() > tail) stderr_tail_.erase(0, stderr_tail_.size() - tail);
  }
}

Process::Wait Process::await(std::size_t count, Clock::time_point deadline) {
  while (true) {
    write_some();
    if (come().size() >= count) return Wait::ready;
    if (out_ < 0) {
      wait_for_exit(Clock::now() + 500ms);  // a dying process closes its files before it is dead
      read_stderr_tail();
      return Wait::ended;
    }
    const auto left = std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
    std::array<pollfd, 3> fds = {
        {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {outgoing_.empty() ? -1 : in_, POLLOUT, 0}}};
    const int some =
        ::poll(fds.data(), fds.size(), static_cast<int>(std::min<decltype(left)>(left, look_again).count()));
    if (some == 0 && ended()) return Wait::ended;
    if (some == 0 && left == 0ms) return Wait::late;
    if (fds[1].revents != 0) read_stderr_tail();
    if (fds[0].revents != 0) read_some();
  }
}

std::string Process::take(std::size_t count) {
  std::string bytes = incoming_.substr(taken_, count);
  taken_ += bytes.size();
  if (taken_ == incoming_.size()) {
    incoming_.clear();
    taken_ = 0;
  }
  return bytes;
}

bool Process::wait_for_exit(Clock::time_point deadline) {
  while (!exited_) {
    // Not reaped yet: as long as the dead leader is there, no other process can get its group's number.
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
    if (info.si_pid == pid_) {
      exited_ = true;
      status_ = info.si_status;
      cause_ = info.si_code;
    } else if (Clock::now() >= deadline) {
      return false;
    } else {
      std::this_thread::sleep_for(1ms);
    }
  }
  return true;
}

bool Process::ended() {
  return out_ < 0 || wait_for_exit(Clock::now());
}

std::string Process::ending() const {
  if (!exited_) return "closes its stdout";
  if (cause_ == CLD_EXITED) return fmt::format("exits with status {}", status_);
  return fmt::format("is killed by {}", signal_name(status_));
}

std::string_view Process::stderr_tail() {
  read_stderr_tail();
  return stderr_tail_;
}

void Process::stop(std::chrono::milliseconds patience) {
  if (pid_ < 0) return;
  close(in_);
  close(out_);
  if (!wait_for_exit(Clock::now() + patience)) {
    ::kill(-pid_, SIGTERM);
    wait_for_exit(Clock::now() + 200ms);
  }
  ::kill(-pid_, SIGKILL);  // what is left of its group, and itself if it did not listen
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  exited_ = true;
  read_stderr_tail();
  close(err_);
}

}  // namespace posproof
