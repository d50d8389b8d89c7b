#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"
#include "core/formats.h"
#include "core/function.h"
#include "core/precision.h"

namespace posproof {

// A foreign subject died, hung, spoke another protocol or answered another shape: what happened, what was
// allowed, and the tail of its stderr. Never the end of the run. Whatever bytes of the subject are in it,
// what() is valid UTF-8 and commands no terminal.
struct SubjectError : std::runtime_error {
  explicit SubjectError(std::string_view what);
};

// The rows of a table as they lie in its file, for whoever compares them all: [rows, dim] values of the
// format, row-major. Row r is of position first + r, also past the end of the table's domain.
struct Stored {
  Format format;
  std::size_t rows, dim;
  Position first;
  // Bytes of them, from byte `at` on, as many as `to` has. Throws SubjectError where the file was cut short.
  Function<void(std::size_t at, std::span<std::byte> to)> read;
};

// The same of the cache of a rotary encoding: what becomes of (1, 0) in every pair, and of (0, 1), as [rows,
// dim] values of the format, the cosine in a pair's first channel and the sine in its second.
struct StoredRotations {
  struct Rows {
    std::vector<std::byte> of_first = {}, of_second = {};
    bool alike = false;  // both find the same bits: `of_second` is of no use
  };
  Format format;
  // Those of the positions from `first` on; where a rotation gives 0, -0 may stand. False where a rotation by
  // these numbers is no copy of them: where one of them is infinite or none, or a channel of no pair is
  // changed. Throws Refusal for positions that the file has not, and SubjectError where it was cut short.
  Function<bool(Position first, std::size_t rows, Rows& to)> read;
};

// What a program in a sandbox is kept from, and what not, in words. Both are empty without one.
struct Containment {
  std::vector<std::string> contained = {}, not_contained = {};
};

// An encoding under test with its name and precision.
struct Subject {
  std::string name;         // as the user wrote it, printable
  std::string description;  // what it says of itself: name and version
  Encoding encoding;        // calls the subject
  Precision precision;
  bool live = true;                                      // answers calls; false: a file of numbers
  std::optional<Stored> stored = {};                     // of a file that is a table
  std::optional<StoredRotations> stored_rotations = {};  // of a file that is a cache
  Containment containment = {};
  // From now on `encoding` asks new objects, which were asked nothing before. Throws SubjectError; none for a
  // file.
  Function<void()> renew = {};
  std::string takes_positions = "each";  // as protocol.md has it
  // How many heads its queries and its keys have, where it says that: of a call that has more, further ones
  // are these again. A gate that is told no number asks for as many.
  std::optional<std::array<std::size_t, 2>> own_heads = {};
  // Questions that never reach it, since of its way to take positions they are asked one by one, in words.
  std::vector<std::string> not_asked = {};
  // The backward pass of a rotation, where it has one: `rotate` takes the gradient with respect to what the
  // subject's own gives, and gives that with respect to what it took.
  std::optional<Encoding> backward = {};
};

// What the user says that a subject is.
struct Expected {
  std::string encoding;   // id of the spec: `rope`
  Parameters parameters;  // all of them
  // The same encoding in each kind in which a subject may answer, the encoding's own first: what a subject
  // declares nothing of (pairs, slopes, domain, error bounds) is taken from here, and only the function is
  // replaced.
  std::vector<Encoding> declared;
  std::chrono::milliseconds call_time{20000};  // longest time for one answer
  bool sandbox = false;  // a program is started in one, or not at all: subject/sandbox.h
};

// SUBJECT is `cmd:PROGRAM ARGS...[@precision]` (framed protocol on stdin and stdout, see subject/protocol.md),
// `lib:LIBRARY[@precision]` (a shared library with the functions of subject/posproof_subject.h) or
// `table:FILE[@precision]` (.npy, .npz, .safetensors; the cache of a rotary encoding, `table:COS,SIN`, see
// subject/cache_file.h). Throws std::invalid_argument for words that name no subject, and SubjectError where it
// cannot be started or does not complete the handshake.
Subject open(std::string_view words, const Expected& expected);

}  // namespace posproof
