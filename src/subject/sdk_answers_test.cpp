// What the Python SDK takes for an answer.
#include <gtest/gtest.h>

#include <limits>

#include "subject/testing/subjects.h"
#include "test_paths.h"

namespace posproof::sdk_answers_test {
namespace {

using testing::expected;
using testing::sdk;
using testing::thrown;

const std::vector<Position> two = {5, 7};

Tensor rotated(const Subject& subject, const Tensor& x, Role role = Role::query) {
  const std::vector<Position> positions(x.shape[0] * x.shape[2], 3);
  return as<Rotary>(subject.encoding).rotate(x, positions, role);
}

Tensor quarters(const Shape& shape) {
  Tensor x(shape);
  for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] = double(i % 9) / 4 - 1;
  return x;
}

Subject opened(const std::string& what) {
  return open(sdk(what), expected(Rotary{.dim = 2}));
}

// What it makes of 1, 2 at t.
Tensor answer(const Subject& subject, Position t) {
  return as<Rotary>(subject.encoding)
      .rotate(Tensor({1, 1, 1, 2}, {1, 2}), std::vector<Position>{t}, Role::query);
}

// Rotated queries are there still when keys are rotated.
TEST(PythonSubject, what_it_gave_stays_as_it_was) {
  const Subject overwriting = opened("overwriting"), as_meant = opened("overwriting_as_meant");
  for (Position t = 0; t < 3; ++t) {
    EXPECT_NE(thrown(sdk("overwriting"), [&] { answer(overwriting, t); })
                  .find("what rotate() gave is overwritten when it is called again"),
              std::string::npos);
    EXPECT_EQ(answer(as_meant, t), Tensor({1, 1, 1, 2}, {2, 4}));
  }
  // At position 0 there is no other one to ask for.
  const Subject table = open(sdk("overwriting_rows"), expected(Table{.dim = 2}));
  const auto rows = [&](std::vector<Position> at) { return as<Table>(table.encoding).rows(at, 10); };
  EXPECT_EQ(rows({0}), Tensor({1, 2}, {0, 0}));
  EXPECT_NE(thrown(sdk("overwriting_rows"),
                   [&] {
                     rows({1, 2});
                   })
                .find("rows() gave is overwritten"),
            std::string::npos);
  EXPECT_NE(thrown(sdk("overwriting_rows"), [&] { rows({0}); }).find("rows() gave is overwritten"),
            std::string::npos);
}

TEST(PythonSubject, is_given_one_array_for_queries_and_keys_that_are_the_same) {
  const Subject subject = open(sdk("one_array"), expected(Bias{.heads = 1}));
  const Bias& bias = as<Bias>(subject.encoding);
  EXPECT_EQ(bias.bias(two, two), Tensor({1, 2, 2}, {1, 1, 1, 1}));
  EXPECT_EQ(bias.bias(two, std::vector<Position>{5, 8}), Tensor({1, 2, 2}, {0, 0, 0, 0}));
  EXPECT_EQ(bias.bias(two, std::vector<Position>{5}), Tensor({1, 2, 1}, {0, 0}));
}

// Of two queries and four keys the rows that a square of four has last.
TEST(PythonSubject, rows_for_fewer_queries_are_those_of_its_own_square) {
  const std::vector<Position> queries = {2, 3}, keys = {0, 1, 2, 3};
  for (const char* early : {"0", "2"}) {
    const std::string words = std::string("rows_of_a_square ") + early;
    const Subject subject = open(sdk(words), expected(Bias{.heads = 1}));
    EXPECT_EQ(as<Bias>(subject.encoding).bias(queries, keys),
              Tensor({1, 2, 4}, {16, 17, 18, 19, 24, 25, 26, 27}))
        << early;
  }
  // Where later keys are minus infinity.
  const Subject hidden = open(sdk("rows_of_a_square 0 hidden"), expected(Bias{.heads = 1}));
  const double none = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(as<Bias>(hidden.encoding).bias(queries, keys),
            Tensor({1, 2, 4}, {16, 17, 18, none, 24, 25, 26, 27}));
  const Subject neither = open(sdk("rows_of_a_square 1"), expected(Bias{.heads = 1}));
  EXPECT_NE(
      thrown(sdk("rows_of_a_square 1"), [&] { as<Bias>(neither.encoding).bias(queries, keys); })
          .find(
              "of 2 queries and 4 keys it gives rows that are neither the first nor the last ones of its own "
              "square of 4"),
      std::string::npos);
}

TEST(PythonSubject, what_it_was_given_stays_as_it_was) {
  const Subject changing = opened("changing"), as_meant = opened("changing_as_meant"),
                in_place = opened("in_place");
  for (Position t = 0; t < 4; ++t) {
    EXPECT_NE(thrown(sdk("changing"), [&] { answer(changing, t); }).find("rotate() changed `x`"),
              std::string::npos);
    EXPECT_EQ(answer(as_meant, t), Tensor({1, 1, 1, 2}, {2, 4}));
    EXPECT_EQ(answer(in_place, t), Tensor({1, 1, 1, 2}, {2, 4})) << "it returns what it was given";
  }
  EXPECT_NE(thrown(sdk("changing_positions"), [] { answer(opened("changing_positions"), 0); })
                .find("rotate() changed `positions`"),
            std::string::npos);
  std::size_t found = 0;
  const Subject beyond = opened("beyond");
  for (Position t = 0; t < 12; ++t) {
    try {
      answer(beyond, t);
    } catch (const Failure&) {
      ++found;
    }
  }
  EXPECT_GT(found, 0u);
  EXPECT_LT(found, 12u);  // where there is nothing beside it, it is right
}

TEST(PythonSubject, an_answer_is_never_converted) {
  const Subject subject = open(sdk("dots f64"), expected(Rotary{.dim = 2}));
  const std::string message = thrown(sdk("dots f64"), [&] { rotated(subject, quarters({1, 1, 2, 2})); });
  EXPECT_NE(message.find("TypeError"), std::string::npos) << message;

  const Subject wide = open(sdk("to_double f32"), expected(Rotary{.dim = 2}));
  const std::string other = thrown(sdk("to_double f32"), [&] { rotated(wide, quarters({1, 1, 2, 2})); });
  EXPECT_NE(other.find("role query): answers f64; declared f32"), std::string::npos) << other;
  EXPECT_EQ(other.find("Traceback"), std::string::npos) << other;

  // Between 1 and its neighbour in bf16, which float32 holds.
  const Subject between = open(sdk("unrounded"), expected(Rotary{.dim = 2}));
  EXPECT_NE(thrown(sdk("unrounded"),
                   [&] {
                     rotated(between, Tensor({1, 1, 1, 2}, {1, 1}));
                   })
                .find("answers f32; declared bf16"),
            std::string::npos);
}

// The same numbers in another order of their bytes are the same format.
TEST(PythonSubject, an_answer_may_have_its_bytes_in_any_order) {
  const Tensor x = quarters({1, 1, 2, 2});
  Tensor twice = x;
  for (double& one : twice.data) one *= 2;
  for (const std::string dtype : {"f64", "f32", "f16"})
    EXPECT_EQ(rotated(open(sdk("big_endian " + dtype), expected(Rotary{.dim = 2})), x), twice) << dtype;
}

// None of these calls has a batch, and code that has one gives it one row.
// Of each kind, as code of that form answers it.
void expect_answers_in(const std::string& form) {
  const std::vector<Position> one = {2};
  const Tensor q({2, 2}, {1, 0, 0, 1}), k({1, 2}, {3, 4});
  const std::string words = sdk("shapes f32 " + form);
  EXPECT_EQ(testing::rows(open(words, expected(Table{.dim = 3}, "dim=3")), two, 10),
            Tensor({2, 3}, {15, 15, 15, 17, 17, 17}))
      << form;
  const Subject bias = open(words, expected(Bias{.heads = 1}));
  EXPECT_EQ(as<Bias>(bias.encoding).bias(two, one), Tensor({1, 2, 1}, {205, 207})) << form;
  const Subject contextual = open(words, expected(Contextual{.dim = 2}));
  EXPECT_EQ(as<Contextual>(contextual.encoding).logits(q, k, two, one), Tensor({1, 2, 1}, {6, 9})) << form;
  const Subject attention = open(words, expected(Attention{.dim = 2, .value_dim = 1}));
  EXPECT_EQ(
      as<Attention>(attention.encoding).attend(q, q, Tensor({2, 1}, {8, 9}), Tensor({2, 2}, {1, 0, 0, 1})),
      Tensor({2, 1}, {8, 9}))
      << form;
}

TEST(PythonSubject, an_answer_may_be_a_list_of_batches_of_one_row) {
  expect_answers_in("list_of_batches");
}

TEST(PythonSubject, an_answer_may_have_a_batch_of_one_row_or_be_a_list) {
  for (const std::string form : {"batch_of_one", "two_batches_of_one", "arrays", "numbers"})
    expect_answers_in(form);
}

// Of no tokens [] holds nothing, and says nothing of the axes behind.
TEST(PythonSubject, an_empty_list_is_an_answer_of_no_tokens) {
  const std::vector<Position> none, one = {2};
  const std::string words = sdk("shapes f32 numbers");
  EXPECT_EQ(testing::rows(open(words, expected(Table{.dim = 3}, "dim=3")), none, 10), Tensor({0, 3}));
  const Subject bias = open(words, expected(Bias{.heads = 1}));
  EXPECT_EQ(as<Bias>(bias.encoding).bias(none, one), Tensor({1, 0, 1}));
  EXPECT_EQ(as<Bias>(bias.encoding).bias(one, none), Tensor({1, 1, 0}));
  const Subject contextual = open(words, expected(Contextual{.dim = 2}));
  EXPECT_EQ(as<Contextual>(contextual.encoding).logits(Tensor({0, 2}), Tensor({1, 2}), none, one),
            Tensor({1, 0, 1}));
  const Subject attention = open(words, expected(Attention{.dim = 2, .value_dim = 3}));
  EXPECT_EQ(as<Attention>(attention.encoding)
                .attend(Tensor({0, 2}), Tensor({1, 2}), Tensor({1, 3}), Tensor({0, 1})),
            Tensor({0, 3}));
}

// A third is no float: Python's double is rounded to the nearest one, whose 24 bits are 0xaaaaab.
TEST(PythonSubject, numbers_of_python_are_rounded_to_the_declared_format) {
  const auto thirds = [&](const std::string& dtype) {
    const Subject subject = open(sdk("shapes " + dtype + " thirds"), expected(Table{.dim = 1}, "dim=1"));
    return testing::rows(subject, {0}, 1);  // (0 + 1) / 3
  };
  EXPECT_EQ(thirds("f32"), Tensor({1, 1}, {0x1.555556p-2}));
  EXPECT_EQ(thirds("f64"), Tensor({1, 1}, {0x1.5555555555555p-2}));
  EXPECT_EQ(thirds("f16"), Tensor({1, 1}, {0x1.554p-2}));
}

TEST(PythonSubject, a_list_or_a_batch_that_is_no_answer_to_one_row_is_refused) {
  const auto says = [&](const std::string& form) {
    const std::string words = sdk("shapes f32 " + form);
    const Subject subject = open(words, expected(Bias{.heads = 1}));
    return thrown<Failure>(words, [&] { as<Bias>(subject.encoding).bias(two, two); });
  };
  const std::string asked = ": bias(queries [2], keys [2]): ";
  EXPECT_EQ(says("batch_of_two"),
            asked +
                "answers shape [2, 1, 2, 2], which has a batch of 2 rows; one was asked for, so that "
                "the answer has no batch or one of 1");
  EXPECT_EQ(says("too_large"), asked + "answers 1e+39, which f32 does not hold");
  EXPECT_EQ(says("two_formats"),
            asked + "returns a list of arrays of the formats f32, f64; those of one array are alike");
  EXPECT_EQ(says("two_shapes"),
            asked + "returns a list of arrays of the shapes [2, 2], [1, 2]; those of one array are alike");
  EXPECT_EQ(says("ragged"),
            asked + "returns a list of arrays of the shapes [1], [2]; those of one array are alike");
  EXPECT_EQ(says("pair"), asked + "returns a tuple that holds a NoneType; one array is asked for");
  EXPECT_EQ(says("flags"), asked + "returns a list that holds a bool; one array is asked for");
  EXPECT_EQ(says("wide_arrays"), asked + "answers f64; declared f32");
}

TEST(PythonSubject, torch_functions_may_change_what_they_were_given_where_they_say_so) {
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "the Python that was found cannot import torch";
  const std::string what =
      thrown(sdk("torch_changing bfloat16"), [&] { answer(opened("torch_changing bfloat16"), 0); });
  EXPECT_NE(what.find("rotate() changed `x`"), std::string::npos) << what;
  EXPECT_EQ(answer(opened("torch_in_place bfloat16"), 0), Tensor({1, 1, 1, 2}, {2, 4}));
}

// Calling a module says nothing of its parameters, and what was compiled has no signature: neither is given a
// role that it does not take.
TEST(PythonSubject, torch_modules_are_functions) {
  if (!POSPROOF_PYTHON_HAS_TORCH) GTEST_SKIP() << "the Python that was found cannot import torch";
  for (const std::string form : {"module", "scripted", "traced", "with_role", "with_role_scripted"}) {
    const Subject subject = opened("torch_module f32 " + form);
    EXPECT_EQ(answer(subject, 3), Tensor({1, 1, 1, 2}, {2, 4})) << form;
    EXPECT_EQ(rotated(subject, Tensor({1, 1, 1, 2}, {1, 2}), Role::key).at(0, 0),
              form.starts_with("with_role") ? 1 : 2)
        << form;
  }
}

}  // namespace
}  // namespace posproof::sdk_answers_test
