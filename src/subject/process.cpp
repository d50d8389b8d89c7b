#include "subject/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "subject/interrupt.h"
#include "subject/processor.h"
#include "subject/subject.h"
#include "subject/supervisor.h"

namespace posproof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t tail = 4096;         // bytes of stderr that are kept
constexpr std::size_t one_read = 1 << 16;  // bytes: what a pipe holds
// Between the end of its stdout and its own end, and between our last word to the supervisor and the
// supervisor's end; how busy the machine is decides how much of it is needed.
constexpr auto to_end = 10s;

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

}  // namespace

Process::Process(const std::vector<std::string>& argv, Status seen) : seen_(seen) {
  std::signal(SIGPIPE, SIG_IGN);  // a write to a dead child is an error to report, not our end
  auto [child_in, in] = make_pipe();
  auto [out, child_out] = make_pipe();
  auto [err, child_err] = make_pipe();
  try {
    const Supervised started = start_supervised(argv, {child_in, child_out, child_err});
    supervisor_ = started.supervisor;
    link_ = started.link;
  } catch (...) {
    for (int* fd : {&child_in, &child_out, &child_err, &in, &out, &err}) close(*fd);
    throw;
  }
  for (int* fd : {&child_in, &child_out, &child_err}) close(*fd);
  in_ = in, out_ = out, err_ = err;
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

// Once, so that one who writes without end is not read without end.
void Process::read_stderr() {
  if (err_ < 0) return;
  std::array<char, one_read> chunk;
  const ssize_t n = ::read(err_, chunk.data(), chunk.size());
  if (n > 0) {
    stderr_tail_.append(chunk.data(), static_cast<std::size_t>(n));
    if (stderr_tail_.size() > tail) stderr_tail_.erase(0, stderr_tail_.size() - tail);
  }
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) close(err_);
}

Process::Wait Process::await(std::size_t count, Clock::time_point deadline) {
  while (true) {
    write_some();
    if (come().size() >= count) return Wait::ready;
    if (exited_) return ended_before(count);
    if (out_ < 0) {
      wait_for_exit(
          std::min(deadline, Clock::now() + to_end));  // a dying process closes its files before it is dead
      return Wait::ended;
    }
    const auto left = std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
    std::array<pollfd, 5> fds = {{{out_, POLLIN, 0},
                                  {err_, POLLIN, 0},
                                  {outgoing_.empty() ? -1 : in_, POLLOUT, 0},
                                  {link_, POLLIN, 0},
                                  {interrupt_descriptor(), POLLIN, 0}}};
    {
      const OnThisProcessor here(waits_here_ && left > 0ms);
      ::poll(fds.data(), fds.size(), static_cast<int>(std::min<decltype(left)>(left, 1h).count()));
    }
    if (fds[1].revents != 0) read_stderr();
    if (fds[0].revents != 0) read_some();
    if (fds[3].revents != 0) read_ending();
    if (fds[4].revents != 0) return Wait::interrupted;
    // However much comes on stderr meanwhile.
    if (left == 0ms && come().size() < count && !exited_ && out_ >= 0) return Wait::late;
  }
}

// What it wrote before its end still counts; one of its own children may hold the pipe open.
Process::Wait Process::ended_before(std::size_t count) {
  for (std::size_t before = incoming_.size() + 1; come().size() < count && before != incoming_.size();) {
    before = incoming_.size();
    read_some();
  }
  return come().size() >= count ? Wait::ready : Wait::ended;
}

void Process::take(std::size_t count) {
  taken_ += std::min(count, incoming_.size() - taken_);
  if (taken_ == incoming_.size()) {
    incoming_.clear();
    taken_ = 0;
  }
}

// The supervisor says how it has ended; a supervisor that is gone without that was killed, and it with it.
void Process::read_ending() {
  Ending ending{CLD_KILLED, SIGKILL};
  if (::recv(link_, &ending, sizeof ending, MSG_DONTWAIT) < 0) return;
  exited_ = true;
  status_ = ending.status;
  cause_ = ending.cause;
}

bool Process::wait_for_exit(Clock::time_point deadline) {
  while (!exited_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd link = {link_, POLLIN, 0};
    ::poll(&link, 1, static_cast<int>(std::max(0ms, left).count()));
    if (link.revents != 0) read_ending();
    if (left <= 0ms) break;
  }
  return exited_;
}

bool Process::ended() {
  return out_ < 0 || wait_for_exit(Clock::now());
}

std::string Process::ending() const {
  if (!exited_) return "closes its stdout";
  if (cause_ == CLD_EXITED && seen_ == Status::of_a_wrapper && status_ > 128)
    return fmt::format("is killed by {}", signal_name(status_ - 128));
  if (cause_ == CLD_EXITED) return fmt::format("exits with status {}", status_);
  return fmt::format("is killed by {}", signal_name(status_));
}

std::string_view Process::stderr_tail() {
  // What a pipe held when we looked last, at the most.
  for (int reads = 0; reads < 16 && err_ >= 0; ++reads) read_stderr();
  return stderr_tail_;
}

void Process::stop(std::chrono::milliseconds patience) {
  if (supervisor_ < 0) return;
  close(in_);
  close(out_);
  wait_for_exit(Clock::now() + patience);
  ::shutdown(link_, SHUT_WR);
  if (!supervisor_ends(Clock::now() + to_end)) ::kill(supervisor_, SIGKILL);
  ::waitpid(supervisor_, nullptr, 0);
  supervisor_ = -1;
  exited_ = true;
  stderr_tail();
  close(err_);
  close(link_);
}

// Its end of the link is open as long as it lives.
bool Process::supervisor_ends(Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd link = {link_, POLLIN, 0};
    ::poll(&link, 1, static_cast<int>(std::max(0ms, left).count()));
    Ending ending{};
    const ssize_t size = link.revents == 0 ? -1 : ::recv(link_, &ending, sizeof ending, MSG_DONTWAIT);
    if (size == 0) return true;
    if (left <= 0ms) return false;
  }
}

}  // namespace posproof
