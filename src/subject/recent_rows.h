#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "subject/array_file.h"

namespace posproof {

// The rows of an array as doubles, those that were asked for last kept as they lie in the file, up to 4 MiB
// of them, and their neighbours with them: a search asks for some positions again and again, for several in
// turn, and to read one from the file takes longer than a case should. Of a file that is written in place
// meanwhile, a row may stay what it was. Several threads may ask at once.
class RecentRows {
 public:
  explicit RecentRows(Array array);

  const Array& array() const { return array_; }

  // All of row r, as Array::row gives it.
  void row(std::size_t r, std::span<double> out) const;

 private:
  struct Kept {
    std::size_t group;
    std::vector<std::byte> rows;  // none: no group
  };

  Array array_;
  std::size_t row_bytes_, rows_of_a_group_;
  mutable std::mutex asking_;
  mutable std::vector<Kept> kept_;  // group g at g modulo their number
};

}  // namespace posproof
