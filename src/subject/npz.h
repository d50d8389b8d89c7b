#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "subject/regular_file.h"

namespace posproof {

// An array within a .npz file: a zip archive of .npy files that are stored as they are, as numpy.savez writes
// it, or deflated, as numpy.savez_compressed does. Its name is without `.npy`; its bytes in the archive are
// `stored`, from `begin` on, and as a .npy file `size`.
struct NpzMember {
  std::string name;
  std::size_t begin, stored, size;
  bool deflated;
  std::uint32_t crc;
};

// All arrays of the archive, in its order. Throws SubjectError with the rule that the file breaks; no memory
// is taken for more than the archive's directory.
std::vector<NpzMember> npz_members(const RegularFile& file);

// The .npy file that `member`, a deflated one, is. Throws SubjectError where its bytes do not give it, to the
// byte and to the archive's checksum, or where it is larger than what deflate can make of them: memory is
// taken for 1,032 times what is stored at most.
std::vector<std::byte> inflated(const RegularFile& file, const NpzMember& member);

}  // namespace posproof
