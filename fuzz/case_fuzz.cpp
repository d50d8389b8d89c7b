// The text of a case: --case, witnesses, .cases files, parameters.
#include <fmt/format.h>

#include <stdexcept>

#include "core/case.h"
#include "fuzz/harness.h"

namespace posproof::fuzz {

std::vector<std::string> large_inputs() {
  std::string names, list = "q=[0", runs = "q=[0*4000";
  for (int n = 0; names.size() < longest - 40; ++n) names += fmt::format("a{}=1 ", n);
  while (list.size() < longest - 40) list += ",1.5";
  while (runs.size() < longest - 40) runs += ",1*3000";
  std::string lists;
  for (int n = 0; n < 64; ++n) lists += fmt::format("a{}=[0*16777216] ", n);
  return {names,
          list + "]",
          runs + "]",
          lists,
          "q=[0*4194304]",
          "i=" + std::string(longest - 2, '9'),
          "i=" + std::string(longest - 2, 'x'),
          std::string(longest, ' '),
          std::string(longest, '[')};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posproof;
  try {
    const Case parsed = Case::parse({reinterpret_cast<const char*>(data), size});
    const std::string text = parsed.text();
    fuzz::require(Case::parse(text).text() == text,
                  "a case that was parsed is written so that it reads back");
  } catch (const std::invalid_argument& error) {
    fuzz::require(std::string_view(error.what()).size() < size + 1000,
                  "a refusal is not longer than what it refuses");
  }
  return 0;
}
