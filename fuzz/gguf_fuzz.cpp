// The header of a GGUF file
#include <cstring>
#include <stdexcept>

#include "fuzz/harness.h"
#include "subject/config.h"

namespace posproof::fuzz {
namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int byte = 0; byte < bytes; ++byte) out.push_back(static_cast<char>(value >> (8 * byte) & 0xff));
  return out;
}

std::string header(std::uint64_t tensors, std::uint64_t entries, const std::string& rest) {
  return "GGUF" + number(3, 4) + number(tensors, 8) + number(entries, 8) + rest;
}

std::string text(const std::string& value) {
  return number(value.size(), 8) + value;
}

}  // namespace

std::vector<std::string> large_inputs() {
  std::string entries, tensors, strings, numbers;
  std::uint64_t count = 0, named = 0, listed = 0;
  for (; entries.size() < longest / 2; ++count)
    entries += text(std::to_string(count)) + number(4, 4) + number(count, 4);
  for (; tensors.size() < longest / 2; ++named)
    tensors += text(std::to_string(named)) + number(1, 4) + number(1, 8) + number(0, 4) + number(0, 8);
  for (; strings.size() < longest / 2; ++listed) strings += text("token");
  numbers.assign(longest / 2, '\1');
  return {header(0, count, entries),
          header(named, 0, tensors),
          header(0, 1, text("tokens") + number(9, 4) + number(8, 4) + number(listed, 8) + strings),
          header(0, 1, text("scores") + number(9, 4) + number(6, 4) + number(longest / 8, 8) + numbers),
          header(0, 1, text("name") + number(8, 4) + text(numbers)),
          header(std::uint64_t{1} << 20, std::uint64_t{1} << 20, entries)};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posproof;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const ConfigSettings read = gguf_settings(bytes);
    fuzz::require(read.kind == ConfigSettings::Kind::gguf, "a GGUF header gives settings of GGUF");
    for (const auto& [name, value] : read.all)
      fuzz::require(name.size() < size && posproof::text(value).size() <= 64 * size, "nothing is made up");
    for (const char* encoding : {"rope", "alibi"}) {
      try {
        const Configured found = configured(read, encoding);
        for (const auto& [name, value] : found.parameters.fields())
          fuzz::require(found.parameters.find(name) != nullptr, "a parameter that is set is there");
      } catch (const std::invalid_argument&) {  // it describes another encoding
      }
    }
    fuzz::require(gguf_settings(bytes).all == read.all, "the same bytes say the same");
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
