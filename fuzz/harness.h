#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// What a file of fuzz/ defines: libFuzzer's function, for one parser of text from outside, and large inputs
// made by code. An input is parsed, or refused by the one exception that the parser declares; what was parsed
// obeys the laws that the file states. Anything else (another exception, a broken law, a crash, ten seconds)
// is a finding.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace posproof::fuzz {

constexpr std::size_t longest = std::size_t{1} << 20;  // bytes of an input

// Deep ones, and ones of many entries, up to a MiB: mutations of small files do not come so far.
std::vector<std::string> large_inputs();

// A law that does not hold: says which, and aborts.
void require(bool holds, const char* law);

}  // namespace posproof::fuzz
