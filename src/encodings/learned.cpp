#include "catalogue/encodings.h"
#include "encodings/checked.h"
#include "encodings/seeded.h"
#include "oracle/oracle.h"

namespace posproof {
namespace {

Encoding make(const Parameters& parameters) {
  const std::size_t dim = checked::width(parameters, "dim");
  const std::int64_t length = checked::whole(parameters, "length", 1, 1 << 20);
  const bool index = checked::one_of(parameters, "table", {"index", "seeded"}) == "index";
  const auto seed =
      static_cast<std::uint64_t>(checked::whole(parameters, "seed", 0, (std::int64_t{1} << 32) - 1));
  const double deviation = checked::positive(parameters, "std");
  const std::int64_t offset = checked::whole(parameters, "offset", 0, length - 1);

  Table table{.dim = dim, .positions = {0, length - 1 - offset}, .offset = static_cast<double>(offset)};
  table.positions.ends = true;
  table.rows = [=, last = table.positions.hi](std::span<const Position> positions, Position) {
    Tensor rows({positions.size(), dim});
    for (std::size_t r = 0; r < positions.size(); ++r) {
      checked::position(positions[r], 0, last);
      for (std::size_t c = 0; c < dim; ++c) {
        const std::uint64_t entry = static_cast<std::uint64_t>(positions[r] + offset) * dim + c;
        rows.at(r, c) = index ? static_cast<double>(entry) : seeded(seed, entry, deviation);
      }
    }
    return rows;
  };
  return table;
}

}  // namespace

const EncodingSpec encodings::learned{
    .summary = "a row of a trained table for each position up to its end",
    .formula = "p_t = E[t + offset]",
    .source = "Gehring et al. 2017; Devlin et al. 2018, BERT, section 3; Radford et al. 2019, GPT-2",
    .parameters =
        {{"dim", 64.0, {1.0, 2.0, 3.0, 8.0, 64.0}, "width of the code, channels"},
         {"length", 512.0, {4.0, 17.0, 512.0}, "rows of the table"},
         {"table",
          "index",
          {"index", "seeded"},
          "what stands for the trained numbers: index (row * dim + column), seeded (uniform, of mean 0)"},
         {"seed", 1.0, {1.0, 2.0}, "of the table `seeded`"},
         {"std", 0.02, {0.02, 1.0}, "standard deviation of the table `seeded`"},
         {"offset", 0.0, {0.0, 1.0, 2.0}, "first row that is used: OPT 2, RoBERTa padding_idx + 1", true}},
    .make = &make,
    .oracle = &oracle::learned,
    .claims = {},
};

}  // namespace posproof
