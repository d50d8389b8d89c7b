#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace posproof {

// A program of somebody else's, running under a supervisor (subject/supervisor.h): bytes go to its stdin and
// come from its stdout, and the end of its stderr is kept. It never outlives this object nor this process,
// and neither does anything it started.
class Process {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Wait { ready, ended, late, interrupted };

  // Whose exit status we see. A wrapper of another program, as a shell or bwrap is, exits with 128 + N where
  // that was killed by signal N.
  enum class Status { of_the_program, of_a_wrapper };

  // Starts argv[0], sought on PATH, without a shell. Throws SubjectError where that is not possible.
  explicit Process(const std::vector<std::string>& argv, Status seen = Status::of_the_program);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Bytes for its stdin, written while we wait: a child that answers while we still write would block for
  // ever otherwise.
  void send(std::string bytes) { outgoing_ = outgoing_.empty() ? std::move(bytes) : outgoing_ + bytes; }

  // Writes what is to be written and reads until `count` bytes are there, it has ended, it is too late, or
  // an interrupt was noted (subject/interrupt.h).
  Wait await(std::size_t count, Clock::time_point deadline);

  // Whether await() stays on one processor (subject/processor.h), where the program waits for us, too.
  void wait_here(bool here) { waits_here_ = here; }

  // What has come and was not taken.
  std::string_view come() const { return std::string_view(incoming_).substr(taken_); }
  void take(std::size_t count);

  // Whether it has ended, or closed its stdout, by now.
  bool ended();
  // `exits with status 3`, `is killed by SIGSEGV`, `closes its stdout`; after it has ended.
  std::string ending() const;
  // The last 4 KiB of its stderr.
  std::string_view stderr_tail();

  // Ends it and whatever it started: at once (SIGTERM, then SIGKILL), or after it had the time to end by
  // itself.
  void stop(std::chrono::milliseconds patience = std::chrono::milliseconds(0));

 private:
  void write_some();
  void read_some();
  void read_stderr();
  void read_ending();
  Wait ended_before(std::size_t count);
  bool wait_for_exit(Clock::time_point deadline);
  bool supervisor_ends(Clock::time_point deadline);

  Status seen_;
  bool waits_here_ = false;
  pid_t supervisor_ = -1;
  int link_ = -1;                      // to the supervisor
  int in_ = -1, out_ = -1, err_ = -1;  // ours of its stdin, stdout, stderr
  std::string outgoing_;
  std::size_t written_ = 0;
  std::string incoming_;
  std::size_t taken_ = 0;
  std::string stderr_tail_;
  bool exited_ = false;
  int status_ = 0;  // as waitid() gives it
  int cause_ = 0;   // CLD_EXITED, CLD_KILLED, CLD_DUMPED
};

}  // namespace posproof
