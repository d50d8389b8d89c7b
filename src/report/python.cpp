#include "report/python.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "run/packed.h"

namespace posproof::report::python {
namespace {

constexpr std::size_t shortest_run = 4;

bool is_whole(double value) {
  return std::isfinite(value) && value == std::trunc(value) && std::abs(value) < 0x1p53;
}

// How many values from `at` on go on in equal steps.
std::size_t run_from(std::span<const double> values, std::size_t at) {
  std::size_t end = std::min(at + 2, values.size());
  while (end < values.size() && values[end] - values[end - 1] == values[at + 1] - values[at]) ++end;
  const bool equal = end - at < 2 || values[at] == values[at + 1];
  const bool whole = std::all_of(values.begin() + static_cast<std::ptrdiff_t>(at),
                                 values.begin() + static_cast<std::ptrdiff_t>(end), is_whole);
  return equal || whole ? end - at : 1;
}

std::string run(double first, double step, std::size_t size) {
  if (step == 0) return fmt::format("[{}] * {}", number(first), size);
  const double end = first + step * static_cast<double>(size);
  const std::string by = step == 1 ? "" : fmt::format(", {}", number(step));
  return fmt::format("list(range({}, {}{}))", number(first), number(end), by);
}

// By which each row is a multiple of one of them, and that one.
struct Multiples {
  std::vector<double> factors;
  std::span<const double> row;
};

std::optional<Multiples> multiples(const Tensor& x) {
  Multiples out;
  std::size_t column = 0;
  for (std::size_t r = 0; r < x.rows() && out.row.empty(); ++r)
    for (std::size_t c = 0; c < x.width() && out.row.empty(); ++c)
      if (x.at(r, c) != 0) out.row = x.row(r), column = c;
  if (out.row.empty()) return std::nullopt;
  for (std::size_t r = 0; r < x.rows(); ++r) {
    out.factors.push_back(x.at(r, column) / out.row[column]);
    for (std::size_t c = 0; c < x.width(); ++c)
      if (x.at(r, c) != out.factors.back() * out.row[c]) return std::nullopt;
  }
  return out;
}

// Factors come in turns of seven: core/call_draw.cpp.
std::string factors(const std::vector<double>& all) {
  constexpr std::size_t turn = 7;
  for (std::size_t n = turn; n < all.size(); ++n)
    if (all[n] != all[n % turn]) return list(all);
  if (all.size() <= turn) return list(all);
  return fmt::format("({} * {})[:{}]", list(std::span(all).first(turn)), (all.size() + turn - 1) / turn,
                     all.size());
}

std::string index(std::size_t at, const Shape& shape) {
  std::vector<std::size_t> out;
  for (std::size_t axis = shape.size(); axis-- > 0; at /= shape[axis])
    out.insert(out.begin(), at % shape[axis]);
  return fmt::format("{}", fmt::join(out, ", "));
}

bool is_causal(const Tensor& mask) {
  for (std::size_t r = 0; r < mask.rows(); ++r)
    for (std::size_t c = 0; c < mask.width(); ++c)
      if ((mask.at(r, c) != 0) != (c <= r)) return false;
  return mask.rows() == mask.width();
}

}  // namespace

std::string number(double value) {
  if (!std::isfinite(value)) return fmt::format("float(\"{}\")", value);
  if (is_whole(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value == 0 ? 0.0 : value);
  return fmt::format("{}", value);
}

std::string tuple(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string list(std::span<const double> values) {
  std::vector<std::string> parts, single;
  const auto finish = [&] {
    if (!single.empty()) parts.push_back(fmt::format("[{}]", fmt::join(single, ", ")));
    single.clear();
  };
  for (std::size_t at = 0; at < values.size();) {
    const std::size_t size = run_from(values, at);
    if (size < shortest_run) {
      single.push_back(number(values[at++]));
      continue;
    }
    finish();
    parts.push_back(run(values[at], values[at + 1] - values[at], size));
    at += size;
  }
  finish();
  return parts.empty() ? "[]" : fmt::format("{}", fmt::join(parts, " + "));
}

Library::Library(const Precision& precision)
    : input_(format_of(precision.input())),
      result_(format_of(precision.result)),
      torch_(input_ == Format::bf16 || result_ == Format::bf16) {}

std::string Library::import() const {
  return torch_ ? "import torch" : "import numpy as np";
}

std::string Library::of(Format format) const {
  static constexpr std::array<std::string_view, 4> names = {"float64", "float32", "bfloat16", "float16"};
  return fmt::format("{}.{}", torch_ ? "torch" : "np", names.at(static_cast<std::size_t>(format)));
}

std::string Library::result() const {
  return of(result_);
}

std::string Library::type(Kind kind) const {
  if (kind == Kind::content) return of(input_);
  return fmt::format("{}.{}", torch_ ? "torch" : "np",
                     kind == Kind::whole ? "int64"
                     : torch_            ? "bool"
                                         : "bool_");
}

// `flat`: the values are one list.
std::string Library::made(std::string_view values, const Argument& argument, bool flat) const {
  const Shape& shape = argument.values.shape;
  std::string out = fmt::format("{}({}, {}{})", torch_ ? "torch.tensor" : "np.array", values,
                                torch_ ? "dtype=" : "", type(argument.kind));
  if (!flat || shape.size() != 1) out += fmt::format(".reshape({})", fmt::join(shape, ", "));
  return out;
}

std::string Library::zeros(const Argument& argument) const {
  return fmt::format("{}.zeros({}, {}{})", torch_ ? "torch" : "np", tuple(argument.values.shape),
                     torch_ ? "dtype=" : "", type(argument.kind));
}

std::string Library::array(const Argument& argument) const {
  const Tensor& x = argument.values;
  if (argument.kind == Kind::flag && x.rows() > 1 && is_causal(x))
    return torch_ ? fmt::format("torch.ones({}, dtype=torch.bool).tril()", tuple(x.shape))
                  : fmt::format("np.tril(np.ones({}, np.bool_))", tuple(x.shape));
  if (std::ranges::all_of(x.data, [](double value) { return value == 0; }) && argument.kind == Kind::content)
    return zeros(argument);
  if (const auto rows = argument.kind == Kind::content && x.rows() > 1 ? multiples(x) : std::nullopt)
    return made(fmt::format("[[f * c for c in {}] for f in {}]", list(rows->row), factors(rows->factors)),
                argument, false);
  return made(list(x.data), argument, true);
}

std::vector<std::string> Library::statements(const Argument& argument, std::size_t contents) const {
  constexpr std::size_t short_enough = 8;
  const Tensor& x = argument.values;
  const std::size_t most = contents > 1 ? 1 : 4;
  const auto there =
      static_cast<std::size_t>(std::ranges::count_if(x.data, [](double value) { return value != 0; }));
  const bool filled = argument.kind == Kind::content && x.data.size() > short_enough && there <= most;
  if (!filled) return {fmt::format("{} = {}", argument.name, array(argument))};
  std::vector<std::string> out = {fmt::format("{} = {}", argument.name, zeros(argument))};
  for (std::size_t at = 0; at < x.data.size(); ++at)
    if (x.data[at] != 0)
      out.push_back(fmt::format("{}[{}] = {}", argument.name, index(at, x.shape), number(x.data[at])));
  return out;
}

std::string Library::given(std::string_view call) const {
  return fmt::format("{}({})", torch_ ? "torch.as_tensor" : "np.asarray", call);
}

std::string Library::copy(std::string_view array) const {
  return fmt::format("{}.{}()", array, torch_ ? "clone" : "copy");
}

std::string Library::doubled(std::string_view call) const {
  return torch_ ? given(call) + ".double()" : fmt::format("np.asarray({}, np.float64)", call);
}

}  // namespace posproof::report::python
