#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "subject/testing/subjects.h"

// Files of arrays, byte by byte.
namespace posproof::testing {

// The rows of a table of width 4.
inline const std::vector<double> eight = {0, 1, 2, 3, 10, 11, 12, 13};

// A file of these bytes, gone with the test. Messages begin with its path: `without(path, message)`.
class ArrayFiles : public ::testing::Test {
 protected:
  ~ArrayFiles() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  // What is said of a file that is asked as a table of width 4.
  std::string said(const std::string& name, const std::string& bytes, const std::string& tensor = "") {
    const std::string path = file(name, bytes);
    return thrown("table:" + path, [&] { open("table:" + path + tensor, expected(Table{.dim = 4})); });
  }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("posproof_table_file_" + std::to_string(::getpid()));
};

template <class T>
std::string bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string npy(const std::string& header, const std::string& values, char major = 1) {
  std::string length;
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) length.push_back(char(header.size() >> (8 * i) & 255));
  return std::string("\x93NUMPY") + major + '\0' + length + header + values;
}

inline std::string dictionary(const std::string& descr, const std::string& shape,
                              const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n";
}

}  // namespace posproof::testing
