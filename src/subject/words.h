#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/precision.h"

namespace posproof {

// A command line split as a shell would: blanks separate, '...' and "..." hold together, \ takes the next
// character as it is (inside "..." only before \ and "). No variables, no globs, no shell. Throws
// std::invalid_argument where a quote is not closed or nothing is left.
std::vector<std::string> split(std::string_view words);

// What names a subject: `cmd:python3 rope.py@bf16/f32`.
struct Words {
  std::string scheme;                  // `cmd`
  std::string rest;                    // `python3 rope.py`
  std::optional<Precision> precision;  // what stands after the last `@`, where it is a precision
};

// Throws std::invalid_argument where there is no scheme.
Words parse_words(std::string_view words);

// Text of unknown origin for a report: valid UTF-8 of at most `most` characters, and `...` where there were
// more. The bytes of a control character that is neither a line end nor a tab, and those that are not UTF-8,
// become `\x1b`: no terminal is told anything by them.
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace posproof
