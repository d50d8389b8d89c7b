#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/formats.h"
#include "core/tensor.h"
#include "subject/frame.h"

// What a file that holds one array begins with; its values follow, little-endian and row-major. read_array()
// reads it back.
namespace posproof {

// As numpy writes it: version 1.0, padded with spaces so that the values begin at a multiple of 64. There is
// no bfloat16: throws std::invalid_argument.
std::string npy_header(Format format, const Shape& shape);

// One tensor of that name, and words about it under `__metadata__`; the values begin at a multiple of 8.
std::string safetensors_header(std::string_view name, Format format, const Shape& shape,
                               const frame::Words& words);

// The one that the path ends in asks for; .npy has no place for name and words. Throws std::invalid_argument,
// with the path, for any other ending and for a format that the file cannot hold.
std::string array_header(const std::string& path, std::string_view name, Format format, const Shape& shape,
                         const frame::Words& words);

}  // namespace posproof
