#include "catalogue/misreadings/decomposed_relative.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/function.h"
#include "encodings/decomposed.h"
#include "misreadings/testing/formulas.h"
#include "run/catalogued.h"

namespace posproof::misreadings_decomposed_relative_test {
namespace {

using inside::dot, inside::Real;

// By axes: the sign of the offset, and whether the key meets the row.
struct Read {
  std::array<int, 3> sign = {1, 1, 1};
  std::array<bool, 3> by_key = {false, false, false};
  std::array<int, 3> times = {1, 1, 1};
  std::array<bool, 3> by_root = {false, false, false};  // divided by sqrt(dim)
  std::array<bool, 3> clipped = {false, false, false};
  Real parts = 1;                         // what the sum over the axes is divided by
  bool aligned = false;                   // first and last rows of a longer table stay
  std::array<int, 3> before = {0, 0, 0};  // rows before the right one, those of the end before the first
};
using Formula = Function<Read(std::size_t axes)>;

const testing::Formulas<Formula> formulas = {
    {"the offsets of the first axis are read in the other direction",
     [](std::size_t) {
       return Read{.sign = {-1, 1, 1}};
     }},
    {"the offsets of the last axis are read in the other direction",
     [](std::size_t axes) {
       return Read{.sign = {1, axes == 2 ? -1 : 1, -1}};
     }},
    {"the rows of the first axis are multiplied with the key, not with the query",
     [](std::size_t) {
       return Read{.by_key = {true, false, false}};
     }},
    {"the rows of the last axis are multiplied with the key, not with the query",
     [](std::size_t axes) {
       return Read{.by_key = {false, axes == 2, true}};
     }},
    {"the rows of the first and of the last axis are multiplied with the key, not with the query",
     [](std::size_t axes) {
       return Read{.by_key = {true, axes == 2, true}};
     }},
    {"the query is scaled by 1/sqrt(dim) for the first axis, not for the others",
     [](std::size_t) {
       return Read{.by_root = {true, false, false}};
     }},
    {"the query is scaled by 1/sqrt(dim) for the last axis, not for the others",
     [](std::size_t axes) {
       return Read{.by_root = {false, axes == 2, true}};
     }},
    {"the product of the first axis is left out",
     [](std::size_t) {
       return Read{.times = {0, 1, 1}};
     }},
    {"the product of the last axis is left out",
     [](std::size_t axes) {
       return Read{.times = {1, axes == 2 ? 0 : 1, 0}};
     }},
    {"the largest offset of the first axis counts as the one before, in either direction",
     [](std::size_t) {
       return Read{.clipped = {true, false, false}};
     }},
    {"the largest offset of the last axis counts as the one before, in either direction",
     [](std::size_t axes) {
       return Read{.clipped = {false, axes == 2, true}};
     }},
    {"the products of the axes are averaged, not added up",
     [](std::size_t axes) { return Read{.parts = Real(axes)}; }},
    {"the first axis reads the row before, below 0 the last one",
     [](std::size_t) {
       return Read{.before = {1, 0, 0}};
     }},
    {"the last axis reads the row before, below 0 the last one",
     [](std::size_t axes) {
       return Read{.before = {0, axes == 2 ? 1 : 0, 1}};
     }},
    {"the first axis reads rows 2 before, below 0 those from the end",
     [](std::size_t) {
       return Read{.before = {2, 0, 0}};
     }},
    {"the last axis reads rows 2 before, below 0 those from the end",
     [](std::size_t axes) {
       return Read{.before = {0, axes == 2 ? 2 : 0, 2}};
     }},
    {"the first axis reads rows 3 before, below 0 those from the end",
     [](std::size_t) {
       return Read{.before = {3, 0, 0}};
     }},
    {"the last axis reads rows 3 before, below 0 those from the end",
     [](std::size_t axes) {
       return Read{.before = {0, axes == 2 ? 3 : 0, 3}};
     }},
    {"the tables are interpolated with align_corners: their first and last rows stay as they are",
     [](std::size_t) { return Read{.aligned = true}; }},
};

// Row n of `rows` of an axis, from a table of one that begins at `begin`: the table itself, or one that is
// stretched until both ends meet.
std::vector<Real> row_of(const Tensor& table, std::size_t begin, std::size_t trained, std::size_t rows,
                         std::size_t n) {
  const Real at = Real(n) * Real(trained - 1) / Real(rows - 1), below = std::floor(at);
  const std::size_t first = begin + std::size_t(below), second = std::min(first + 1, begin + trained - 1);
  std::vector<Real> out;
  for (std::size_t c = 0; c < table.width(); ++c)
    out.push_back((below + 1 - at) * table.at(first, c) + (at - below) * table.at(second, c));
  return out;
}

TEST(MisreadDecomposedRelative, is_what_the_sentence_says) {
  testing::expect_formulas<Contextual>(
      "decomposed_relative", misreadings::decomposed_relative, formulas,
      {"grid=[5,3]", "grid=[5,3] relative=key_minus_query table_seed=2", "grid=[2,5,3]",
       "grid=[5,3] class_token=apart"},
      [](const Contextual& made, const Arguments& p, const Formula& formula, const std::string& where) {
        const std::vector<double>& grid = p.list("grid");
        const std::size_t axes = grid.size(), dim = p.width("dim");
        std::vector<Position> places;  // the first of each axis, the last, one between
        for (std::size_t axis = 0; axis < axes; ++axis) places.push_back(0);
        for (std::size_t axis = 0; axis < axes; ++axis) places.push_back(Position(grid[axis]) - 1);
        for (std::size_t axis = 0; axis < axes; ++axis) places.push_back(axis == 0 ? 1 : 2);
        if (p.is("class_token", "apart")) places[0] = -1;
        const Tensor q = inside::trained(3, dim, 11), k = inside::trained(3, dim, 12),
                     found = made.logits(q, k, Positions(places, axes), Positions(places, axes));
        const Read read = formula(axes);
        std::size_t rows = 0;
        const auto trained = [&](std::size_t axis) {
          return read.aligned ? std::size_t(p.list("table_rows")[axis]) : 2 * std::size_t(grid[axis]) - 1;
        };
        for (std::size_t axis = 0; axis < axes; ++axis) rows += trained(axis);
        const Tensor table = inside::trained(rows, dim, p.whole("table_seed"));
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j) {
            Real met = 0;
            std::size_t begin = 0;
            for (std::size_t axis = 0; axis < axes; ++axis) {
              const int most = int(grid[axis]) - (read.clipped[axis] ? 2 : 1);
              const int past = std::clamp(
                            read.sign[axis] * int(places[i * axes + axis] - places[j * axes + axis]), -most,
                            most),
                        middle = int(grid[axis]) - 1;
              int at = p.is("relative", "query_minus_key") ? middle + past : middle - past;
              at -= read.before[axis];
              if (at < 0) at += 2 * int(grid[axis]) - 1;
              const auto row =
                  row_of(table, begin, trained(axis), 2 * std::size_t(grid[axis]) - 1, std::size_t(at));
              const Real product = dot(read.by_key[axis] ? k.row(j) : q.row(i), row);
              met += read.times[axis] * (read.by_root[axis] ? product / inside::root(dim) : product);
              begin += trained(axis);
            }
            met /= read.parts;
            if (p.is("query", "scaled")) met /= inside::root(dim);
            if (p.is("class_token", "apart") && (i == 0 || j == 0)) met = 0;
            testing::expect_same(found.at(i, j), dot(q.row(i), k.row(j)) / inside::root(dim) + met, where);
          }
      });
}

TEST(MisreadDecomposedRelative, scales_no_query_that_is_scaled) {
  for (const Misreading& one : misreadings::decomposed_relative.misreadings)
    if (one.what.starts_with("the query is scaled")) {
      EXPECT_THROW(one.make(with(encoding_named("decomposed_relative"), Case::parse("dim=4 query=scaled"))),
                   Refusal);
    } else if (one.what.find("interpolated") == one.what.npos) {
      EXPECT_NO_THROW(
          one.make(with(encoding_named("decomposed_relative"), Case::parse("dim=4 query=scaled"))));
    }
}

TEST(MisreadDecomposedRelative, interpolates_no_table_that_fits) {
  for (const Misreading& one : misreadings::decomposed_relative.misreadings)
    if (one.what.find("interpolated") != one.what.npos) {
      EXPECT_THROW(one.make(with(encoding_named("decomposed_relative"), Case::parse("dim=4"))), Refusal);
    }
}

}  // namespace
}  // namespace posproof::misreadings_decomposed_relative_test
