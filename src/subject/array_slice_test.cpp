#include "subject/array_slice.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "subject/subject.h"
#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::array_slice_test {
namespace {

using testing::thrown;

// Whose number n is n, in f32.
Array counting(const Shape& shape) {
  std::vector<float> numbers(count(shape));
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  return {"x.npy", Format::f32, shape, [numbers](std::size_t at, std::span<std::byte> to) {
            ASSERT_LE(at + to.size(), numbers.size() * sizeof(float));
            std::memcpy(to.data(), reinterpret_cast<const std::byte*>(numbers.data()) + at, to.size());
          }};
}

std::vector<double> values(const Array& array, std::size_t from, std::size_t end) {
  std::vector<float> read(end - from);
  array.read(from * sizeof(float), std::as_writable_bytes(std::span(read)));
  return {read.begin(), read.end()};
}

struct Slice {
  std::string indices;
  Shape shape;
  std::vector<double> numbers;
};

// Of [2, 3, 4]; what numpy gives.
const std::vector<Slice> slices = {
    {"[:]", {2, 3, 4}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                        12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {"[1]", {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
    {"[-2, -1]", {4}, {8, 9, 10, 11}},
    {"[..., 0]", {2, 3}, {0, 4, 8, 12, 16, 20}},
    {"[..., 3]", {2, 3}, {3, 7, 11, 15, 19, 23}},
    {"[:, 1]", {2, 4}, {4, 5, 6, 7, 16, 17, 18, 19}},
    {"[:,:,2:]", {2, 3, 2}, {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23}},
    {"[0, ..., -3:]", {3, 3}, {1, 2, 3, 5, 6, 7, 9, 10, 11}},
    {"[1, :, 1::2]", {3, 2}, {13, 15, 17, 19, 21, 23}},
    {"[:, ::2, :1]", {2, 2, 1}, {0, 8, 12, 20}},
    {"[1:, 0:9:2, 3]", {1, 2}, {15, 23}},
    {"[ : , -1 , ::3 ]", {2, 2}, {8, 11, 20, 23}},
    {"[:, 2:1]", {2, 0, 4}, {}},
    {"[:, :, 0:-1]", {2, 3, 3}, {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22}},
    {"[-9:1, 0]", {1, 4}, {0, 1, 2, 3}},
    {"[1, ..., 2, 3:]", {1}, {23}},
    {"[:, 2:2:2]", {2, 0, 4}, {}},
};

TEST(ArraySlice, is_what_numpy_gives) {
  for (const auto& [indices, shape, numbers] : slices) {
    const Array slice = sliced(counting({2, 3, 4}), indices);
    EXPECT_EQ(slice.path, "x.npy" + indices);
    EXPECT_EQ(slice.shape, shape) << indices;
    EXPECT_EQ(values(slice, 0, numbers.size()), numbers) << indices;
  }
}

TEST(ArraySlice, is_read_from_any_number_to_any) {
  for (const auto& [indices, shape, numbers] : slices) {
    const Array slice = sliced(counting({2, 3, 4}), indices);
    for (std::size_t from = 0; from <= numbers.size(); ++from)
      for (std::size_t end = from; end <= numbers.size(); ++end)
        EXPECT_EQ(values(slice, from, end), std::vector(numbers.begin() + static_cast<std::ptrdiff_t>(from),
                                                        numbers.begin() + static_cast<std::ptrdiff_t>(end)))
            << indices << " " << from << ":" << end;
  }
}

TEST(ArraySlice, of_a_slice_is_one) {
  const Array slice = sliced(sliced(counting({2, 3, 4}), "[:, 1:]"), "[1, :, 1::2]");
  EXPECT_EQ(slice.path, "x.npy[:, 1:][1, :, 1::2]");
  EXPECT_EQ(slice.shape, (Shape{2, 2}));
  EXPECT_EQ(values(slice, 0, 4), (std::vector<double>{17, 19, 21, 23}));
}

// [2, 2] complex numbers: 0 + 1i, 2 + 3i; 4 + 5i, 6 + 7i.
// numpy's moveaxis of [2, 3, 4].
TEST(ArraySlice, has_an_axis_at_another_place) {
  const Array last = with_axis_at(counting({2, 3, 4}), 0, 2), first = with_axis_at(counting({2, 3, 4}), 2, 0);
  EXPECT_EQ(last.shape, (Shape{3, 4, 2}));
  EXPECT_EQ(values(last, 0, 24), (std::vector<double>{0, 12, 1, 13, 2, 14, 3, 15, 4,  16, 5,  17,
                                                      6, 18, 7, 19, 8, 20, 9, 21, 10, 22, 11, 23}));
  EXPECT_EQ(first.shape, (Shape{4, 2, 3}));
  EXPECT_EQ(values(first, 5, 8), (std::vector<double>{20, 1, 5}));
  // Neighbours that are far apart are read one by one.
  const Array far = with_axis_at(counting({3, 100}), 0, 1);
  EXPECT_EQ(values(far, 298, 300), (std::vector<double>{199, 299}));
  EXPECT_EQ(values(far, 3, 6), (std::vector<double>{1, 101, 201}));
}

TEST(ArraySlice, with_another_axis_first_has_no_positions) {
  Array rows = counting({3, 4});
  rows.positions = {5, 7};
  EXPECT_EQ(with_axis_at(rows, 0, 1).positions, std::nullopt);
}

TEST(ArraySlice, of_complex_numbers_has_both_parts) {
  Array array = counting({2, 4});
  array.complex = true;
  const Array column = sliced(array, "[:, 1]");
  EXPECT_TRUE(column.complex);
  EXPECT_EQ(column.shape, (Shape{4}));
  EXPECT_EQ(values(column, 0, 4), (std::vector<double>{2, 3, 6, 7}));
  const Array row = sliced(array, "[1:]");
  EXPECT_EQ(row.shape, (Shape{1, 4}));
  EXPECT_EQ(values(row, 0, 4), (std::vector<double>{4, 5, 6, 7}));
}

TEST(ArraySlice, keeps_the_positions_of_its_rows) {
  Array array = counting({10, 2});
  array.positions = {{-4, 5}};
  EXPECT_EQ(sliced(array, "[:, 0]").positions, (std::pair<Position, Position>{-4, 5}));
  EXPECT_EQ(sliced(array, "[3:]").positions, (std::pair<Position, Position>{-1, 5}));
  EXPECT_EQ(sliced(array, "[3:5]").positions, (std::pair<Position, Position>{-1, 0}));
  EXPECT_EQ(sliced(array, "[::2]").positions, std::nullopt);
  EXPECT_EQ(sliced(array, "[3]").positions, std::nullopt);
}

TEST(ArraySlice, refuses_what_is_no_index) {
  const std::string allowed =
      "` is no index of [2, 3]; allowed: for each axis `:`, `FIRST:END`, `FIRST:END:STEP` with a step of 1 and "
      "more, or a number, and once `...`";
  const auto said = [](const std::string& indices) {
    return thrown<SubjectError>("", [&] { sliced(counting({2, 3}), indices); });
  };
  for (const std::string indices :
       {"[]", "[,]", "[0, 0, 0]", "[..., ...]", "[:, :, ...,  0]", "[a]", "[1.5]", "[::0]", "[::-1]",
        "[1:2:3:4]", "[0x1]", "[99999999999999999999]", "[+1]", "[:, ]"})
    EXPECT_EQ(said(indices), "x.npy: `" + indices + allowed);
  EXPECT_EQ(said("[:, 3]"), "x.npy: number 3 of an axis of 3 was asked for; allowed: -3 to 2");
  EXPECT_EQ(said("[-3]"), "x.npy: number -3 of an axis of 2 was asked for; allowed: -2 to 1");
  EXPECT_EQ(said("[1, 2]"), "x.npy: `[1, 2]` is one number of [2, 3], and no row");
}

TEST(ArraySlice, indices_stand_behind_the_name_of_a_file) {
  const auto split = [](const std::string& words) {
    const IndexedFile file = indexed_file(words);
    return std::pair(file.path, file.indices);
  };
  using Two = std::pair<std::string, std::string>;
  EXPECT_EQ(split("x.npy"), Two("x.npy", ""));
  EXPECT_EQ(split("x.npy[:, 32:]"), Two("x.npy", "[:, 32:]"));
  EXPECT_EQ(split("m.safetensors:cos[0]"), Two("m.safetensors:cos", "[0]"));
  EXPECT_EQ(split("a[1]/x.npy"), Two("a[1]/x.npy", ""));
  EXPECT_EQ(split("a[1]/x.npy[2]"), Two("a[1]/x.npy", "[2]"));
  // A file of that very name is that file.
  const std::string odd = std::filesystem::path(::testing::TempDir()) /
                          ("posproof_odd_" + std::to_string(::getpid()) + ".npy[0]");
  std::ofstream(odd).put('x');
  EXPECT_EQ(split(odd), Two(odd, ""));
  std::filesystem::remove(odd);
}

TEST(ArraySlice, of_a_file_is_taken_eight_times_at_most) {
  const testing::Written file("often.npy", Tensor({2, 3}, {0, 1, 2, 3, 4, 5}), false);
  std::string path = file.subject().substr(6);
  for (int n = 0; n < 8; ++n) path += "[:]";
  EXPECT_EQ(read_array(path).shape, (Shape{2, 3}));
  EXPECT_EQ(thrown<SubjectError>("", [&] { read_array(path + "[:]"); }),
            path + "[:]: is indexed more than 8 times");
}

TEST(ArraySlice, of_a_file_is_read_by_its_indices) {
  const testing::Written file("slice.npy", Tensor({2, 3}, {0, 1, 2, 3, 4, 5}), false);
  const Array array = read_array(file.subject().substr(6) + "[:, 1:]");
  std::vector<double> row(2);
  array.row(1, row);
  EXPECT_EQ(row, (std::vector<double>{4, 5}));
  row.resize(1);
  read_array(file.subject().substr(6) + "[:, 1:][1:, 1:]").row(0, row);
  EXPECT_EQ(row, (std::vector<double>{5}));
}

}  // namespace
}  // namespace posproof::array_slice_test
