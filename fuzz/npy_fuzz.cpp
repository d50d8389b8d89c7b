// FILE.npy
#include "fuzz/array.h"
#include "fuzz/harness.h"

namespace posproof::fuzz {
namespace {

std::string npy(const std::string& header, const std::string& values) {
  std::string out = std::string("\x93NUMPY\2\0", 8);
  for (int byte = 0; byte < 4; ++byte) out.push_back(static_cast<char>(header.size() >> (8 * byte) & 0xff));
  return out + header + values;
}

std::string header(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

}  // namespace

std::vector<std::string> large_inputs() {
  std::string axes = "(", pairs = "{";
  while (axes.size() < longest / 2) axes += "1,";
  while (pairs.size() < longest / 2) pairs += "'descr':'<f8',";
  const std::string half(longest / 2, '0');
  return {npy(header("'<f8'", "False", "(256, 256)"), half),
          npy(header("'<f8'", "True", "(256, 256)"), half),
          npy(header("'<f2'", "True", "(2, 2, 2, 2, 2, 2, 2, 2048)"), half),
          npy(header("'<f4'", "True", "(131072, 1)"), half),
          npy(header("'<f8'", "False", axes + ")"), "12345678"),
          npy(header("'" + half + "'", "False", "(1,)"), ""),
          npy(header(std::string(longest / 4, '['), "False", "(1,)"), ""),
          npy(pairs + "}", ""),
          npy(std::string(longest / 2, ' '), "")};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  posproof::fuzz::read_as_array(".npy", data, size);
  return 0;
}
