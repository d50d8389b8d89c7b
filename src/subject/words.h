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

// Text of unknown origin for a report: control characters but line ends and tabs become `\x1b`, and of a text
// that is longer than `most` characters the end is cut off.
std::string printable(std::string_view text, std::size_t most);

}  // namespace posproof
