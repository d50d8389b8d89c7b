#include "subject/array_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>

#include "subject/dtype.h"

namespace posproof {

std::string npy_header(Format format, const Shape& shape) {
  if (format == Format::bf16)
    throw std::invalid_argument(".npy has no bf16; it holds f64, f32 and f16, and .safetensors holds bf16");
  const std::string_view descr = format == Format::f64 ? "<f8" : format == Format::f32 ? "<f4" : "<f2";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t before = 10;  // magic string, version, length
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

std::string safetensors_header(std::string_view name, Format format, const Shape& shape,
                               const frame::Words& words) {
  const std::array<frame::Part, 1> parts = {
      {{std::string(name), dtype(format), shape, 0, count(shape) * bytes(format)}}};
  return frame::header_bytes(words, parts);
}

std::string array_header(const std::string& path, std::string_view name, Format format, const Shape& shape,
                         const frame::Words& words) {
  if (path.ends_with(".safetensors")) return safetensors_header(name, format, shape, words);
  if (!path.ends_with(".npy"))
    throw std::invalid_argument(
        fmt::format("`{}`: an array is written to FILE.npy or FILE.safetensors", path));
  try {
    return npy_header(format, shape);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("`{}`: {}", path, error.what()));
  }
}

}  // namespace posproof
