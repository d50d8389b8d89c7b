// The Python SDK, examples/posproof_subject.py, seen from the other end.
#include <gtest/gtest.h>

#include <cmath>

#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof {
namespace {

using testing::expected;
using testing::sdk;
using testing::thrown;

const std::vector<Position> two = {5, 7};

Tensor rotated(const Subject& subject, const Tensor& x, Role role = Role::query) {
  const std::vector<Position> positions(x.shape[0] * x.shape[2], 3);
  return std::get<Rotary>(subject.encoding).rotate(x, positions, role);
}

Tensor quarters(const Shape& shape) {
  Tensor x(shape);
  for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] = double(i % 9) / 4 - 1;
  return x;
}

TEST(PythonSubject, answers_every_kind_of_call) {
  const Subject table = open(sdk("all"), expected(Table{.dim = 3}, "dim=3"));
  EXPECT_EQ(testing::rows(table, two, 10), Tensor({2, 3}, {15, 15, 15, 17, 17, 17}));
  EXPECT_EQ(table.description, "sdk 3 (many)");
  EXPECT_EQ(std::get<Table>(table.encoding).positions.hi, 99);

  const Subject rotary = open(sdk("all"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(rotated(rotary, Tensor({1, 1, 1, 2}, {0.25, -1})), Tensor({1, 1, 1, 2}, {0.5, -2}));
  EXPECT_EQ(rotated(rotary, Tensor({1, 1, 1, 2}, {0.25, -1}), Role::key), Tensor({1, 1, 1, 2}, {0.25, -1}));

  const std::vector<Position> one = {2};
  const Subject bias = open(sdk("all"), expected(Bias{.heads = 1}));
  EXPECT_EQ(std::get<Bias>(bias.encoding).bias(two, one), Tensor({1, 2, 1}, {205, 207}));

  const Subject contextual = open(sdk("all"), expected(Contextual{.dim = 2}));
  const Tensor q({2, 2}, {1, 0, 0, 1}), k({1, 2}, {3, 4});
  EXPECT_EQ(std::get<Contextual>(contextual.encoding).logits(q, k, two, one), Tensor({1, 2, 1}, {6, 9}));

  const Subject attention = open(sdk("all"), expected(Attention{.dim = 2, .value_dim = 1}));
  EXPECT_EQ(std::get<Attention>(attention.encoding)
                .attend(q, q, Tensor({2, 1}, {8, 9}), Tensor({2, 2}, {1, 0, 0, 1})),
            Tensor({2, 1}, {8, 9}));
}

TEST(PythonSubject, what_is_printed_does_not_reach_the_stream) {
  const Subject subject = open(sdk("printing"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(rotated(subject, quarters({1, 1, 2, 2})), quarters({1, 1, 2, 2}));
  EXPECT_EQ(rotated(subject, quarters({1, 1, 3, 2})), quarters({1, 1, 3, 2}));
}

TEST(PythonSubject, an_exception_is_an_error_with_the_end_of_its_traceback) {
  const Subject subject = open(sdk("failing"), expected(Rotary{.dim = 2}));
  const std::string message = thrown(sdk("failing"), [&] { rotated(subject, quarters({1, 1, 2, 2})); });
  const std::string start =
      ": rotate(x [1, 1, 2, 2], positions [1, 2], role query): Traceback (most recent call last):\n";
  EXPECT_EQ(message.substr(0, start.size()), start);
  const std::string end = "raise KeyError(\"inv_freq\")\nKeyError: 'inv_freq'";
  ASSERT_GT(message.size(), end.size());
  EXPECT_EQ(message.substr(message.size() - end.size()), end);
}

TEST(PythonSubject, an_exception_of_the_kinds_that_decline_is_a_refusal) {
  const Subject subject = open(sdk("declining"), expected(Rotary{.dim = 2}));
  EXPECT_EQ(thrown<Refusal>(sdk("declining"),
                            [&] {
                              rotated(subject, quarters({1, 1, 2, 2}));
                            }),
            " declines: position 3 is past the end");
}

TEST(PythonSubject, an_answer_is_never_converted) {
  const Subject subject = open(sdk("dots f64"), expected(Rotary{.dim = 2}));
  const std::string message = thrown(sdk("dots f64"), [&] { rotated(subject, quarters({1, 1, 2, 2})); });
  EXPECT_NE(message.find("TypeError"), std::string::npos) << message;

  const Subject wide = open(sdk("to_double f32"), expected(Rotary{.dim = 2}));
  const std::string other = thrown(sdk("to_double f32"), [&] { rotated(wide, quarters({1, 1, 2, 2})); });
  EXPECT_NE(other.find("role query): answers f64; declared f32"), std::string::npos) << other;
  EXPECT_EQ(other.find("Traceback"), std::string::npos) << other;
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
    EXPECT_EQ(subject.precision.word(), dtype == "bf16" ? "bf16/f32" : dtype == "f16" ? "f16/f32" : dtype);
  }
}

TEST(PythonSubject, rounds_to_bfloat16_to_nearest_even) {
  const Subject subject = open(sdk("rounded"), expected(Rotary{.dim = 2}));
  // 1/3 = 0x3eaaaaab rounds up to 0x3eab; 5/3 = 0x3fd55555 rounds down to 0x3fd5
  EXPECT_EQ(rotated(subject, Tensor({1, 1, 1, 2}, {1, 5})), Tensor({1, 1, 1, 2}, {0x1.56p-2, 0x1.aap0}));
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
}

}  // namespace
}  // namespace posproof
