// The codes that need whole numbers only, each value exact, or one quotient of two exact numbers, which IEEE
// division rounds correctly.
#include <algorithm>

#include "core/hard.h"
#include "oracle/asked.h"
#include "oracle/oracle.h"

namespace posproof::oracle {
namespace {

constexpr Position usual_end = Position{1} << 20;

Domain domain(Position lo, Position hi) {
  return {lo, hi, hard_positions(std::span<const Pair>{}, lo, hi)};
}

// Rows from what one column of one position is.
template <class Entry>
auto rows_from(std::size_t dim, Entry entry) {
  return [dim, entry](std::span<const Position> positions, Position length) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r)
      for (std::size_t c = 0; c < dim; ++c) rows.at(r, c) = entry(positions[r], c, length);
    return rows;
  };
}

// t / L and its relatives.
double normalized(const std::string& range, Position t, Position length) {
  within("normalized_index, length", length, 1, largest_whole / 4);
  within("normalized_index", t, 0, length - 1);
  const auto quotient = [](Position above, Position below) {
    if (below == 0) throw Refusal("normalized_index: a sequence of one token has no length - 1 to divide by");
    return static_cast<double>(above) / static_cast<double>(below);
  };
  if (range == "per_length") return quotient(t, length);
  if (range == "shifted") return quotient(t + 1, length);
  if (range == "centred") return quotient(2 * t - (length - 1), length - 1);
  return quotient(t, length - 1);
}

}  // namespace

Encoding raw_index(const Parameters& parameters) {
  const Asked asked(parameters, "raw_index", {"dim", "offset"});
  const std::size_t dim = asked.width("dim", 1);
  const std::int64_t offset = asked.whole("offset", 0, -largest_whole / 2, largest_whole / 2);
  Table table{.dim = dim, .positions = domain(0, usual_end), .offset = static_cast<double>(offset)};
  table.rows = rows_from(dim, [offset](Position t, std::size_t, Position) {
    within("raw_index", t, -largest_whole / 2, largest_whole / 2);
    return static_cast<double>(t + offset);
  });
  return table;
}

Encoding normalized_index(const Parameters& parameters) {
  const Asked asked(parameters, "normalized_index", {"dim", "range"});
  const std::size_t dim = asked.width("dim", 1);
  const std::string range = asked.word("range", {"zero_one", "per_length", "shifted", "centred"});
  Table table{.dim = dim, .positions = domain(0, usual_end), .terms = range == "centred" ? 2.0 : 0.0};
  table.rows = rows_from(
      dim, [range](Position t, std::size_t, Position length) { return normalized(range, t, length); });
  return table;
}

Encoding binary(const Parameters& parameters) {
  const Asked asked(parameters, "binary", {"dim", "order", "values"});
  const std::size_t dim = asked.width("dim", 16);
  const bool lsb_first = asked.word("order", {"lsb_first", "msb_first"}) == "lsb_first";
  const double zero = asked.word("values", {"bits", "signs"}) == "signs" ? -1 : 0;
  const Position last = dim < 63 ? (Position{1} << dim) - 1 : std::numeric_limits<Position>::max();
  Table table{.dim = dim, .positions = domain(0, std::min(last, usual_end))};
  table.rows = rows_from(dim, [dim, last, lsb_first, zero](Position t, std::size_t c, Position) {
    within("binary", t, 0, last);
    const std::size_t bit = lsb_first ? c : dim - 1 - c;
    return bit < 63 && (t >> bit) % 2 == 1 ? 1 : zero;
  });
  return table;
}

Encoding one_hot(const Parameters& parameters) {
  const Asked asked(parameters, "one_hot", {"dim"});
  const std::size_t dim = asked.width("dim", 64);
  const Position last = static_cast<Position>(dim) - 1;
  Table table{.dim = dim, .positions = domain(0, last)};
  table.positions.ends = true;
  table.rows = rows_from(dim, [last](Position t, std::size_t c, Position) {
    within("one_hot", t, 0, last);
    return static_cast<Position>(c) == t ? 1.0 : 0.0;
  });
  return table;
}

}  // namespace posproof::oracle
