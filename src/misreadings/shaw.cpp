#include <algorithm>

#include "catalogue/encodings/shaw.h"
#include "catalogue/misreadings/shaw.h"
#include "encodings/clipped.h"
#include "misreadings/right.h"

namespace posproof::misreadings_shaw {
namespace {

using namespace inside;

// As an absolute embedding has it: the row of the key's own position, the last one for those past it.
Encoding of_the_key_s_position(const Parameters& given) {
  const Arguments p = misread::arguments(encodings::shaw, given);
  const std::size_t dim = p.width("dim"), rows = clipped::Rows(p).count();
  const Tensor table = trained(rows, dim, p.whole("table_seed"));
  return misread::with_logit(
      encodings::shaw, given,
      [=](std::span<const double> q, std::span<const double> k, Position, Position j, std::size_t) {
        const auto row =
            static_cast<std::size_t>(std::clamp<Position>(j, 0, static_cast<Position>(rows) - 1));
        return (dot(q, k) + dot(q, table.row(row))) / root(dim);
      });
}

}  // namespace

const MisreadingFamily entry{{
    {"the vector is that of the key's position, at most the last row, not of its offset from the query",
     &of_the_key_s_position, "dim=4 clip=3"},
}};

}  // namespace posproof::misreadings_shaw
