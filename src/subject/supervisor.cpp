#include "subject/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "subject/descendants.h"
#include "subject/subject.h"

extern char** environ;

// The supervisor is a fork of this process that executes nothing: a program of its own would have to be found
// at run time, by whoever links this library as well, and a mode of /proc/self/exe would need a hook in their
// main(). It costs the copy of a page table. Other threads may have held any lock when it was made: between
// fork() and _exit() stand system calls only.
namespace posproof {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto to_end_by_itself = 200ms;  // between SIGTERM and SIGKILL
constexpr auto to_be_killed = 5s;         // then some process is not ours to kill, and is left

struct Plan {
  std::vector<std::string> programs;  // that argv[0] may mean, in the order of PATH
  std::vector<char*> argv;            // with the null at its end
  std::array<int, 3> files;
  pid_t starter;
  int link;
};

std::vector<std::string> programs(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  const char* set = std::getenv("PATH");
  std::string_view folders = set == nullptr ? "/bin:/usr/bin" : set;
  std::vector<std::string> out;
  while (true) {
    const auto colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    out.push_back(folder.empty() ? name : fmt::format("{}/{}", folder, name));
    if (colon == std::string_view::npos) return out;
    folders.remove_prefix(colon + 1);
  }
}

// As execvp() does: a program that may not be executed is no reason not to look further.
[[noreturn]] void execute(const Plan& plan, int failed) {
  int error = ENOENT;
  for (const std::string& program : plan.programs) {
    ::execve(program.c_str(), plan.argv.data(), environ);
    if (errno == EACCES)
      error = EACCES;
    else if (errno != ENOENT && errno != ENOTDIR) {
      error = errno;
      break;
    }
  }
  [[maybe_unused]] const auto told = ::write(failed, &error, sizeof error);
  ::_exit(127);
}

// What is ignored stays ignored over exec, as it should (nohup), but for what we ignore ourselves.
void no_handlers() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) != 0) continue;
    if (now.sa_handler != SIG_IGN || signal == SIGPIPE || signal == SIGCHLD) std::signal(signal, SIG_DFL);
  }
}

[[noreturn]] void become_program(const Plan& plan, int failed) {
  const pid_t supervisor = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(127);
  ::setpgid(0, 0);
  for (int i = 0; i < 3; ++i) ::dup2(plan.files[static_cast<std::size_t>(i)], i);
  ::dup2(failed, 3);
  ::fcntl(3, F_SETFD, FD_CLOEXEC);
  ::close_range(4, ~0u, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  execute(plan, 3);
}

// The program's process, or what kept it from running as an error number below 0.
pid_t start_program(const Plan& plan) {
  std::array<int, 2> failed{};
  if (::pipe2(failed.data(), O_CLOEXEC) != 0) return -errno;
  const pid_t program = ::fork();
  if (program == 0) become_program(plan, failed[1]);
  int error = program < 0 ? errno : 0;
  ::close(failed[1]);
  if (program > 0)
    while (::read(failed[0], &error, sizeof error) < 0 && errno == EINTR) continue;
  ::close(failed[0]);
  return error == 0 ? program : -error;
}

// Only the link stays open: whoever waits for the end of our stdout, or the program's, must not wait for us.
int keep_only(int link) {
  ::dup2(link, 3);
  ::close_range(4, ~0u, 0);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {0, 1, 2}) ::dup2(null, fd);
  ::close(null);
  return 3;
}

class Supervision {
 public:
  Supervision(pid_t program, int link, int signals) : program_(program), link_(link), signals_(signals) {}

  // Until who started us wants the end, or has ended.
  void watch(pid_t starter) {
    while (true) {
      reap();
      if (::getppid() != starter) return;
      if (wait(-1)) return;
    }
  }

  void end_all() {
    if (running_) ::kill(-program_, SIGTERM);
    const auto mild = Clock::now() + to_end_by_itself, last = mild + to_be_killed;
    while (reap() && Clock::now() < last) {
      if (!running_ || Clock::now() >= mild) kill_descendants();
      wait(10);
    }
  }

 private:
  // Waits for a child's end, or the other end of the link; true where that was closed. The link is not looked
  // at once we know.
  bool wait(int milliseconds) {
    std::array<pollfd, 2> fds = {{{signals_, POLLIN, 0}, {closed_ ? -1 : link_, POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), milliseconds);
    signalfd_siginfo one;
    while (::read(signals_, &one, sizeof one) > 0) continue;
    closed_ = closed_ || fds[1].revents != 0;
    return closed_;
  }

  // Says it when the program has ended. False where no child is left.
  bool reap() {
    while (true) {
      siginfo_t info{};
      if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != ECHILD;
      if (info.si_pid == 0) return true;
      if (info.si_pid == program_) {  // said while its process is still to be seen
        running_ = false;
        const Ending ending{info.si_code, info.si_status};
        ::send(link_, &ending, sizeof ending, MSG_NOSIGNAL);
      }
      ::waitpid(info.si_pid, nullptr, 0);
    }
  }

  pid_t program_;
  int link_, signals_;
  bool running_ = true, closed_ = false;
};

[[noreturn]] void supervise(const Plan& plan) {
  no_handlers();
  ::setpgid(0, 0);  // an interrupt from the terminal is for who started us
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // It comes when the thread ends that started us, not only the process: see watch().
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != plan.starter) ::_exit(0);
  sigset_t heard;
  sigemptyset(&heard);
  sigaddset(&heard, SIGCHLD);
  sigaddset(&heard, SIGTERM);

  const pid_t program = start_program(plan);
  const int error = program < 0 ? -program : 0, link = keep_only(plan.link);
  ::send(link, &error, sizeof error, MSG_NOSIGNAL);
  if (program < 0) ::_exit(0);
  Supervision supervision(program, link, ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
  supervision.watch(plan.starter);
  supervision.end_all();
  ::_exit(0);
}

// No handler of ours may run in the supervisor.
pid_t fork_without_signals(const Plan& plan) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) supervise(plan);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace

Supervised start_supervised(const std::vector<std::string>& argv, const std::array<int, 3>& files) {
  const auto fail = [&argv](int error) {
    throw SubjectError(fmt::format("`{}` cannot be started: {}", argv.front(), std::strerror(error)));
  };
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) fail(errno);
  Plan plan{programs(argv.front()), {}, files, ::getpid(), ends[1]};
  for (const std::string& word : argv) plan.argv.push_back(const_cast<char*>(word.c_str()));
  plan.argv.push_back(nullptr);

  const pid_t supervisor = fork_without_signals(plan);
  int error = supervisor < 0 ? errno : EIO;  // where it is gone without a word
  ::close(ends[1]);
  if (supervisor > 0)
    while (::recv(ends[0], &error, sizeof error, 0) < 0 && errno == EINTR) continue;
  if (error == 0) return {supervisor, ends[0]};
  ::close(ends[0]);
  if (supervisor > 0) ::waitpid(supervisor, nullptr, 0);
  fail(error);
  return {};
}

}  // namespace posproof
