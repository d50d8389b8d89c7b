// Files that hold the table of a grid: which row is of which place, and what is refused.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "subject/testing/npy.h"
#include "subject/testing/subjects.h"

namespace posproof::grid_file_test {
namespace {

Table on_a_grid(std::size_t axes, std::size_t dim) {
  Table table{.dim = dim};
  table.positions.hard = {1, 100};
  table.positions.axes = axes;
  return table;
}

// Entry after entry 1, 2, 3, .. behind so many zeros.
Tensor counted(const Shape& shape, std::size_t zeros = 0) {
  Tensor values(shape);
  std::iota(values.data.begin() + static_cast<std::ptrdiff_t>(zeros), values.data.end(), 1.0);
  return values;
}

Subject opened(const Tensor& values, std::size_t axes, const std::string& parameters) {
  const testing::Written file("grid.npy", values, true);
  Expected expected = testing::expected(on_a_grid(axes, 2), parameters);
  expected.encoding = "sincos_2d";
  return open(file.subject(), expected);
}

std::vector<double> row(const Subject& subject, const std::vector<Position>& place) {
  return as<Table>(subject.encoding).rows({place, place.size()}, 1).data;
}

// What is refused, behind the name of the file.
std::string refused(const Tensor& values, std::size_t axes, const std::string& parameters) {
  try {
    opened(values, axes, parameters);
  } catch (const std::exception& error) {
    const std::string what = error.what();
    return what.substr(what.find("npy: ") + 5);
  }
  return "not refused";
}

TEST(GridFile, says_its_grid_itself_or_is_told_it) {
  const struct {
    Shape shape;
    std::string parameters, description;
  } all[] = {
      {{3, 4, 2}, "grid=[16,16]", "[3, 4, 2] in F32, a grid of 3 x 4"},
      {{1, 3, 4, 2}, "grid=[16,16]", "[1, 3, 4, 2] in F32, a grid of 3 x 4"},
      {{12, 2}, "grid=[3,4]", "[12, 2] in F32, a grid of 3 x 4"},
      {{1, 12, 2}, "grid=[3,4]", "[1, 12, 2] in F32, a grid of 3 x 4"},
      {{12, 1, 2}, "grid=[3,4]", "[12, 1, 2] in F32, a grid of 3 x 4"},
  };
  for (const auto& [shape, parameters, description] : all) {
    const Subject subject = opened(counted(shape), 2, parameters);
    EXPECT_EQ(subject.description, description);
    EXPECT_EQ(row(subject, {0, 0}), (std::vector<double>{1, 2})) << description;
    EXPECT_EQ(row(subject, {0, 3}), (std::vector<double>{7, 8})) << description;
    EXPECT_EQ(row(subject, {1, 0}), (std::vector<double>{9, 10})) << description;
    EXPECT_EQ(row(subject, {2, 3}), (std::vector<double>{23, 24})) << description;
  }
  EXPECT_EQ(opened(counted({12, 1, 2}), 2, "grid=[12,1]").description, "[12, 1, 2] in F32, a grid of 12 x 1");
  EXPECT_EQ(opened(counted({1, 12, 2}), 2, "grid=[1,12]").description, "[1, 12, 2] in F32, a grid of 1 x 12");
  EXPECT_EQ(opened(counted({1, 3, 4, 2}), 3, "grid=[1,3,4]").description,
            "[1, 3, 4, 2] in F32, a grid of 1 x 3 x 4");
  const Subject images = opened(counted({2, 3, 4, 2}), 3, "grid=[2,3,4]"),
                flat = opened(counted({24, 2}), 3, "grid=[2,3,4]"),
                batch = opened(counted({1, 24, 2}), 3, "grid=[2,3,4]");  // diffusers' of videos
  for (const Subject* subject : {&images, &flat, &batch})
    EXPECT_EQ(row(*subject, {1, 2, 0}), (std::vector<double>{41, 42}));
}

TEST(GridFile, ends_on_each_axis_where_its_grid_does) {
  for (const auto& [shape, hi] : {std::pair{Shape{3, 4, 2}, 3}, {Shape{5, 4, 2}, 4}}) {
    const Domain domain = positions_of(opened(counted(shape), 2, "grid=[16,16]").encoding);
    EXPECT_EQ(domain.hi, hi) << text(shape);
    EXPECT_EQ(domain.last(0), static_cast<Position>(shape[0]) - 1);
    EXPECT_EQ(domain.last(1), 3);
  }
}

// As a convolution has them: DETR adds [1, dim, rows, columns] to its features.
TEST(GridFile, may_have_its_channels_first) {
  for (const auto& [shape, parameters, description] : {
           std::tuple{Shape{2, 3, 4}, "grid=[16,16]", "[2, 3, 4], channels first, in F32, a grid of 3 x 4"},
           {{1, 2, 3, 4}, "grid=[16,16]", "[1, 2, 3, 4], channels first, in F32, a grid of 3 x 4"},
           {{2, 12}, "grid=[3,4]", "[2, 12], channels first, in F32, a grid of 3 x 4"},
       }) {
    const Subject subject = opened(counted(shape), 2, parameters);
    EXPECT_EQ(subject.description, description);
    EXPECT_EQ(row(subject, {0, 0}), (std::vector<double>{1, 13})) << description;
    EXPECT_EQ(row(subject, {1, 0}), (std::vector<double>{5, 17})) << description;
    EXPECT_EQ(row(subject, {2, 3}), (std::vector<double>{12, 24})) << description;
  }
  const Subject images = opened(counted({2, 2, 3, 4}), 3, "grid=[2,3,4]");
  EXPECT_EQ(images.description, "[2, 2, 3, 4], channels first, in F32, a grid of 2 x 3 x 4");
  EXPECT_EQ(row(images, {1, 0, 0}), (std::vector<double>{13, 37}));
  // Where the last axis is a row, it is one.
  EXPECT_EQ(opened(counted({2, 3, 2}), 2, "grid=[16,16]").description, "[2, 3, 2] in F32, a grid of 2 x 3");
}

TEST(GridFile, has_rows_of_zeros_for_class_tokens_before_the_grid_or_behind_it) {
  Tensor last = counted({13, 2});
  last.at(12, 0) = last.at(12, 1) = 0;
  const Subject one = opened(counted({13, 2}, 2), 2, "grid=[3,4]"),
                two = opened(counted({1, 14, 2}, 4), 2, "grid=[3,4]"), behind = opened(last, 2, "grid=[3,4]");
  EXPECT_EQ(one.description, "[13, 2] in F32, a grid of 3 x 4 behind a row of zeros");
  EXPECT_EQ(two.description, "[1, 14, 2] in F32, a grid of 3 x 4 behind 2 rows of zeros");
  EXPECT_EQ(behind.description, "[13, 2] in F32, a grid of 3 x 4 before a row of zeros");
  for (const Subject* subject : {&one, &two, &behind}) {
    EXPECT_EQ(row(*subject, {0, 0}), (std::vector<double>{1, 2}));
    EXPECT_EQ(row(*subject, {2, 3}), (std::vector<double>{23, 24}));
  }
  const std::string why =
      "it holds 13 rows, a grid of 3 x 4 has 12: neither before it nor behind it stand rows of class tokens, "
      "which hold zeros";
  EXPECT_EQ(refused(counted({13, 2}), 2, "grid=[3,4]"), why);
  EXPECT_EQ(refused(counted({13, 2}, 1), 2, "grid=[3,4]"), why) << "zero in its first number alone";
  EXPECT_EQ(refused(counted({14, 2}, 2), 2, "grid=[3,4]"),
            "it holds 14 rows, a grid of 3 x 4 has 12: neither before it nor behind it stand rows of class "
            "tokens, which hold zeros")
      << "zeros in the first of two rows alone";
}

// Llama 4's vision has its class token last, Perception Encoder first; where nothing is added to the numbers
// of a place, (0, 0) rotates nothing either.
TEST(GridFile, of_cosines_has_rows_without_a_rotation_for_class_tokens) {
  Rotary declared{.dim = 4,
                  .pairs = {{.first = 0, .second = 1, .frequency = 1},
                            {.first = 2, .second = 3, .frequency = 1, .axis = 1}}};
  declared.positions.axes = 2;
  Tensor ahead({7, 4}), last({7, 4}), neither({7, 4});
  for (Tensor* const of : {&ahead, &last, &neither})
    for (std::size_t r = 0; r < 7; ++r) {
      // Of six places 2 x 3: the sine says which.
      const double place = static_cast<double>(of == &ahead ? r : r + 1);
      const bool rotates = of == &neither || (of == &ahead ? r > 1 : r > 0 && r < 6);
      for (const std::size_t c : {std::size_t{0}, std::size_t{2}})
        of->at(r, c) = rotates ? 0.5 : 1, of->at(r, c + 1) = rotates ? place / 8 : 0;
    }
  const auto opened_as = [&](const Tensor& values, bool in_two) {
    const testing::Written one("grid_cos.npy", values, false);
    Expected expected = testing::expected(declared, "grid=[2,3]");
    if (!in_two) return open(one.subject(), expected);
    Tensor c({7, 2}), s({7, 2});
    for (std::size_t r = 0; r < 7; ++r)
      for (std::size_t n = 0; n < 2; ++n)
        c.at(r, n) = values.at(r, 2 * n), s.at(r, n) = values.at(r, 2 * n + 1);
    const testing::Written cosines("grid_c.npy", c, false), sines("grid_s.npy", s, false);
    return open(cosines.subject() + "," + sines.subject().substr(6), expected);
  };
  for (const bool in_two : {false, true}) {
    const std::string what = in_two ? "cosines and sines, each [7, 2] in F64" : "[7, 4] in F64";
    EXPECT_EQ(opened_as(ahead, in_two).description,
              what + ", a grid of 2 x 3 behind a row without a rotation");
    EXPECT_EQ(opened_as(last, in_two).description,
              what + ", a grid of 2 x 3 before a row without a rotation");
    for (const Tensor* const values : {&ahead, &last}) {
      const Subject subject = opened_as(*values, in_two);
      const auto& rotary = as<Rotary>(subject.encoding);
      const std::vector<Position> place = {1, 1};
      EXPECT_EQ(rotary.rotate(Tensor({1, 1, 1, 4}, {1, 0, 0, 0}), {place, 2}, Role::query).data,
                (std::vector<double>{0.5, 5.0 / 8, 0, 0}));
    }
    try {
      opened_as(neither, in_two);
      ADD_FAILURE() << what;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what())
                    .find("it holds 7 rows, a grid of 2 x 3 has 6: neither before it nor "
                          "behind it stand rows of class tokens, which rotate nothing"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(GridFile, is_defined_on_its_own_grid) {
  const Subject subject = opened(counted({3, 4, 2}), 2, "grid=[16,16]");
  const Domain& domain = positions_of(subject.encoding);
  EXPECT_EQ(domain.last_on_axis, (std::vector<Position>{2, 3}));
  EXPECT_EQ(domain.lo, 0);
  EXPECT_EQ(domain.hi, 3);
  EXPECT_EQ(domain.axes, 2u);
  EXPECT_TRUE(domain.ends);
  EXPECT_EQ(domain.hard, (std::vector<Position>{1}));
  EXPECT_FALSE(subject.live);
  EXPECT_FALSE(subject.stored.has_value());
  EXPECT_EQ(subject.precision.word(), "f32");
  for (const std::vector<Position>& place : {std::vector<Position>{3, 0}, {0, 4}, {-1, 0}})
    EXPECT_THROW(row(subject, place), Refusal);
  try {
    row(subject, {0, 4});
  } catch (const Refusal& refusal) {
    const std::string what = refusal.what();
    EXPECT_EQ(what.substr(what.find("npy") + 4), "is of a grid of 3 x 4; number 4 of axis 1 was asked for");
  }
}

TEST(GridFile, is_refused_where_its_grid_is_not_known) {
  EXPECT_EQ(
      refused(counted({12, 2}), 2, "grid=[16,16]"),
      "it holds 12 rows, the grid of `sincos_2d` with grid=[16,16] has 256 places: `grid` is to say how many rows and columns");
  EXPECT_EQ(
      refused(counted({12, 2}), 2, "dim=2"),
      "it holds 12 rows, the grid of `sincos_2d` with dim=2 has none: `grid` is to say how many rows and columns");
  EXPECT_EQ(refused(counted({2, 3, 4, 5, 2}), 2, "grid=[3,4]"),
            "[2, 3, 4, 5, 2] is neither [rows, columns, dim], a table of a grid, nor [places, dim]");
  EXPECT_EQ(refused(counted({12, 2}), 3, "grid=[3,4]").substr(0, 15), "it holds 12 row");
  EXPECT_EQ(refused(counted({4, 3, 2}), 3, "grid=[2,3,4]"),
            "[4, 3, 2] is neither [images, rows, columns, dim], a table of a grid, nor [places, dim]");
  EXPECT_EQ(refused(counted({12, 3}), 2, "grid=[3,4]"),
            "its rows are 3 wide, those of `sincos_2d` with grid=[3,4] are 2");
  EXPECT_EQ(refused(Tensor({0, 2}), 2, "grid=[3,4]"), "[0, 2] holds no value");
}

// Swin's own array: all tokens of a window of 2 rows and 3 columns with each other, row by row.
TEST(GridFile, a_bias_of_a_window_is_asked_by_row_and_column) {
  Bias declared{.heads = 2};
  declared.positions.axes = 2, declared.positions.hi = 2, declared.positions.last_on_axis = {1, 2};
  const auto held = [&](const Shape& shape) {
    return open(testing::Written("window.npy", counted(shape), true).subject(),
                testing::expected(declared, "heads=2"));
  };
  const testing::Written file("window.npy", counted({2, 6, 6}), true);
  const Subject subject = open(file.subject(), testing::expected(declared, "heads=2"));
  const auto& bias = as<Bias>(subject.encoding);
  const std::vector<Position> query = {1, 0}, keys = {0, 2, 1, 2}, outside = {0, 3}, below = {2, 0},
                              above = {-1, 0};
  EXPECT_EQ(bias.bias({query, 2}, {keys, 2}).data, (std::vector<double>{21, 24, 57, 60}));
  EXPECT_EQ(bias.bias({keys, 2}, {query, 2}).data, (std::vector<double>{16, 34, 52, 70}));
  EXPECT_THROW(bias.bias({query, 2}, {outside, 2}), Refusal);
  EXPECT_THROW(bias.bias({below, 2}, {query, 2}), Refusal);
  EXPECT_THROW(bias.bias({above, 2}, {query, 2}), Refusal);
  EXPECT_TRUE(bias.positions.ends);
  EXPECT_EQ(bias.positions.last_on_axis, (std::vector<Position>{1, 2}));
  for (const Shape& shape : {Shape{2, 6, 5}, Shape{2, 5, 6}}) {
    try {
      held(shape);
      ADD_FAILURE() << text(shape);
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("the window has 6 tokens, row by row"), std::string::npos)
          << error.what();
    }
  }
}

// BEiT's own array: the class token before all others.
TEST(GridFile, a_bias_of_a_window_with_a_class_token_has_it_first) {
  Bias declared{.heads = 1};
  declared.positions.axes = 2, declared.positions.hi = 2, declared.positions.last_on_axis = {1, 2};
  declared.positions.lo = -1;
  const testing::Written file("window.npy", counted({1, 7, 7}), true);
  const Subject subject = open(file.subject(), testing::expected(declared, "heads=1"));
  const auto& bias = as<Bias>(subject.encoding);
  const std::vector<Position> tokens = {-1, -1, 0, 0, 1, 2};
  EXPECT_EQ(bias.bias({tokens, 2}, {tokens, 2}).data, (std::vector<double>{1, 2, 7, 8, 9, 14, 43, 44, 49}));
  // One negative number is enough.
  const std::vector<Position> classes = {-1, 2, 0, -1, 0, 1};
  EXPECT_EQ(bias.bias({classes, 2}, {classes, 2}).data, (std::vector<double>{1, 1, 3, 1, 1, 3, 15, 15, 17}));
  const testing::Written without("window.npy", counted({1, 6, 6}), true);
  EXPECT_THROW(open(without.subject(), testing::expected(declared, "heads=1")), std::invalid_argument);
}

TEST(GridFile, a_bias_of_a_line_has_as_many_queries_as_keys) {
  const auto opened_as = [](const Shape& shape) {
    const testing::Written file("line.npy", counted(shape), true);
    return as<Bias>(open(file.subject(), testing::expected(Bias{.heads = 1}, "heads=1")).encoding);
  };
  const std::vector<Position> two = {2}, three = {3}, one = {1}, zero = {0};
  const Bias square = opened_as({1, 3, 3});
  EXPECT_EQ(square.bias(two, one).data, (std::vector<double>{8}));
  EXPECT_THROW(square.bias(three, zero), Refusal);
  EXPECT_THROW(square.bias(zero, three), Refusal);
  EXPECT_THROW(opened_as({1, 3, 5}), std::invalid_argument);
  EXPECT_THROW(opened_as({1, 5, 3}), std::invalid_argument);
}

}  // namespace
}  // namespace posproof::grid_file_test
