#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/encoding.h"
#include "core/tensor.h"
#include "subject/dtype.h"

// The safetensors layout, in which a subject is spoken to and in which tables lie on disk: the length of the
// header (8 bytes, little-endian), the header (JSON: for each tensor its dtype, shape and data_offsets, and
// words under
// `__metadata__`), the values.
namespace posproof::frame {

constexpr std::size_t longest_header = std::size_t{1} << 20;  // bytes, in a frame as in a file

// Bytes that are not this layout: which rule they break.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Part {
  std::string name;
  Dtype dtype;
  Shape shape;
  std::size_t begin;  // bytes after the header
  std::size_t size;   // bytes
};

struct Header {
  std::map<std::string, std::string, std::less<>> words;  // what stands under `__metadata__`
  std::vector<Part> parts;                                // in the order of their bytes, without holes
  std::size_t size = 0;                                   // bytes after the header

  // The word under that name. Throws Malformed where there is none.
  const std::string& word(std::string_view name) const;
  bool has(std::string_view name) const { return words.find(name) != words.end(); }
};

// The header's length from the first eight bytes. Throws Malformed where it is longer than allowed.
std::size_t header_size(std::string_view first_eight);

// Throws Malformed for anything that is not exactly a header: no JSON, a key twice, an unknown dtype, a shape
// that does not fit its bytes, bytes that belong to two tensors or to none.
Header parse(std::string_view json);

// What stands under `__metadata__`, in its order. Names are plain words.
using Words = std::vector<std::pair<std::string, std::string>>;

std::string header_text(const Words& words, std::span<const Part> parts);

// A header, and how one that nothing is wrong with is written: what comes so needs no parser.
struct Known {
  Header header;
  std::string text;
};
Known known(const Words& words, std::vector<Part> parts);
Header parse(std::string_view json, const Known& usual);

// A header as it is written, its length before it, spaces behind it: so that the values after it are aligned
// to 8, and any machine may read them in place.
std::string header_bytes(const Words& words, std::span<const Part> parts);

// A frame in the making.
class Message {
 public:
  Message& word(std::string_view name, std::string_view value);
  Message& values(std::string_view name, const Tensor& tensor);                                     // F64
  Message& positions(std::string_view name, std::span<const Position> values, const Shape& shape);  // I64
  Message& mask(std::string_view name, const Mask& mask);                                           // U8

  // With further words behind its own.
  std::string bytes(const Words& more = {}) const;
  // What is asked, for error messages: `rotate(x [1, 1, 3, 64], positions [1, 3], role query)`.
  std::string text(const Words& more = {}) const;

 private:
  Message& part(std::string_view name, Dtype dtype, const Shape& shape, std::string_view data);
  Words words_;
  std::vector<Part> parts_;
  std::string data_;
};

}  // namespace posproof::frame
