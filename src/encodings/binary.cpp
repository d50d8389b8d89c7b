#include <algorithm>
#include <limits>

#include "catalogue/encodings.h"
#include "core/hard.h"
#include "encodings/checked.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const bool lsb_first = checked::one_of(parameters, "order", {"lsb_first", "msb_first"}) == "lsb_first";
  const double zero = checked::one_of(parameters, "values", {"bits", "signs"}) == "bits" ? 0 : -1;

  // Positions have 63 bits; further channels are always 0.
  const Position last = dim < 63 ? (Position{1} << dim) - 1 : std::numeric_limits<Position>::max();
  Table table{.dim = dim, .positions = {0, std::min(last, Position{1} << 20)}};
  table.positions.ends = table.positions.hi == last;
  table.positions.hard =
      hard_positions(std::span<const Pair>{}, 0, table.positions.hi);  // a power flips all bits below
  table.rows = [=](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      checked::position(positions[r], 0, last);
      for (std::size_t bit = 0; bit < dim; ++bit) {
        const bool set = bit < 63 && (positions[r] >> bit) % 2 == 1;
        rows.at(r, lsb_first ? bit : dim - 1 - bit) = set ? 1 : zero;
      }
    }
    return rows;
  };
  return table;
}

}  // namespace

const EncodingSpec encodings::binary{
    .summary = "the binary digits of the position",
    .formula = "p_t[j] = floor(t / 2^j) mod 2",
    .source = "Zhang et al., Dive into Deep Learning, section 11.6.3.1; founding document E, question 20",
    .parameters = {{"dim", 16.0, {1.0, 2.0, 3.0, 5.0, 16.0}, "digits, channels"},
                   {"order", "lsb_first", {"lsb_first", "msb_first"}, "which digit comes first", true},
                   {"values", "bits", {"bits", "signs"}, "bits: 0 and 1; signs: -1 and +1", true}},
    .make = &make,
    .oracle = &oracle::binary,
    .claims = {},
};

}  // namespace posproof
