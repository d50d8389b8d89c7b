#include "subject/array_slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "core/function.h"
#include "subject/subject.h"
#include "subject/words.h"

namespace posproof {
namespace {

// Of one axis: `count` numbers from `first` on in steps of `step`; one that is `dropped` is no axis of the
// slice.
struct Selected {
  std::size_t first = 0, step = 1, count = 0;
  bool dropped = false;
};

class IndexParser {
 public:
  IndexParser(const Array& array, const Shape& shape, std::string_view text)
      : array_(array), shape_(shape), text_(text) {}

  std::vector<Selected> parse() const {
    std::vector<std::string> items;
    for (const char c : text_.substr(1, text_.size() - 2)) {
      if (items.empty()) items.emplace_back();
      if (c == ',')
        items.emplace_back();
      else if (c != ' ')
        items.back() += c;
    }
    const std::size_t dots = static_cast<std::size_t>(std::ranges::count(items, "..."));
    if (items.empty() || dots > 1 || items.size() - dots > shape_.size()) refuse();
    std::vector<Selected> out;
    for (const std::string& item : items)
      if (item == "...")
        for (std::size_t left = shape_.size() + 1 - items.size(); left > 0; --left) whole(out);
      else
        out.push_back(of(item, shape_[out.size()]));
    while (out.size() < shape_.size()) whole(out);
    return out;
  }

 private:
  [[noreturn]] void refuse() const {
    throw SubjectError(
        fmt::format("{}: `{}` is no index of {}; allowed: for each axis `:`, `FIRST:END`, `FIRST:END:STEP` "
                    "with a step of 1 and more, or a number, and once `...`",
                    array_.path, printable(text_, 60), text(shape_)));
  }

  void whole(std::vector<Selected>& out) const { out.push_back({0, 1, shape_[out.size()], false}); }

  std::optional<long long> number(std::string_view text) const {
    if (text.empty()) return std::nullopt;
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) refuse();
    return value;
  }

  Selected of(std::string_view item, std::size_t extent) const {
    const auto length = static_cast<long long>(extent);
    const auto colon = item.find(':');
    if (colon == std::string_view::npos) {
      const auto at = number(item);
      if (!at) refuse();
      if (*at < -length || *at >= length)
        throw SubjectError(fmt::format("{}: number {} of an axis of {} was asked for; allowed: {} to {}",
                                       array_.path, *at, extent, -length, length - 1));
      return {static_cast<std::size_t>(*at < 0 ? *at + length : *at), 1, 1, true};
    }
    const auto second = item.find(':', colon + 1);
    const bool stepped = second != std::string_view::npos;
    const auto within = [length](long long at) { return std::clamp(at < 0 ? at + length : at, 0LL, length); };
    const long long first = within(number(item.substr(0, colon)).value_or(0)),
                    end = within(number(item.substr(colon + 1, stepped ? second - colon - 1 : second))
                                     .value_or(length)),
                    step = stepped ? number(item.substr(second + 1)).value_or(1) : 1;
    if (step < 1) refuse();
    const long long count = end <= first ? 0 : (end - first - 1) / step + 1;
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(step), static_cast<std::size_t>(count),
            false};
  }

  const Array& array_;
  const Shape& shape_;
  std::string_view text_;
};

// Steps of more bytes than that lead over others that need not be read.
constexpr std::size_t near_step = 64;

// The numbers of a slice one after the other, those of its last axis in equal steps of the array.
struct Gathered {
  Function<void(std::size_t, std::span<std::byte>)> read;  // of the array
  std::size_t each;                                        // bytes of a number
  std::size_t origin;                                      // of the first
  Shape counts;                                            // of the slice's axes, one at least
  std::vector<std::size_t> steps;                          // of the array's numbers, for each axis

  std::size_t place(std::size_t number) const {
    std::size_t at = origin;
    for (std::size_t axis = counts.size(); axis-- > 0; number /= counts[axis])
      at += number % counts[axis] * steps[axis];
    return at;
  }

  void operator()(std::size_t at, std::span<std::byte> to) const {
    std::vector<std::byte> span;
    for (std::size_t number = at / each, left = to.size() / each; left > 0;) {
      const std::size_t run = std::min(left, counts.back() - number % counts.back());
      std::byte* const out = to.data() + (to.size() - left * each);
      if (steps.back() == 1) {
        read(place(number) * each, {out, run * each});
      } else if (steps.back() * each > near_step) {
        for (std::size_t n = 0; n < run; ++n)
          read((place(number) + n * steps.back()) * each, {out + n * each, each});
      } else {
        span.resize(((run - 1) * steps.back() + 1) * each);
        read(place(number) * each, span);
        for (std::size_t n = 0; n < run; ++n)
          std::memcpy(out + n * each, span.data() + n * steps.back() * each, each);
      }
      number += run;
      left -= run;
    }
  }
};

// How far apart neighbours on each axis stand, in numbers.
std::vector<std::size_t> steps_of(const Shape& shape) {
  std::vector<std::size_t> out(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) out[axis - 1] = out[axis] * shape[axis];
  return out;
}

}  // namespace

IndexedFile indexed_file(std::string_view words) {
  const auto open = words.rfind('[');
  std::error_code none;
  if (open == std::string_view::npos || !words.ends_with(']') || std::filesystem::exists(words, none))
    return {std::string(words), ""};
  return {std::string(words.substr(0, open)), std::string(words.substr(open))};
}

Array sliced(Array array, std::string_view indices) {
  // A complex number is one, though the shape has its two parts.
  const std::size_t parts = array.complex ? 2 : 1;
  Shape shape = array.shape;
  if (array.complex) shape.back() /= parts;
  const std::vector<Selected> selected = IndexParser(array, shape, indices).parse();
  Gathered gathered{array.read, parts * bytes(array.format), 0, {}, {}};
  const std::vector<std::size_t> steps = steps_of(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Selected& one = selected[axis];
    gathered.origin += one.first * steps[axis];
    if (one.dropped) continue;
    gathered.counts.push_back(one.count);
    gathered.steps.push_back(one.step * steps[axis]);
  }
  if (gathered.counts.empty())
    throw SubjectError(fmt::format("{}: `{}` is one number of {}, and no row", array.path,
                                   printable(indices, 60), text(shape)));
  if (array.positions && (selected.front().dropped || selected.front().step != 1)) array.positions.reset();
  if (array.positions) {
    array.positions->first += static_cast<Position>(selected.front().first);
    array.positions->second = array.positions->first + static_cast<Position>(selected.front().count) - 1;
  }
  array.path += indices;
  array.shape = gathered.counts;
  array.shape.back() *= parts;
  array.read = std::move(gathered);
  return array;
}

Array with_axis_at(Array array, std::size_t from, std::size_t to) {
  Gathered gathered{array.read, bytes(array.format), 0, array.shape, steps_of(array.shape)};
  const auto move = [&](auto& of_axes) {
    const auto moved = of_axes[from];
    of_axes.erase(of_axes.begin() + static_cast<std::ptrdiff_t>(from));
    of_axes.insert(of_axes.begin() + static_cast<std::ptrdiff_t>(to), moved);
  };
  move(gathered.counts);
  move(gathered.steps);
  array.shape = gathered.counts;
  array.positions.reset();
  array.read = std::move(gathered);
  return array;
}

}  // namespace posproof
