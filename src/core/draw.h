#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/case.h"
#include "core/encoding.h"

namespace posproof {

// This case says nothing about the statement (two positions that had to differ are equal): try another.
struct Discard {};

// This encoding has nothing that the statement speaks of (no channel past the rotary width, one head only):
// no other case would be different.
struct Inapplicable {
  std::string why;
};

// What a check asks for. The simplest answer of each is the one that shrinking ends in.
namespace choice {
struct Integer {  // a whole number, both ends included; simplest: nearest to 0
  std::int64_t lo, hi;
  std::int64_t most = hi;  // allowed up to here as well, in a recorded case; never drawn
};
struct Size {  // how many, tokens mostly: one of these; simplest first. In a recorded case any between them
  std::vector<std::int64_t> sizes;
  std::size_t usual;                      // so many of them, the first ones, are drawn most of the time
  std::vector<std::int64_t> longer = {};  // asked in a recorded case; never drawn

  std::vector<std::int64_t> all() const {  // `sizes`, then `longer`
    std::vector<std::int64_t> both = sizes;
    both.insert(both.end(), longer.begin(), longer.end());
    return both;
  }
};
struct PositionIn {  // a position, sought where errors gather; simplest: nearest to 0
  Position lo, hi;
  const std::vector<Position>* hard;  // of the encoding's domain, may be null
};
struct Values {      // values of at most 8 significant bits, so that every format down to bf16 holds them
                     // exactly;
  std::size_t size;  // simplest: zeros
};
struct Permutation {  // a permutation of 0 .. size-1; simplest: the identity
  std::size_t size;
};
struct OneOf {  // one of these numbers or words, simplest first
  std::vector<Value> values;
  std::vector<Value> rare = {};  // allowed as well, in a recorded case; never drawn
};
}  // namespace choice

using Choice = std::variant<choice::Integer, choice::PositionIn, choice::Values, choice::Permutation,
                            choice::OneOf, choice::Size>;

// The sizes at which kernels that work in tiles or packs of 8, 16, 32, 64 or 128 change what they do: full
// tiles, one more, one less.
constexpr std::array<std::int64_t, 9> tile_edges = {16, 17, 31, 32, 33, 64, 127, 128, 129};

// Longer than any call that is drawn: asked for once (run/long_calls.h). Prompts have such lengths: tiles
// that are full, one token past them, and what is none of either.
constexpr std::array<std::int64_t, 12> long_sizes = {199,  256,  257,  577,  777,  1024,
                                                     1025, 2049, 3001, 4096, 4097, 8257};
// More batch rows than any call that is drawn has: past blocks of 4, 8, 16, 32, 64 and 128 of them. Asked for
// once, too.
constexpr std::int64_t many_rows = 129;

// Whether a value is an answer to that question.
bool answers(const Value& value, const Choice& choice);

// Where a check gets its inputs. One check runs from every source: random and shrinking (run/search.cpp), a
// recorded case (Replay), or all cases of a small domain (Enumerate). Every draw has a name, and the names
// and values together are the Case. An empty range throws Discard.
class Draw {
 public:
  virtual ~Draw() = default;

  std::int64_t integer(std::string_view name, std::int64_t lo, std::int64_t hi);
  std::int64_t integer(std::string_view name, choice::Integer range);
  // From `least` to `usual`, or one of `tile_edges` up to `most`, now and then. A recorded case may have one
  // of `long_sizes` up to `longest`.
  std::size_t size(std::string_view name, std::int64_t least, std::int64_t usual, std::int64_t most,
                   std::int64_t longest = 0);
  std::size_t size(std::string_view name, choice::Size sizes);
  Position position(std::string_view name, const Domain& within);
  Position position(std::string_view name, const Domain& within, Position lo, Position hi);
  std::vector<double> content(std::string_view name, std::size_t size);
  Tensor content(std::string_view name, Shape shape);
  std::vector<std::size_t> permutation(std::string_view name, std::size_t size);
  // A recorded case may have one of the `rare` ones as well, which are never drawn.
  Value one_of(std::string_view name, std::vector<Value> values, std::vector<Value> rare = {});

  // What was drawn so far.
  const Case& drawn() const { return drawn_; }

 protected:
  virtual Value answer(std::string_view name, const Choice& choice) = 0;
  void forget() { drawn_ = {}; }

 private:
  Value next(std::string_view name, const Choice& choice);
  Case drawn_;
};

// A recorded case that does not fit the check: the case, the field, what was asked and what was allowed.
struct NoAnswer : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Answers from a recorded case. A field that is missing, or that is no answer to what is asked, throws
// NoAnswer.
class Replay final : public Draw {
 public:
  explicit Replay(Case recorded) : recorded_(std::move(recorded)) {}

  // Names of the recorded case that nothing asked for, to be called once the check has run.
  std::vector<std::string> unused() const;

 protected:
  Value answer(std::string_view name, const Choice& choice) override;

 private:
  Case recorded_;
};

// Every case of a small domain, in order: run the check, then call `next` until it says no. Integer, Size,
// Place, Option and Order are enumerated; a Content or more than 2^20 answers to one question throws
// std::logic_error.
class Enumerate final : public Draw {
 public:
  bool next();  // moves on to the next case; false after the last

 protected:
  Value answer(std::string_view name, const Choice& choice) override;

 private:
  struct Digit {
    std::uint64_t at, size;
  };
  std::vector<Digit> digits_;
  std::size_t depth_ = 0;
};

}  // namespace posproof
