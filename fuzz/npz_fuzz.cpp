// FILE.npz, with the name of an array and without.
#include "fuzz/array.h"
#include "fuzz/harness.h"

namespace posproof::fuzz {
namespace {

std::string number(std::size_t value, int size) {
  std::string out;
  for (int n = 0; n < size; ++n) out.push_back(n < 8 ? static_cast<char>(value >> (8 * n) & 0xff) : '\0');
  return out;
}

std::string ended(const std::string& before, const std::string& directory, std::size_t count) {
  return before + directory + "PK\5\6" + number(0, 4) + number(count, 2) + number(count, 2) +
         number(directory.size(), 4) + number(before.size(), 4) + number(0, 2);
}

// Of an array of no bytes whose local header begins the file.
std::string entry(const std::string& name) {
  return "PK\1\2" + number(0, 16) + number(0, 8) + number(name.size(), 2) + number(0, 16) + name;
}

}  // namespace

std::vector<std::string> large_inputs() {
  const std::string local = "PK\3\4" + number(0, 26), one = entry(""), half(longest / 2, '0');
  std::string many;
  std::size_t count = 0;
  while (many.size() < longest - 1000 && ++count < 65000) many += one;
  return {ended(local, many, count), ended(local + half, entry("a.npy"), 1),
          ended(local, entry(half.substr(0, 65535)), 1), half, "PK\5\6" + half};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* ending : {".npz", ".npz:a"}) posproof::fuzz::read_as_array(ending, data, size);
  return 0;
}
