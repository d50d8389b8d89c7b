#include "subject/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "subject/array_file.h"
#include "subject/dtype.h"
#include "subject/kinds.h"

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

Domain held(const Domain& declared, std::size_t count) {
  Domain domain(declared.lo, declared.lo + static_cast<Position>(count) - 1);
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
  table.positions = held(table.positions, shape[0]);
  table.rows = [array, one_length, count, lo = table.positions.lo](Positions positions, Position length) {
    if (one_length && length != count)
      throw Refusal(fmt::format("{} holds a sequence of {} tokens; one of {} was asked for", array->path,
                                count, length));
    Tensor rows({positions.size(), array->width()});
    for (std::size_t r = 0; r < positions.size(); ++r)
      array->row(place(*array, positions[r], lo, array->shape[0]), rows.row(r));
    return rows;
  };
  return table;
}

Encoding as_bias(const Held& array, Bias bias, const Expected& expected) {
  const Shape& shape = array->shape;
  if (shape[0] != bias.heads)
    throw std::invalid_argument(fmt::format("{}: has {} heads, `{}` with {} has {}", array->path, shape[0],
                                            expected.encoding, expected.parameters.text(), bias.heads));
  bias.positions = held(bias.positions, std::min(shape[1], shape[2]));
  bias.bias = [array, lo = bias.positions.lo](Positions queries, Positions keys) {
    const Shape& extents = array->shape;
    std::vector<std::size_t> columns;
    for (const Position key : keys) columns.push_back(place(*array, key, lo, extents[2]));
    Tensor out({extents[0], queries.size(), keys.size()});
    if (columns.empty()) return out;
    const auto [first, last] = std::ranges::minmax(columns);
    std::vector<double> row(last - first + 1);
    for (std::size_t h = 0; h < extents[0]; ++h)
      for (std::size_t i = 0; i < queries.size(); ++i) {
        array->row(h * extents[1] + place(*array, queries[i], lo, extents[1]), row, first);
        for (std::size_t j = 0; j < columns.size(); ++j)
          out.at(h * queries.size() + i, j) = row[columns[j] - first];
      }
    return out;
  };
  return bias;
}

}  // namespace

Subject open_table(const Words& words, const Expected& expected) {
  const Held array = std::make_shared<Array>(read_array(words.rest));
  const Shape& shape = array->shape;
  if (shape.size() != 2 && shape.size() != 3)
    throw SubjectError(
        fmt::format("{}: {} is neither [n, dim], the rows of a table, nor [heads, nq, nk], a bias",
                    array->path, text(shape)));
  if (array->empty()) throw SubjectError(fmt::format("{}: {} holds no value", array->path, text(shape)));

  const Encoding& declared = choose(array->path, {shape.size() == 2 ? "rows" : "bias"}, expected);
  const auto* table = std::get_if<Table>(&declared);
  std::optional<Stored> stored;
  if (table) stored = Stored{array->format, shape[0], shape[1], table->positions.lo, array->read};
  const Dtype dtype = posproof::dtype(array->format);
  return {
      .name = "",
      .description = fmt::format("{} in {}", text(shape), name(dtype)),
      .encoding =
          table ? as_table(array, *table, expected) : as_bias(array, std::get<Bias>(declared), expected),
      .precision = words.precision.value_or(Precision::parse(precision_word(dtype))),
      .live = false,
      .stored = std::move(stored),
  };
}

}  // namespace posproof
