// Headers of frames, which a subject sends, and of .safetensors: the length and the JSON behind it.
#include <fmt/format.h>

#include "fuzz/harness.h"
#include "subject/frame.h"
#include "subject/words.h"

namespace posproof::fuzz {
namespace {

std::string framed(const std::string& header) {
  std::string out;
  for (int byte = 0; byte < 8; ++byte) out.push_back(static_cast<char>(header.size() >> (8 * byte) & 0xff));
  return out + header;
}

}  // namespace

std::vector<std::string> large_inputs() {
  std::string tensors = "{\"__metadata__\":{}", empty = tensors, words = "{\"__metadata__\":{\"a\":\"\"";
  for (int n = 0; tensors.size() < longest - 200; ++n)
    tensors += fmt::format(R"(,"{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})", n, n, n + 1);
  for (int n = 0; empty.size() < longest - 200; ++n)
    empty += fmt::format(R"(,"{}":{{"dtype":"F64","shape":[0],"data_offsets":[0,0]}})", n);
  for (int n = 0; words.size() < longest - 200; ++n) words += fmt::format(R"(,"{}":"x")", n);
  const std::string deep(longest / 2 - 100, '['), back(longest / 2 - 100, ']');
  std::string shape = "1";
  while (shape.size() < longest - 200) shape += ",1";
  return {framed(tensors + "}"),
          framed(empty + "}"),
          framed(words + "}}"),
          framed("{\"a\":" + deep + back + "}"),
          framed("{\"a\":{\"dtype\":" + deep + back + ",\"shape\":[],\"data_offsets\":[0,0]}}"),
          framed("{\"a\":{\"dtype\":\"F64\",\"shape\":" + deep + back + ",\"data_offsets\":[0,0]}}"),
          framed("{\"a\":{\"dtype\":\"F64\",\"shape\":[" + shape + "],\"data_offsets\":[0,8]}}"),
          framed("{\"__metadata__\":" + deep + back + "}")};
}

}  // namespace posproof::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posproof;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size < 8) return 0;
  try {
    const std::size_t promised = frame::header_size(bytes);
    fuzz::require(promised <= frame::longest_header, "no longer header is allowed");
    const frame::Header header = frame::parse(bytes.substr(8, promised));
    std::size_t end = 0;
    for (const frame::Part& part : header.parts) {
      Shape with_size = part.shape;
      with_size.push_back(posproof::size(part.dtype));
      fuzz::require(part.begin == end, "tensors neither overlap nor leave holes");
      fuzz::require(part.size == count(with_size), "a tensor has the bytes of its shape");
      end += part.size;
    }
    fuzz::require(end == header.size, "the frame ends with its last tensor");
  } catch (const frame::Malformed& malformed) {
    const std::string why = malformed.what();
    fuzz::require(why.size() < 2000, "a refusal is short");
    fuzz::require(printable(why) == why, "a refusal can be printed");
  }
  return 0;
}
