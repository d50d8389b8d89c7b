// Numbers and arrays as Python writes them, word for word; command/reproduce_test.cpp has Python read them.
#include "report/python.h"

#include <gtest/gtest.h>

#include <limits>

namespace posproof::report::python::python_test {
namespace {

std::string listed(const std::vector<double>& values) {
  return list(values);
}

TEST(Python, numbers_read_back_to_the_same_bits) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(-3), "-3");
  EXPECT_EQ(number(1048576), "1048576");
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(0.6815613503552693), "0.6815613503552693");
  EXPECT_EQ(number(1e300), "1e+300");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "float(\"inf\")");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "float(\"nan\")");
  EXPECT_EQ(tuple({1, 2, 64}), "(1, 2, 64)");
  EXPECT_EQ(tuple({4}), "(4,)");
}

TEST(Python, lists_name_runs_and_steps_once) {
  EXPECT_EQ(listed({}), "[]");
  EXPECT_EQ(listed({1, 2, 4}), "[1, 2, 4]");
  EXPECT_EQ(listed({7, 7, 7}), "[7, 7, 7]");
  EXPECT_EQ(listed({7, 7, 7, 7}), "[7] * 4");
  EXPECT_EQ(listed({0, 0, 0, 0, 0.5, 1, 1, 1, 1, 1}), "[0] * 4 + [0.5] + [1] * 5");
  EXPECT_EQ(listed({3, 4, 5, 6}), "list(range(3, 7))");
  EXPECT_EQ(listed({0, 0, 0, 0, 1, 2, 3}), "[0] * 4 + [1, 2, 3]");
  EXPECT_EQ(listed({10, 8, 6, 4, 2}), "list(range(10, 0, -2))");
  EXPECT_EQ(listed({0.5, 1.5, 2.5, 3.5}), "[0.5, 1.5, 2.5, 3.5]") << "range is of whole numbers";
  EXPECT_EQ(listed({0.5, 0.5, 0.5, 0.5}), "[0.5] * 4");
  EXPECT_EQ(listed({0x1p52, 0x1p52 + 1, 0x1p52 + 2, 0x1p52 + 3}).substr(0, 10), "list(range");
  EXPECT_EQ(listed({0x1p53, 0x1p53 + 2, 0x1p53 + 4, 0x1p53 + 6}).substr(0, 1), "[")
      << "not every whole number is one";
}

using Lines = std::vector<std::string>;

TEST(Python, arrays_are_zeros_with_a_few_entries_or_one_expression) {
  const Library numpy(all_f32);
  EXPECT_EQ(numpy.import(), "import numpy as np");
  EXPECT_EQ(numpy.result(), "np.float32");
  Tensor x({1, 2, 1, 6});
  EXPECT_EQ(numpy.statements({"x", x}, 1), (Lines{"x = np.zeros((1, 2, 1, 6), np.float32)"}));
  x.data[3] = 0.5;
  x.data[11] = -1;
  EXPECT_EQ(numpy.statements({"x", x}, 1),
            (Lines{"x = np.zeros((1, 2, 1, 6), np.float32)", "x[0, 0, 0, 3] = 0.5", "x[0, 1, 0, 5] = -1"}));
  EXPECT_EQ(numpy.statements({"x", x}, 2),
            (Lines{"x = np.array([0, 0, 0, 0.5] + [0] * 7 + [-1], np.float32).reshape(1, 2, 1, 6)"}))
      << "of several contents, a line each";
  x.data[11] = 0;
  EXPECT_EQ(numpy.statements({"x", x}, 2),
            (Lines{"x = np.zeros((1, 2, 1, 6), np.float32)", "x[0, 0, 0, 3] = 0.5"}));
  EXPECT_EQ(numpy.statements({"x", Tensor({4}, {1, 0, 0, 0})}, 1),
            (Lines{"x = np.array([1, 0, 0, 0], np.float32)"}));
}

TEST(Python, rows_that_are_multiples_of_one_are_written_once) {
  const Library numpy(Precision::parse("f16/f32"));
  Tensor x({9, 3});
  const std::vector<double> factors = {1, 2, 4, 8, 0.5, 0.25, 0.125, 1, 2};
  for (std::size_t r = 0; r < 9; ++r)
    for (std::size_t c = 0; c < 3; ++c) x.at(r, c) = factors[r] * static_cast<double>(c + 1);
  EXPECT_EQ(numpy.array({"x", x}),
            "np.array([[f * c for c in [1, 2, 3]] for f in ([1, 2, 4, 8, 0.5, 0.25, 0.125] * 2)[:9]], "
            "np.float16).reshape(9, 3)");
  x.at(8, 0) = 5;
  EXPECT_EQ(numpy.array({"x", x}).find("for"), std::string::npos) << numpy.array({"x", x});
  Tensor counted({9, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(numpy.array({"x", counted}),
            "np.array([[f * c for c in [1]] for f in list(range(1, 10))], np.float16).reshape(9, 1)")
      << "the eighth factor is not the first again";
  Tensor few({3, 2}, {0, 0, 1, 2, -2, -4});
  EXPECT_EQ(numpy.array({"x", few}),
            "np.array([[f * c for c in [1, 2]] for f in [0, 1, -2]], np.float16).reshape(3, 2)");
}

TEST(Python, positions_are_whole_and_masks_are_flags) {
  const Library numpy(all_f64), torch(Precision::parse("bf16"));
  const Tensor positions({1, 4}, {3, 4, 5, 6}), causal({2, 2}, {1, 0, 1, 1}), all({2, 2}, {1, 1, 1, 1});
  EXPECT_EQ(numpy.array({"t", positions, Kind::whole}),
            "np.array(list(range(3, 7)), np.int64).reshape(1, 4)");
  EXPECT_EQ(numpy.array({"m", causal, Kind::flag}), "np.tril(np.ones((2, 2), np.bool_))");
  EXPECT_EQ(numpy.array({"m", all, Kind::flag}), "np.array([1] * 4, np.bool_).reshape(2, 2)");
  EXPECT_EQ(torch.array({"m", causal, Kind::flag}), "torch.ones((2, 2), dtype=torch.bool).tril()");
  EXPECT_EQ(torch.array({"m", all, Kind::flag}), "torch.tensor([1] * 4, dtype=torch.bool).reshape(2, 2)");
  EXPECT_EQ(torch.array({"t", positions, Kind::whole}),
            "torch.tensor(list(range(3, 7)), dtype=torch.int64).reshape(1, 4)");
  EXPECT_EQ(torch.statements({"x", Tensor({3, 4})}, 1),
            (Lines{"x = torch.zeros((3, 4), dtype=torch.bfloat16)"}));
}

TEST(Python, is_pytorch_where_numpy_has_no_format) {
  EXPECT_EQ(Library(Precision::parse("bf16")).import(), "import torch");
  EXPECT_EQ(Library(Precision::parse("f32+input=bf16")).import(), "import torch");
  EXPECT_EQ(Library(Precision::parse("f32/bf16")).import(), "import numpy as np") << "within alone";
  const Library numpy(all_f32), torch(Precision::parse("f16+input=bf16"));
  EXPECT_EQ(torch.result(), "torch.float16");
  EXPECT_EQ(torch.array({"x", Tensor({2}, {1, 3})}), "torch.tensor([1, 3], dtype=torch.bfloat16)")
      << "contents have the format that is given, not that of the answer";
  EXPECT_EQ(numpy.given("f(x)"), "np.asarray(f(x))");
  EXPECT_EQ(numpy.doubled("f(x)"), "np.asarray(f(x), np.float64)");
  EXPECT_EQ(torch.given("f(x)"), "torch.as_tensor(f(x))");
  EXPECT_EQ(torch.doubled("f(x)"), "torch.as_tensor(f(x)).double()");
  EXPECT_EQ(numpy.copy("x"), "x.copy()");
  EXPECT_EQ(torch.copy("x"), "x.clone()");
}

}  // namespace
}  // namespace posproof::report::python::python_test
