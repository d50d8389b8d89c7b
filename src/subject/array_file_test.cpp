#include "subject/array_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

#include "subject/subject.h"
#include "subject/testing/table_files.h"

namespace posproof::array_file_test {
namespace {

class ArrayFile : public testing::ArrayFiles {};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// The values begin `before` bytes after the file does.
std::string npy(const std::string& descr, const std::string& order, const std::string& shape,
                const std::string& values, std::size_t before = 128) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.resize(before - 10, ' ');
  std::string out = std::string("\x93NUMPY\1\0", 8);
  out.push_back(static_cast<char>(header.size()));
  out.push_back('\0');
  return out + header + values;
}

std::vector<double> values(const Array& array) {
  std::vector<double> out(count(array.shape));
  for (std::size_t r = 0; r * array.width() < out.size(); ++r)
    array.row(r, std::span(out).subspan(r * array.width(), array.width()));
  return out;
}

std::vector<std::byte> bytes_of(const Array& array, std::size_t at, std::size_t size) {
  std::vector<std::byte> out(size);
  array.read(at, out);
  return out;
}

const std::vector<float> floats = {0, 1, 2, 3, 10, 0x1.fffffep127F};

TEST_F(ArrayFile, values_are_the_bytes_of_the_file) {
  const Array array = read_array(file("x.npy", npy("<f4", "False", "(2, 3)", bytes_of(floats))));
  EXPECT_EQ(array.format, Format::f32);
  EXPECT_EQ(array.shape, (Shape{2, 3}));
  EXPECT_EQ(std::memcmp(bytes_of(array, 0, 24).data(), floats.data(), 24), 0);
  EXPECT_EQ(std::memcmp(bytes_of(array, 5, 7).data(), reinterpret_cast<const char*>(floats.data()) + 5, 7),
            0);
  EXPECT_EQ(values(array), (std::vector<double>{0, 1, 2, 3, 10, 0x1.fffffep127}));
  std::vector<double> two(2);
  array.row(1, two, 1);
  EXPECT_EQ(two, (std::vector<double>{10, 0x1.fffffep127}));
}

TEST_F(ArrayFile, values_need_not_be_aligned) {
  for (const std::size_t before : {128u, 129u, 130u, 131u, 132u})
    EXPECT_EQ(values(read_array(file("x.npy", npy("<f4", "False", "(2, 3)", bytes_of(floats), before)))),
              (std::vector<double>{0, 1, 2, 3, 10, 0x1.fffffep127}))
        << before;
  const std::string header = R"({"x":{"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]}})";  // 57 bytes
  const Array array =
      read_array(file("x.safetensors", bytes_of(std::vector<std::uint64_t>{header.size()}) + header +
                                           bytes_of(std::vector<std::uint16_t>{0x3f80, 0xc080})));
  EXPECT_EQ(array.format, Format::bf16);
  EXPECT_EQ(values(array), (std::vector<double>{1, -4}));
}

TEST_F(ArrayFile, fortran_order_is_turned) {
  std::vector<double> columns;  // [2, 2, 3], the first axis fastest; entry h i j is hij
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 2; ++i)
      for (int h = 0; h < 2; ++h) columns.push_back(100 * h + 10 * i + j);
  const std::vector<double> rows = {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};
  const Array array = read_array(file("x.npy", npy("<f8", "True", "(2, 2, 3)", bytes_of(columns))));
  EXPECT_EQ(values(array), rows);
  EXPECT_EQ(std::memcmp(bytes_of(array, 8, 88).data(), &rows[1], 88), 0);

  const std::vector<std::uint16_t> halves = {0, 0x4900, 0x3c00, 0x4980};
  EXPECT_EQ(values(read_array(file("y.npy", npy("<f2", "True", "(2, 2)", bytes_of(halves))))),
            (std::vector<double>{0, 1, 10, 11}));
}

// 1 + 2i, 3 + 4i, 5 + 6i; 7 + 8i, ...: each stays together in either order.
TEST_F(ArrayFile, complex_numbers_are_two_columns_each) {
  const std::vector<float> by_rows = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                           by_columns = {1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, 12};
  const std::vector<double> numbers(by_rows.begin(), by_rows.end());
  for (const auto& [order, stored] : {std::pair{"False", &by_rows}, std::pair{"True", &by_columns}}) {
    const Array array = read_array(file("z.npy", npy("<c8", order, "(2, 3)", bytes_of(*stored))));
    EXPECT_TRUE(array.complex);
    EXPECT_EQ(array.format, Format::f32);
    EXPECT_EQ(array.shape, (Shape{2, 6}));
    EXPECT_EQ(values(array), numbers);
  }
  const Array array = read_array(file("z.npy", npy("<c16", "False", "(3, 2)", bytes_of(numbers))));
  EXPECT_EQ(array.format, Format::f64);
  EXPECT_EQ(array.shape, (Shape{3, 4}));
  EXPECT_EQ(values(array), numbers);
  EXPECT_FALSE(read_array(file("x.npy", npy("<f4", "False", "(2, 3)", bytes_of(floats)))).complex);
  const std::string path = file("short.npy", npy("<c8", "False", "(2, 3)", bytes_of(floats)));
  try {
    read_array(path);
    FAIL() << "half of its bytes are missing";
  } catch (const SubjectError& error) {
    EXPECT_EQ(error.what(),
              path + ": the header promises 2 x 3 float32 in two parts (48 bytes), the file holds 24");
  }
}

TEST_F(ArrayFile, of_another_minor_version_is_refused) {
  std::string bytes = npy("<f4", "False", "(2, 3)", bytes_of(floats));
  bytes[7] = '\1';
  const std::string path = file("x.npy", bytes);
  try {
    read_array(path);
    FAIL() << "nothing was thrown";
  } catch (const SubjectError& error) {
    EXPECT_EQ(error.what(), path + ": is of .npy version 1.1; 1.0, 2.0 and 3.0 are read");
  }
}

// The largest that is read, 2 GiB of which the disk holds one page.
TEST_F(ArrayFile, opening_reads_no_values) {
  const std::string path = file("x.npy", npy("<f8", "False", "(268435456,)", ""));
  std::filesystem::resize_file(path, 128 + (std::uint64_t{1} << 31));
  const Array array = read_array(path);
  std::vector<double> last(1);
  array.row(0, last, 268435455);
  EXPECT_EQ(last[0], 0);
}

// Of a mapped file the look at it would end the process.
TEST_F(ArrayFile, that_is_cut_short_between_two_looks_is_an_error) {
  const std::string path = file("x.npy", npy("<f4", "False", "(2, 3)", bytes_of(floats)));
  const Array array = read_array(path);
  std::filesystem::resize_file(path, 150);
  EXPECT_EQ(std::memcmp(bytes_of(array, 0, 22).data(), floats.data(), 22), 0);
  try {
    bytes_of(array, 0, 23);
    FAIL() << "what is not there was read";
  } catch (const SubjectError& error) {
    EXPECT_EQ(error.what(), path + ": was cut short while it was read: it had 152 bytes and has 150");
  }
}

// The last `.safetensors:` of a path is that of the file.
TEST_F(ArrayFile, a_folder_may_be_named_as_an_array_of_a_file) {
  const std::string header = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const std::string bytes =
      bytes_of(std::vector<std::uint64_t>{header.size()}) + header + bytes_of(std::vector<float>{3, 5});
  std::filesystem::create_directories(folder_ / "m.safetensors:old");
  EXPECT_EQ(values(read_array(file("m.safetensors:old/y.safetensors", bytes) + ":x")),
            (std::vector<double>{3, 5}));
}

}  // namespace
}  // namespace posproof::array_file_test
