#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace posproof {

using Shape = std::vector<std::size_t>;

// How many values a shape holds. Throws std::length_error where the product does not fit.
std::size_t count(const Shape& shape);

// `[2, 3, 64]`, as error messages write it.
std::string text(const Shape& shape);

// A dense row-major array of doubles: what goes into an encoding and comes out of one. Every value of a
// narrower format (f32, bf16, f16) is exact in it.
struct Tensor {
  Shape shape;
  std::vector<double> data;

  Tensor() = default;
  explicit Tensor(Shape extents);
  Tensor(Shape extents, std::vector<double> values);  // throws std::length_error where the two disagree

  // Where the innermost axis is empty, so is every row, and there are none.
  std::size_t rows() const { return shape.empty() ? 1 : data.empty() ? 0 : data.size() / width(); }
  std::size_t width() const { return shape.empty() ? 1 : shape.back(); }

  // Row r of the array seen as a matrix whose rows are the innermost axis.
  std::span<double> row(std::size_t r) { return std::span(data).subspan(r * width(), width()); }
  std::span<const double> row(std::size_t r) const { return std::span(data).subspan(r * width(), width()); }

  double& at(std::size_t r, std::size_t c) { return data[r * width() + c]; }
  double at(std::size_t r, std::size_t c) const { return data[r * width() + c]; }

  bool operator==(const Tensor&) const = default;
};

// Columns in another order, of which `order` holds all: column c of the result is column order[c] of x.
Tensor columns_in_order(const Tensor& x, std::span<const std::size_t> order);

}  // namespace posproof
