#include "exact/comparing.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exact/double_double.h"
#include "exact/ladder.h"

namespace posproof::exact {
namespace {

// Strips so narrow that the babies of each stay in the first cache from block to block.
std::vector<Strip> in_pieces(const std::vector<Strip>& strips) {
  std::vector<Strip> pieces;
  for (const Strip& strip : strips)
    for (std::size_t done = 0; done < strip.count; done += lane_group) {
      Strip& piece = pieces.emplace_back(strip);
      piece.lane += done;
      piece.count = std::min(lane_group, strip.count - done);
      piece.sine_column += done * strip.step();
      piece.cosine_column += done * strip.step();
    }
  return pieces;
}

// What stands twice, as in caches that have every frequency twice, is computed once.
std::vector<Strip> with_twins(const std::vector<Strip>& strips) {
  std::vector<Strip> out;
  for (const Strip& strip : strips) {
    const auto is_twin = [&](const Strip& other) {
      const bool same_shape =
          strip.part != Part::sine_apart_cosine ||
          strip.cosine_column - strip.sine_column == other.cosine_column - other.sine_column;
      return other.twin == 0 && other.part == strip.part && other.lane == strip.lane &&
             other.count == strip.count && strip.first_column() > other.first_column() && same_shape;
    };
    const auto first = std::ranges::find_if(out, is_twin);
    if (first == out.end())
      out.push_back(strip);
    else
      first->twin = strip.first_column() - first->first_column();
  }
  return out;
}

void blame(Compared& out, double ulp, Position at, std::size_t column) {
  if (!(ulp > out.ulp)) return;
  out.ulp = ulp;
  out.at = at;
  out.column = column;
}

}  // namespace

double of_correct_rounding(Format format, double amplitude) {
  return half_ulp(format, nearest(format, amplitude) == amplitude ? std::nextafter(amplitude, 0) : amplitude);
}

Comparing::Comparing(const ExactTable& table, std::span<const std::size_t> zeros, Format format,
                     Position offset)
    : table_(table),
      zeros_(zeros),
      format_(format),
      offset_(offset),
      strips_(with_twins(in_pieces(strips_of(table.runs())))) {
  const Ladder& ladder = table.ladder();
  if (const PhasorTables* fast = ladder.phasors()) {
    together_ = blocks_at_a_time(fast->lanes());
    giants_.emplace(*fast, together_);
  }
  for (auto& lanes : found_) lanes.assign(ladder.size() + lane_group, 0.0);
  clean_.assign(strips_.size(), true);
  const double amplitude =
      std::abs(ladder.multiprecision().with(Multiprecision::usual_bits).amplitude.nearest());
  correct_ = of_correct_rounding(format, amplitude);
  overflows_ = amplitude >= std::ldexp(1.0, shape(format).largest);
}

bool Comparing::has_fast_path(const Strip& strip) const {
  return giants_ && !overflows_ && strip.for_kernels();
}

Blocks Comparing::blocks_of(const Rows& rows) {
  return giants_ ? giants_->blocks(rows.first + offset_, rows.count) : Blocks{};
}

// What comes next is asked for in the order of memory, by each strip as much as it reads itself.
Columns Comparing::columns_of(const Strip& strip, const Rows& rows, std::size_t columns_before) const {
  Columns out = strip.columns(bytes(format_), table_.dim());
  out.twin = static_cast<std::ptrdiff_t>(strip.twin * bytes(format_));
  out.ahead = rows.next + rows.count * columns_before * bytes(format_);
  return out;
}

const char* Comparing::entry(const char* at, std::size_t row, std::size_t column) const {
  return at + (row * table_.dim() + column) * bytes(format_);
}

// ---- counting ----

void Comparing::count(const Strip& strip, const Columns& columns, const Blocks& blocks, const Rows& rows,
                      Wrong& wrong) const {
  Open open, of_twins;
  const std::size_t begin = blocks.count != 0 ? blocks.first->begin : 0;
  if (has_fast_path(strip)) {
    table_.ladder().phasors()->kernel().count(format_, blocks, columns,
                                              entry(rows.at, 0, strip.first_column()), wrong.data(),
                                              open.listener(), of_twins.listener());
  } else {
    open.all(strip, begin, begin + rows.count);
    if (strip.twin != 0) of_twins.all(strip, begin, begin + rows.count);
  }
  const auto settle = [&](const Strip& columns_of_it, const Open& opened) {
    for (const Open::Entry& one : opened.entries) {
      const std::size_t row = one.row - begin;
      const Position t = rows.first + offset_ + static_cast<Position>(row);
      const double value = load(format_, entry(rows.at, row, columns_of_it.column(one.lane, one.cosine)));
      if (value != settled(table_.ladder(), blocks, one, t, format_)) ++wrong[one.row / rows_per_block];
    }
  };
  settle(strip, open);
  settle(strip.second(), of_twins);
}

std::uint64_t Comparing::count_wrong(const Rows& rows) {
  const Blocks blocks = blocks_of(rows);
  Wrong wrong{};
  std::size_t before = 0;
  for (const Strip& strip : strips_) {
    count(strip, columns_of(strip, rows, before), blocks, rows, wrong);
    before += strip.columns_read();
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t of_block : wrong) sum += of_block;
  for (const std::size_t c : zeros_)
    for (std::size_t r = 0; r < rows.count; ++r) sum += load(format_, entry(rows.at, r, c)) == 0 ? 0 : 1;
  return sum;
}

// ---- measuring ----

std::vector<Compared> Comparing::compared(const Rows& rows) {
  const std::size_t stride = table_.dim() * bytes(format_);
  const Blocks blocks = blocks_of(rows);
  const std::size_t count_of_blocks = giants_ ? blocks.count : 1;
  std::vector<Compared> found;
  Position first = rows.first;
  for (std::size_t b = 0; b < count_of_blocks; ++b) {
    const std::size_t n = giants_ ? blocks.first[b].end - blocks.first[b].begin : rows.count;
    found.push_back({.first = first, .rows = n, .farthest = std::vector<double>(table_.dim(), 0.0)});
    first += static_cast<Position>(n);
  }
  std::size_t before = 0;
  for (std::size_t s = 0; s < strips_.size(); ++s) {
    const Strip& strip = strips_[s];
    Columns columns = columns_of(strip, rows, before);
    before += strip.columns_read();
    // What was right in the block before is likely to be right in the next.
    const bool likely = clean_[s] && has_fast_path(strip);
    Wrong wrong{};
    if (likely) count(strip, columns, blocks, rows, wrong);
    const char* at = rows.at;
    for (std::size_t b = 0; b < count_of_blocks; ++b) {
      Compared& block = found[b];
      if (!likely || wrong[b] != 0) {
        const std::uint64_t wrong_before = block.wrong;
        const Block* const of_kernel = giants_ ? blocks.first + b : nullptr;
        measure(strip, columns, of_kernel, at, block);
        if (strip.twin != 0) measure(strip.second(), columns, of_kernel, at, block);
        clean_[s] = block.wrong == wrong_before;
      } else {
        take_correct(strip, block);
      }
      at += block.rows * stride;
      columns.ahead += block.rows * strip.columns_read() * bytes(format_);
    }
  }
  const char* at = rows.at;
  for (Compared& block : found) {
    find_not_zero(at, block);
    at += block.rows * stride;
  }
  return found;
}

void Comparing::find_not_zero(const char* at, Compared& out) const {
  for (const std::size_t c : zeros_) {
    out.farthest[c] = 0;
    for (std::size_t r = 0; r < out.rows; ++r) {
      const double value = load(format_, entry(at, r, c));
      if (value == 0) continue;
      ++out.wrong;
      out.farthest[c] = std::max(out.farthest[c], std::isnan(value) ? HUGE_VAL : std::abs(value));
      blame(out, HUGE_VAL, out.first + static_cast<Position>(r), c);
    }
  }
}

void Comparing::measure(const Strip& strip, const Columns& columns, const Block* block, const char* at,
                        Compared& out) {
  Open open;
  const std::size_t begin = block != nullptr ? block->begin : 0;
  if (block != nullptr && has_fast_path(strip)) {
    Found found{found_[0].data(), found_[1].data(), found_[2].data(), found_[3].data(), 0};
    table_.ladder().phasors()->kernel().compare(format_, *block, columns, entry(at, 0, strip.first_column()),
                                                found, open.listener());
    out.wrong += found.wrong;
    take_found(strip, *block, at, out);
  } else {
    open.all(strip, begin, begin + out.rows);
    take_correct(strip, out);
  }
  for (const Open::Entry& one : open.entries) settle(strip, block, one, at, out);
}

// Of entries that are right, or else are settled one by one.
void Comparing::take_correct(const Strip& strip, Compared& out) const {
  const auto of = [&](const Strip& columns) {
    for (std::size_t lane = columns.lane; lane < columns.lane + columns.count; ++lane)
      for (const bool cosine : {false, true})
        if (cosine ? columns.has_cosines() : columns.has_sines()) {
          double& farthest = out.farthest[columns.column(lane, cosine)];
          farthest = std::max(farthest, correct_);
        }
  };
  of(strip);
  if (strip.twin != 0) of(strip.second());
}

// Moves what was found of the lanes to their columns, and finds the row of the largest.
void Comparing::take_found(const Strip& strip, const Block& block, const char* at, Compared& out) {
  double most = 0.5;
  std::size_t lane_of = 0;
  bool cosine_of = false;
  for (const bool cosine : {false, true}) {
    if (cosine ? !strip.has_cosines() : !strip.has_sines()) continue;
    std::vector<double>&farthest = found_[cosine ? 1 : 0], &ulp = found_[cosine ? 3 : 2];
    for (std::size_t lane = strip.lane; lane < strip.lane + strip.count; ++lane) {
      double& column = out.farthest[strip.column(lane, cosine)];
      column = std::max(column, farthest[lane]);
      if (ulp[lane] > most) {
        most = ulp[lane];
        lane_of = lane;
        cosine_of = cosine;
      }
      farthest[lane] = ulp[lane] = 0;
    }
  }
  if (most <= 0.5 || most <= out.ulp) return;
  if (most < farthest_so_far_) return blame(out, most, out.first, strip.column(lane_of, cosine_of));
  farthest_so_far_ = most;
  blame(out, most, out.first + static_cast<Position>(row_of(strip, block, at, out, lane_of, cosine_of)),
        strip.column(lane_of, cosine_of));
}

// 2^e for a value of exponent e, or the smallest whose last place still falls.
double Comparing::power_below(double x) const {
  constexpr std::uint64_t exponents = std::uint64_t{0x7ff} << 52;
  const double least = std::ldexp(1.0, shape(format_).smallest);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= exponents;
  double power = 0;
  std::memcpy(&power, &bits, sizeof power);
  return std::max(power, least);
}

// Which row of one column is farthest off, in units in the last place.
std::size_t Comparing::row_of(const Strip& strip, const Block& block, const char* at, const Compared& out,
                              std::size_t lane, bool cosine) const {
  const auto sine = [lane](const Phasor& w) { return DoubleDouble{w.sine[lane], w.sine_rest[lane]}; };
  const auto other = [lane](const Phasor& w) { return DoubleDouble{w.cosine[lane], w.cosine_rest[lane]}; };
  const DoubleDouble s = sine(*block.giant), c = other(*block.giant);
  std::size_t farthest = 0;
  double most = -1;
  for (std::size_t r = 0; r < out.rows; ++r) {
    const Phasor& baby = block.babies[block.begin + r];
    const DoubleDouble exact = cosine ? sum_of_products(c, other(baby), {-s.head, -s.rest}, sine(baby))
                                      : sum_of_products(s, other(baby), c, sine(baby));
    const double value = load(format_, entry(at, r, strip.column(lane, cosine)));
    const double off = std::abs((value - exact.head) - exact.rest);
    const double ulp = std::isnan(off) ? HUGE_VAL : off / power_below(exact.head);
    if (ulp <= most) continue;
    most = ulp;
    farthest = r;
  }
  return farthest;
}

void Comparing::settle(const Strip& strip, const Block* block, const Open::Entry& one, const char* at,
                       Compared& out) const {
  const Blocks blocks{block, std::size_t{block != nullptr}};
  const std::size_t row = one.row - (block != nullptr ? block->begin : 0),
                    column = strip.column(one.lane, one.cosine);
  const Position t = out.first + static_cast<Position>(row);
  const double value = load(format_, entry(at, row, column));
  if (value == settled(table_.ladder(), blocks, one, t + offset_, format_)) return;
  ++out.wrong;
  const double exact = settled(table_.ladder(), blocks, one, t + offset_, Format::f64);
  const double off = std::isnan(value) ? HUGE_VAL : std::abs(value - exact);
  out.farthest[column] = std::max(out.farthest[column], off);
  blame(out, std::max(0.5, off / (2 * half_ulp(format_, exact))), t, column);
}

}  // namespace posproof::exact
