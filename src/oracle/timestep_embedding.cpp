#include "catalogue/oracle/timestep_embedding.h"

#include <cmath>

#include "core/hard.h"
#include "exact/exact_table.h"
#include "exact/shared_ladder.h"
#include "exact/waves.h"

namespace posproof {

using namespace exact;

namespace {

// Where the columns of frequency 0 stand; those of the others follow.
struct Halves {
  std::size_t sines, cosines, count;
};

Tensor halves_at(const Multiprecision& numbers, std::size_t dim, const Halves& halves,
                 const Positions& positions) {
  Tensor rows({positions.size(), dim});
  const auto& frequencies = numbers.with(wave_bits).frequencies;
  const Real one = wave_number(1);
  for (std::size_t r = 0; r < positions.size(); ++r) {
    const double t = positions.at(r);
    for (std::size_t i = 0; i < halves.count; ++i) {
      const WavePoint point = wave({&frequencies[i], 1}, AngleUnit::radians, {&t, 1}, 0, one);
      rows.at(r, halves.sines + i) = point.sine;
      rows.at(r, halves.cosines + i) = point.cosine;
    }
  }
  return rows;
}

}  // namespace

Encoding oracle::timestep_embedding(const Arguments& p) {
  const std::size_t dim = p.width("dim");
  const auto half = static_cast<std::int64_t>(dim / 2);
  const bool flipped = p.is("layout", "cos_sin");
  const double scale = p.real("scale");
  const Halves halves{flipped ? dim / 2 : 0, flipped ? 0 : dim / 2, dim / 2};

  Geometric powers{p.real("max_period"), {}};
  for (std::int64_t i = 0; i < half; ++i) powers.exponents.push_back({i, half - p.whole("shift")});
  const auto ladder = shared_ladder(Frequencies{.ladder = powers, .backward = false, .multiple = scale});

  Table table{.dim = dim};
  // A power, and where it is scaled two roundings more; the power's own error counts ln w, not ln (scale w).
  const FrequencyError error =
      scale == 1 ? FrequencyError{} : FrequencyError{.roundings = 2 + 3 * std::abs(std::log(scale))};
  for (std::size_t i = 0; i < halves.count; ++i)
    table.pairs.push_back({halves.sines + i, halves.cosines + i, ladder->frequency(i), i, error});
  table.positions.real = true;
  table.positions.hard = hard_positions(table.pairs, table.positions.lo, table.positions.hi);
  table.rows = [ladder, dim, halves](const Positions& positions, Position) {
    return halves_at(ladder->multiprecision(), dim, halves, positions);
  };
  const std::vector<Run> runs = {{Run::Part::sines, halves.sines, 0, halves.count},
                                 {Run::Part::cosines, halves.cosines, 0, halves.count}};
  table.exact = std::make_shared<const ExactTable>(ladder, runs, dim, 0);
  return table;
}

}  // namespace posproof
