#include "subject/table_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "subject/array_file.h"
#include "subject/array_slice.h"
#include "subject/dtype.h"
#include "subject/grid_of_a_file.h"
#include "subject/kinds.h"
#include "subject/recent_rows.h"

namespace posproof {
namespace {

using Held = std::shared_ptr<const Array>;

// Row number of a position in a file that has `count` of them, from position `lo` on.
std::size_t place(const Array& array, Position t, Position lo, std::size_t count) {
  if (t < lo) throw Refusal(fmt::format("{} begins at position {}; {} was asked for", array.path, lo, t));
  const auto row = static_cast<std::size_t>(t - lo);
  if (row >= count)
    throw Refusal(fmt::format("{} ends at position {}; {} was asked for", array.path,
                              lo + static_cast<Position>(count) - 1, t));
  return row;
}

// A file that does not say so itself begins at position 0; one with a row for each position that is tested of
// an encoding with negative ones, at the first of these.
Domain held(const Array& array, const Domain& declared, std::size_t count) {
  const bool all = declared.hi - declared.lo + 1 == static_cast<Position>(count);
  const Position first =
      array.first(count, all || declared.ends ? declared.lo : std::max<Position>(declared.lo, 0));
  Domain domain(first, first + static_cast<Position>(count) - 1);
  domain.ends = true;
  return within(domain, declared);
}

// Whether the rows depend on the length of the sequence, as those of a normalised index do: a file holds
// those of one length, as many as it has rows.
bool depends_on_length(const Table& declared, std::size_t count) {
  if (!declared.rows || count < 2) return false;
  const Position second = declared.positions.lo + 1, length = static_cast<Position>(count);
  try {
    return declared.rows({&second, 1}, length) != declared.rows({&second, 1}, 2 * length);
  } catch (const Refusal&) {
    return false;
  }
}

Encoding as_table(const Held& array, Table table, const Expected& expected) {
  const Shape& shape = array->shape;
  if (shape[1] != table.dim)
    throw std::invalid_argument(fmt::format("{}: its rows are {} wide, those of `{}` with {} are {}",
                                            array->path, shape[1], expected.encoding,
                                            expected.parameters.text(), table.dim));
  const auto count = static_cast<Position>(shape[0]);
  const bool one_length = depends_on_length(table, shape[0]);
  table.positions = held(*array, table.positions, shape[0]);
  table.rows = [kept = std::make_shared<const RecentRows>(*array), one_length, count,
                lo = table.positions.lo](Positions positions, Position length) {
    const Array& array = kept->array();
    if (one_length && length != count)
      throw Refusal(fmt::format("{} holds a sequence of {} tokens; one of {} was asked for", array.path,
                                count, length));
    Tensor rows({positions.size(), array.width()});
    for (std::size_t r = 0; r < positions.size(); ++r)
      kept->row(place(array, positions[r], lo, array.shape[0]), rows.row(r));
    return rows;
  };
  return table;
}

// A class token, whose numbers are negative, stands before those of a window on a grid that has one.
bool has_class_token(const Domain& domain) {
  return domain.lo < 0;
}

// The rows and columns of a bias for the tokens of a window, row by row of it; of a line one after the other.
std::vector<std::size_t> places(const Array& array, const Positions& positions, const Domain& domain,
                                std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t token = 0; token < positions.size(); ++token) {
    if (domain.axes == 1) {
      out.push_back(place(array, positions[token], domain.lo, count));
      continue;
    }
    const auto numbers = positions.flat().subspan(token * domain.axes, domain.axes);
    if (has_class_token(domain) && std::ranges::min(numbers) < 0) {
      out.push_back(0);
      continue;
    }
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < domain.axes; ++axis) {
      const Position t = numbers[axis];
      if (t < 0 || t > domain.last(axis))
        throw Refusal(fmt::format("{} is of a window that ends at {} on axis {}; {} was asked for",
                                  array.path, domain.last(axis), axis, t));
      at = at * static_cast<std::size_t>(domain.last(axis) + 1) + static_cast<std::size_t>(t);
    }
    out.push_back(at + (has_class_token(domain) ? 1 : 0));
  }
  return out;
}

// Of a declared window on a grid, which the file holds for all its tokens.
Domain window(const Array& array, Domain declared) {
  Position tokens = 1;
  for (std::size_t axis = 0; axis < declared.axes; ++axis) tokens *= declared.last(axis) + 1;
  if (has_class_token(declared)) ++tokens;
  const auto extent = static_cast<std::size_t>(tokens);
  if (array.shape[1] != extent || array.shape[2] != extent)
    throw std::invalid_argument(
        fmt::format("{}: {} holds biases of {} queries and {} keys; the window has {} "
                    "tokens, row by row",
                    array.path, text(array.shape), array.shape[1], array.shape[2], tokens));
  declared.ends = true;
  return declared;
}

Encoding as_bias(const Held& array, Bias bias, const Expected& expected) {
  const Shape& shape = array->shape;
  if (shape[0] != bias.heads)
    throw std::invalid_argument(fmt::format("{}: has {} heads, `{}` with {} has {}", array->path, shape[0],
                                            expected.encoding, expected.parameters.text(), bias.heads));
  const bool one_row = bias.positions.axes == 1 && shape[1] == 1;
  if (bias.positions.axes == 1 && !one_row && shape[1] != shape[2])
    throw std::invalid_argument(fmt::format(
        "{}: {} holds biases of {} queries and {} keys; allowed: as many queries as keys, both from "
        "the first position on, or one row for all queries",
        array->path, text(shape), shape[1], shape[2]));
  bias.positions =
      bias.positions.axes > 1 ? window(*array, bias.positions) : held(*array, bias.positions, shape[2]);
  bias.bias = [array, one_row, domain = bias.positions](const Positions& queries, const Positions& keys) {
    const Shape& extents = array->shape;
    auto rows = places(*array, queries, domain, extents[2]);
    const auto columns = places(*array, keys, domain, extents[2]);
    if (one_row) std::ranges::fill(rows, 0);
    Tensor out({extents[0], rows.size(), columns.size()});
    if (columns.empty()) return out;
    const auto [first, last] = std::ranges::minmax(columns);
    std::vector<double> row(last - first + 1);
    for (std::size_t h = 0; h < extents[0]; ++h)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        array->row(h * extents[1] + rows[i], row, first);
        for (std::size_t j = 0; j < columns.size(); ++j)
          out.at(h * rows.size() + i, j) = row[columns[j] - first];
      }
    return out;
  };
  return bias;
}

// ---- a table of a grid

const Table* declared_table(const Expected& expected) {
  for (const Encoding& one : expected.declared)
    if (const auto* table = std::get_if<Table>(&one)) return table;
  return nullptr;
}

Encoding as_table_of_a_grid(const Held& array, Table table, const GridOfAFile& grid,
                            const Expected& expected) {
  if (array->width() != table.dim)
    throw std::invalid_argument(fmt::format("{}: its rows are {} wide, those of `{}` with {} are {}",
                                            array->path, array->width(), expected.encoding,
                                            expected.parameters.text(), table.dim));
  table.positions = grid.domain(table.positions.hard);
  table.rows = [array, grid](const Positions& positions, Position) {
    Tensor rows({positions.size(), array->width()});
    const std::size_t axes = positions.axes();
    for (std::size_t r = 0; r < positions.size(); ++r)
      array->row(grid.row(array->path, positions.flat().subspan(r * axes, axes)), rows.row(r));
    return rows;
  };
  return table;
}

bool is_zero(const Array& array, std::size_t row) {
  std::vector<double> values(array.width());
  array.row(row, values);
  return std::ranges::all_of(values, [](double x) { return x == 0; });
}

Subject open_table_of_a_grid(const Words& words, const Held& array, const Table& declared,
                             const std::string& described, const Expected& expected) {
  GridOfAFile grid = grid_of(*array, declared.positions.axes, expected);
  place_class_tokens(
      grid, array->path, [&](std::size_t row) { return is_zero(*array, row); }, "hold zeros", Side::before);
  const Dtype dtype = posproof::dtype(array->format);
  return {
      .name = "",
      .description =
          fmt::format("{}, a grid of {}{}", described, grid.text(), class_tokens_in_words(grid, "of zeros")),
      .encoding = as_table_of_a_grid(array, declared, grid, expected),
      .precision = words.precision.value_or(Precision::parse(precision_word(dtype))),
      .live = false,
  };
}

// [1, n, dim] and [n, 1, dim], as they are added to a batch, are [n, dim].
void drop_single_axes(Shape& shape) {
  if (shape.size() <= 2) return;
  const std::size_t dim = shape.back();
  shape.pop_back();
  if (longer_axes(shape) <= 1) shape = {count(shape)};
  shape.push_back(dim);
}

// Where the file has channels and heads otherwise than [.., dim] and [heads, nq, nk]: read as if it had them
// so.
enum class Axes { in_place, channels_first, heads_last };

// [dim, n] and [dim, rows, columns], as convolutions have them, where the last axis is not as long as a row.
bool has_channels_first(const Shape& shape, const Table& declared) {
  return (shape.size() == 2 || shape.size() == declared.positions.axes + 1) &&
         shape.front() == declared.dim && shape.back() != declared.dim;
}

// [nq, nk, heads], as a lookup in a table of [entries, heads] leaves them; one query has a row for all.
bool has_heads_last(const Shape& shape, std::size_t heads) {
  return shape.size() == 3 && shape.back() == heads && shape.front() != heads &&
         (shape[0] == shape[1] || shape[0] == 1);
}

Axes put_in_place(Array& array, const Table* rows, const Expected& expected) {
  if (const Shape shape = without_first_axes(array.shape, 2);
      rows != nullptr && has_channels_first(shape, *rows)) {
    array.shape = shape;
    array = with_axis_at(std::move(array), 0, shape.size() - 1);
    return Axes::channels_first;
  }
  if (rows != nullptr && rows->positions.axes == 1) drop_single_axes(array.shape);
  if (rows != nullptr) return Axes::in_place;
  array.shape = without_first_axes(std::move(array.shape), 3);
  for (const Encoding& one : expected.declared)
    if (const auto* bias = std::get_if<Bias>(&one);
        bias != nullptr && has_heads_last(array.shape, bias->heads)) {
      array = with_axis_at(std::move(array), 2, 0);
      return Axes::heads_last;
    }
  return Axes::in_place;
}

std::string described(const Shape& in_file, Axes axes, Format format) {
  return fmt::format("{}{} in {}", text(in_file),
                     axes == Axes::channels_first ? ", channels first,"
                     : axes == Axes::heads_last   ? ", heads last,"
                                                  : "",
                     name(dtype(format)));
}

}  // namespace

Subject open_table(const Words& words, const Expected& expected) {
  Array read = read_array(words.rest);
  if (read.complex)
    throw std::invalid_argument(
        fmt::format("{}: holds complex numbers, as caches of rotary encodings do; `{}` is no such encoding",
                    read.path, expected.encoding));
  const Table* declared_rows = declared_table(expected);
  const bool on_a_grid = declared_rows != nullptr && declared_rows->positions.axes > 1;
  Shape in_file = read.shape;
  const Axes axes = put_in_place(read, declared_rows, expected);
  if (axes == Axes::in_place) in_file = read.shape;
  const Held array = std::make_shared<Array>(std::move(read));
  if (on_a_grid) {
    if (array->empty())
      throw SubjectError(fmt::format("{}: {} holds no value", array->path, text(array->shape)));
    return open_table_of_a_grid(words, array, *declared_rows, described(in_file, axes, array->format),
                                expected);
  }
  const Shape& shape = array->shape;
  if (shape.size() != 2 && shape.size() != 3)
    throw SubjectError(
        fmt::format("{}: {} is neither [n, dim], the rows of a table, nor [heads, nq, nk], a bias",
                    array->path, text(shape)));
  if (array->empty()) throw SubjectError(fmt::format("{}: {} holds no value", array->path, text(shape)));

  const Encoding& declared = choose(array->path, {shape.size() == 2 ? "rows" : "bias"}, expected);
  const auto* table = std::get_if<Table>(&declared);
  std::optional<Stored> stored;
  if (table)
    stored =
        Stored{array->format, shape[0], shape[1], array->first(shape[0], table->positions.lo), array->read};
  const Dtype dtype = posproof::dtype(array->format);
  return {
      .name = "",
      .description = described(in_file, axes, array->format),
      .encoding = table ? as_table(array, *table, expected) : as_bias(array, as<Bias>(declared), expected),
      .precision = words.precision.value_or(Precision::parse(precision_word(dtype))),
      .live = false,
      .stored = std::move(stored),
  };
}

}  // namespace posproof
