#pragma once

#include <fmt/format.h>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/tensor.h"

namespace posproof::testing {

// A .npy file of float32 or float64 values, gone at the end of the test.
class Written {
 public:
  Written(const std::string& name, const Tensor& values, bool single)
      : path_(std::filesystem::temp_directory_path() / fmt::format("posproof_test_{}_{}", getpid(), name)) {
    std::string shape;
    for (const std::size_t extent : values.shape) shape += std::to_string(extent) + ", ";
    std::string header =
        fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}), }}", single ? 4 : 8, shape);
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::ofstream out(path_, std::ios::binary);
    out.write("\x93NUMPY\x01\x00", 8);
    const auto size = static_cast<std::uint16_t>(header.size());
    out.put(static_cast<char>(size & 0xff)).put(static_cast<char>(size >> 8));
    out << header;
    for (const double value : values.data) {
      const auto narrow = static_cast<float>(value);
      if (single)
        out.write(reinterpret_cast<const char*>(&narrow), sizeof narrow);
      else
        out.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  ~Written() { std::filesystem::remove(path_); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;

  std::string subject() const { return "table:" + path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace posproof::testing
