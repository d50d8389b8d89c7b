#include "subject/array_header.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace posproof::array_header_test {
namespace {

TEST(ArrayHeader, npy_is_as_numpy_writes_it) {
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (4096, 64), }";
  EXPECT_EQ(npy_header(Format::f32, {4096, 64}),
            std::string("\x93NUMPY\1\0\x76\0", 10) + text + std::string(117 - text.size(), ' ') + "\n");
  for (const Shape& shape : {Shape{}, Shape{8}, Shape{1, 2, 3}, Shape{1000000, 1000000, 1000000, 1000000}})
    EXPECT_EQ(npy_header(Format::f64, shape).size() % 64, 0) << posproof::text(shape);
  EXPECT_NE(npy_header(Format::f16, {8}).find("'<f2', 'fortran_order': False, 'shape': (8,), }"),
            std::string::npos);
}

TEST(ArrayHeader, safetensors_is_padded_to_eight) {
  for (const std::string word : {"", "1", "12", "123", "1234", "12345", "123456", "1234567"}) {
    const std::string bytes = safetensors_header("x", Format::bf16, {2, 3}, {{"said", word}});
    EXPECT_EQ(bytes.size() % 8, 0);
    const frame::Header header = frame::parse(std::string_view(bytes).substr(8));
    EXPECT_EQ(frame::header_size(std::string_view(bytes).substr(0, 8)) + 8, bytes.size());
    EXPECT_EQ(header.word("said"), word);
    ASSERT_EQ(header.parts.size(), 1);
    EXPECT_EQ(header.parts[0].dtype, Dtype::BF16);
    EXPECT_EQ(header.parts[0].shape, (Shape{2, 3}));
    EXPECT_EQ(header.size, 12);
  }
}

std::string refused(const std::string& path, Format format) {
  try {
    array_header(path, "x", format, {1}, {});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ArrayHeader, the_ending_says_which) {
  EXPECT_EQ(array_header("x.npy", "x", Format::f32, {1}, {}), npy_header(Format::f32, {1}));
  EXPECT_EQ(array_header("x.safetensors", "x", Format::bf16, {1}, {}),
            safetensors_header("x", Format::bf16, {1}, {}));
  EXPECT_EQ(refused("x.npy", Format::bf16),
            "`x.npy`: .npy has no bf16; it holds f64, f32 and f16, and .safetensors holds bf16");
  EXPECT_EQ(refused("safetensors", Format::f32),
            "`safetensors`: an array is written to FILE.npy or FILE.safetensors");
  EXPECT_EQ(refused("x.npz", Format::f32), "`x.npz`: an array is written to FILE.npy or FILE.safetensors");
}

}  // namespace
}  // namespace posproof::array_header_test
