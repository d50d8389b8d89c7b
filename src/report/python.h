#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats.h"
#include "core/precision.h"
#include "core/tensor.h"

// Numbers and arrays as Python writes them.
namespace posproof::report::python {

// Reads back to the same bits: `0.25`, `1`, `float("nan")`.
std::string number(double value);
std::string tuple(const Shape& shape);  // `(1, 2, 64)`, `(4,)`

// Runs and steps are not written out: `[0] * 33 + [1] + list(range(0, 40, 2))`.
std::string list(std::span<const double> values);

enum class Kind { content, whole, flag };

// Of a call: an array under a name, or a word.
struct Argument {
  std::string name;
  Tensor values = {};
  Kind kind = Kind::content;
  std::string word = {};
};

// numpy, or PyTorch where the contents or the answer are in bf16, which numpy has not.
class Library {
 public:
  explicit Library(const Precision& precision);

  std::string import() const;
  std::string array(const Argument& argument) const;  // in one expression
  // Statements that make it under its name; of several contents each has two at most.
  std::vector<std::string> statements(const Argument& argument, std::size_t contents) const;
  // What a call gives, as an array of its own format, and in double.
  std::string given(std::string_view call) const;
  std::string doubled(std::string_view call) const;
  std::string copy(std::string_view array) const;
  std::string result() const;  // `np.float32`

 private:
  std::string type(Kind kind) const;
  std::string of(Format format) const;
  std::string made(std::string_view values, const Argument& argument, bool flat) const;
  std::string zeros(const Argument& argument) const;

  Format input_, result_;
  bool torch_;
};

}  // namespace posproof::report::python
