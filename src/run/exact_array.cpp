#include "run/exact_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/bounded.h"
#include "core/call.h"
#include "exact/exact_table.h"
#include "run/places.h"
#include "subject/array_file.h"
#include "subject/dtype.h"

namespace posproof {
namespace {

using exact::ExactTable;
using Piece = ExactArray::Piece;

constexpr std::size_t stretch = std::size_t{1} << 24;  // bytes that are computed before they are written

struct AskedRows {
  Position first;
  std::size_t count;

  Position last() const { return first + static_cast<Position>(count) - 1; }
  std::vector<Position> from(std::size_t row, std::size_t rows) const {
    std::vector<Position> out(rows);
    std::iota(out.begin(), out.end(), first + static_cast<Position>(row));
    return out;
  }
};

AskedRows asked_rows(Position first, Position last, const Domain& domain, double offset) {
  if (first > last)
    throw std::invalid_argument(
        fmt::format("positions `{}:{}`; allowed: FIRST:LAST, the first not past the last", first, last));
  constexpr Position farthest = ExactTable::farthest_position;
  for (const Position t : {first, last})
    if (std::abs(static_cast<double>(t) + offset) > static_cast<double>(farthest))
      throw std::invalid_argument(fmt::format("position {}{}; allowed: -{} to {}", t,
                                              offset == 0 ? "" : fmt::format(" with offset {}", offset),
                                              farthest, farthest));
  if (domain.ends && (first < domain.lo || last > domain.hi))
    throw Refusal(fmt::format("positions {}:{}: the encoding is defined for {} to {}", first, last, domain.lo,
                              domain.hi));
  return {first, static_cast<std::size_t>(last - first) + 1};
}

void check_size(const Shape& shape, Format format) {
  // No overflow: 2^41 + 1 positions (squared for a bias, in long double) and at most 2^20 columns.
  long double values = 1;
  for (const std::size_t extent : shape) values *= static_cast<long double>(extent);
  if (values > static_cast<long double>(most_values))
    throw std::invalid_argument(bounded(
        "{} in {} would be {:.0f} values, {:.0f} bytes; allowed: at most {} values, as many as are read",
        text(shape), name(format), values, values * static_cast<long double>(bytes(format)), most_values));
}

std::size_t rows_at_once(std::size_t bytes_of_row, std::size_t rows) {
  return std::clamp<std::size_t>(stretch / bytes_of_row, 1, rows);
}

constexpr const char* once = "correctly rounded, ties to even";

std::string twice(Format format) {
  if (format == Format::f64) return once;
  return fmt::format("correctly rounded to f64, and that to {}, ties to even", name(format));
}

ExactArray of(std::shared_ptr<const ExactTable> table, std::string name, Format format,
              const AskedRows& positions) {
  ExactArray out{.name = std::move(name),
                 .shape = {positions.count, table->dim()},
                 .format = format,
                 .rounding = once,
                 .give = {}};
  check_size(out.shape, format);
  out.give = [table = std::move(table), format, positions](const Piece& piece, unsigned threads) {
    const std::size_t row = table->dim() * bytes(format);
    const std::size_t at_once = rows_at_once(row, positions.count);
    std::vector<std::uint64_t> values((at_once * row + 7) / 8);  // aligned for every format
    for (std::size_t r = 0; r < positions.count; r += at_once) {
      const std::size_t rows = std::min(at_once, positions.count - r);
      table->fill(format, positions.first + static_cast<Position>(r), rows, values.data(), threads);
      piece(r * row, std::as_bytes(std::span(values)).first(rows * row));
    }
  };
  return out;
}

// One block of doubles, rounded and given.
class Rounding {
 public:
  Rounding(Format format, const Piece& piece) : format_(format), piece_(piece) {}
  void operator()(std::size_t at, std::span<const double> values) {
    const std::size_t each = bytes(format_);
    bytes_.resize(values.size() * each);
    for (std::size_t n = 0; n < values.size(); ++n) store(format_, values[n], &bytes_[n * each]);
    piece_(at * each, bytes_);
  }

 private:
  Format format_;
  const Piece& piece_;
  std::vector<std::byte> bytes_;
};

ExactArray of(const Table& table, Format format, const AskedRows& positions) {
  ExactArray out{.name = "rows",
                 .shape = {positions.count, table.dim},
                 .format = format,
                 .rounding = twice(format),
                 .give = {}};
  check_size(out.shape, format);
  const Position length = positions.last() + 1;
  const std::vector<Position> ends = {positions.first, positions.last()};
  table.rows(ends, length);  // refuses now what it will refuse
  out.give = [table, format, positions, length](const Piece& piece, unsigned) {
    Rounding give(format, piece);
    const std::size_t at_once = rows_at_once(table.dim * sizeof(double), positions.count);
    for (std::size_t r = 0; r < positions.count; r += at_once) {
      const std::size_t rows = std::min(at_once, positions.count - r);
      give(r * table.dim, table.rows(positions.from(r, rows), length).data);
    }
  };
  return out;
}

ExactArray of(const Bias& bias, Format format, const AskedRows& positions) {
  const std::size_t n = positions.count;
  ExactArray out{
      .name = "bias", .shape = {bias.heads, n, n}, .format = format, .rounding = twice(format), .give = {}};
  check_size(out.shape, format);
  const std::vector<Position> ends = {positions.first, positions.last()};
  bias.bias(ends, ends);  // refuses now what it will refuse
  out.give = [bias, format, positions, n](const Piece& piece, unsigned) {
    Rounding give(format, piece);
    const auto keys = positions.from(0, n);
    const std::size_t at_once = rows_at_once(bias.heads * n * sizeof(double), n);
    for (std::size_t i = 0; i < n; i += at_once) {
      const std::size_t queries = std::min(at_once, n - i);
      const Tensor block = bias.bias(positions.from(i, queries), keys);
      for (std::size_t h = 0; h < bias.heads; ++h)
        give((h * n + i) * n, std::span(block.data).subspan(h * queries * n, queries * n));
    }
  };
  return out;
}

// Of every head each offset's entry is computed once; the row of a query is a stretch of them.
ExactArray of(const ExactBias& exact, std::size_t heads, Format format, const AskedRows& positions) {
  const std::size_t n = positions.count, each = bytes(format);
  ExactArray out{.name = "bias", .shape = {heads, n, n}, .format = format, .rounding = once, .give = {}};
  check_size(out.shape, format);
  out.give = [exact, heads, format, positions, n, each](const Piece& piece, unsigned) {
    const Position first = exact.offset(positions.last(), positions.first);
    std::vector<double> entries(exact.of_key ? n : 2 * n - 1);
    std::vector<std::byte> stored(entries.size() * each), block;
    std::size_t given = 0;
    const auto give = [&] {
      piece(given, block);
      given += block.size();
      block.clear();
    };
    for (std::size_t head = 0; head < heads; ++head) {
      exact.fill(head, first, format, entries);
      for (std::size_t e = 0; e < entries.size(); ++e) store(format, entries[e], &stored[e * each]);
      for (Position query = positions.first; query <= positions.last(); ++query) {
        const auto from = static_cast<std::size_t>(exact.offset(query, positions.first) - first) * each;
        const auto row = std::span(stored).subspan(from, n * each);
        block.insert(block.end(), row.begin(), row.end());
        if (block.size() >= stretch) give();
      }
    }
    if (!block.empty()) give();
  };
  return out;
}

// The cosines or the sines of all pairs, a column each.
std::shared_ptr<const ExactTable> one_half(const Rotary& rotary,
                                           const std::shared_ptr<const ExactTable>& exact, RotaryPart which) {
  const auto part = which == RotaryPart::cosines ? exact::Run::Part::cosines : exact::Run::Part::sines;
  std::vector<exact::Run> runs;
  for (std::size_t column = 0; column < rotary.pairs.size(); ++column) {
    const std::size_t frequency = rotary.pairs[column].index;
    if (!runs.empty() && runs.back().frequency + runs.back().count == frequency)
      ++runs.back().count;
    else
      runs.push_back({part, column, frequency, 1});
  }
  const std::shared_ptr<const exact::Ladder> ladder(exact, &exact->ladder());
  return std::make_shared<const ExactTable>(ladder, std::move(runs), rotary.pairs.size(), 0);
}

constexpr const char* name_of(RotaryPart part) {
  if (part == RotaryPart::both) return "cos_sin";
  return part == RotaryPart::cosines ? "cos_cache" : "sin_cache";
}

ExactArray array_of(const Table& table, Format format, const AskedRows& positions, RotaryPart) {
  const auto exact = exact::exact_table(table);
  return exact ? of(exact, "rows", format, positions) : of(table, format, positions);
}

ExactArray array_of(const Rotary& rotary, Format format, const AskedRows& positions, RotaryPart part) {
  const auto exact = exact::exact_table(rotary);
  if (!exact) throw Refusal("these rotations are not a table of cosines and sines by position");
  if (part == RotaryPart::both) return of(exact, name_of(part), format, positions);
  return of(one_half(rotary, exact, part), name_of(part), format, positions);
}

ExactArray array_of(const Bias& bias, Format format, const AskedRows& positions, RotaryPart) {
  return bias.exact ? of(*bias.exact, bias.heads, format, positions) : of(bias, format, positions);
}

// ---- of a grid

// What becomes of (1, 0) in every pair of the first head, [places, dim]: the same in all heads.
Tensor rotated_ones(const Rotary& rotary, const Call& places) {
  const std::size_t n = places.positions.size();
  Tensor x({1, rotary.heads, n, rotary.dim});
  for (std::size_t r = 0; r < x.rows(); ++r)
    for (const Pair& pair : rotary.pairs) x.at(r, pair.first) = 1;
  const Tensor y = rotary.rotate(x, {places.positions.whole, places.positions.axes}, Role::query);
  const auto all = std::span(y.data), first = all.first(n * rotary.dim);
  for (std::size_t head = 1; head < rotary.heads; ++head)
    if (!std::ranges::equal(first, all.subspan(head * first.size(), first.size())))
      throw Refusal("each head is rotated by angles of its own: they are not one table");
  return Tensor({n, rotary.dim}, {first.begin(), first.end()});
}

// From which channels the columns are, in their order.
std::vector<std::size_t> columns_of(const Rotary& rotary, RotaryPart part) {
  std::vector<std::size_t> out;
  if (part == RotaryPart::both) {
    out.resize(rotary.dim);
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
  }
  std::vector<Pair> pairs = rotary.pairs;
  std::ranges::sort(pairs, {}, &Pair::first);
  for (const Pair& pair : pairs) out.push_back(part == RotaryPart::cosines ? pair.first : pair.second);
  return out;
}

Tensor of_columns(const Tensor& all, const std::vector<std::size_t>& columns) {
  Tensor out({all.rows(), columns.size()});
  for (std::size_t r = 0; r < all.rows(); ++r)
    for (std::size_t c = 0; c < columns.size(); ++c) out.at(r, c) = all.at(r, columns[c]);
  return out;
}

}  // namespace

void refuse_what_reads_contents(const Encoding& oracle) {
  if (signature(oracle).role || signature(oracle).takes.empty()) return;
  throw Refusal(fmt::format(
      "the answers of this kind, {}, depend on more than the position; a table, a rotary encoding or a bias can "
      "be written",
      kind(oracle)));
}

ExactArray exact_array_of_grid(const Encoding& oracle, Format format, const Shape& grid, RotaryPart part) {
  const auto* table = std::get_if<Table>(&oracle);
  const auto* rotary = std::get_if<Rotary>(&oracle);
  if (positions_of(oracle).axes != grid.size() || (table == nullptr && rotary == nullptr))
    throw Refusal("written are the places of tables and rotations, with an extent for each number");
  const std::vector<std::size_t> columns = rotary ? columns_of(*rotary, part) : std::vector<std::size_t>{};
  ExactArray out{.name = table ? "rows" : name_of(part),
                 .shape = {1, table ? table->dim : columns.size()},
                 .format = format,
                 .rounding = twice(format),
                 .grid = grid,
                 .give = {}};
  Places places;
  for (const std::size_t extent : grid) {
    check_size({extent}, format);
    places.first.push_back(0), places.last.push_back(static_cast<Position>(extent) - 1);
    out.shape[0] *= extent;
    check_size(out.shape, format);
  }
  const auto rows = [oracle, columns, places](std::size_t first, std::size_t count) {
    const Call call = call_of(oracle, places, static_cast<Position>(first), count);
    if (const auto* rotary = std::get_if<Rotary>(&oracle))
      return of_columns(rotated_ones(*rotary, call), columns);
    return as<Table>(oracle).rows({call.positions.whole, call.positions.axes}, 0);
  };
  rows(out.shape[0] - 1, 1);  // refuses now what it will refuse; at (0, 0) heads may be alike
  out.give = [rows, format, shape = out.shape](const Piece& piece, unsigned) {
    Rounding give(format, piece);
    const std::size_t at_once = rows_at_once(shape[1] * sizeof(double), shape[0]);
    for (std::size_t r = 0; r < shape[0]; r += at_once)
      give(r * shape[1], rows(r, std::min(at_once, shape[0] - r)).data);
  };
  return out;
}

ExactArray exact_array(const Encoding& oracle, Format format, Position first, Position last,
                       RotaryPart part) {
  if (const std::size_t axes = positions_of(oracle).axes; axes > 1)
    throw Refusal(fmt::format(
        "a position has {} numbers; only encodings of one number are written for a range of positions, and those "
        "with a `grid` for its places",
        axes));
  return std::visit(
      [&](const auto& kind) -> ExactArray {
        if constexpr (requires(AskedRows positions) { array_of(kind, format, positions, part); }) {
          double offset = 0;
          if constexpr (requires { kind.offset; }) offset = kind.offset;
          return array_of(kind, format, asked_rows(first, last, kind.positions, offset), part);
        } else {
          refuse_what_reads_contents(oracle);
          return {};
        }
      },
      oracle);
}

}  // namespace posproof
