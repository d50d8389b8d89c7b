#include "oracle/exact_table.h"
#include <fmt/format.h>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include "oracle/ladder.h"
namespace posproof::oracle {
ExactTable::ExactTable(std::shared_ptr<const Ladder> ladder, std::vector<Run> runs, std::size_t dim,
                       Position offset)
    : ladder_(std::move(ladder)), runs_(std::move(runs)), dim_(dim), offset_(offset) {}
namespace {
std::vector<double> row_of(const ExactTable& table, Position t, Format format) {
  std::vector<double> row(table.dim(), 0.0);
  for (const Run& run : table.runs())
    for (std::size_t k = 0; k < run.count; ++k) {
      const auto point = table.ladder().slow().point(run.frequency + k, t, format);
      using Part = Run::Part;
      if (run.part == Part::sines)
        row[run.column + k] = point.sine;
      else if (run.part == Part::cosines)
        row[run.column + k] = point.cosine;
      else {
        const bool sine_first = run.part == Part::sines_and_cosines;
        row[run.column + 2 * k] = sine_first ? point.sine : point.cosine;
        row[run.column + 2 * k + 1] = sine_first ? point.cosine : point.sine;
      }
    }
  return row;
}
double load(Format format, const void* values, std::size_t n) {
  if (format == Format::f64) return static_cast<const double*>(values)[n];
  if (format == Format::f32) return static_cast<double>(static_cast<const float*>(values)[n]);
  const std::uint16_t bits = static_cast<const std::uint16_t*>(values)[n];
  if (format == Format::bf16) {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    float f;
    std::memcpy(&f, &wide, 4);
    return static_cast<double>(f);
  }
  _Float16 h;
  std::memcpy(&h, &bits, 2);
  return static_cast<double>(h);
}
void store(Format format, void* out, std::size_t n, double v) {
  if (format == Format::f64)
    static_cast<double*>(out)[n] = v;
  else if (format == Format::f32)
    static_cast<float*>(out)[n] = static_cast<float>(v);
  else if (format == Format::bf16) {
    const float f = static_cast<float>(v);
    std::uint32_t b;
    std::memcpy(&b, &f, 4);
    static_cast<std::uint16_t*>(out)[n] = static_cast<std::uint16_t>(b >> 16);
  } else {
    const _Float16 h = static_cast<_Float16>(v);
    std::memcpy(static_cast<std::uint16_t*>(out) + n, &h, 2);
  }
}
}  // namespace
void ExactTable::fill(Format format, Position first, std::size_t rows, void* out, unsigned) const {
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = row_of(*this, first + offset_ + static_cast<Position>(r), format);
    for (std::size_t c = 0; c < dim_; ++c) store(format, out, r * dim_ + c, row[c]);
  }
}
Compared ExactTable::compare(Format format, Position first, std::size_t rows, const void* values,
                             const std::function<void(const Compared&)>& each, unsigned) const {
  Compared all{first, rows, 0, std::vector<double>(dim_, 0.0)};
  for (std::size_t from = 0; from < rows; from += 64) {
    Compared block{first + static_cast<Position>(from), std::min<std::size_t>(64, rows - from), 0,
                   std::vector<double>(dim_, 0.0)};
    for (std::size_t r = from; r < from + block.rows; ++r) {
      const Position t = first + static_cast<Position>(r);
      const auto right = row_of(*this, t + offset_, format), exact = row_of(*this, t + offset_, Format::f64);
      for (std::size_t c = 0; c < dim_; ++c) {
        const double v = load(format, values, r * dim_ + c);
        const double off = std::abs(v - exact[c]);
        block.farthest[c] = std::max(block.farthest[c], off);
        if (v == right[c]) continue;
        ++block.wrong;
        const double ulp = off / (2 * half_ulp(format, exact[c]));
        if (ulp > block.ulp) {
          block.ulp = ulp;
          block.at = t;
          block.column = c;
        }
      }
    }
    if (each) each(block);
    all.wrong += block.wrong;
    for (std::size_t c = 0; c < dim_; ++c) all.farthest[c] = std::max(all.farthest[c], block.farthest[c]);
    if (block.ulp > all.ulp) {
      all.ulp = block.ulp;
      all.at = block.at;
      all.column = block.column;
    }
  }
  return all;
}
}  // namespace posproof::oracle
