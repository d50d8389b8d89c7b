// The words of a command line that are parsed by us, and text of unknown origin that is printed.
#include <stdexcept>

#include "fuzz/harness.h"
#include "subject/words.h"

namespace posproof::fuzz {

std::vector<std::string> large_inputs() {
  std::string words = "cmd:";
  while (words.size() < longest - 10) words += "a ";
  return {words,
          "table:" + std::string(longest - 6, '@'),
          std::string(longest, '\x1b'),
          std::string(longest, '\xe2'),
          std::string(longest, '\\'),
          std::string(longest, '\'')};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posproof;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string shown = printable(text);
  fuzz::require(printable(shown) == shown, "what can be printed is printed as it is");
  for (const char c : shown)
    fuzz::require(static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t',
                  "no control character is printed");
  try {
    static_cast<void>(parse_words(text));
  } catch (const std::invalid_argument&) {
  }
  try {
    fuzz::require(!split(text).empty(), "a command has a program");
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
