#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "report/file.h"
#include "report/words.h"

namespace posproof::command {

// Colours where stdout is a terminal and NO_COLOR is not set; the same of stderr.
report::Style style();
report::Style style_of_errors();

// What a program does before anything else: a descriptor among 0, 1 and 2 that is closed stays unusable, so
// that no file that is opened takes its number; and a write to a pipe that is closed, or past a limit of the
// shell, fails as one on a full disk does instead of ending the program. What it starts has the signals'
// defaults.
void prepare_to_write();

// To stdout. What is lost is remembered until finished().
void write(std::string_view words);

// On stderr: `posproof: ` and what was wrong, which may quote anybody.
void complain(std::string_view what);

// What the process ends with: `code` if all that was written to stdout arrived. Output that is lost is not
// success: then it says so on stderr and gives `usage`, or `broken` where the code is that already. Of a pipe
// whose reader has gone
// (`| head`) nothing is said.
int finished(int code);

// Writes a file at the end of a run, when the verdict `code` has been written already: gives that, or as
// finished() does where the file cannot be written.
int saved(report::NewFile& file, std::string_view bytes, int code);

// How long something that says what it does is silent at most: on a terminal a second, or less.
std::chrono::milliseconds longest_silence(bool on_terminal, std::chrono::milliseconds every);

// On stderr: one line that is overwritten on a terminal, a plain line now and then elsewhere.
class Progress {
 public:
  // Whether it says something only when it is told of something, or also while one thing takes long: then it
  // is never silent for longer than `every`, on a terminal than a second. That takes a thread.
  enum class Says { when_told, all_the_time };

  explicit Progress(Says says = Says::when_told, std::chrono::milliseconds every = std::chrono::seconds(10));
  ~Progress();  // the line is cleared
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(std::string_view what, std::size_t done, std::size_t of);

  // The subject was called once more for what is being done.
  void called() { ++calls_; }

  // A line that stays, on a terminal alone.
  void line(std::string_view words);

 private:
  using Clock = std::chrono::steady_clock;

  void keep_saying(std::stop_token stop);
  void say_now();
  std::string words() const;

  bool terminal_;
  std::chrono::milliseconds every_;
  std::mutex mutex_;  // of what follows
  std::condition_variable_any ended_;
  std::string what_;
  std::size_t done_ = 0, of_ = 0;
  Clock::time_point begun_ = Clock::now(), last_ = begun_;  // of `what_`; of what was said
  std::atomic<std::uint64_t> calls_ = 0;
  std::jthread saying_ = {};  // the last member: it uses the others
};

}  // namespace posproof::command
