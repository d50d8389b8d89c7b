#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "subject/regular_file.h"

namespace posproof {

// An array within a .npz file, as numpy.savez writes it: a zip archive of .npy files that are stored as they
// are. Its name is without `.npy`; its bytes are `size`, from `begin` on.
struct NpzMember {
  std::string name;
  std::size_t begin, size;
};

// All arrays of the archive, in its order. Throws SubjectError with the rule that the file breaks, or where
// an array is compressed; no memory is taken for more than the archive's directory.
std::vector<NpzMember> npz_members(const RegularFile& file);

}  // namespace posproof
