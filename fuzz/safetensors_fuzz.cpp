// FILE.safetensors, with the name of a tensor and without.
#include <fmt/format.h>

#include "fuzz/array.h"
#include "fuzz/harness.h"

namespace posproof::fuzz {
namespace {

std::string safetensors(const std::string& header, const std::string& values) {
  std::string out;
  for (int byte = 0; byte < 8; ++byte) out.push_back(static_cast<char>(header.size() >> (8 * byte) & 0xff));
  return out + header + values;
}

}  // namespace

std::vector<std::string> large_inputs() {
  std::string tensors = "{";
  for (int n = 0; tensors.size() < longest - 200; ++n)
    tensors += fmt::format(R"("{}":{{"dtype":"F64","shape":[0],"data_offsets":[0,0]}},)", n);
  const std::string half(longest / 2, '0');
  return {safetensors(tensors + R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "1"),
          safetensors(R"({"a":{"dtype":"F16","shape":[512,512],"data_offsets":[0,524288]}})", half),
          safetensors(R"({"a":{"dtype":"BF16","shape":[262144],"data_offsets":[0,524288]}})", half),
          safetensors(R"({"a":{"dtype":"F64","shape":[0,4294967296],"data_offsets":[0,0]}})", ""),
          safetensors("{\"" + half + "\":1}", "")};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* ending : {".safetensors", ".safetensors:a"})
    posproof::fuzz::read_as_array(ending, data, size);
  return 0;
}
