#pragma once

#include <string>
#include <vector>

#include "core/tensor.h"
#include "subject/dtype.h"

namespace posproof {

// An array as it stands in a file, its values exact in double, row-major.
struct Array {
  std::string path;
  Dtype dtype;
  Tensor values;
};

// FILE.npy (versions 1 to 3, little-endian f8, f4, f2, either order), FILE.safetensors, which must hold one
// tensor, or FILE.safetensors:NAME. Throws SubjectError with the rule that the file breaks; no memory is
// taken for values before the file was found to have exactly as many as its header promises.
Array read_array(const std::string& path);

}  // namespace posproof
