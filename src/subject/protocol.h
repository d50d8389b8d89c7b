#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/encoding.h"
#include "subject/frame.h"
#include "subject/process.h"
#include "subject/subject.h"

namespace posproof {

constexpr std::string_view protocol_version = "1";

// What a subject answers to `hello`: see protocol.md.
struct Introduction {
  std::string name;
  std::string version;
  std::vector<std::string> kinds;  // of rows, rotate, bias, logits, attend
  Dtype dtype = Dtype::F32;        // of its answers
  Precision precision = all_f32;
  std::optional<Domain> domain;                    // where it says one
  std::vector<std::string> positions = {"int64"};  // the dtypes in which it takes them
  // Where positions are real numbers: it is asked for the whole ones alone, as integers.
  bool whole_positions = false;
  std::string conventions;
  bool renews = false;  // understands the call `renew`
  // How it gives positions to the implementation: each token its own, or as `takes_positions` says.
  std::string takes_positions = "each";
  // How many heads queries and keys have in the implementation, where it says that: those of a call are these
  // again.
  std::optional<std::array<std::size_t, 2>> heads = {};
  bool backward = false;   // understands `rotate` with the word `backward`
  bool processor = false;  // understands the word `processor`
};

// The protocol of protocol.md with one program: `hello`, then calls with answers. Everything else that can go
// wrong is a SubjectError that says what was asked, what came and what was allowed; a program that died, or
// whose next byte means nothing any more, is started anew by the next call. One call at a time.
class SubjectProtocol {
 public:
  // Starts the program and lets it introduce itself. `name` begins every message.
  SubjectProtocol(std::string name, std::vector<std::string> argv, const Expected& expected);

  // Lets the program build new objects, which were asked nothing before: by the call `renew` where its
  // introduction has that word, else by starting it anew.
  void renew();

  const Introduction& introduction() const { return introduction_; }
  const Containment& containment() const { return containment_; }

  // Asks, with further words, and checks that the answer has that shape. Throws Refusal where the subject
  // declines and Failure (core/failure.h) where it raises an error, dies or answers otherwise. One that was
  // late twice is not asked again.
  Tensor ask(const frame::Message& message, frame::Words more, std::string_view call, const Shape& shape);

 private:
  using Deadline = Process::Clock::time_point;

  void start();
  void introduce(std::string_view call);
  // What takes longer than the deadline is given up, reading the header included.
  frame::Header exchange(std::string message, Deadline deadline, const frame::Known& usual = {});
  frame::Header read_header(Deadline deadline, const frame::Known& usual);
  frame::Known right_answer(const std::string& id, const Shape& shape) const;
  void need(std::size_t count, std::string_view of, Deadline deadline);
  void check_result(const frame::Header& header, const Shape& shape) const;
  Introduction introduction_of(const frame::Header& header) const;

  // A SubjectError about the open question; give_up also ends the program and quotes its stderr.
  std::string about(std::string_view what) const;
  std::string late() const;  // `no answer within 20 s`
  [[noreturn]] void give_up(std::string_view what);
  [[noreturn]] void died(std::string_view what);
  std::string ended_about(std::string_view what);
  std::chrono::milliseconds answer_time() const;
  [[noreturn]] void no_protocol();

  std::string name_;
  std::vector<std::string> argv_;
  Process::Status seen_ = Process::Status::of_the_program;
  Containment containment_;
  std::string encoding_, parameters_, kinds_;  // of `hello`
  std::chrono::milliseconds call_time_;
  Introduction introduction_;
  std::map<std::string, std::string, std::less<>> introduced_;  // its words, which a second start must repeat
  std::unique_ptr<Process> process_;
  std::string question_;   // that is open; empty during the handshake
  bool answered_ = false;  // a call, since it was started
  int late_ = 0;           // answers
  std::uint64_t last_id_ = 0;
};

}  // namespace posproof
