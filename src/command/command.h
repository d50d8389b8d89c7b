#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/function.h"
#include "core/spec.h"

// A command of the command line as a value: its words, and what runs when they are parsed. command_line.cpp
// alone knows the library that parses them.
namespace posproof::command {

// What the process ends with; see the README. `usage` is also that of output that could not be written.
enum Exit : int { as_claimed = 0, broken = 1, usage = 2, not_checked = 3, no_subject = 4 };

// An option or a positional word, and the field that its value goes to, which outlives the parsing.
struct Option {
  using Field =
      std::variant<bool*, unsigned*, std::uint64_t*, double*, std::string*, std::vector<std::string>*>;
  struct Any {};
  struct ExistingFile {};
  struct NewFile {};  // a name that is not empty
  struct Range {
    double lo, hi;
  };
  using OneOf = std::vector<std::string>;

  std::string names;  // `--seed`, `-o,--output`; without a dash, a positional word: `SUBJECT`
  Field field;        // a bool becomes true where its name is given
  std::string help = "";
  std::variant<Any, ExistingFile, NewFile, Range, OneOf> allowed = Any{};
  bool required = false;
  bool shows_standard = true;  // the help says what the field holds before parsing
  std::string group = "Options";
  Function<std::vector<std::string>()> words = {};  // that a shell offers; none: those of `allowed`
};

// The encoding that a command was given, and all its parameters.
struct Chosen {
  std::string_view id;
  const EncodingSpec& spec;
  Parameters parameters;
  Parameters given;                          // of these, those that somebody named
  std::vector<std::string> configured = {};  // what was understood of `--config`, a line each
};

// `run` gives what the process ends with; it throws SubjectError, Refusal, std::invalid_argument (the words
// are wrong) and std::runtime_error. One that takes an encoding is run once the encoding, its parameters and
// `after_encoding` are parsed, which follow `options` in this order.
struct Command {
  std::string name, help;
  std::vector<Option> options = {};
  std::vector<Option> after_encoding = {};
  std::variant<Function<int()>, Function<int(const Chosen&)>> run;
};

struct Program {
  std::string description;
  std::string version;  // what --version says
  std::string footer;   // below its help
};

}  // namespace posproof::command
