// What the Python SDK reads and writes: frames, and the formats of their tensors.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::sdk_frames_test {
namespace {

using testing::expected;
using testing::sdk;
using testing::thrown;

Tensor rotated(const Subject& subject, const Tensor& x, Role role = Role::query) {
  const std::vector<Position> positions(x.shape[0] * x.shape[2], 3);
  return as<Rotary>(subject.encoding).rotate(x, positions, role);
}

Tensor quarters(const Shape& shape) {
  Tensor x(shape);
  for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] = double(i % 9) / 4 - 1;
  return x;
}

// Bytes that posproof does not write, from a pipe: what a program with the SDK says of them.
std::string said_of_bytes(const std::string& bytes) {
  const std::string file = ::testing::TempDir() + fmt::format("posproof_header_{}", ::getpid());
  std::ofstream(file, std::ios::binary) << bytes;
  std::FILE* pipe = ::popen((sdk("all").substr(4) + " < " + file + " 2>&1").c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  ::pclose(pipe);
  std::filesystem::remove(file);
  return out;
}

std::string said_of(const std::string& header) {
  return said_of_bytes(static_cast<char>(header.size()) + std::string(7, '\0') + header);
}

TEST(PythonSubject, refuses_a_header_with_a_key_twice) {
  const std::string twice = "a frame's header has a key twice\n";
  EXPECT_EQ(said_of(R"({"__metadata__":{"call":"hello","id":"1"},"__metadata__":{"call":"hello"}})"), twice);
  EXPECT_EQ(said_of(R"({"__metadata__":{"call":"hello","call":"table","id":"1"}})"), twice);
  EXPECT_EQ(said_of(R"({"__metadata__":{"call":"hello","id":"1"}})").find(twice), std::string::npos);
}

// One after the other, each of as many bytes as its shape has.
TEST(PythonSubject, refuses_tensors_that_do_not_fit_their_bytes) {
  for (const std::string offsets : {"8,16", "0,4", "0,16"})
    EXPECT_EQ(said_of(R"({"__metadata__":{"id":"1"},"x":{"dtype":"I64","shape":[1],"data_offsets":[)" +
                      offsets + "]}}"),
              "tensor `x` of a frame does not fit its bytes\n")
        << offsets;
}

// Its bytes would fit: there are 8 more of them than 2^32.
TEST(PythonSubject, refuses_a_frame_past_4_gib) {
  EXPECT_EQ(said_of(R"({"__metadata__":{"id":"1"},"x":{"dtype":"I64","shape":[536870913],)"
                    R"("data_offsets":[0,4294967304]}})"),
            "tensor `x` of a frame does not fit its bytes\n");
}

TEST(PythonSubject, refuses_an_input_that_ends_early) {
  const std::string ended = "standard input ended in the middle of a frame\n";
  EXPECT_EQ(said_of(R"({"__metadata__":{"id":"1"},"x":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})"),
            ended);
  EXPECT_EQ(said_of_bytes(std::string("\x20\0\0\0\0\0\0\0{}", 10)), ended);
  for (const std::string& bytes : {std::string("abc"), std::string("\0\0\x20\0\0\0\0\0", 8)})
    EXPECT_EQ(said_of_bytes(bytes),
              "standard input does not speak posproof's protocol: run this program as cmd:... of posproof\n");
}

TEST(PythonSubject, large_frames_pass_in_both_directions) {
  const Subject subject = open(sdk("transposed"), expected(Rotary{.dim = 64}));
  const Tensor x = quarters({2, 4, 1000, 64});  // 4 MB out, 2 MB back, through pipes of 64 KiB
  EXPECT_EQ(rotated(subject, x), x);
  const Tensor none({1, 1, 0, 64});
  EXPECT_EQ(rotated(subject, none), none);
}

TEST(PythonSubject, every_format_comes_back_as_it_went) {
  for (const std::string dtype : {"f64", "f32", "f16", "bf16"}) {
    const Subject subject = open(sdk("twice " + dtype), expected(Rotary{.dim = 3}));
    const Tensor x = quarters({1, 2, 3, 3});
    Tensor doubled = x;
    for (double& value : doubled.data) value *= 2;
    EXPECT_EQ(rotated(subject, x), doubled) << dtype;
    EXPECT_EQ(subject.precision.word(), dtype == "bf16"  ? "bf16/f32+table=bf16"
                                        : dtype == "f16" ? "f16/f32+table=f16"
                                                         : dtype);
  }
}

TEST(PythonSubject, rounds_to_bfloat16_to_nearest_even) {
  const Subject subject = open(sdk("rounded"), expected(Rotary{.dim = 2}));
  // 1/3 = 0x3eaaaaab rounds up to 0x3eab; 5/3 = 0x3fd55555 rounds down to 0x3fd5
  EXPECT_EQ(rotated(subject, Tensor({1, 1, 1, 2}, {1, 5})), Tensor({1, 1, 1, 2}, {0x1.56p-2, 0x1.aap0}));
  // In the middle between 1 and 1 + 2^-7, and between that and 1 + 2^-6.
  EXPECT_EQ(rotated(open(sdk("ties"), expected(Rotary{.dim = 2})), Tensor({1, 1, 1, 2}, {1, 1 + 0x1p-7})),
            Tensor({1, 1, 1, 2}, {1, 1 + 0x1p-6}));
}

// All bits of this one are ones: rounded as a number it would be 0.
TEST(PythonSubject, rounds_nan_to_nan) {
  const Subject subject = open(sdk("rounded_nan"), expected(Rotary{.dim = 2}));
  for (const double entry : rotated(subject, Tensor({1, 1, 1, 2})).data) EXPECT_TRUE(std::isnan(entry));
}

TEST(PythonSubject, contents_may_have_a_format_of_their_own) {
  const Subject subject = open(sdk("takes bf16"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(subject.precision.word(), "f32+input=bf16");
  // 1/3 is no bf16: an answer that is given back as content is rounded on its way in.
  const Tensor third = rotated(subject, Tensor({1, 1, 1, 2}, {1, 5}));
  EXPECT_EQ(third, Tensor({1, 1, 1, 2}, {0x1.555556p-2, 0x1.aaaaaap0}));
  EXPECT_EQ(rotated(subject, third), rotated(subject, Tensor({1, 1, 1, 2}, {0x1.56p-2, 0x1.aap0})));
  EXPECT_EQ(open(sdk("takes f32"), expected(Rotary{.dim = 2})).precision.word(), "f32");
}

TEST(PythonSubject, torch_functions_are_given_tensors_of_their_dtype) {
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "the Python that was found cannot import torch";
  for (const std::string dtype : {"float32", "bfloat16"}) {
    const Subject subject = open(sdk("torch " + dtype), expected(Rotary{.dim = 3}));
    Tensor x = quarters({1, 2, 3, 3}), doubled = x;
    for (double& value : doubled.data) value *= 2;
    EXPECT_EQ(rotated(subject, x), doubled) << dtype;
  }
  const std::string words = sdk("torch_type bfloat16");
  const Subject typed = open(words, expected(Rotary{.dim = 3}));
  const std::string message = thrown(words, [&] { rotated(typed, quarters({1, 2, 3, 3})); });
  EXPECT_NE(message.find("TypeError: Tensor torch.bfloat16"), std::string::npos) << message;
  const Subject mixed = open(sdk("torch_takes bfloat16"), expected(Rotary{.dim = 3}));
  const std::string other = thrown(sdk("torch_takes bfloat16"), [&] {
    rotated(mixed, quarters({1, 2, 3, 3}));
  });
  EXPECT_NE(other.find("TypeError: Tensor torch.bfloat16"), std::string::npos) << other;
}

}  // namespace
}  // namespace posproof::sdk_frames_test
