#include "exact/strip.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exact/double_double.h"
#include "exact/ladder.h"

namespace posproof::exact {
namespace {

Strip strip_of(const Run& run) {
  switch (run.part) {
    case Run::Part::sines:
      return {Part::sine, run.frequency, run.count, run.column, 0};
    case Run::Part::cosines:
      return {Part::cosine, run.frequency, run.count, 0, run.column};
    case Run::Part::sines_and_cosines:
      return {Part::sine_and_cosine, run.frequency, run.count, run.column, run.column + 1};
    default:
      return {Part::cosine_and_sine, run.frequency, run.count, run.column + 1, run.column};
  }
}

}  // namespace

std::size_t Strip::first_column() const {
  if (part == Part::sine_apart_cosine) return sine_column;
  return has_sines() && has_cosines() ? std::min(sine_column, cosine_column)
         : has_sines()                ? sine_column
                                      : cosine_column;
}

Columns Strip::columns(std::size_t bytes, std::size_t dim) const {
  const auto apart = static_cast<std::ptrdiff_t>(cosine_column) - static_cast<std::ptrdiff_t>(sine_column);
  return {part, lane, count, bytes * dim, apart * static_cast<std::ptrdiff_t>(bytes)};
}

std::vector<Strip> strips_of(std::span<const Run> runs) {
  std::vector<Strip> strips;
  std::vector<bool> with_sines(runs.size(), false);  // cosines
  for (const Run& run : runs) {
    if (run.count == 0 || run.part == Run::Part::cosines) continue;
    Strip strip = strip_of(run);
    for (std::size_t b = 0; b < runs.size(); ++b) {
      const Run& cosines = runs[b];
      const bool partner = run.part == Run::Part::sines && cosines.part == Run::Part::cosines &&
                           !with_sines[b] && cosines.frequency == run.frequency &&
                           cosines.count <= run.count && cosines.count != 0;
      if (!partner) continue;
      strip = {Part::sine_apart_cosine, run.frequency, cosines.count, run.column, cosines.column};
      with_sines[b] = true;
      if (const std::size_t left = run.count - cosines.count; left != 0)
        strips.push_back({Part::sine, strip.lane + strip.count, left, strip.sine_column + strip.count, 0});
      break;
    }
    strips.push_back(strip);
  }
  for (std::size_t b = 0; b < runs.size(); ++b)
    if (runs[b].part == Run::Part::cosines && runs[b].count != 0 && !with_sines[b])
      strips.push_back(strip_of(runs[b]));
  return strips;
}

std::size_t blocks_at_a_time(std::size_t lanes) {
  return std::clamp(4096 / std::max(lanes, std::size_t{1}), std::size_t{1}, most_blocks);
}

std::size_t rows_at_once(Position t, std::size_t left, std::size_t blocks) {
  constexpr Position block = rows_per_block;
  const auto into = static_cast<std::size_t>(((t % block) + block) % block);
  return std::min(blocks * rows_per_block - into, left);
}

double load(Format format, const char* at) {
  if (format == Format::f64) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  if (format == Format::f32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return value_of(format, bits);
}

void store(Format format, char* at, double value) {
  if (format == Format::f64) {
    std::memcpy(at, &value, sizeof value);
  } else if (format == Format::f32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(at, &narrow, sizeof narrow);
  } else {
    const std::uint16_t bits = bits_of(format, value);
    std::memcpy(at, &bits, sizeof bits);
  }
}

void Open::all(const Strip& strip, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row)
    for (std::size_t lane = strip.lane; lane < strip.lane + strip.count; ++lane) {
      if (strip.has_sines()) entries.push_back({row, lane, false});
      if (strip.has_cosines()) entries.push_back({row, lane, true});
    }
}

double settled(const Ladder& ladder, const Blocks& blocks, const Open::Entry& entry, Position t,
               Format format) {
  const auto [row, lane, cosine] = entry;
  if (!cosine && (t == 0 || ladder.frequency(lane) == 0)) return 0;
  if (blocks.count != 0) {
    const Block& block = blocks.first[row / rows_per_block];
    const Phasor &giant = *block.giant, &baby = block.babies[row % rows_per_block];
    const DoubleDouble s{giant.sine[lane], giant.sine_rest[lane]},
        c{giant.cosine[lane], giant.cosine_rest[lane]};
    const DoubleDouble bs{baby.sine[lane], baby.sine_rest[lane]},
        bc{baby.cosine[lane], baby.cosine_rest[lane]};
    const DoubleDouble x =
        cosine ? sum_of_products(c, bc, {-s.head, -s.rest}, bs) : sum_of_products(s, bc, c, bs);
    const double error = (cosine ? block.errors->fine_cosine : block.errors->fine_sine)[lane];
    if (const auto value = certain_in(format, x, error)) return *value;
  }
  const auto point = ladder.multiprecision().point(lane, t, format);
  return cosine ? point.cosine : point.sine;
}

}  // namespace posproof::exact
