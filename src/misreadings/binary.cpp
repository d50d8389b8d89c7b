#include <bit>
#include <cstdint>
#include <vector>

#include "catalogue/encodings/binary.h"
#include "catalogue/misreadings/binary.h"
#include "misreadings/right.h"

namespace posproof::misreadings_binary {
namespace {

using misread::Real;

// The digits from the highest 1 to the last, without zeros before them, from the first column on; or these
// read backwards, up to the last column. 0 has none.
template <bool first>
Encoding reads(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::binary, given);
  const double zero = p.is("values", "signs") ? -1 : 0;
  const Table table = misread::right<Table>(encodings::binary, given);
  if (table.dim < 2) throw Refusal("the same in one digit");
  return misread::with_rows(table, [=](std::span<const Real> x, std::span<double> row) {
    const auto t = static_cast<std::uint64_t>(x[0]);
    const auto digits = static_cast<std::size_t>(std::bit_width(t));
    std::ranges::fill(row, zero);
    for (std::size_t n = 0; n < std::min(digits, row.size()); ++n)
      if ((t >> (digits - 1 - n)) % 2 == 1) row[first ? n : row.size() - 1 - n] = 1;
  });
}

Encoding in_gray_code(const Parameters& given) {
  Table out = misread::right<Table>(encodings::binary, given);
  if (out.dim < 2) throw Refusal("the same in one digit");
  out.rows = [own = out.rows](const Positions& positions, Position length) {
    std::vector<Position> others;
    for (const Position t : positions) others.push_back(t ^ t >> 1);
    return own(others, length);
  };
  return out;
}

}  // namespace

const MisreadingFamily entry{{
    {"the first column is the highest digit that is 1: zeros before it are left out", &reads<true>},
    {"the last column is the highest digit that is 1: zeros before it are left out", &reads<false>},
    {"the digits are those of the Gray code, t xor floor(t/2)", &in_gray_code},
}};

}  // namespace posproof::misreadings_binary
